import { parse } from "yaml";

type Permissions = string | Record<string, string>;
interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, string | number | boolean>;
}
interface Job {
  needs?: string | string[];
  environment?: string | { name: string };
  strategy?: { matrix: { include: { platform: string }[] } };
  permissions?: Permissions;
  steps: Step[];
}
export interface Workflow {
  on: Record<string, unknown>;
  permissions?: Permissions;
  jobs: Record<string, Job>;
}

/** Returns the problems of a workflow, one sentence each. */
export function problemsOf(text: string): string[] {
  const { on, permissions, jobs } = parse(text) as Workflow;
  const problems: string[] = [];
  const events = typeof on === "string" ? [on] : Array.isArray(on) ? (on as string[]) : Object.keys(on);
  const isOfPullRequests = events.includes("pull_request");
  if (events.includes("pull_request_target") || events.includes("workflow_run")) {
    problems.push("It runs the sources of strangers with the rights of the repository.");
  }
  if (!isReadOnly(permissions)) problems.push("Its permissions are not read-only.");
  for (const line of text.split("\n").filter((line) => /^\s*(?:- )?uses:/.test(line))) {
    if (!/uses: [\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)) {
      problems.push(`No digest, or no version beside it: ${line.trim()}`);
    }
  }
  for (const [name, job] of Object.entries(jobs)) {
    if (isOfPullRequests && job.permissions !== undefined && !isReadOnly(job.permissions)) {
      problems.push(`${name} may write, and runs for pull requests.`);
    }
    if (overwritesCheckout(job)) problems.push(`${name} extracts an artifact over its checkout.`);
    for (const { run = "" } of job.steps) {
      if (run.includes("${{")) problems.push(`${name} puts a text of others into a command: ${run}`);
    }
  }
  if (/\bsecrets\b/.test(JSON.stringify(parse(text)))) problems.push("It uses a secret.");
  return problems;
}

/** An earlier job may have run the code of others, which would then run with the rights of this one. */
function overwritesCheckout({ steps }: Job): boolean {
  const isOf = (action: string) => (step: Step) => step.uses?.startsWith(`actions/${action}@`) === true;
  const folders = steps.filter(isOf("download-artifact")).map((step) => String(step.with?.["path"] ?? "."));
  const isOver = (folder: string) => /^\.?\/*$|\.\.|\bworkspace\b/.test(folder);
  return steps.some(isOf("checkout")) && folders.some(isOver);
}

function isReadOnly(permissions: Permissions | undefined): boolean {
  if (typeof permissions === "string") return permissions === "read-all";
  return permissions !== undefined && Object.values(permissions).every((access) => access !== "write");
}
