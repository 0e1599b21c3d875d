import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parse, parseDocument } from "yaml";
import { isObject, type JsonObject } from "../../provider/service/record";
import { type HostName } from "../code-host/host";
import { CommandError, USAGE } from "../errors";
import { checkOutput, makeFolders, readFile, writeOutput } from "../files";
import { projectOf } from "../project";

export const BACKENDS = ["pulumi-cloud", "own"] as const;

export interface PipelineOptions {
  host: HostName;
  backend: (typeof BACKENDS)[number];
  stack: string;
  force?: true;
}

/** By the package's own name: sources and build don't lie equally deep. */
const EXAMPLES = join(dirname(require.resolve("pulumi-identity/package.json")), "examples/pipelines");

interface PlannedFile {
  path: string;
  text: string;
  isScript: boolean;
  /** True if it changes a file that is there. */
  isChange?: true;
}

export interface Written {
  /** Relative to the folder of the command. */
  paths: string[];
  /** Scripts that the stacks of a program share. */
  kept: string[];
  /** For a further stack: what its variables end in, such as `_STAGING`. */
  suffix: string | undefined;
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
  const files = [
    ...scripts.filter((script) => !isKept(script)),
    ...(options.host === "github" ? workflowsFor(place, options) : gitlabFilesFor(place, options, stacks)),
  ];
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
  };
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

function scriptsFor(program: string): PlannedFile[] {
  const folder = join(EXAMPLES, "shell");
  return readdirSync(folder).map((name) => ({
    path: join(program, "pipelines", name),
    text: readFileSync(join(folder, name), "utf8"),
    isScript: true,
  }));
}

/** Where the pipelines of a stack go. */
interface Placed {
  repository: string;
  /** The program's folder in the repository. */
  folder: string;
  /** Tells the files, jobs and environments of a further stack from those of the first. */
  label: string | undefined;
}

function workflowsFor({ repository, folder, label }: Placed, options: PipelineOptions): PlannedFile[] {
  const examples = join(EXAMPLES, "github");
  return readdirSync(examples).map((name) => {
    const text = filledIn(readFileSync(join(examples, name), "utf8"), folder, options, label);
    return {
      path: join(repository, WORKFLOWS, label === undefined ? name : name.replace(".yml", `-${label}.yml`)),
      text: label === undefined ? text : ofFurther(text, label),
      isScript: false,
    };
  });
}

/** Also gives it checks, groups and variables of its own. */
function ofFurther(workflow: string, label: string): string {
  const suffix = variableSuffix(label);
  return workflow
    .replace(/^name: .*/m, (name) => `${name} (${label})`)
    .replace(/^ {2}(review|fork|apply|drift|expire):$/gm, (_, job: string) => `  ${job}-${label}:`)
    .replace("group: review-", `group: review-${label}-`)
    .replace(OF_REPOSITORY, (name) => `${name}${suffix}`);
}

/** Variables and secrets that all jobs of a repository see. The others belong to an environment. */
const OF_REPOSITORY =
  /(?<=\b(?:vars|secrets)\.)(?:IDENTITY_DOMAIN|IDENTITY_READER_ID|IDENTITY_READER_SECRET|PULUMI_CONFIG_PASSPHRASE)\b/g;

/** `access-eu-staging` → `_ACCESS_EU_STAGING` */
function variableSuffix(label: string): string {
  return `_${label.replace(/\W+/g, "_").toUpperCase()}`;
}

function gitlabFilesFor(
  { repository, folder, label }: Placed,
  options: PipelineOptions,
  stacks: readonly PipelinesOf[],
): PlannedFile[] {
  const example = readFileSync(join(EXAMPLES, "gitlab", GITLAB_FILE), "utf8");
  const text = filledIn(example, folder, options, label);
  const path = join(repository, GITLAB_FILE);
  if (label === undefined) {
    const others = stacks.flatMap((named) => named.label ?? []);
    return [{ path, text: others.reduce(withInclude, text), isScript: false }];
  }
  const first = existsSync(path) ? readFile(path) : "";
  const jobs = jobsOf(text, folder, options.stack, label);
  return [
    { path, text: withInclude(first, label), isScript: false, isChange: true },
    { path: join(repository, gitlabFileOf(label)), text: jobs, isScript: false },
  ];
}

function gitlabFileOf(label: string): string {
  return `.gitlab-ci-${label}.yml`;
}

/** The jobs of a further stack. The first one's file says how all jobs begin. */
function jobsOf(text: string, folder: string, stack: string, label: string): string {
  const own = [`    PROGRAM: ${JSON.stringify(folder)}`, `    PULUMI_STACK: ${JSON.stringify(stack)}`];
  return text
    .slice(text.search(/^# A pipeline of a fork/m))
    .split(/(?=^(?:#.*\n)*(?:review|apply|drift|expire):$)/m)
    .map((job) => {
      const named = job.replace(/^(review|apply|drift|expire):$/m, `$1-${label}:`);
      return named.includes("\n  variables:\n")
        ? named.replace("\n  variables:\n", () => `\n  variables:\n${own.join("\n")}\n`)
        : named.replace("\n  script:\n", () => `\n  variables:\n${own.join("\n")}\n  script:\n`);
    })
    .join("");
}

/** Returns the file with that of a further stack included. */
function withInclude(text: string, label: string): string {
  const file = gitlabFileOf(label);
  const document = parseDocument(text, { logLevel: "silent" });
  const { include } = asObject(document.toJS());
  const all: unknown[] = Array.isArray(include) ? include : include === undefined ? [] : [include];
  if (all.some((one) => one === file || (isObject(one) && one["local"] === file))) return text;
  // Appended as text where that can be done: the library would fold the long comments anew.
  if (include === undefined) return `${text.trimEnd()}\n\ninclude:\n  - local: ${file}\n`;
  document.set("include", [...all, { local: file }]);
  return document.toString({ lineWidth: 0 });
}

const WORKFLOWS = ".github/workflows";
const GITLAB_FILE = ".gitlab-ci.yml";

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
    const file = parsed(join(folder, name));
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

function parsed(path: string): JsonObject {
  try {
    return asObject(parse(readFile(path), { logLevel: "silent" }));
  } catch {
    return {};
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Environment names have no slashes: for `acme/access/prod` it's `prod`. */
function lastPart(stack: string): string {
  return stack.split("/").at(-1) ?? stack;
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

function filledIn(
  text: string,
  folder: string,
  { stack, backend }: PipelineOptions,
  label = lastPart(stack),
): string {
  const quoted = JSON.stringify(folder);
  const filled = text
    .replaceAll("access-prod", `access-${label}`)
    .replaceAll("PULUMI_STACK: prod", () => `PULUMI_STACK: ${JSON.stringify(stack)}`)
    .replaceAll("working-directory: .\n", () => `working-directory: ${quoted}\n`)
    .replaceAll('PROGRAM: "."\n', () => `PROGRAM: ${quoted}\n`);
  if (backend === "own") return filled;
  return filled
    .replace(
      /^( *)PULUMI_BACKEND_URL: .*\n.*PULUMI_CONFIG_PASSPHRASE: .*\n/gm,
      (_, indent: string) => `${indent}PULUMI_ACCESS_TOKEN: \${{ secrets.PULUMI_ACCESS_TOKEN }}\n`,
    )
    .replaceAll("PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE", "PULUMI_ACCESS_TOKEN");
}
