import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isObject, type JsonObject } from "../../provider/service/record";
import { type HostName } from "../code-host/host";
import { CommandError, USAGE } from "../errors";
import { checkOutput, makeFolders, writeOutput } from "../files";
import { projectOf } from "../project";
import {
  gitlabFilesFor,
  lastPart,
  parsedFile,
  type Paste,
  type PipelineOptions,
  type Placed,
  type PlannedFile,
  scriptsFor,
  variableSuffix,
  WORKFLOWS,
  workflowsFor,
} from "./from-examples";

export interface Written {
  /** Relative to the folder of the command. */
  paths: string[];
  /** Scripts that the stacks of a program share. */
  kept: string[];
  /** For a further stack: what its variables end in, such as `_STAGING`. */
  suffix: string | undefined;
  /** Text that people still have to add by hand. */
  paste: Paste | undefined;
}

/** Writes a repository's pipelines, or those of a further stack, all or none. */
export function writePipelines(options: PipelineOptions, from: string): Written {
  const project = projectOf(from);
  if (project === undefined)
    throw new CommandError(
      "There is no Pulumi.yaml here or in a folder above: run this in its folder.",
      USAGE,
    );
  refuseOtherProject(options.stack, project.name);
  if (options.backend === "own") refuseOrganization(options.stack);
  const program = dirname(project.file);
  const repository = repositoryOf(program);
  const folder = folderIn(repository, program);
  const stacks = stacksIn(repository, options.host);
  const same = stacks.find((known) => isSameStack(known.stack, options.stack) && known.folder === folder);
  const label = same === undefined ? freeLabel(stacks, options, project.name) : same.label;
  const place: Placed = { repository, folder, label };
  const scripts = scriptsFor(program);
  // All stacks of a program run the same scripts, which may have been changed.
  const isKept = ({ path }: PlannedFile) =>
    label !== undefined && options.force === undefined && existsSync(path);
  const { pipelines, paste } = pipelinesFor(place, options, stacks);
  const files = [...scripts.filter((script) => !isKept(script)), ...pipelines];
  if (options.force === undefined) refuseToOverwrite(files, from);
  const blocked = files.map(({ path }) => noFolderAbove(path)).find((path) => path !== undefined);
  if (blocked !== undefined)
    throw new CommandError(
      `Nothing was written: ${relative(from, blocked)} is no folder. Move it out of the way.`,
      USAGE,
    );
  makeFolders(files.map(({ path }) => relative(from, dirname(path))));
  for (const { path } of files) checkOutput(path, true);
  for (const { path, text, isScript } of files) {
    writeOutput(path, text, true);
    if (isScript) chmodSync(path, 0o755);
  }
  return {
    paths: files.map(({ path }) => relative(from, path)),
    kept: scripts.filter(isKept).map(({ path }) => relative(from, path)),
    suffix: label === undefined || options.host === "gitlab" ? undefined : variableSuffix(label),
    paste: paste && { ...paste, path: relative(from, paste.path) },
  };
}

function pipelinesFor(
  place: Placed,
  options: PipelineOptions,
  stacks: readonly PipelinesOf[],
): { pipelines: PlannedFile[]; paste?: Paste } {
  if (options.host === "github") return { pipelines: workflowsFor(place, options) };
  const others = stacks.flatMap(({ label }) => label ?? []);
  return gitlabFilesFor(place, options, others);
}

/** Pulumi would refuse the stack in each run. */
function refuseOtherProject(stack: string, project: string | undefined): void {
  const [, named, last] = stack.split("/");
  if (last === undefined || project === undefined || named === project) return;
  throw new CommandError(
    `Nothing was written: ${stack} is a stack of the project ${named}, and Pulumi.yaml here is of ${project}. ` +
      "Run this in the folder of that project, or correct --stack.",
    USAGE,
  );
}

/** Pulumi Cloud has organizations; any other backend has one, which is called `organization`. */
function refuseOrganization(stack: string): void {
  const organization = stack.includes("/") ? stack.split("/")[0] : undefined;
  if (organization === undefined || organization === "organization") return;
  throw new CommandError(
    `Nothing was written: a backend of your own has no organization ${organization}, so Pulumi would refuse ${stack}. ` +
      `Write --stack ${lastPart(stack)}.`,
    USAGE,
  );
}

/** Pulumi takes `prod` for `acme/access/prod`, too. */
function isSameStack(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);
}

function refuseToOverwrite(files: readonly PlannedFile[], from: string): void {
  const there = files
    .filter(({ path, isChange }) => isChange !== true && existsSync(path))
    .map(({ path }) => relative(from, path));
  if (there.length === 0) return;
  throw new CommandError(
    `Nothing was written: ${there.join(", ")} ${there.length > 1 ? "are" : "is"} there already. ` +
      "Move what you need out of the way, or add --force to overwrite.",
    USAGE,
  );
}

/** Returns what stands where the file needs a folder: another file, or a link that leads nowhere. */
function noFolderAbove(path: string): string | undefined {
  for (let at = dirname(path); ; at = dirname(at)) {
    if (!isThere(at)) continue;
    return statSync(at, { throwIfNoEntry: false })?.isDirectory() === true ? undefined : at;
  }
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the nearest folder with a `.git`, or else the program's folder. */
function repositoryOf(program: string): string {
  for (let at = resolve(program); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return program;
  }
}

/** A stack that has its pipelines. */
interface PipelinesOf {
  folder: string;
  stack: string;
  /** Of the job that applies: `access-prod`. */
  environment: string | undefined;
  /** Undefined for the first one, whose files have the plain names. */
  label: string | undefined;
}

/** Finds the stacks that a repository has pipelines for, by the job that applies. */
function stacksIn(repository: string, host: HostName): PipelinesOf[] {
  const folder = join(repository, host === "github" ? WORKFLOWS : ".");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names.filter((name) => (host === "github" ? /\.ya?ml$/ : /^\.gitlab-ci.*\.yml$/).test(name));
  return files.flatMap((name) => {
    const file = parsedFile(join(folder, name));
    const jobs = host === "github" ? file["jobs"] : file;
    const found = isObject(jobs) ? Object.values(jobs) : [];
    return found.filter(isObject).flatMap((job) => {
      if (!/pipelines\/apply\.sh/.test(JSON.stringify(job))) return [];
      const { environment, defaults, env } = job;
      const own = { ...asObject(file["variables"]), ...asObject(job["variables"]), ...asObject(env) };
      const run = asObject(asObject(defaults)["run"]);
      const at = isObject(environment) ? environment["name"] : environment;
      return [
        {
          folder: textIn(run["working-directory"]) ?? textIn(own["PROGRAM"]) ?? ".",
          stack: textIn(own["PULUMI_STACK"]) ?? "",
          environment: textIn(at),
          label: /^(?:apply|\.gitlab-ci)-(.+)\.yml$/.exec(name)?.[1],
        },
      ];
    });
  });
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns a label that no other stack has; undefined for the first one, which needs none. */
function freeLabel(
  stacks: readonly PipelinesOf[],
  { stack }: PipelineOptions,
  project: string | undefined,
): string | undefined {
  if (stacks.length === 0) return undefined;
  const others = stacks.flatMap(({ label, environment }) => [label, environment?.replace(/^access-/, "")]);
  const taken = new Set(others.flatMap((label) => (label === undefined ? [] : variableSuffix(label))));
  const last = lastPart(stack);
  // Stacks of two programs often have the same name.
  const labels = [last, `${project}-${last}`].map(labelOf);
  // Labels that differ in their letters' case or a dash alone would have the same variables.
  const label = labels.find((each) => !taken.has(variableSuffix(each)));
  if (label !== undefined) return label;
  throw new CommandError(
    `Nothing was written: the environments ${labels.map((each) => `access-${each}`).join(" and ")} belong to other stacks.`,
    USAGE,
  );
}

/** GitHub takes letters, digits, - and _ in a job's id, and Pulumi also takes a dot in a stack's name. */
function labelOf(name: string): string {
  return name.replace(/[^\w-]+/g, "-");
}

function folderIn(repository: string, program: string): string {
  return relative(repository, program).replaceAll("\\", "/") || ".";
}
