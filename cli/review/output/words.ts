import { type AccessEffect } from "../../../provider/access/change";
import { type PermissionEffect, type ProfileEffect } from "../kinds/effects";
import { endSentence } from "../../../provider/access/until";
import { type ReviewJson } from "../../../provider/review/model";
import { count, grouped, id, list, say, type Sentence, tail, word } from "../../../provider/sentence";

/** With the permissions that roles and users gain and lose. */
export type Counts = Required<ReviewJson["counts"]> & Record<"allowed" | "forbidden", number>;

interface ReviewWords {
  title: string;
  /** In the summary. */
  failure: string;
  failureSection: string;
  newRuleSection: string;
  accessSection: string;
  approvalSection: string;
  /** Counted in the summary, the most important first. */
  counts: readonly (readonly [keyof Counts, (number: number) => string])[];
  /** The verb for a holder, for certain or perhaps. */
  effects: Readonly<Record<AccessEffect["effect"], { certain: string; maybe: string }>>;
}

const profiles = (what: string) => (number: number) => `${count(number, "profile")} ${what}`;
const KEEPS = { certain: "keeps", maybe: "may keep" } as const;

const OF_CHANGE: ReviewWords = {
  title: "Access review",
  failure: "❌ The preview failed",
  failureSection: "The preview failed: this is not all that would happen",
  newRuleSection: "Breaks a rule",
  accessSection: "Who gains and who loses access",
  approvalSection: "Needs an approval before it is applied",
  counts: [
    ["gains", (number) => `➕ ${count(number, "grant")}`],
    ["loses", (number) => `➖ ${count(number, "revocation")}`],
    ["endsLater", (number) => `⏳ ${count(number, "grant")} extended`],
    ["endsEarlier", (number) => `⏳ ${count(number, "grant")} shortened`],
    ["allowed", (number) => `➕ ${count(number, "permission")}`],
    ["forbidden", (number) => `➖ ${count(number, "permission")}`],
    ["signOuts", (number) => `⛔ ${count(number, "user")} signed out`],
    ["removals", (number) => `⛔ ${count(number, "permanent removal")}`],
    ["deleted", (number) => `⛔ ${profiles("deleted")(number)}`],
    ["created", profiles("created")],
    ["changed", profiles("changed")],
    ["adopted", profiles("adopted")],
    ["unknown", (number) => `❔ ${grouped(number)} not reviewable`],
  ],
  effects: {
    gains: { certain: "gains", maybe: "may gain" },
    loses: { certain: "loses", maybe: "may lose" },
    keeps: KEEPS,
  },
};

const OF_DRIFT: ReviewWords = {
  title: "Drift",
  failure: "❌ The refresh failed",
  failureSection: "The refresh failed: this is not all there is",
  newRuleSection: "Now breaks a rule",
  accessSection: "Access that the tenant and the state disagree on",
  approvalSection: "Needs attention",
  counts: [
    ["gains", (number) => `➕ ${count(number, "group")} gained a role`],
    ["loses", (number) => `➖ ${count(number, "group")} lost a role`],
    ["deleted", profiles("gone")],
    ["changed", profiles("changed")],
    ["unknown", (number) => `❔ ${grouped(number)} not known`],
  ],
  effects: {
    gains: { certain: "has gained", maybe: "may have gained" },
    loses: { certain: "has lost", maybe: "may have lost" },
    keeps: KEEPS,
  },
};

/** A change is what will be, a drift what has been. */
export function wordsOf({ isDrift }: { isDrift: boolean }): ReviewWords {
  return isDrift ? OF_DRIFT : OF_CHANGE;
}

/** `loses`, or `may lose` if it isn't certain. */
function effectWord(
  review: { isDrift: boolean },
  row: Pick<AccessEffect, "effect" | "forgotten" | "unless">,
): string {
  if (row.forgotten === true) return "forgotten";
  return wordsOf(review).effects[row.effect][certaintyOf(row)];
}

/** `keeps rol_1, now without an end (was 2026-12-31)`; `what`: empty, where it stands elsewhere. */
export function effectSentence(
  review: { isDrift: boolean },
  row: Pick<AccessEffect, "effect" | "unless" | "ends" | "until" | "untilBefore">,
  what = say``,
): Sentence {
  return say`${word(effectWord(review, row))}${tail` ${what}`}${tail`, ${endSentence(row)}`}`;
}

export function certaintyOf({ unless }: { unless?: Sentence | undefined }): "certain" | "maybe" {
  return unless === undefined ? "certain" : "maybe";
}

/** `support-agent can now delete:tickets of https://api.example.com` */
export function permissionSentence(row: PermissionEffect, permissions: readonly string[]): Sentence {
  const { holder, effect, resourceServer } = row;
  const who =
    "made" in holder
      ? say`the new role ${holder.made}`
      : say`${id("role" in holder ? holder.role : holder.user)}`;
  const verb = PERMISSION_WORDS[effect][certaintyOf(row)];
  return say`${who} ${word(verb)} ${list(permissions.map((name) => say`${name}`))} of ${resourceServer}`;
}

const PERMISSION_WORDS = {
  gains: { certain: "can now", maybe: "may be able to" },
  loses: { certain: "can no longer", maybe: "may be unable to" },
} as const;

/** If no single resource is concerned, the sentence stands alone. */
export function named(name: Sentence | string | undefined, sentence: Sentence): Sentence {
  return say`${tail`${name}: `}${sentence}`;
}

/** A drift tells of profiles that are gone, and deletes none. */
export function isDeletedForGood({ op }: ProfileEffect): boolean {
  return op === "delete";
}
