import { appendFileSync } from "node:fs";
import { clean } from "../../provider/border";
import { CodeHostError, type Environment } from "../code-host/host";
import { type HostName, openCodeHost } from "../code-host/open";
import { CODE_HOST_FAILED } from "../errors";
import { NOT_AS_REVIEWED } from "./exit-codes";
import { type Marked } from "./marker";
import { type Purpose } from "./purpose";
import { type Body, differenceFromReviewed, postComment, postIssue } from "./post";

export interface Publication {
  host: HostName;
  environment: Environment;
  marked: Marked;
  purpose: Purpose;
  isFailed: boolean;
  isDrifted: boolean;
  body: Body;
  summary: () => string;
}

/** Loaded only for `--github` and `--gitlab`. Prints what went wrong, and answers the exit code. */
export async function publish(publication: Publication): Promise<number> {
  try {
    writeSummary(publication);
    const problem = await exchange(publication);
    if (problem === undefined) return 0;
    process.stderr.write(`${clean(problem)}\n`);
    return NOT_AS_REVIEWED;
  } catch (error) {
    if (!(error instanceof CodeHostError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return CODE_HOST_FAILED;
  }
}

/** Answers why this must not be applied, where that is asked for. */
async function exchange(publication: Publication): Promise<string | undefined> {
  const { marked, purpose, isFailed, isDrifted, body } = publication;
  // A refresh that failed doesn't tell whether there is a drift: the issue stays as it is.
  if (purpose.kind === "issue" && isFailed) return undefined;
  const host = openCodeHost(publication.host, publication.environment);
  try {
    if (purpose.kind === "compare" || purpose.kind === "summary") {
      if (!(await host.isHead())) return REPLAYED;
      if (purpose.kind === "summary") return undefined;
      const difference = await differenceFromReviewed(host, marked);
      return difference && `${difference} ${whatToDo(publication)}`;
    }
    if (purpose.kind === "comment") await postComment(host, marked, body);
    else await postIssue(host, marked, { title: purpose.title, isDrifted, body });
    return undefined;
  } finally {
    await host.close();
  }
}

/** It would give back what a later change has taken away, and its own comment would agree. */
const REPLAYED =
  "This commit is not the last one of the default branch, so nothing of it is applied: later changes would be undone. " +
  "Run the pipeline of the last commit.";

function whatToDo({ marked }: Publication): string {
  return (
    "Read the review of this run. If it is what you want, run this again with " +
    `--expect ${marked.fingerprint} in place of --expect-reviewed; if not, make a change by a pull request.`
  );
}

/** The page of a run on GitHub. A runner that is older than that page, or no runner, has no place for it. */
function writeSummary({ host, environment, summary }: Publication): void {
  const file = environment["GITHUB_STEP_SUMMARY"];
  if (host !== "github" || file === undefined || file === "") return;
  try {
    appendFileSync(file, summary());
  } catch (error) {
    throw new CodeHostError(
      `The summary of the step could not be written to ${file} (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}
