import { holderId } from "../../../provider/access/edge";
import { type Place, say, type Sentence, word } from "../../../provider/review/sentence";
import { compare } from "../../../provider/review/step";
import { inText, percentEncoded } from "../../escape";
import { type Workplace } from "../../workplace";
import { pendingSentence } from "../../pending";
import { type Review } from "../review";

/** Findings that a reviewer must not overlook, the worst first. */
export const FINDING_KINDS = {
  failure: {
    level: "error",
    says: "The preview failed",
    means: "Pulumi could not preview the whole change, so the review may lack some of its effects.",
    page: "review.md",
  },
  removal: {
    level: "error",
    says: "Something is removed for good",
    means: "The change removes a device credential or deletes a connection profile. That can't be undone.",
    page: "review.md",
  },
  rule: {
    level: "error",
    says: "The change breaks a rule",
    means: "After the change, a group or a person has a role that your rules don't allow them.",
    page: "rules.md",
  },
  pending: {
    level: "warning",
    says: "An earlier run ended halfway",
    means: "A run was killed while it created this, so the tenant may have it already.",
    page: "review.md",
  },
  loss: {
    level: "warning",
    says: "A group loses a role",
    means: "The group's members lose the role, unless they have it through another group.",
    page: "people.md",
  },
  doubt: {
    level: "warning",
    says: "Something can't be reviewed",
    means: "A value is secret or not known yet, or the tenant didn't answer, so the effect is open.",
    page: "review.md",
  },
  "old-rule": {
    level: "note",
    says: "A rule was broken before",
    means: "A group or a person has a role that your rules don't allow them, and had it before the change.",
    page: "rules.md",
  },
} as const;
type Kind = keyof typeof FINDING_KINDS;
export const KINDS = Object.keys(FINDING_KINDS) as readonly Kind[];

export interface Finding {
  kind: Kind;
  /** Plain text on one line, with strangers' words made inert, and long names cut. */
  text: string;
  /** The text with nothing cut, by which a finding is recognised. */
  whole: string;
  /** Path within the repository. */
  file: string;
  line: number;
}

/** Leaves out what has no place in the repository. */
export function findingsOf(
  reviews: readonly Review[],
  names: Readonly<Record<string, string>>,
  { projectFile, inRepository }: Workplace,
): Finding[] {
  // Code hosts refuse findings without a place.
  const nowhere = { file: projectFile, line: 1 };
  const project = inRepository(nowhere);
  const told = new Set<string>();
  return reviews
    .flatMap((review) => rawFindings(review))
    .flatMap(({ kind, sentence, place }) => {
      const found = (place && inRepository(place)) ?? project;
      if (found === undefined) return [];
      const whole = plainText(sentence, names);
      return [{ kind, text: plainText(sentence, names, LONGEST_NAME), whole, ...found }];
    })
    .filter((finding) => {
      // A breach by two stacks is in both reviews.
      const key = JSON.stringify(finding);
      const isNew = !told.has(key);
      told.add(key);
      return isNew;
    })
    .sort(
      (one, other) =>
        KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
        compare(one.file, other.file) ||
        one.line - other.line ||
        compare(one.whole, other.whole),
    );
}

interface RawFinding {
  kind: Kind;
  sentence: Sentence;
  place: Place | undefined;
}

function rawFindings(review: Review): RawFinding[] {
  const { errors, removals, profiles, access, unknown, rules, isDrift, pending = [] } = review;
  const deleted = isDrift ? [] : profiles.filter(({ op }) => op === "delete");
  const lost = access.filter(({ effect }) => effect === "loses");
  return [
    ...errors.map(({ name, message }) => ({
      kind: "failure" as const,
      sentence: name === undefined ? message : say`${name}: ${message}`,
      place: undefined,
    })),
    ...removals.map(({ id, name, line }) => ({
      kind: "removal" as const,
      sentence: say`${name} removes the device credential ${{ id }} for good`,
      place: line,
    })),
    ...deleted.map(({ id = "", name, line, unless }) => ({
      kind: "removal" as const,
      sentence:
        unless === undefined
          ? say`the connection profile ${name} ${{ id }} is deleted for good`
          : say`the connection profile ${name} ${{ id }} may be deleted for good, unless ${unless}`,
      place: line,
    })),
    ...pending.map((one) => ({ kind: "pending" as const, sentence: pendingSentence(one), place: one.line })),
    ...(rules?.breaches ?? []).map(({ isNew, reason, by }) => ({
      kind: isNew ? ("rule" as const) : ("old-rule" as const),
      sentence: reason,
      place: by.find(({ line }) => line !== undefined)?.line,
    })),
    ...lost.map(({ role, holder, by, unless }) => ({
      kind: "loss" as const,
      sentence:
        unless === undefined
          ? say`${{ id: holderId(holder) }} ${isDrift ? LOST : LOSES} ${{ id: role }}`
          : say`${{ id: holderId(holder) }} ${isDrift ? MAY_HAVE_LOST : MAY_LOSE} ${{ id: role }}, unless ${unless}`,
      place: by.find(({ line }) => line !== undefined)?.line,
    })),
    ...unknown.map(({ name, line, reason }) => ({
      kind: "doubt" as const,
      sentence: name === undefined ? reason : say`${name}: ${reason}`,
      place: line,
    })),
  ];
}

const LOSES = word("loses");
const LOST = word("has lost");
const MAY_LOSE = word("may lose");
const MAY_HAVE_LOST = word("may have lost");

/** A name must leave room for the role and the rule. */
const LONGEST_NAME = 100;

function plainText(
  sentence: Sentence,
  names: Readonly<Record<string, string>>,
  longestName = Number.POSITIVE_INFINITY,
): string {
  const { parts } = sentence;
  // A message that is a single value has nothing to leave room for.
  const longest = parts.filter((part) => typeof part !== "string").length === 1 ? undefined : longestName;
  const text = sentence.render((part) => {
    if ("value" in part) return inText(part.value, longest);
    if ("place" in part) return inText(`${part.place.file}:${part.place.line}`);
    const name = Object.hasOwn(names, part.id) ? names[part.id] : undefined;
    return name === undefined ? inText(part.id) : `${inText(name, longest)} ${inText(part.id)}`;
  });
  return inText(text, Number.POSITIVE_INFINITY);
}

/** Returns a path as a relative URI. */
export function uriOf(file: string): string {
  return file.split("/").map(percentEncoded).join("/");
}
