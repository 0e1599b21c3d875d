import { appendFileSync } from "node:fs";
import { clean } from "../../../provider/border";
import { fileReason } from "../../../provider/sentence";
import {
  type CodeHost,
  CodeHostError,
  type Environment,
  type HostName,
  isGone,
  type Issue,
  type OthersText,
} from "../../code-host/host";
import { CODE_HOST_FAILED, NOT_AS_REVIEWED, orError } from "../../errors";
import { optional } from "../../lists";
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
  /** The review; `outdated`: reviews of others that it replaces. */
  body: (outdated: readonly OthersText[]) => string;
  summary: () => string;
}

/** Publishes the review, prints any problem, and returns the exit code. */
export async function publish(publication: Publication): Promise<number> {
  const problem = await orError(CodeHostError, () => {
    writeSummary(publication);
    return exchange(publication);
  });
  if (problem === undefined) return 0;
  const [text, code] =
    problem instanceof CodeHostError
      ? [problem.message, CODE_HOST_FAILED]
      : [clean(problem), NOT_AS_REVIEWED];
  process.stderr.write(`${text}\n`);
  return code;
}

/** Returns the reason why this must not be applied, if the options ask for that check. */
async function exchange(publication: Publication): Promise<string | undefined> {
  const { marker, purpose, isFailed } = publication;
  // After a failed refresh nobody knows if there is a drift, so leave the issue alone.
  if (purpose.act === "issue" && isFailed) return undefined;
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
  switch (purpose.act) {
    case "comment":
      tellOutdated("comment", await postComment(host, marker, body));
      return undefined;
    case "issue":
      tellOutdated(
        "issue",
        await postIssue(host, marker, { title: purpose.title, isDrifted, body: body([]) }),
      );
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
    `--expect ${marker.fingerprint} in place of --expect-reviewed (in the pipelines of \`init\`: REVIEWED=${marker.fingerprint}); ` +
    "if not, make another change and have it reviewed.";
  return difference && `${difference} ${advice}`;
}

/** Re-running an old commit would undo later changes, and its own comment would agree. */
const REPLAYED =
  "This commit is not the last one of the default branch, so nothing of it is applied: later changes would be undone. " +
  "Run the pipeline of the last commit.";

const OUTDATED = {
  comment: "This run's comment says so. Delete the old one.",
  issue: "This token could not close it: close it by hand.",
} as const;

function tellOutdated(what: keyof typeof OUTDATED, outdated: readonly OthersText[]): void {
  for (const { author, url } of outdated)
    process.stderr.write(`${clean(`The ${what} of ${author} is out of date: ${url}`)}. ${OUTDATED[what]}\n`);
}

/** Writes GitHub's page of a run. Without a runner, or on an old one, there is no such page. */
function writeSummary({ host, environment, summary }: Publication): void {
  const file = environment["GITHUB_STEP_SUMMARY"];
  if (host !== "github" || file === undefined || file === "") return;
  try {
    appendFileSync(file, summary());
  } catch (error) {
    throw new CodeHostError(
      `The summary of the step could not be written to ${file} (${fileReason(error, "no such folder")}).`,
    );
  }
}

/*
 * A review leaves one comment on a pull request, or one issue for a drift, on GitHub or GitLab. Both are
 * found again by the marker at their beginning, among the texts of the token's owner. After a change of the
 * token, those of its former owner stay behind.
 */

/**
 * Keeps one comment for these stacks, whatever happened before. Returns the comments of others that say
 * something else.
 */
export async function postComment(
  host: CodeHost,
  { key, fingerprint }: ReviewMarker,
  body: Publication["body"],
): Promise<OthersText[]> {
  let outdated: OthersText[] = [];
  await onWhatIsThere(async () => {
    const change = await host.change();
    if (change.isMerged)
      throw new CodeHostError(
        `The review was not posted: ${change.name} is merged, and its comment says what was reviewed before.`,
      );
    const own = markedIn(change.comments, "review", key).map(({ text }) => text);
    const others = markedIn(change.others, "review", key).filter(
      ({ marker }) => marker.fingerprint !== fingerprint,
    );
    outdated = await trusted(others.map(({ text }) => text));
    return {
      ids: own.map(({ id }) => id),
      act: () =>
        keepOne(own, {
          add: () => host.addComment(change, body(outdated)),
          edit: (comment) => host.editComment(change, comment, body(outdated)),
          drop: (comment) => host.removeComment(change, comment),
        }),
    };
  });
  return outdated;
}

function trusted<Text extends OthersText>(texts: readonly Text[]): Promise<Text[]> {
  return filtered(texts, (text) => text.isTrusted());
}

/** Asks about one after the other. */
async function filtered<Text>(
  texts: readonly Text[],
  test: (text: Text) => Promise<boolean>,
): Promise<Text[]> {
  const found: Text[] = [];
  for (const text of texts) if (await test(text)) found.push(text);
  return found;
}

/** Leaves one text that is up to date. Two simultaneous runs may each have added one. */
async function keepOne<Text>(
  [first, ...twins]: readonly Text[],
  on: {
    add: () => Promise<void>;
    edit: (text: Text) => Promise<void>;
    drop: (text: Text) => Promise<void>;
  },
): Promise<void> {
  if (first === undefined) return on.add();
  await on.edit(first);
  for (const twin of twins) await on.drop(twin);
}

/** Looks again if another run removes the found text before this one changes it. */
async function onWhatIsThere(
  look: () => Promise<{ ids: readonly string[]; act: () => Promise<void> }>,
  before?: { ids: readonly string[]; error: CodeHostError },
): Promise<void> {
  const { ids, act } = await look();
  // Still the same, so the token isn't allowed to change it.
  if (before !== undefined && isDeepStrictEqual(ids, before.ids)) throw before.error;
  try {
    await act();
  } catch (error) {
    if (!isGone(error)) throw error;
    await onWhatIsThere(look, { ids, error });
  }
}

/** Returns the texts with a marker for these stacks. */
function markedIn<Text extends { body: string }>(
  texts: readonly Text[],
  subject: "review" | "drift",
  key: string,
): { text: Text; marker: ReviewMarker }[] {
  const marked = texts.flatMap((text) =>
    optional(parseMarker(text.body, subject)).map((marker) => ({ text, marker })),
  );
  return marked.filter(({ marker }) => marker.key === key);
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
  const found = markedIn(change.comments, "review", key);
  const stacks = decodeURIComponent(key.replaceAll(",", ", "));
  if (found.length === 0) {
    const others = await trusted(markedIn(change.others, "review", key).map(({ text }) => text));
    const by = [...new Set(others.map(({ author }) => author))].join(" and ");
    const instead = others.length === 0 ? "" : `, and that of ${by} doesn't count`;
    return `The effects were not reviewed: ${change.name} has no review of ${stacks} by the owner of this token${instead}.`;
  }
  if (found.some(({ text }) => text.isEdited))
    return `The review in ${change.name} does not count: somebody else has edited it.`;
  const others = found.map(({ marker }) => marker.fingerprint).filter((other) => other !== fingerprint);
  if (others.length === 0) return undefined;
  return `The effects are not those that were reviewed in ${change.name}: the fingerprint is ${fingerprint}, not ${others.join(" or ")}.`;
}

/**
 * Keeps one open issue while there is a drift: opens it, updates it, and closes it afterwards, and those of
 * others. Returns the ones that it may not close.
 */
export async function postIssue(
  host: CodeHost,
  marker: ReviewMarker,
  { title, isDrifted, body }: { title: string; isDrifted: boolean; body: string },
): Promise<OthersText[]> {
  const { add, edit, closing } = isDrifted
    ? {
        add: () => host.addIssue(title, body),
        edit: (issue: Issue) => host.editIssue(issue, body),
        closing: ANOTHER_ISSUE,
      }
    : {
        add: () => Promise.resolve(),
        edit: (issue: Issue) => host.closeIssue(issue, body),
        closing: body,
      };
  let others: Awaited<ReturnType<CodeHost["issues"]>>["others"] = [];
  await onWhatIsThere(async () => {
    const issues = await host.issues();
    const own = markedIn(issues.own, "drift", marker.key).map(({ text }) => text);
    others = markedIn(issues.others, "drift", marker.key).map(({ text }) => text);
    return {
      ids: own.map(({ id }) => id),
      act: () => keepOne(own, { add, edit, drop: (issue) => host.closeIssue(issue, ANOTHER_ISSUE) }),
    };
  });
  return filtered(await trusted(others), async (issue) => {
    const closed = await orError(CodeHostError, () => host.closeIssue(issue, closing));
    return closed instanceof CodeHostError;
  });
}

const ANOTHER_ISSUE = "Another issue tells of the same drift.";

export function openCodeHost(
  name: HostName,
  environment: Environment,
  seconds?: ApiOptions["seconds"],
): CodeHost {
  return name === "github" ? new GitHub(environment, seconds) : new GitLab(environment, seconds);
}
