import { appendFileSync } from "node:fs";
import { sanitize } from "../../../provider/border";
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
import { inMarkdown } from "../../escape";
import {
  isReplaced,
  type Marked,
  markedIn,
  namesAllStacks,
  type Replaced,
  type ReviewMarker,
  stacksOf,
} from "./marker";
import { type Left, LONGEST_SUMMARY, outcomeText, postOutcome } from "./outcome";
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
  isDrifted: boolean;
  found: Left;
  /** The review as a text for the code host. */
  body: (beside: Beside) => string;
  summary: () => string;
  areGone: Former["areGone"];
}

/** Earlier comments or issues that the new one replaces. */
export interface Beside {
  /** Reviews of others, which stay as they are. */
  outdated: readonly OthersText[];
  replaced: readonly Replaced[];
}

interface Former {
  body: Publication["body"];
  /** True if no stack of these names exists any more. */
  areGone: (stacks: readonly string[]) => Promise<boolean>;
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
      : [sanitize(problem), NOT_AS_REVIEWED];
  process.stderr.write(`${text}\n`);
  return code;
}

/** Returns the reason why this must not be applied, if the options ask for that check. */
async function exchange(publication: Publication): Promise<string | undefined> {
  const { marker, purpose, found } = publication;
  // After a failed refresh nobody knows if there is a drift, so leave the issue alone.
  if (purpose.act === "issue" && found.isFailed) return undefined;
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
  { host: name, environment, marker, isDrifted, found, body, areGone }: Publication,
): Promise<string | undefined> {
  switch (purpose.act) {
    case "comment":
      tellBeside("comment", await postComment(host, marker, { body, areGone }));
      return undefined;
    case "issue":
      tellBeside("issue", await postIssue(host, marker, { title: purpose.title, isDrifted, body, areGone }));
      return undefined;
    case "outcome": {
      const { outcome } = purpose;
      const text = (room: number) => outcomeText(outcome, found, environment, room);
      const unsaid = await postOutcome(host, marker, { name, outcome, text });
      if (unsaid !== undefined) process.stderr.write(`${sanitize(unsaid)}\n`);
      return undefined;
    }
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

const REPLACED = {
  comment: "It says so now, and this run's comment takes its place.",
  issue: "It is closed now.",
} as const;

function tellBeside(what: keyof typeof OUTDATED, { outdated, replaced }: Beside): void {
  for (const { author, url } of outdated)
    process.stderr.write(
      `${sanitize(`The ${what} of ${author} is out of date: ${url}`)}. ${OUTDATED[what]}\n`,
    );
  for (const { key, url } of replaced)
    process.stderr.write(
      `${sanitize(`The ${what} on ${namesOf({ key })} is out of date: ${url}`)}. ${REPLACED[what]}\n`,
    );
}

function namesOf(marker: Pick<ReviewMarker, "key">): string {
  return stacksOf(marker).join(", ");
}

/** Writes GitHub's page of a run. Without a runner, or on an old one, there is no such page. */
function writeSummary({ host, environment, purpose, found, summary }: Publication): void {
  const file = environment["GITHUB_STEP_SUMMARY"];
  if (host !== "github" || file === undefined || file === "") return;
  try {
    const text =
      purpose.act === "outcome"
        ? outcomeText(purpose.outcome, found, environment, LONGEST_SUMMARY)
        : summary();
    appendFileSync(file, text);
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
 * something else, and those of former stacks, which it has replaced.
 */
export async function postComment(
  host: CodeHost,
  marker: ReviewMarker,
  { body, areGone }: Former,
): Promise<Beside> {
  let beside: Beside = { outdated: [], replaced: [] };
  await onWhatIsThere(async () => {
    const change = await host.change();
    if (change.isMerged)
      throw new CodeHostError(
        `The review was not posted: ${change.name} is merged, and its comment says what was reviewed before.`,
      );
    const { own, former, kept } = await ownTexts(change.comments, "review", marker, areGone);
    const others = markedIn(change.others, "review").filter(
      (text) => text.marker.key !== marker.key || text.marker.fingerprint !== marker.fingerprint,
    );
    const outdated = await outdatedBy(marker, others, areGone);
    beside = { outdated, replaced: former.map(replacedBy) };
    const text = body({ outdated, replaced: [...kept, ...beside.replaced] });
    return {
      ids: [...own, ...former].map(({ text: { id } }) => id),
      act: async () => {
        await keepOne(
          own.map((each) => each.text),
          {
            add: () => host.addComment(change, text),
            edit: (comment) => host.editComment(change, comment, text),
            drop: (comment) => host.removeComment(change, comment),
          },
        );
        for (const each of former)
          await host.editComment(change, each.text, replacedText(each.marker, marker));
      },
    };
  });
  return beside;
}

/**
 * Returns the owner's texts on these stacks, those on former stacks that they replace, and what they have
 * replaced before.
 */
async function ownTexts<Text extends { body: string }>(
  texts: readonly Text[],
  subject: "review" | "drift",
  marker: ReviewMarker,
  areGone: Former["areGone"],
): Promise<{ own: Marked<Text>[]; former: Marked<Text>[]; kept: readonly Replaced[] }> {
  const marked = markedIn(texts, subject);
  const own = marked.filter((text) => text.marker.key === marker.key);
  return {
    own,
    former: await filtered(marked, (text) => isReplaced(text.marker, marker, areGone)),
    kept: own[0]?.marker.replaced ?? [],
  };
}

function replacedBy({ text: { url }, marker: { key } }: Marked<{ url: string }>): Replaced {
  return { key, url };
}

/** Returns the texts of others that are on these stacks or on former ones, if anybody may believe them. */
async function outdatedBy<Text extends OthersText>(
  by: ReviewMarker,
  others: readonly Marked<Text>[],
  areGone: Former["areGone"],
): Promise<Text[]> {
  const believed = await filtered(others, ({ text }) => text.isTrusted());
  const found = await filtered(
    believed,
    async ({ marker }) => marker.key === by.key || isReplaced(marker, by, areGone),
  );
  return found.map(({ text }) => text);
}

/** Without a marker, so that it counts as no review any more. */
function replacedText(former: ReviewMarker, by: ReviewMarker): string {
  return `**⚠️ Out of date:** the review of ${inMarkdown(namesOf(by))} takes the place of this one, which was of ${inMarkdown(namesOf(former))}.\n`;
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
  const isOfThese = ({ marker }: Marked<unknown>) => marker.key === key;
  const found = markedIn(change.comments, "review").filter(isOfThese);
  const stacks = namesOf({ key });
  if (found.length === 0) {
    const others = await trusted(
      markedIn(change.others, "review")
        .filter(isOfThese)
        .map(({ text }) => text),
    );
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
 * others and of former stacks. Returns the ones that it may not close, and those of former stacks.
 */
export async function postIssue(
  host: CodeHost,
  marker: ReviewMarker,
  { title, isDrifted, body, areGone }: Former & { title: string; isDrifted: boolean },
): Promise<Beside> {
  let others: (Issue & OthersText)[] = [];
  let replaced: Replaced[] = [];
  let closing = "";
  await onWhatIsThere(async () => {
    const issues = await host.issues();
    const { own, former, kept } = await ownTexts(issues.own, "drift", marker, areGone);
    others = await outdatedBy(marker, markedIn(issues.others, "drift"), areGone);
    replaced = former.map(replacedBy);
    const text = body({ outdated: [], replaced: [...kept, ...replaced] });
    closing = isDrifted ? ANOTHER_ISSUE : text;
    const { add, edit } = isDrifted
      ? {
          add: () => host.addIssue(title, text),
          edit: (issue: Issue) => host.editIssue(issue, text),
        }
      : {
          add: () => Promise.resolve(),
          edit: (issue: Issue) => host.closeIssue(issue, text),
        };
    return {
      ids: [...own, ...former].map(({ text: { id } }) => id),
      act: async () => {
        await keepOne(
          own.map((each) => each.text),
          { add, edit, drop: (issue) => host.closeIssue(issue, ANOTHER_ISSUE) },
        );
        for (const each of former) await host.closeIssue(each.text, isDrifted ? anotherIssue(marker) : text);
      },
    };
  });
  const outdated = await filtered(others, async (issue) => {
    const closed = await orError(CodeHostError, () => host.closeIssue(issue, closing));
    return closed instanceof CodeHostError;
  });
  return { outdated, replaced };
}

const ANOTHER_ISSUE = "Another issue tells of the same drift.";

function anotherIssue(by: ReviewMarker): string {
  return `Another issue tells of the drift of ${inMarkdown(namesOf(by))}, and takes the place of this one.`;
}

export function openCodeHost(
  name: HostName,
  environment: Environment,
  seconds?: ApiOptions["seconds"],
): CodeHost {
  return name === "github" ? new GitHub(environment, seconds) : new GitLab(environment, seconds);
}
