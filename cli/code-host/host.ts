import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { CODE_HOST_FAILED, CommandError } from "../errors";

export type HostName = "github" | "gitlab";

/** The most characters of a comment. */
export const LONGEST_COMMENT: Readonly<Record<HostName, number>> = { github: 65_536, gitlab: 1_000_000 };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Only comments of the token's owner are changed. Those of others are read for their markers. */
export interface CodeHost {
  /** The pull request that this run is for. Rejects if there is none. */
  change(): Promise<ChangeRequest>;
  /** The merged pull request that brought this run's commit. */
  mergedChange(): Promise<ChangeRequest | undefined>;
  /** A file on the branch that the pull request goes to; undefined if it isn't there. */
  baseFile(path: string): Promise<{ branch: string; bytes: Uint8Array | undefined }>;
  /** True if this run's commit is the last one of the default branch. */
  isHead(): Promise<boolean>;
  addComment(change: ChangeRequest, body: string): Promise<void>;
  editComment(change: ChangeRequest, comment: Comment, body: string): Promise<void>;
  removeComment(change: ChangeRequest, comment: Comment): Promise<void>;

  /** The open issues of the token's owner, and those of others, the oldest first. */
  issues(): Promise<{ own: Issue[]; others: (Issue & OthersText)[] }>;
  addIssue(title: string, body: string): Promise<void>;
  editIssue(issue: Issue, body: string): Promise<void>;
  closeIssue(issue: Issue, comment: string): Promise<void>;

  close(): Promise<void>;
}

export interface ChangeRequest {
  id: string;
  /** `pull request #7` */
  name: string;
  isMerged: boolean;
  comments: Comment[];
  others: OthersText[];
}

/** A text of another author. */
export interface OthersText {
  body: string;
  author: string;
  /** The address of its page. */
  url: string;
  /** False if the author may not write to the repository: anybody can copy a marker. */
  isTrusted: () => Promise<boolean>;
}

export interface Comment {
  id: string;
  body: string;
  /** The address of its page. */
  url: string;
  /** True if somebody else wrote its present text. GitLab doesn't say: there it's false. */
  isEdited: boolean;
}

export interface Issue {
  id: string;
  body: string;
  /** The address of its page. */
  url: string;
}

/** The code host couldn't be reached, or didn't do as requested. */
export class CodeHostError extends CommandError {
  /** `isMissing`: the requested object isn't there, as far as the token can see. */
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message, CODE_HOST_FAILED);
  }
}

/** True if a requested object isn't there, as far as the token can see. */
export function isGone(error: unknown): error is CodeHostError {
  return error instanceof CodeHostError && error.isMissing;
}

/** Returns a variable set by the CI system, or throws if it's missing. */
export function required(environment: Environment, variable: string, advice: string): string {
  const value = environment[variable]?.trim();
  if (value === undefined || value === "") throw new CodeHostError(`${variable} is not set. ${advice}`);
  return value;
}

/** Returns the pull request of a GitHub run; nothing for other runs and elsewhere. */
export function pullRequestOf({ GITHUB_EVENT_PATH: file = "" }: Environment): {
  number: number | undefined;
  sha: string | undefined;
  /** The branch that it goes to. */
  base: string | undefined;
} {
  const { number, head, base } = eventIn(file)?.pull_request ?? {};
  const sha = head?.sha;
  return {
    number: typeof number === "number" ? number : undefined,
    sha: typeof sha === "string" ? sha : undefined,
    base: typeof base?.ref === "string" ? base.ref : undefined,
  };
}

/** Null if the file can't be read. */
function eventIn(file: string): {
  pull_request?: { number?: unknown; head?: { sha?: unknown }; base?: { ref?: unknown } };
} | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ReturnType<typeof eventIn>;
  } catch {
    return null;
  }
}

/**
 * Returns the reviewed commit. On GitHub, and in GitLab's pipelines for merged results, a change runs on a
 * merge that nobody else knows.
 */
export function commitOf(environment: Environment): string | undefined {
  const { GITHUB_SHA, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: source, CI_COMMIT_SHA } = environment;
  const ofGitlab = source === undefined || source === "" ? CI_COMMIT_SHA : source;
  return pullRequestOf(environment).sha ?? GITHUB_SHA ?? ofGitlab;
}

const JOB_DIGITS = 12;

/**
 * Returns what tells a job from others in all of its runs; undefined outside of CI. The backend is part of
 * it, because the jobs of a matrix on GitHub have one name.
 */
export function jobOf(environment: Environment): string | undefined {
  const { GITHUB_WORKFLOW_REF, GITHUB_JOB, CI_JOB_NAME, PULUMI_BACKEND_URL = "" } = environment;
  const [workflow = ""] = (GITHUB_WORKFLOW_REF ?? "").split("@");
  const name = GITHUB_JOB === undefined ? CI_JOB_NAME : `${workflow} ${GITHUB_JOB}`;
  if (name === undefined) return undefined;
  const text = `${name}\n${PULUMI_BACKEND_URL}`;
  return createHash("sha256").update(text).digest("hex").slice(0, JOB_DIGITS);
}

/** Returns the name of a run on GitHub, or of a job on GitLab, and the address of its page. */
export function runOf(environment: Environment): { name: string; url: string } | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = environment;
  const { GITHUB_RUN_NUMBER: number = run, CI_JOB_URL: job, CI_JOB_ID: id = "" } = environment;
  if (server !== undefined && repository !== undefined && run !== undefined)
    return { name: `run ${number}`, url: `${server}/${repository}/actions/runs/${run}` };
  return job === undefined ? undefined : { name: `job ${id}`.trim(), url: job };
}

/** Returns the address at which a run's artifacts are listed. */
export function artifactsOf(environment: Environment): string | undefined {
  const run = runOf(environment);
  if (run === undefined) return undefined;
  return environment["CI_JOB_URL"] === run.url ? `${run.url}/artifacts/browse` : `${run.url}#artifacts`;
}

/** Returns the prefix for addresses of files in the repository, with a slash at the end. */
export function sourceOf(environment: Environment): string | undefined {
  const commit = commitOf(environment);
  if (commit === undefined) return undefined;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, CI_PROJECT_URL: project } = environment;
  if (server !== undefined && repository !== undefined) return `${server}/${repository}/blob/${commit}/`;
  return project === undefined ? undefined : `${project}/-/blob/${commit}/`;
}
