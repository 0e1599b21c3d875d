import { existsSync } from "node:fs";
import { basename, delimiter, dirname, join, relative, resolve } from "node:path";
import * as z from "../../provider/zod";
import { readFile } from "../files";
import { type Project } from "../project";
import { failure, type Finding, ok, warning } from "./report";

const ID = "program.plugin";
const PLUGIN = "pulumi-resource-identity";
const BIN = "node_modules/.bin";

/** Programs in TypeScript need no plugin; those in other languages find it by its entry in Pulumi.yaml. */
export async function pluginFindings({ file }: Project, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const project = await readProject(file);
  if (project === undefined) {
    const advice = "Correct it: `pulumi preview` prints the line.";
    return [failure(ID, `${basename(file)} can't be read as a project`, advice)];
  }
  const { language, entry } = project;
  if (entry === undefined)
    return (language ?? "nodejs") === "nodejs" ? [] : [missingEntry(file, environment)];
  const { path, version } = entry;
  if (path === undefined || path === null)
    return [failure(ID, "the plugin entry of identity has no path", adviceOnPath(file))];
  if (!hasPlugin(resolve(dirname(file), path)))
    return [failure(ID, `${path} has no ${PLUGIN}`, adviceOnPath(file))];
  if (version !== undefined && version !== null) {
    const advice = "Remove `version` from the plugin entry: npm decides which one is installed.";
    return [warning(ID, `${PLUGIN} in ${path}, and its entry asks for version ${version}`, advice)];
  }
  return [ok(ID, `${PLUGIN} in ${path}`)];
}

/** The runtime of a project, e.g. `nodejs`; undefined if its file can't be read. */
export async function languageOf(file: string): Promise<string | undefined> {
  const project = await readProject(file);
  return project && (project.language ?? "nodejs");
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

const providerEntry = z.looseObject({
  name: z.string().nullish(),
  path: z.string().nullish(),
  version: z.union([z.string(), z.number()]).nullish(),
});

const projectFile = z.looseObject({
  runtime: z.union([z.string(), z.looseObject({ name: z.string().nullish() })]).nullish(),
  plugins: z.looseObject({ providers: z.array(providerEntry).nullish() }).nullish(),
});

interface ProjectFile {
  language: string | null | undefined;
  entry: z.infer<typeof providerEntry> | undefined;
}

async function readProject(file: string): Promise<ProjectFile | undefined> {
  // Other commands start without it.
  const { parse } = await import("yaml");
  try {
    const { runtime, plugins } = projectFile.parse(parse(readFile(file), { logLevel: "error" }));
    return {
      language: typeof runtime === "string" ? runtime : runtime?.name,
      entry: plugins?.providers?.find(({ name }) => name === "identity"),
    };
  } catch {
    return undefined;
  }
}
