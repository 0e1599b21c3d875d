import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { type Project } from "../project";
import { failure, type Finding, ok, warning } from "./report";

const ID = "program.plugin";
const PLUGIN = "pulumi-resource-identity";
const BIN = "node_modules/.bin";

/** Checks the plugin: programs in TypeScript need none; those in YAML find it by its entry in Pulumi.yaml. */
export function pluginFindings({ file }: Project, environment: NodeJS.ProcessEnv): Finding[] {
  const text = readFileSync(file, "utf8").replace(/(^|\s)#.*$/gm, "$1");
  const entry = pluginEntry(text);
  if (entry === undefined) return languageOf(text) === "yaml" ? [missingEntry(file, environment)] : [];
  const { path, version } = entry;
  if (path === undefined)
    return [failure(ID, "the plugin entry of identity has no path", adviceOnPath(file))];
  if (!hasPlugin(resolve(dirname(file), path)))
    return [failure(ID, `${path} has no ${PLUGIN}`, adviceOnPath(file))];
  if (version !== undefined) {
    const advice = "Remove `version` from the plugin entry: npm decides which one is installed.";
    return [warning(ID, `${PLUGIN} in ${path}, and its entry asks for version ${version}`, advice)];
  }
  return [ok(ID, `${PLUGIN} in ${path}`)];
}

function missingEntry(file: string, { PATH = "" }: NodeJS.ProcessEnv): Finding {
  const entry = `plugins: { providers: [{ name: identity, path: ${installedNear(file) ?? BIN} }] }`;
  const advice = `Add to Pulumi.yaml: ${entry}`;
  if (!PATH.split(delimiter).some(hasPlugin))
    return failure(ID, "Pulumi.yaml has no plugin entry for identity", advice);
  return warning(ID, `Pulumi.yaml has no plugin entry for identity; Pulumi uses that of the PATH`, advice);
}

function adviceOnPath(file: string): string {
  const found = installedNear(file);
  if (found === undefined) return `Run \`npm install pulumi-identity @pulumi/pulumi\` in ${dirname(file)}.`;
  return `In Pulumi.yaml, set the path of the plugin entry to ${found}.`;
}

/** Returns npm's place for the plugin, relative to the project: in it or in a folder above. */
function installedNear(file: string): string | undefined {
  for (let at = dirname(file); ; at = dirname(at)) {
    if (hasPlugin(join(at, BIN))) return relative(dirname(file), join(at, BIN)).replaceAll("\\", "/");
    if (dirname(at) === at) return undefined;
  }
}

function hasPlugin(folder: string): boolean {
  return [PLUGIN, `${PLUGIN}.cmd`].some((name) => existsSync(join(folder, name)));
}

/** `runtime: yaml`, or an object with that name. */
function languageOf(text: string): string | undefined {
  return /(?:^|[{,\n]\s*)["']?runtime["']?\s*:\s*\{?\s*(?:["']?name["']?\s*:\s*)?["']?([\w-]+)/.exec(
    text,
  )?.[1];
}

/** Reads YAML's block and flow styles, and JSON. */
function pluginEntry(text: string): { path: string | undefined; version: string | undefined } | undefined {
  const [, section = ""] =
    /(?:^|\n|[{,]\s*)["']?plugins["']?\s*:([\s\S]*?)(?=\n[^\s\-}\]]|$(?![\s\S]))/.exec(text) ?? [];
  const items = section.split(/\n\s*-\s|[{}]/);
  const item = items.find((one) => valueIn(one, "name") === "identity");
  return item === undefined ? undefined : { path: valueIn(item, "path"), version: valueIn(item, "version") };
}

function valueIn(item: string, key: string): string | undefined {
  return new RegExp(`(?:^|[\\s,])["']?${key}["']?\\s*:\\s*["']?([^"'\\s,}\\]]+)`).exec(item)?.[1];
}
