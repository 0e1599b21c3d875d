import { appendFileSync } from "node:fs";
import { clean } from "../../../provider/border";
import {
  type ChangeRequest,
  type CodeHost,
  CodeHostError,
  type Comment,
  type Environment,
  type HostName,
  type Issue,
} from "../../code-host/host";
import { CODE_HOST_FAILED, NOT_AS_REVIEWED } from "../../errors";
import { type ReviewMarker, namesAllStacks, parseMarker } from "./marker";
import { type Purpose } from "../input/options";
import { isDeepStrictEqual } from "node:util";
import { type ApiOptions } from "../../code-host/api";
import { GitHub } from "../../code-host/github";
import { GitLab } from "../../code-host/gitlab";

interface Publication {
  host: HostName;
  environment: Environment;
  marker: ReviewMarker;
  purpose: Purpose;
  isFailed: boolean;
  isDrifted: boolean;
  body: string;
  summary: () => string;
}

/** Publishes the review, prints any problem, and returns the exit code. */
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

/** Returns the reason why this must not be applied, if the options ask for that check. */
async function exchange(publication: Publication): Promise<string | undefined> {
  const { marker, purpose, isFailed } = publication;
  // After a failed refresh nobody knows if there is a drift, so leave the issue alone.
  if (purpose.kind === "issue" && isFailed) return undefined;
  if (!namesAllStacks(marker))
    throw new CodeHostError("The review was not posted: nothing names its stack. Add --stack NAME.");
  const host = openCodeHost(publication.host, publication.environment);
  try {
    return await exchangeFor(purpose, host, publication);
  } finally {
    await host.close();
  }
}

async function exchangeFor(
  purpose: Purpose,
  host: CodeHost,
  { marker, isDrifted, body }: Publication,
): Promise<string | undefined> {
  switch (purpose.kind) {
    case "comment":
      await postComment(host, marker, body);
      return undefined;
    case "issue":
      await postIssue(host, marker, { title: purpose.title, isDrifted, body });
      return undefined;
    case "summary":
      return whyReplayed(host);
    case "compare":
      return (await whyReplayed(host)) ?? whyNotReviewed(host, marker);
  }
}

async function whyReplayed(host: CodeHost): Promise<string | undefined> {
  return (await host.isHead()) ? undefined : REPLAYED;
}

async function whyNotReviewed(host: CodeHost, marker: ReviewMarker): Promise<string | undefined> {
  const difference = await differenceFromReviewed(host, marker);
  const advice =
    "Read the review of this run. If it is what you want, run this again with " +
    `--expect ${marker.fingerprint} in place of --expect-reviewed; if not, make a change by a pull request.`;
  return difference && `${difference} ${advice}`;
}

/** Re-running an old commit would undo later changes, and its own comment would agree. */
const REPLAYED =
  "This commit is not the last one of the default branch, so nothing of it is applied: later changes would be undone. " +
  "Run the pipeline of the last commit.";

/** Writes GitHub's page of a run. Without a runner, or on an old one, there is no such page. */
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

/*
 * A review leaves one comment on a pull request, or one issue for a drift, on GitHub or GitLab. Both are
 * found again by the marker at their beginning, among the texts of the token's owner.
 */

/** Keeps one comment for these stacks, whatever happened before. */
export function postComment(host: CodeHost, { key }: ReviewMarker, body: string): Promise<void> {
  return onWhatIsThere(async () => {
    const change = await host.change();
    if (change.isMerged)
      throw new CodeHostError(
        `The review was not posted: ${change.name} is merged, and its comment says what was reviewed before.`,
      );
    const own = reviewsIn(change).flatMap(({ marker, comment }) => (marker.key === key ? comment : []));
    return {
      ids: own.map(({ id }) => id),
      act: async () => {
        const [first, ...twins] = own;
        if (first === undefined) return host.addComment(change, body);
        await host.editComment(change, first, body);
        // Two simultaneous runs may each have added one.
        for (const comment of twins) await host.removeComment(change, comment);
      },
    };
  });
}

/** Looks again if another run removes the found text before this one changes it. */
async function onWhatIsThere(
  look: () => Promise<{ ids: readonly string[]; act: () => Promise<void> }>,
): Promise<void> {
  let before: { ids: readonly string[]; error: CodeHostError } | undefined;
  for (;;) {
    const { ids, act } = await look();
    // Still the same, so the token isn't allowed to change it.
    if (before !== undefined && isDeepStrictEqual(ids, before.ids)) throw before.error;
    try {
      await act();
      return;
    } catch (error) {
      if (!(error instanceof CodeHostError && error.isMissing)) throw error;
      before = { ids, error };
    }
  }
}

function reviewsIn({ comments }: ChangeRequest): { comment: Comment; marker: ReviewMarker }[] {
  return comments.flatMap((comment) => {
    const marker = parseMarker(comment.body, "review");
    return marker === undefined ? [] : [{ comment, marker }];
  });
}

/**
 * Returns how this change differs from the one reviewed in the merged pull request; undefined if it doesn't.
 */
export async function differenceFromReviewed(
  host: CodeHost,
  { key, fingerprint }: ReviewMarker,
): Promise<string | undefined> {
  const change = await host.mergedChange();
  if (change === undefined)
    return "No merged pull request brought this commit, so its effects were not reviewed.";
  const found = reviewsIn(change).filter(({ marker }) => marker.key === key);
  const stacks = decodeURIComponent(key.replaceAll(",", ", "));
  if (found.length === 0)
    return `The effects were not reviewed: ${change.name} has no review of ${stacks} by the owner of this token.`;
  if (found.some(({ comment }) => comment.isEdited))
    return `The review in ${change.name} does not count: somebody else has edited it.`;
  const others = found.map(({ marker }) => marker.fingerprint).filter((other) => other !== fingerprint);
  if (others.length === 0) return undefined;
  return `The effects are not those that were reviewed in ${change.name}: the fingerprint is ${fingerprint}, not ${others.join(" or ")}.`;
}

/** Keeps one open issue while there is a drift: opens it, updates it, and closes it afterwards. */
export function postIssue(
  host: CodeHost,
  marker: ReviewMarker,
  { title, isDrifted, body }: { title: string; isDrifted: boolean; body: string },
): Promise<void> {
  const isOwn = (issue: Issue) => parseMarker(issue.body, "drift")?.key === marker.key;
  return onWhatIsThere(async () => {
    const own = (await host.issues()).filter(isOwn);
    return {
      ids: own.map(({ id }) => id),
      act: async () => {
        const [first, ...twins] = own;
        if (first !== undefined)
          await (isDrifted ? host.editIssue(first, body) : host.closeIssue(first, body));
        else if (isDrifted) await host.addIssue(title, body);
        // Two simultaneous runs may each have added one.
        for (const issue of twins) await host.closeIssue(issue, "Another issue tells of the same drift.");
      },
    };
  });
}

export function openCodeHost(
  name: HostName,
  environment: Environment,
  seconds?: ApiOptions["seconds"],
): CodeHost {
  return name === "github" ? new GitHub(environment, seconds) : new GitLab(environment, seconds);
}
