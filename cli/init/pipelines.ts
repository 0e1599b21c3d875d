import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type HostName } from "../code-host/host";
import { CommandError, USAGE } from "../errors";
import { checkOutput, makeFolders, writeOutput } from "../files";
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
}

/** Writes a repository's pipelines, all or none, and returns their paths. */
export function writePipelines(options: PipelineOptions, from: string): string[] {
  const project = projectOf(from);
  if (project === undefined)
    throw new CommandError(
      "There is no Pulumi.yaml here or in a folder above: run this in its folder.",
      USAGE,
    );
  const program = dirname(project.file);
  const repository = repositoryOf(program);
  const files = [
    ...scriptsFor(program),
    ...(options.host === "github"
      ? workflowsFor(repository, program, options)
      : [gitlabFileFor(repository, program, options)]),
  ];
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => relative(from, path));
  if (there.length > 0 && options.force === undefined)
    throw new CommandError(
      `Nothing was written: ${there.join(", ")} ${there.length > 1 ? "are" : "is"} there already. ` +
        "Move what you need out of the way, or add --force to overwrite.",
      USAGE,
    );
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
  return files.map(({ path }) => relative(from, path));
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

function workflowsFor(repository: string, program: string, options: PipelineOptions): PlannedFile[] {
  const folder = join(EXAMPLES, "github");
  return readdirSync(folder).map((name) => ({
    path: join(repository, ".github/workflows", name),
    text: filledIn(readFileSync(join(folder, name), "utf8"), folderIn(repository, program), options),
    isScript: false,
  }));
}

function gitlabFileFor(repository: string, program: string, options: PipelineOptions): PlannedFile {
  const text = readFileSync(join(EXAMPLES, "gitlab/.gitlab-ci.yml"), "utf8");
  return {
    path: join(repository, ".gitlab-ci.yml"),
    text: filledIn(text, folderIn(repository, program), options),
    isScript: false,
  };
}

function folderIn(repository: string, program: string): string {
  return relative(repository, program).replaceAll("\\", "/") || ".";
}

function filledIn(text: string, folder: string, { stack, backend }: PipelineOptions): string {
  const quoted = JSON.stringify(folder);
  // Environment names have no slashes: for `acme/access/prod` it's `access-prod`.
  const environment = `access-${stack.split("/").at(-1) ?? stack}`;
  const filled = text
    .replaceAll("access-prod", environment)
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
