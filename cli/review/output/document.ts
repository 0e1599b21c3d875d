import { isDeepStrictEqual } from "node:util";
import { type AccessEffect } from "../../../provider/access/change";
import { holderId, roleSentence } from "../../../provider/access/edge";
import {
  type Category,
  type FieldChange,
  type ProfileEffect,
  type RolePermissions,
} from "../../../provider/review/effects";
import { UNKNOWN } from "../../../provider/review/raw-inputs";
import { count, id, list, type Part, say, type Sentence, some, word } from "../../../provider/sentence";
import { compare, SECRET } from "../../../provider/review/step";
import { PENDING_ADVICE, pendingSentence } from "../../pending";
import { type Review } from "../review";
import { summaryOf } from "./counts";
import { credentialSentence } from "./credentials";
import { peopleSentence } from "./people";
import { effectWord, except, named, wordsOf } from "./words";

/** One stack's review, ready for any format. */
export interface ReviewDocument {
  title: Sentence;
  /** `➕ 4 grants`, …; the most important first. */
  summary: Sentence[];
  sections: Section[];
}

export interface Section {
  title: string;
  form: "caution" | "table" | "list";
  rows: readonly Row[];
  /** For a terminal, where nobody adds up rows: `In all, 12 people …`. */
  total?: Sentence;
}

export interface Row {
  cells: readonly Sentence[];
  /** One of {@link CUT}. */
  rank: number;
  details?: readonly Sentence[];
  detailsRank?: number;
  short?: Sentence;
}

/** If there is no room, parts with the highest number are cut first; dangers are cut last. */
export const CUT = {
  irreversible: 0,
  error: 1,
  rule: 2,
  gain: 3,
  unknown: 4,
  loss: 5,
  profile: 6,
  others: 6,
  kept: 7,
  unknownValue: 8,
  value: 9,
  oldRule: 10,
  note: 10,
  permission: 11,
} as const;
export const NEVER_CUT = -1;

export function documentOf(review: Review, failOn: readonly Category[], hasIds = false): ReviewDocument {
  return {
    title: titleOf(review),
    summary: summaryOf(review),
    sections: [
      pendingSection(review),
      failureSection(review),
      irreversibleSection(review),
      twinSection(review),
      rulesSection(review, true),
      judgedSection(review),
      accessSection(review, hasIds),
      permissionSection(review, "role"),
      permissionSection(review, "sample"),
      notReviewableSection(review),
      profileSection(review),
      rulesSection(review, false),
      noteSection(review),
      otherSection(review),
      approvalSection(review, failOn),
    ].filter((section) => section.rows.length > 0),
  };
}

function titleOf(review: Review): Sentence {
  const { stack, tenants } = review;
  const where = stack === undefined ? say`` : say` of ${stack}`;
  const on = word(tenants.length === 1 ? ", tenant " : ", tenants ");
  return say`${word(wordsOf(review).title)}${where}${tenants.length === 0 ? say`` : say`${on}${list(tenants)}`}`;
}

function listSection(title: string, rows: readonly Row[]): Section {
  return { title, form: "list", rows };
}

function pendingSection({ pending = [] }: Review): Section {
  const rows = pending.map((create) =>
    oneCellRow(CUT.error, say`${pendingSentence(create)}. ${word(PENDING_ADVICE)}`),
  );
  return listSection("An earlier run ended halfway", rows);
}

function twinSection({ twins }: Review): Section {
  const rows = twins.map(({ name, reason }) => oneCellRow(CUT.error, named(name, reason)));
  return listSection("Already on the tenant", rows);
}

function failureSection(review: Review): Section {
  const rows = review.errors.map(({ name, message }) => oneCellRow(CUT.error, named(name, message)));
  return listSection(wordsOf(review).failureSection, rows);
}

function irreversibleSection({ removals, profiles, isDrift }: Review): Section {
  const deleted = isDrift ? [] : profiles.filter(({ op }) => op === "delete");
  const row = (what: string, sentence: Sentence) => ({
    ...oneCellRow(CUT.irreversible, sentence),
    short: say`${id(what)}`,
  });
  return {
    title: "This can't be undone",
    form: "caution",
    rows: [
      ...removals.map((removal) => {
        const by = namedWithLine(removal.name, removal.line);
        const what = credentialSentence(removal);
        return row(removal.id, say`device credential ${id(removal.id)} is removed, by ${by}${what}`);
      }),
      ...deleted.map(({ id: profile = "", name, line, reason, unless }) =>
        row(
          profile,
          say`connection profile ${id(profile)} is deleted: ${namedWithLine(name, line)}${because(reason)}${except(unless)}`,
        ),
      ),
    ],
  };
}

function rulesSection(review: Review, isNew: boolean): Section {
  const { rules, tenants } = review;
  const rows = (rules?.breaches ?? [])
    .filter((breach) => breach.isNew === isNew)
    .map(({ tenant, reason, by }) => {
      const where = tenants.length > 1 && tenant !== undefined ? say`on ${tenant}: ` : say``;
      const givers = by.map(({ name, line }) => namedWithLine(name, line));
      const through = givers.length === 0 ? say`, given by hand` : say`, through ${list(givers)}`;
      return oneCellRow(isNew ? CUT.rule : CUT.oldRule, say`${where}${reason}${through}`);
    });
  return listSection(isNew ? wordsOf(review).newRuleSection : "Broke a rule before", rows);
}

function judgedSection({ judgedBy = [] }: Review): Section {
  return listSection(
    "Rules",
    judgedBy.map((sentence) => oneCellRow(NEVER_CUT, sentence)),
  );
}

function because(reason: Sentence): Sentence {
  return reason.isEmpty ? say`` : say` ${reason}`;
}

function namedWithLine(name: string, line: AccessEffect["by"][number]["line"]): Sentence {
  return line === undefined ? say`${name}` : say`${name} ${{ place: line }}`;
}

const EFFECTS = {
  gains: { rank: CUT.gain, sign: "➕ " },
  loses: { rank: CUT.loss, sign: "➖ " },
  keeps: { rank: CUT.kept, sign: "" },
} as const;

function accessSection(review: Review, hasIds: boolean): Section {
  const { access, tenants, people } = review;
  const sorted = [...access].sort(
    (one, other) =>
      compare(one.tenant ?? "", other.tenant ?? "") ||
      compare(one.organization ?? "", other.organization ?? "") ||
      compare(one.role, other.role) ||
      EFFECTS[one.effect].rank - EFFECTS[other.effect].rank ||
      compare(holderId(one.holder), holderId(other.holder)),
  );
  const tenantOf = ({ tenant = "a tenant that the preview doesn't tell" }: AccessEffect) =>
    tenants.length > 1 ? say` on ${tenant}` : say``;
  const rows = sorted.map((row) => {
    const { holder, effect, by, unless } = row;
    const { rank, sign } = EFFECTS[effect];
    const behind = people.get(row);
    return {
      cells: [
        say`${roleSentence(row)}${tenantOf(row)}`,
        word(`${sign}${effectWord(review, row)}`),
        say`${id(holderId(holder))}${behind === undefined ? say`` : peopleSentence(row, behind, hasIds)}`,
        say`${list(by.map(({ name, line, reason }) => say`${namedWithLine(name, line)}${because(reason)}`))}${except(unless)}`,
      ],
      rank,
    };
  });
  return { title: wordsOf(review).accessSection, form: "table", rows, ...totalOf(review) };
}

/** Adds up the people, each once. */
function totalOf({ access, people }: Review): Pick<Section, "total"> {
  const parts = (["gains", "loses"] as const).flatMap((effect) => {
    const rows = access.filter((row) => row.effect === effect);
    const known = rows.flatMap((row) => people.get(row) ?? []);
    if (known.length === 0) return [];
    const all = new Set(known.flatMap((row) => row.people));
    const isWhole =
      known.length === rows.length &&
      known.every(({ isMore, groups, others }) => !isMore && groups + others === 0);
    const least = isWhole ? "" : "at least ";
    const groups = effect === "gains" ? "gain a role" : "lose one";
    return [word(`${least}${count(all.size, "person", "people")} in groups that ${groups}`)];
  });
  return parts.length === 0 ? {} : { total: say`In all: ${list(parts)}.` };
}

/** Further ones are counted. */
const MOST_PERMISSIONS = 10;

function permissionSection({ roles }: Review, from: RolePermissions["from"]): Section {
  const ofUs = roles.filter((role) => role.from === from);
  const known = ofUs.filter((role) => role.permissions.length > 0);
  const without = ofUs.filter((role) => role.permissions.length === 0);
  const rows = known.map(({ role, permissions }) => {
    const shown = permissions.slice(0, MOST_PERMISSIONS);
    const servers = [...new Set(shown.map(({ resourceServer }) => resourceServer))];
    const of = (server: string) => shown.filter(({ resourceServer }) => resourceServer === server);
    const left = permissions.length - shown.length;
    return {
      ...oneCellRow(CUT.permission, say`${id(role)}`),
      details: [
        ...servers.map((server) => say`${server}: ${list(of(server).map(({ name }) => say`${name}`))}`),
        ...(left > 0 ? [word(`and ${count(left, "other permission")}`)] : []),
      ],
    };
  });
  const ids = some(without.map(({ role }) => role));
  const none = from === "role" ? say`nothing: ${ids}` : say`no sample user has ${ids}`;
  return listSection(
    from === "role" ? "What the roles allow" : "What the roles allow, as sample users have them",
    without.length === 0 ? rows : [...rows, oneCellRow(CUT.permission, none)],
  );
}

function notReviewableSection({ unknown }: Review): Section {
  const rows = unknown.map(({ name, line, reason, categories }) =>
    oneCellRow(
      // Without a category it can't need an approval, so it's just a field's value.
      categories.length === 0 ? CUT.unknownValue : CUT.unknown,
      named(name === undefined ? undefined : namedWithLine(name, line), reason),
    ),
  );
  return listSection("Not reviewable", rows);
}

function profileSection({ profiles, isDrift }: Review): Section {
  const shown = isDrift ? profiles : profiles.filter(({ op }) => op !== "delete");
  const rows = shown.map((profile) => ({
    ...oneCellRow(CUT.profile, profileSentence(profile)),
    details: profile.changes.map(changeSentence),
    detailsRank: CUT.value,
  }));
  return listSection("Connection profiles", rows);
}

/** How a profile fares in a step. */
const PROFILE_SENTENCES: Readonly<
  Record<ProfileEffect["op"], (profile: Sentence, effect: ProfileEffect) => Sentence>
> = {
  create: (profile, { unless }) => say`${profile} is created${except(unless)}`,
  update: (profile, { unless }) => say`${profile}${except(unless)}`,
  adopt: (profile, { reason, changes, unless }) => {
    const why = reason.isEmpty ? say`` : say`: ${reason}`;
    const effect = changes.length === 0 ? say`` : say`; changes:`;
    return say`${profile} is adopted${why}${except(unless)}${effect}`;
  },
  delete: (profile, { unless }) => say`${profile}${except(unless)}`,
  gone: (profile) => say`${profile} is gone from the tenant`,
};

function profileSentence(effect: ProfileEffect): Sentence {
  const { op, id: profile, name, line } = effect;
  const shown = namedWithLine(name, line);
  return PROFILE_SENTENCES[op](profile === undefined ? shown : say`${shown} ${id(profile)}`, effect);
}

function changeSentence({ path, before, after, isSet }: FieldChange): Sentence {
  if (isSet && [before, after].every((value) => value === undefined || isTexts(value))) {
    const [old, now] = [(before ?? []) as string[], (after ?? []) as string[]];
    const added = now.filter((item) => !old.includes(item)).map((item) => say`➕ ${valuePart(item)}`);
    const gone = old.filter((item) => !now.includes(item)).map((item) => say`➖ ${valuePart(item)}`);
    if (added.length + gone.length > 0) return say`${path}: ${list([...added, ...gone])}`;
  }
  if (before === undefined) return say`${path}: ${valuePart(after)}`;
  if (isDeepStrictEqual(before, after)) return say`${path}: ${valuePart(after)}, as it is`;
  return say`${path}: ${valuePart(before)} → ${valuePart(after)}`;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function valuePart(value: unknown): Part | Sentence {
  if (value === undefined) return say`not set`;
  if (value === UNKNOWN) return say`known only when the change is made`;
  if (value === SECRET) return say`a secret`;
  return { value: typeof value === "string" ? value : JSON.stringify(value) };
}

function noteSection({ notes }: Review): Section {
  const rows = notes.map(({ name, reason }) => oneCellRow(CUT.note, named(name, reason)));
  return listSection("For the record", rows);
}

function otherSection({ others }: Review): Section {
  const text = `${count(others, "change")} of other resources, which this review does not cover`;
  const rows = others === 0 ? [] : [oneCellRow(CUT.others, word(text))];
  return listSection("Other packages", rows);
}

const APPROVALS: Readonly<Record<Category, string>> = {
  grant: "access gained",
  revoke: "access lost",
  removal: "a permanent removal",
  delete: "a deleted profile",
  exclusive: "an exclusive assignment",
  replace: "a replacement",
  adopt: "an adoption",
  rules: "a broken rule",
  unknown: "what is not reviewable",
  other: "changes of other resources",
  pending: "what an earlier run may have created",
};

function approvalSection(review: Review, failOn: readonly Category[]): Section {
  const found = failOn.filter((category) => review.categories.includes(category));
  const words = list(found.map((category) => word(APPROVALS[category])));
  return listSection(
    wordsOf(review).approvalSection,
    found.length === 0 ? [] : [oneCellRow(NEVER_CUT, words)],
  );
}

function oneCellRow(rank: number, sentence: Sentence): Row {
  return { cells: [sentence], rank };
}
