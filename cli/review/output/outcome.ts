import {
  type CodeHost,
  CodeHostError,
  type Environment,
  type HostName,
  LONGEST_COMMENT,
  runOf,
} from "../../code-host/host";
import { inAddress } from "../../escape";
import { OUTCOMES, type RunOutcome } from "../input/options";
import { markedIn, type ReviewMarker, stacksOf } from "./marker";

/** The result of a preview after the run. `text` returns its review without the marker, and shortens it. */
export interface Left {
  hasEffects: boolean;
  isFailed: boolean;
  text: (maxLength: number) => string;
}

/** GitHub's page of a run has room for 1 MiB, and a character takes at most three bytes. */
export const LONGEST_SUMMARY = 340_000;
/** Shorter reviews would only say what they leave out. */
const LEAST_ROOM = 2_000;
/** For the headline. */
const HEADLINE_ROOM = 1_000;

const HEADLINES: Readonly<Record<RunOutcome, (run: string) => string>> = {
  applied: (run) => `**✅ Applied** by ${run}.`,
  failed: (run) => `**❌ Applied in part, or not at all**, by ${run}.`,
  refused: (run) => `**❌ Not applied**: ${run} refused it, and its log says why.`,
};

const LEFT: Readonly<Record<RunOutcome, string>> = {
  applied: "A preview after it would still do this:",
  failed: "This is left to do, and the rest of what was reviewed stands:",
  refused: "It would do this now:",
};

/** Returns how a run ended, and what it left; without that if there is no room. */
export function outcomeText(outcome: RunOutcome, left: Left, environment: Environment, room: number): string {
  const run = runOf(environment);
  const name = run === undefined ? "a run" : `[${run.name}](${inAddress(run.url, "")})`;
  const headline = HEADLINES[outcome](name);
  if (left.isFailed) return `${headline} What is left isn't known: the preview after it failed.\n`;
  if (!left.hasEffects)
    return outcome === "applied" ? `${headline}\n` : `${headline} Nothing is left to do.\n`;
  if (room < LEAST_ROOM) return `${headline} What is left is in the review of that run.\n`;
  return `${headline} ${LEFT[outcome]}\n\n${left.text(room - HEADLINE_ROOM)}`;
}

const END = "<!-- pulumi-identity end of outcome -->";

function beginningOf(outcome: RunOutcome): string {
  return `<!-- pulumi-identity outcome ${outcome} -->`;
}

/** Splits a comment into the marker's line, the outcome of an earlier run, and the review. */
function partsOf(body: string): { marker: string; before: RunOutcome | undefined; review: string } {
  const [marker = "", ...rest] = body.split("\n");
  const before = OUTCOMES.find((outcome) => beginningOf(outcome) === rest[0]);
  const end = before === undefined ? -1 : rest.indexOf(END);
  return { marker, before, review: rest.slice(end + 1).join("\n") };
}

/**
 * Writes into the merged pull request's comment how the run of its change ended. Returns the reason if there
 * is no such comment.
 */
export async function postOutcome(
  host: CodeHost,
  { key }: ReviewMarker,
  {
    name,
    outcome,
    text,
  }: {
    name: HostName;
    outcome: RunOutcome;
    /** `room`: the most characters. */
    text: (room: number) => string;
  },
): Promise<string | undefined> {
  const change = await host.mergedChange();
  if (change === undefined)
    return "No merged pull request brought this commit, so no comment says how this ended.";
  const found = markedIn(change.comments, "review").find(({ marker }) => marker.key === key)?.text;
  if (found === undefined)
    return `${change.name} has no review of ${stacksOf({ key }).join(", ")} by the owner of this token, so no comment says how this ended.`;
  // This token's edit would hide that of somebody else, and the comment would count again.
  if (found.isEdited)
    throw new CodeHostError(
      `The outcome was not written: somebody else has edited the review in ${change.name}.`,
    );
  const { marker, before, review } = partsOf(found.body);
  // A run of an old commit that is started again has nothing to say about the one that did the work.
  if (outcome === "refused" && before !== undefined && before !== outcome) return undefined;
  const room = LONGEST_COMMENT[name] - marker.length - review.length - END.length - HEADLINE_ROOM;
  const lines = [marker, beginningOf(outcome), text(room), "---\n", END, review];
  await host.editComment(change, found, lines.join("\n"));
  return undefined;
}
