import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { PLUGIN_URL } from "../../provider/pulumi/plugin-source";
import * as z from "../../provider/zod";
import { readFile } from "../files";
import { type Project } from "../project";
import { type StackState } from "../stack-export";
import { type PluginFile, readPluginFile } from "./plugin-file";
import {
  byVersion,
  type Entry,
  findPlugin,
  type Found,
  installedVersions,
  isTruthy,
  newestOf,
  PLUGIN,
  pluginsFolder,
} from "./plugin-search";
import { type Finding, failure, ok, unchecked, warning } from "./report";

const ID = "program.plugin";
/** Their programs run on Node.js, with the package. */
export const OF_NODE: readonly string[] = ["nodejs", "bun"];
/** Pulumi generates SDKs for them, which name the plugin's version and address. */
const WITH_SDK: readonly string[] = ["python", "go", "java", "dotnet"];

export interface PluginReport {
  findings: Finding[];
  /** True if the plugin that runs is npm's, a script. */
  isScript: boolean;
}

const NONE: PluginReport = { findings: [], isScript: false };

interface Known {
  state?: Pick<StackState, "isOfPlugin" | "pluginVersions"> | undefined;
  /** The version of the package beside the program. */
  installed?: string | undefined;
}

/** Examines the plugin that Pulumi would start for a program, without starting it. */
export async function examinePlugin(
  project: Project,
  environment: NodeJS.ProcessEnv,
  { state, installed }: Known = {},
): Promise<PluginReport> {
  const file = await readProject(project.file);
  if (file === undefined) {
    const advice = "Correct it: `pulumi preview` prints the line.";
    return {
      ...NONE,
      findings: [failure(ID, `${basename(project.file)} can't be read as a project`, advice)],
    };
  }
  const { language, entries } = file;
  const isOfNode = OF_NODE.includes(language);
  if (isOfNode && entries.length === 0 && state?.isOfPlugin !== true && !importsPlugin(project.folder))
    return NONE;
  const inState = newestOf(state?.pluginVersions ?? []);
  const asks = await askedBy(project, language, { installed, inState });
  const found = findPlugin({ project: project.file, entries, asked: asks.version, environment });
  if (found === undefined) return { ...NONE, findings: [missing(language, asks, environment)] };
  if (!existsSync(found.file)) return { ...NONE, findings: [gone(found, project)] };
  return examineFile({ found, asked: asks.version, inState, language, environment });
}

function examineFile(context: Omit<Judged, "held">): PluginReport {
  const { file } = context.found;
  const held = heldIn(file);
  if (held === undefined) return { ...NONE, findings: [unchecked(ID, `${file} can't be read`)] };
  return { findings: judged({ ...context, held }), isScript: held.platform === undefined };
}

function heldIn(file: string): PluginFile | undefined {
  try {
    return readPluginFile(file);
  } catch {
    return undefined;
  }
}

/** The engine doesn't look for another one then. */
function gone({ file, from, version }: Found, project: Project): Finding {
  const advice =
    from === "entry"
      ? `In ${basename(project.file)}, remove the entry of identity under \`plugins\`. ${installAdvice()}`
      : `Install it again: ${installCommand(version)} --reinstall`;
  return failure(ID, `${dirname(file)} has no ${PLUGIN}`, advice);
}

interface Judged {
  found: Found;
  held: PluginFile;
  asked: string | undefined;
  inState: string | undefined;
  language: string;
  environment: NodeJS.ProcessEnv;
}

function judged(context: Judged): Finding[] {
  const failed = cannotRun(context);
  if (failed !== undefined) return [failed];
  const doubts = [doubtfulFile(context), doubtfulAge(context), doubtfulChoice(context)].flatMap(
    (one) => one ?? [],
  );
  return doubts.length > 0 ? doubts : [ok(ID, placeOf(context))];
}

function cannotRun({ found, held: { isExecutable, platform } }: Judged): Finding | undefined {
  const { file } = found;
  if (!isExecutable) return failure(ID, `${file} isn't executable`, `Run: chmod +x "${file}"`);
  if (platform === undefined || runsHere(platform)) return undefined;
  const advice = `For the one for ${platformHere()}, run: ${removal(found)}, then \`${installCommand(found.version)}\`.`;
  return failure(ID, `${file} is for ${platform}, and this is ${platformHere()}`, advice);
}

function doubtfulFile(context: Judged): Finding | undefined {
  const { found, held } = context;
  if (held.version === undefined) {
    const advice = `It gets the tenant's credentials. Unless you know it: ${removal(found)}, then \`${installCommand()}\`.`;
    return warning(ID, `${placeOf(context)}, isn't the plugin of pulumi-identity`, advice);
  }
  if (found.version !== undefined && found.version !== held.version) {
    const advice = `Run: ${removal(found)}, then \`${installCommand(found.version)}\`.`;
    return warning(ID, `${placeOf(context)}, is installed as ${found.version}`, advice);
  }
  if (found.from !== "PATH") return undefined;
  const advice =
    "To run an installed one, take its folder off the PATH, or set PULUMI_IGNORE_AMBIENT_PLUGINS=true.";
  return warning(ID, `${placeOf(context)}: Pulumi takes it before an installed one`, advice);
}

/** Pulumi doesn't install a version that is there. */
function removal({ file, from, version }: Found): string {
  return from === "installed" ? `\`pulumi plugin rm resource identity ${version}\`` : `remove ${file}`;
}

function doubtfulAge(context: Judged): Finding | undefined {
  const { inState, found } = context;
  const version = versionOf(context);
  if (version === undefined || inState === undefined || byVersion(version, inState) >= 0) return undefined;
  const says = `${placeOf(context)}, is older than ${inState}, which made the stack's resources`;
  const install = installCommand(inState);
  const advice =
    found.from === "installed" ? `Run: ${install}` : `Run: ${removal(found)}, then \`${install}\`.`;
  return warning(ID, says, advice);
}

function doubtfulChoice(context: Judged): Finding | undefined {
  const { found, asked, language, environment } = context;
  const isNamed = found.from !== "installed" || asked !== undefined || WITH_SDK.includes(language);
  const others = installedVersions(environment).filter((version) => version !== found.version);
  if (isNamed || others.length === 0) return undefined;
  const says = `${placeOf(context)}; also installed: ${others.join(", ")}. The program names no version`;
  const removals = others.map((one) => `pulumi plugin rm resource identity ${one}`);
  return warning(ID, says, `Run: ${removals.join("; ")}`);
}

function versionOf({ held, found }: Judged): string | undefined {
  return held.version ?? found.version;
}

/** For example `pulumi-resource-identity 0.1.0 in ~/.pulumi/plugins/resource-identity-v0.1.0`. */
function placeOf(context: Judged): string {
  const { file, from } = context.found;
  const how = { entry: "from the plugins entry", PATH: "from the PATH", installed: "installed" }[from];
  return `${named(versionOf(context))}, ${how} in ${dirname(file)}`;
}

function named(version: string | undefined): string {
  return version === undefined ? PLUGIN : `${PLUGIN} ${version}`;
}

interface Asks {
  version: string | undefined;
  /** From where Pulumi fetches it; undefined if it would ask in a place of its own. */
  url: string | undefined;
}

function missing(language: string, { version, url }: Asks, environment: NodeJS.ProcessEnv): Finding {
  const isFetched = !isTruthy(environment["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"]);
  const others = installedVersions(environment);
  const beside = others.length === 0 ? "" : `, only ${others.join(", ")}`;
  const lacks = `${named(version)} isn't in ${pluginsFolder(environment)}${beside}`;
  if (isFetched && url === PLUGIN_URL) return ok(ID, `${lacks}: Pulumi fetches it from ${url}`);
  if (isFetched && url !== undefined) {
    const advice = `It gets the tenant's credentials. Unless you know it, name this address: ${PLUGIN_URL}`;
    return warning(ID, `${lacks}: Pulumi fetches it from ${url}, which isn't ours`, advice);
  }
  if (isFetched && WITH_SDK.includes(language))
    return unchecked(ID, `${lacks}: Pulumi fetches the version that the SDK names`);
  const why = isFetched
    ? "and Pulumi would ask github.com/pulumi/pulumi-identity, which isn't ours"
    : "and PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION keeps Pulumi from fetching it";
  return failure(ID, `${lacks}, ${why}`, installAdvice(version));
}

function installAdvice(version = PACKAGE_VERSION): string {
  return `Run: ${installCommand(version)}`;
}

function installCommand(version = PACKAGE_VERSION): string {
  return `pulumi plugin install resource identity ${version} --server ${PLUGIN_URL}`;
}

const OS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: "windows" };
const ARCH: Readonly<Partial<Record<NodeJS.Architecture, string>>> = { x64: "amd64" };

function platformHere(): string {
  return `${OS[process.platform] ?? process.platform}-${ARCH[process.arch] ?? process.arch}`;
}

/** Windows and macOS run programs for other processors, and Node.js may be one. */
function runsHere(platform: string): boolean {
  if (process.platform === "linux") return platform === platformHere();
  return platform.startsWith(`${OS[process.platform] ?? process.platform}-`);
}

/** YAML's declaration, as `pulumi package add` writes it, and the package name a version themselves. */
async function askedBy(
  { folder, file }: Project,
  language: string,
  { installed, inState }: { installed: string | undefined; inState: string | undefined },
): Promise<Asks> {
  if (OF_NODE.includes(language)) return { version: installed, url: PLUGIN_URL };
  // The SDK names it, which the last run has recorded.
  if (WITH_SDK.includes(language)) return { version: inState, url: undefined };
  const declared = await declaredIn(join(folder, "sdks"));
  if (declared !== undefined) return declared;
  const isNamed = readFile(file)
    .replace(/(?:^|\s)#.*$/gm, "")
    .includes(PLUGIN_URL);
  return { version: undefined, url: isNamed ? PLUGIN_URL : undefined };
}

const declaration = z.looseObject({
  packageDeclarationVersion: z.literal(1),
  name: z.literal("identity"),
  version: z.string().nullish(),
  downloadUrl: z.string().nullish(),
});

async function declaredIn(folder: string): Promise<Asks | undefined> {
  const { parse } = await import("yaml");
  for (const file of filesBelow(folder, /\.yaml$/)) {
    try {
      const { version, downloadUrl } = declaration.parse(parse(readFile(file), { logLevel: "error" }));
      return { version: version ?? undefined, url: downloadUrl ?? undefined };
    } catch {
      // Declarations of other packages, and other files.
    }
  }
  return undefined;
}

function importsPlugin(folder: string): boolean {
  return filesBelow(folder, /\.[cm]?[jt]sx?$/).some((file) => {
    try {
      return readFile(file).includes("pulumi-identity/plugin");
    } catch {
      // Other programs' files may have another encoding, or another owner.
      return false;
    }
  });
}

/** Without installed packages and hidden folders. */
function filesBelow(folder: string, ending: RegExp): string[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return ending.test(entry.name) ? [path] : [];
    const isSource = entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".");
    return isSource ? filesBelow(path, ending) : [];
  });
}

/** None if there is no such folder, or it may not be read. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The runtime of a project, e.g. `nodejs`; undefined if its file can't be read. */
export async function languageOf(file: string): Promise<string | undefined> {
  return (await readProject(file))?.language;
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
  /** For example `nodejs`. */
  language: string;
  entries: Entry[];
}

async function readProject(file: string): Promise<ProjectFile | undefined> {
  // Other commands start without it.
  const { parse } = await import("yaml");
  try {
    const { runtime, plugins } = projectFile.parse(parse(readFile(file), { logLevel: "error" }));
    const own = (plugins?.providers ?? []).filter(({ name }) => name === "identity");
    return {
      language: (typeof runtime === "string" ? runtime : runtime?.name) ?? "nodejs",
      entries: own.map(({ path, version }) => ({ path: path ?? "", version: version?.toString() })),
    };
  } catch {
    return undefined;
  }
}
