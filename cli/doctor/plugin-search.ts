import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { shellEnvironment } from "../shell-path";
import { canRun } from "./plugin-file";

/* The engine's search for a plugin, as CLI 3.274.1 does it (getPluginInfoAndPath in its plugins.go). */

export const PLUGIN = "pulumi-resource-identity";

/** An entry of the project's `plugins: providers`. */
export interface Entry {
  path: string;
  version: string | undefined;
}

export interface Found {
  file: string;
  from: "entry" | "PATH" | "installed";
  /** That of the folder; only if it's installed. */
  version?: string;
}

export interface Search {
  /** The project's file, to which entries are relative. */
  project: string;
  entries: readonly Entry[];
  /** The version that the program names; undefined for any. */
  asked: string | undefined;
  environment: NodeJS.ProcessEnv;
}

/** Returns the plugin that runs; undefined if the engine finds none here. */
export function findPlugin(search: Search): Found | undefined {
  return inEntries(search) ?? onPath(search.environment) ?? ofInstalled(search);
}

/** The first that fits is taken, with or without the file. */
function inEntries({ project, entries, asked }: Search): Found | undefined {
  const entry = entries.find(
    ({ version }) => version === undefined || asked === undefined || version === asked,
  );
  if (entry === undefined) return undefined;
  return { file: fileIn(resolve(dirname(project), entry.path)), from: "entry" };
}

function onPath(environment: NodeJS.ProcessEnv): Found | undefined {
  if (isTruthy(environment["PULUMI_IGNORE_AMBIENT_PLUGINS"])) return undefined;
  const { PATH = "" } = shellEnvironment(environment);
  const folders = PATH.split(delimiter).filter((folder) => folder !== "");
  const file = folders.map(fileIn).find(canRun);
  return file === undefined ? undefined : { file, from: "PATH" };
}

function ofInstalled({ asked, environment }: Search): Found | undefined {
  const all = installedVersions(environment);
  const version = asked === undefined ? newestOf(all) : all.find((one) => one === asked);
  if (version === undefined) return undefined;
  return {
    file: fileIn(join(pluginsFolder(environment), `${INSTALLED}${version}`)),
    from: "installed",
    version,
  };
}

const INSTALLED = "resource-identity-v";

export function pluginsFolder(environment: NodeJS.ProcessEnv): string {
  const { PULUMI_HOME, HOME } = environment;
  return join(PULUMI_HOME || join(HOME || homedir(), ".pulumi"), "plugins");
}

/** In ascending order. */
export function installedVersions(environment: NodeJS.ProcessEnv): string[] {
  const folder = pluginsFolder(environment);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(INSTALLED))
    .filter(({ name }) => !existsSync(join(folder, `${name}.partial`)))
    .map(({ name }) => name.slice(INSTALLED.length))
    .filter((version) => /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version) && !/\.tmp\d+$/.test(version))
    .sort(byVersion);
}

/** A prerelease only if there is nothing else. */
export function newestOf(versions: readonly string[]): string | undefined {
  const sorted = [...versions].sort(byVersion);
  return sorted.filter((version) => !isPrerelease(version)).at(-1) ?? sorted.at(-1);
}

export function byVersion(one: string, other: string): number {
  const [a = "", b = ""] = [one, other].map((version) => /^[\d.]+/.exec(version)?.[0]);
  const numeric = { numeric: true };
  if (a !== b) return a.localeCompare(b, "en", numeric);
  const difference = Number(isPrerelease(other)) - Number(isPrerelease(one));
  return difference === 0 ? one.localeCompare(other, "en", numeric) : difference;
}

function isPrerelease(version: string): boolean {
  return /^[\d.]+-/.test(version);
}

function fileIn(folder: string): string {
  const names = process.platform === "win32" ? [`${PLUGIN}.exe`, `${PLUGIN}.cmd`] : [PLUGIN];
  const [first = ""] = names.map((name) => join(folder, name));
  return names.map((name) => join(folder, name)).find((file) => existsSync(file)) ?? first;
}

export function isTruthy(value = ""): boolean {
  return value === "1" || value.toLowerCase() === "true";
}
