import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Document, isMap, isSeq, parse, Scalar, type YAMLMap } from "yaml";
import { isObject, type JsonObject } from "../../provider/service/record";
import { type HostName } from "../code-host/host";
import { readFile } from "../files";
import { editedYaml } from "./edited-yaml";

/*
 * The files of a stack's pipelines, from examples/pipelines: those are of the stack `prod`, at the root of
 * its repository and with a backend of one's own.
 */

export const BACKENDS = ["pulumi-cloud", "own"] as const;

export interface PipelineOptions {
  host: HostName;
  backend: (typeof BACKENDS)[number];
  stack: string;
  force?: true;
}

/** By the package's own name: sources and build don't lie equally deep. */
const EXAMPLES = join(dirname(require.resolve("pulumi-identity/package.json")), "examples/pipelines");

export const WORKFLOWS = ".github/workflows";
const GITLAB_FILE = ".gitlab-ci.yml";

export interface PlannedFile {
  path: string;
  text: string;
  isScript: boolean;
  /** True if it changes a file that is there. */
  isChange?: true;
}

/** Text that people add to a file by hand, because an edit would change how the rest of it looks. */
export interface Paste {
  path: string;
  /** The key of the file that gets the text; undefined for the file itself. */
  under: string | undefined;
  text: string;
}

/** Where the pipelines of a stack go. */
export interface Placed {
  repository: string;
  /** The program's folder in the repository. */
  folder: string;
  /** Tells the files, jobs and environments of a further stack from those of the first. */
  label: string | undefined;
}

export function scriptsFor(program: string): PlannedFile[] {
  const folder = join(EXAMPLES, "shell");
  return readdirSync(folder).map((name) => ({
    path: join(program, "pipelines", name),
    text: readFileSync(join(folder, name), "utf8"),
    isScript: true,
  }));
}

export function workflowsFor({ repository, folder, label }: Placed, options: PipelineOptions): PlannedFile[] {
  return readdirSync(join(EXAMPLES, "github")).map((name) => {
    const text = fromExample(`github/${name}`, environmentOf(label, options), (workflow) => {
      for (const { job } of jobsOf(workflow.get("jobs"))) fillIn(workflow, job, folder, options);
      if (label !== undefined) rename(workflow, label);
    });
    return {
      path: join(repository, WORKFLOWS, label === undefined ? name : name.replace(".yml", `-${label}.yml`)),
      text: label === undefined ? text : text.replace(OF_REPOSITORY, `$&${variableSuffix(label)}`),
      isScript: false,
    };
  });
}

/** `others`: labels of the further stacks that have their files. */
export function gitlabFilesFor(
  { repository, folder, label }: Placed,
  options: PipelineOptions,
  others: readonly string[],
): { pipelines: PlannedFile[]; paste?: Paste } {
  const path = join(repository, GITLAB_FILE);
  const variables = { PROGRAM: quoted(folder), PULUMI_STACK: quoted(options.stack) };
  const filledIn = (edit: (file: Document) => void) =>
    fromExample(`gitlab/${GITLAB_FILE}`, environmentOf(label, options), edit);
  if (label === undefined) {
    const text = filledIn((file) => {
      for (const [name, value] of Object.entries(variables)) file.setIn(["variables", name], value);
      for (const other of others) include(file, gitlabFileOf(other));
    });
    const named = options.backend === "own" ? text : text.replace(OF_OWN_BACKEND, "PULUMI_ACCESS_TOKEN");
    return { pipelines: [{ path, text: named, isScript: false }] };
  }
  const name = gitlabFileOf(label);
  const jobs = filledIn((file) => keepJobs(file, label, variables));
  const added = { path: join(repository, name), text: jobs, isScript: false };
  const { include: included } = parsedFile(path);
  if (names(included, name)) return { pipelines: [added] };
  const text = editedYaml(existsSync(path) ? readFile(path) : "", (file) => include(file, name));
  if (text !== undefined) return { pipelines: [{ path, text, isScript: false, isChange: true }, added] };
  const line = `  - local: ${name}\n`;
  const paste =
    included === undefined
      ? { path, under: undefined, text: `include:\n${line}` }
      : { path, under: "include", text: line };
  return { pipelines: [added], paste };
}

function environmentOf(label: string | undefined, { stack }: PipelineOptions): string {
  return `access-${label ?? lastPart(stack)}`;
}

function fromExample(path: string, environment: string, edit: (document: Document) => void): string {
  const example = readFileSync(join(EXAMPLES, path), "utf8");
  const text = editedYaml(example.replaceAll("access-prod", environment), edit);
  if (text === undefined) throw new Error(`${path} doesn't print as it is.`);
  return text;
}

/** The jobs of a mapping that has no others. */
function jobsOf(mapping: unknown): { key: Scalar<string>; job: YAMLMap }[] {
  const { items } = mapping as YAMLMap<Scalar<string>, YAMLMap>;
  return items.map(({ key, value }) => ({ key, job: value as YAMLMap }));
}

/** GitLab takes a plain `no` for false. */
function quoted(text: string): Scalar {
  return Object.assign(new Scalar(text), { type: Scalar.QUOTE_DOUBLE });
}

const DIRECTORY = ["defaults", "run", "working-directory"] as const;

function fillIn(workflow: Document, job: YAMLMap, folder: string, options: PipelineOptions): void {
  if (job.hasIn(DIRECTORY)) job.setIn(DIRECTORY, quoted(folder));
  const env = job.get("env");
  if (!isMap(env)) return;
  env.set("PULUMI_STACK", quoted(options.stack));
  if (options.backend === "own") return;
  for (const name of ["PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE"]) env.delete(name);
  env.items.unshift(workflow.createPair("PULUMI_ACCESS_TOKEN", "${{ secrets.PULUMI_ACCESS_TOKEN }}"));
}

const GROUP = ["concurrency", "group"] as const;

/** Gives the workflow of a further stack checks and a group of its own. */
function rename(workflow: Document, label: string): void {
  workflow.set("name", `${String(workflow.get("name"))} (${label})`);
  for (const { key } of jobsOf(workflow.get("jobs"))) key.value += `-${label}`;
  workflow.setIn(GROUP, String(workflow.getIn(GROUP)).replace(/^review-/, `review-${label}-`));
}

/** Variables and secrets that all jobs of a repository see. The others belong to an environment. */
const OF_REPOSITORY =
  /(?<=\b(?:vars|secrets)\.)(?:IDENTITY_DOMAIN|IDENTITY_READER_ID|IDENTITY_READER_SECRET|PULUMI_CONFIG_PASSPHRASE)\b/g;

/** `access-eu-staging` → `_ACCESS_EU_STAGING` */
export function variableSuffix(label: string): string {
  return `_${label.replace(/\W+/g, "_").toUpperCase()}`;
}

/** In the first lines of the example. */
const OF_OWN_BACKEND = "PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE";

function gitlabFileOf(label: string): string {
  return `.gitlab-ci-${label}.yml`;
}

/** Leaves the jobs for a further stack: the first one's file says how all jobs begin. */
function keepJobs(file: Document, label: string, variables: Record<string, Scalar>): void {
  file.delete("default");
  file.delete("variables");
  for (const { key, job } of jobsOf(file.contents)) {
    key.spaceBefore = key.value !== "review";
    key.value += `-${label}`;
    for (const [name, value] of Object.entries(variables)) job.setIn(["variables", name], value);
  }
}

function names(included: unknown, name: string): boolean {
  const all: unknown[] = Array.isArray(included) ? included : [included];
  return all.some((one) => one === name || (isObject(one) && one["local"] === name));
}

/** Adds a file to those that are included: none, one or a list. */
function include(file: Document, name: string): void {
  const added = file.createNode({ local: name });
  const before = file.get("include", true);
  if (isSeq(before)) before.add(added);
  else if (before !== undefined) file.set("include", file.createNode([before, added]));
  else {
    const pair = file.createPair("include", [added]) as { key: Scalar };
    pair.key.spaceBefore = true;
    file.add(pair);
  }
}

/** Empty if it isn't there, or can't be read. */
export function parsedFile(path: string): JsonObject {
  try {
    const file: unknown = parse(readFile(path), { logLevel: "silent" });
    return isObject(file) ? file : {};
  } catch {
    return {};
  }
}

/** Environment names have no slashes: for `acme/access/prod` it's `prod`. */
export function lastPart(stack: string): string {
  return stack.split("/").at(-1) ?? stack;
}
