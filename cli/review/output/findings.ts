import { credentialSentence } from "../../../provider/review/credential";
import { signedInSentence, signOutSentence } from "../../../provider/review/signed-in";
import { type AccessEffect, except, isLoss } from "../../../provider/access/change";
import { holderId, roleSentence } from "../../../provider/access/edge";
import { pendingSentence } from "../../../provider/review/pending";
import { type Place, placeText, say, type Sentence, word } from "../../../provider/sentence";
import { inText, percentEncoded } from "../../escape";
import { compare, optional } from "../../lists";
import { withName } from "../../output/document";
import { type TenantBreach } from "../../rules/judge";
import { type Workplace } from "../../places";
import { type Review } from "../review";
import { certaintyOf, effectSentence, isDeletedForGood, named, permissionSentence } from "./words";

/** Findings that a reviewer must not overlook, the worst first. */
export const FINDING_TYPES = {
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
    says: "A group or a user loses access",
    means:
      "The group's members, or the user, lose the role or permission, unless they have it in another way.",
    page: "review.md",
  },
  end: {
    level: "warning",
    says: "A grant ends on another day",
    means: "A group keeps the role for longer than before, or loses it earlier.",
    page: "temporary-access.md",
  },
  doubt: {
    level: "warning",
    says: "Something can't be reviewed",
    means: "A value is secret or not known yet, or the tenant didn't answer, so the effect is open.",
    page: "review.md",
  },
  "excepted-rule": {
    level: "note",
    says: "An exception lets a broken rule pass",
    means: "Your rules don't allow this, and name an exception that lets it pass until its day.",
    page: "rules.md",
  },
  "old-rule": {
    level: "note",
    says: "A rule was broken before",
    means: "A group or a person has a role that your rules don't allow them, and had it before the change.",
    page: "rules.md",
  },
} as const;
type FindingType = keyof typeof FINDING_TYPES;
export const TYPE_NAMES = Object.keys(FINDING_TYPES) as readonly FindingType[];

export interface LineFinding {
  type: FindingType;
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
): LineFinding[] {
  // Code hosts refuse findings without a place.
  const project = inRepository({ file: projectFile, line: 1 });
  const findings = reviews
    .flatMap((review) => rawFindings(review))
    .flatMap(({ type, sentence, place }) => {
      const [whole, text] = [plainText(sentence, names), plainText(sentence, names, LONGEST_NAME)];
      const [found = project] = optional(place).flatMap((own) => optional(inRepository(own)));
      return optional(found).map((at) => ({ type, text, whole, ...at }));
    });
  // A breach by two stacks is in both reviews.
  const each = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...each.values()].sort(
    (one, other) =>
      TYPE_NAMES.indexOf(one.type) - TYPE_NAMES.indexOf(other.type) ||
      compare(one.file, other.file) ||
      one.line - other.line ||
      compare(one.whole, other.whole),
  );
}

interface RawFinding {
  type: FindingType;
  sentence: Sentence;
  place: Place | undefined;
}

function rawFindings(review: Review): RawFinding[] {
  const { errors, removals, signOuts, profiles, access, permissions, unknown, rules, pending = [] } = review;
  const deleted = profiles.filter(isDeletedForGood);
  const finding = (type: FindingType, sentence: Sentence, place?: Place): RawFinding => ({
    type,
    sentence,
    place,
  });
  const rowsOf = (type: FindingType, test: (row: AccessEffect) => boolean) =>
    access.filter(test).map((row) => {
      const { holder, by, unless } = row;
      const effect = effectSentence(review, row, roleSentence(row));
      return finding(type, say`${{ id: holderId(holder) }} ${effect}${except(unless)}`, placeOf(by));
    });
  return [
    ...errors.map(({ name, message }) => finding("failure", named(name, message))),
    ...signOuts.map(({ name, line, signedIn, ...signOut }) => {
      const what = signOutSentence(signOut);
      return finding("removal", say`${name}: ${what} for good${signedInSentence(signedIn)}`, line);
    }),
    ...removals.map(({ id, name, line, credential }) => {
      const what = credentialSentence(credential);
      return finding("removal", say`${name} removes the device credential ${{ id }} for good${what}`, line);
    }),
    ...deleted.map(({ id = "", name, line, unless }) => {
      const is = word({ certain: "is", maybe: "may be" }[certaintyOf({ unless })]);
      const sentence = say`the connection profile ${name} ${{ id }} ${is} deleted for good${except(unless)}`;
      return finding("removal", sentence, line);
    }),
    ...pending.map((create) => finding("pending", pendingSentence(create), create.line)),
    ...(rules?.breaches ?? []).map((breach) =>
      finding(ruleFinding(breach), say`${breach.reason}${breach.passing}`, placeOf(breach.by)),
    ),
    ...rowsOf("loss", isLoss),
    ...permissions
      .filter(({ effect }) => effect === "loses")
      .map((row) =>
        finding("loss", say`${permissionSentence(row, [row.permission])}${except(row.unless)}`, row.line),
      ),
    ...rowsOf("end", ({ ends }) => ends !== undefined),
    ...unknown.map(({ name, line, reason }) => finding("doubt", named(name, reason), line)),
  ];
}

function ruleFinding({ isNew, exception }: TenantBreach): FindingType {
  if (exception !== undefined) return "excepted-rule";
  return isNew ? "rule" : "old-rule";
}

function placeOf(by: readonly { line: Place | undefined }[]): Place | undefined {
  return by.find(({ line }) => line !== undefined)?.line;
}

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
  const text = sentence.render({
    value: (value) => inText(value, longest),
    place: (place) => inText(placeText(place)),
    id: (id) => withName(names, id, { name: (name) => inText(name, longest), id: (own) => inText(own) }),
  });
  return inText(text, Number.POSITIVE_INFINITY);
}

/** Returns a path as a relative URI. */
export function uriOf(file: string): string {
  return file.split("/").map(percentEncoded).join("/");
}
