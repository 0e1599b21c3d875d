import { isDeepStrictEqual } from "node:util";
import { type AccessEffect, except } from "../../../provider/access/change";
import { isOfGrant, placesOf } from "../../../provider/access/broken";
import { isKnownWhole } from "../../../provider/access/people";
import { holderId, isOfGroup, roleSentence } from "../../../provider/access/edge";
import { groupedBy } from "../../../provider/access/grants";
import { credentialSentence } from "../../../provider/review/credential";
import { signedInSentence, signOutSentence } from "../../../provider/review/signed-in";
import {
  type FieldChange,
  type PermissionEffect,
  type ProfileEffect,
  type RolePermissions,
} from "../kinds/effects";
import { type Category } from "../../../provider/review/categories";
import { PENDING_ADVICE, pendingSentence } from "../../../provider/review/pending";
import {
  count,
  firstOf,
  id,
  list,
  type Part,
  placed,
  say,
  type Sentence,
  some,
  tail,
  word,
} from "../../../provider/sentence";
import { SECRET_VALUE, UNKNOWN_VALUE } from "../../../provider/seen";
import { endSections } from "../../ends";
import { anyOf, compare, optional } from "../../lists";
import {
  AFTER,
  BEFORE,
  BROKEN,
  CUT,
  DANGER,
  type Document,
  IN_MATRIX,
  NEVER_CUT,
  type Row,
  rowsOf,
  type Section,
} from "../../output/document";
import { isBroken } from "../../rules/breach";
import { type TenantBreach } from "../../rules/judge";
import { type Review } from "../review";
import { summaryOf } from "./counts";
import { peopleSentence, permittedSentence } from "./people";
import { effectSentence, isDeletedForGood, named, permissionSentence, wordsOf } from "./words";

/** One stack's review. */
export function documentOf(review: Review, failOn: readonly Category[], hasIds = false): Document {
  return {
    title: titleOf(review),
    summary: summaryOf(review),
    gaps: [],
    remarks: [],
    sections: [
      pendingSection(review),
      ...optional(review.ends).flatMap((ends) => endSections(ends, CUT.others)),
      failureSection(review),
      approvalSection(review, failOn),
      irreversibleSection(review),
      twinSection(review),
      rulesSection(review, "new"),
      judgedSection(review),
      accessSection(review, hasIds),
      changedPermissionSection(review),
      permissionSection(review, "role"),
      permissionSection(review, "sample"),
      notReviewableSection(review),
      profileSection(review),
      rulesSection(review, "passing"),
      rulesSection(review, "old"),
      noteSection(review),
      otherSection(review),
      adviceSection(review),
    ].filter((section) => section.rows.length > 0),
  };
}

function titleOf(review: Review): Sentence {
  const { stack, tenants } = review;
  const on = word(tenants.length === 1 ? ", tenant " : ", tenants ");
  return say`${word(wordsOf(review).title)}${tail` of ${stack}`}${tail`${on}${list(tenants)}`}`;
}

function listOf(
  section: string,
  title: string,
  on: Pick<Section, "place" | "kind">,
  rows: readonly Row[],
): Section {
  return { id: section, title: word(title), ...on, rows };
}

function pendingSection({ pending = [] }: Review): Section {
  const sentences = pending.map((create) => say`${pendingSentence(create)}. ${word(PENDING_ADVICE)}`);
  return listOf("pending", "An earlier run ended halfway", BROKEN, rowsOf(CUT.error, sentences));
}

function twinSection({ twins }: Review): Section {
  const sentences = twins.map(({ name, reason }) => named(name, reason));
  return listOf("twins", "Already on the tenant", BROKEN, rowsOf(CUT.error, sentences));
}

function failureSection(review: Review): Section {
  const sentences = review.errors.map(({ name, message }) => named(name, message));
  return listOf("failure", wordsOf(review).failureSection, BROKEN, rowsOf(CUT.error, sentences));
}

function irreversibleSection({ removals, signOuts, profiles }: Review): Section {
  const ended = signOuts.map(({ name, line, signedIn, ...signOut }) => ({
    what: signOut.user,
    sentence: say`${signOutSentence(signOut)}, by ${placed(name, line)}${signedInSentence(signedIn)}`,
  }));
  const removed = removals.map((removal) => {
    const by = placed(removal.name, removal.line);
    const what = credentialSentence(removal.credential);
    return {
      what: removal.id,
      sentence: say`device credential ${id(removal.id)} is removed, by ${by}${what}`,
    };
  });
  const deleted = profiles
    .filter(isDeletedForGood)
    .map(({ id: profile = "", name, line, reason, unless }) => ({
      what: profile,
      sentence: say`connection profile ${id(profile)} is deleted: ${placed(name, line)}${tail` ${reason}`}${except(unless)}`,
    }));
  const rows = [...ended, ...removed, ...deleted].flatMap(({ what, sentence }) =>
    rowsOf(CUT.irreversible, [sentence]).map((row) => ({ ...row, short: say`${id(what)}` })),
  );
  return listOf("irreversible", "This can't be undone", DANGER, rows);
}

/** Breaches that somebody decides on, those that an exception lets pass, and those from before. */
const RULE_SECTIONS = {
  new: { id: "rules", title: undefined, on: BROKEN, rank: CUT.rule },
  passing: {
    id: "rules passing",
    title: "Breaks a rule, and an exception lets it pass",
    on: AFTER,
    rank: CUT.oldRule,
  },
  old: { id: "rules before", title: "Broke a rule before", on: AFTER, rank: CUT.oldRule },
} as const;

function ageOf(breach: TenantBreach): keyof typeof RULE_SECTIONS {
  if (isBroken(breach)) return "new";
  return breach.exception === undefined ? "old" : "passing";
}

function rulesSection(review: Review, age: keyof typeof RULE_SECTIONS): Section {
  const { id: section, title = wordsOf(review).newRuleSection, on, rank } = RULE_SECTIONS[age];
  const rows = (review.rules?.breaches ?? [])
    .filter((breach) => ageOf(breach) === age)
    .map((breach): Row => {
      const { tenant, reason, by, passing } = breach;
      const givers = list(
        by.map(
          ({ name, line, stack }) =>
            say`${placed(name, line)}${tail` in ${stack === review.stack ? undefined : stack}`}`,
        ),
      );
      const through = isOfGrant(breach)
        ? say`, ${tail`through ${givers}`.or(say`given by hand`)}`
        : tail`; before the change, through ${givers}`;
      return {
        cells: [say`${tail`on ${ifSeveral(review, tenant)}: `}${reason}${through}${passing}`],
        rank,
        edges: placesOf(breach).flatMap(({ group, ...at }) =>
          group === undefined ? [] : [{ tenant, ...at, holder: { group } }],
        ),
      };
    });
  return listOf(section, title, on, rows);
}

/** The tenant of a row, which goes without saying if all are on one. */
function ifSeveral({ tenants }: Review, tenant: string | undefined): string | undefined {
  return tenants.length > 1 ? tenant : undefined;
}

function judgedSection({ judgedBy = [] }: Review): Section {
  return listOf("judged", "Rules", AFTER, rowsOf(NEVER_CUT, judgedBy));
}

/** In the order of the rows. */
const EFFECTS = {
  gains: { rank: CUT.gain, sign: "➕ " },
  later: { rank: CUT.gain, sign: "⏳ " },
  loses: { rank: CUT.loss, sign: "➖ " },
  earlier: { rank: CUT.loss, sign: "⏳ " },
  keeps: { rank: CUT.kept, sign: "" },
} as const;
const ORDER = Object.keys(EFFECTS);

/** Nobody loses what is only forgotten. */
function kindOf({ effect, forgotten, ends }: AccessEffect): keyof typeof EFFECTS {
  return forgotten === true ? "keeps" : (ends ?? effect);
}

function accessSection(review: Review, hasIds: boolean): Section {
  const { access, people } = review;
  const sorted = [...access].sort(
    (one, other) =>
      compare(one.tenant ?? "", other.tenant ?? "") ||
      compare(one.organization ?? "", other.organization ?? "") ||
      compare(one.role, other.role) ||
      ORDER.indexOf(kindOf(one)) - ORDER.indexOf(kindOf(other)) ||
      compare(holderId(one.holder), holderId(other.holder)),
  );
  const rows = sorted.map((row) => {
    const { tenant = "a tenant that the preview doesn't tell", organization, role, holder, by, unless } = row;
    const { rank, sign } = EFFECTS[kindOf(row)];
    const causes = by.map(({ name, line, reason }) => say`${placed(name, line)}${tail` ${reason}`}`);
    return {
      cells: [
        say`${roleSentence(row)}${tail` on ${ifSeveral(review, tenant)}`}`,
        say`${word(sign)}${effectSentence(review, row)}`,
        say`${id(holderId(holder))}${peopleSentence(row, people.get(row), hasIds)}`,
        say`${list(causes)}${except(unless)}`,
      ],
      rank,
      // A matrix of groups has no place for a user.
      edges: isOfGroup(row) ? [{ tenant: row.tenant, organization, role, holder }] : [],
    };
  });
  const holders = access.every(isOfGroup) ? "Group" : "Group or user";
  return {
    ...listOf("access", wordsOf(review).accessSection, IN_MATRIX, rows),
    head: ["Role", "Change", holders, "Through"],
    isGrouped: true,
    ...totalOf(review),
  };
}

/** Adds up the people, each once. */
function totalOf({ access, people }: Review): Pick<Section, "total"> {
  const parts = TOTALS.flatMap(([kind, one, several]) => {
    const rows = access.filter((row) => kindOf(row) === kind);
    const known = rows.flatMap((row) => people.get(row) ?? []);
    const all = new Set(known.flatMap((row) => row.people));
    const least = rows.every((row) => isKnownWhole(people.get(row))) ? "" : "at least ";
    const holders = new Set(rows.map(({ holder }) => holderId(holder)));
    const who =
      holders.size === 1 && rows.every(isOfGroup)
        ? `in a group that ${one}`
        : `${rows.every(isOfGroup) ? "in groups" : "alone or in groups"} that ${several}`;
    const sentence = word(`${least}${count(all.size, "person", "people")} ${who}`);
    return anyOf([known.length, sentence]);
  });
  return parts.length === 0 ? {} : { total: say`In all: ${list(parts)}.` };
}

const TOTALS = [
  ["gains", "gains a role", "gain a role"],
  ["loses", "loses a role", "lose a role"],
  ["later", "keeps a role for longer", "keep a role for longer"],
  ["earlier", "keeps a role for less time", "keep a role for less time"],
] as const;

/** Rows that differ only in the permission are one. */
function changedPermissionSection(review: Review): Section {
  const keyOf = ({ permission: _, ...row }: PermissionEffect) => JSON.stringify(row);
  const rows = [...groupedBy(review.permissions, keyOf).values()].flatMap((all) =>
    all.slice(0, 1).map((row): Row => {
      const { tenant = "a tenant that the preview doesn't tell", effect, name, line, reason, unless } = row;
      const { rank, sign } = EFFECTS[effect];
      const names = all.map(({ permission }) => permission);
      const what = say`${permissionSentence(row, names)}${tail` on ${ifSeveral(review, tenant)}`}`;
      const people = permittedSentence(review.permitted.get(row));
      const by = say`, through ${placed(name, line)}${tail` ${reason}`}${except(unless)}`;
      return { cells: [say`${word(sign)}${what}${people}${by}`], rank };
    }),
  );
  return listOf("permissions", "What roles and users may do", AFTER, rows);
}

/** Further ones are counted. */
const MOST_PERMISSIONS = 10;

/** `from`: who says what the roles allow. `none`: of roles that allow nothing, or that nobody has. */
const PERMISSIONS = {
  role: { title: "What the roles allow", none: (ids: Sentence) => tail`nothing: ${ids}` },
  sample: {
    title: "What the roles allow, as sample users have them",
    none: (ids: Sentence) => tail`no sample user has ${ids}`,
  },
} as const satisfies Record<RolePermissions["from"], unknown>;

function permissionSection({ roles }: Review, from: RolePermissions["from"]): Section {
  const { title, none } = PERMISSIONS[from];
  const shown = roles.filter((role) => role.from === from);
  const known = shown.filter(({ permissions }) => permissions.length > 0);
  const without = shown.filter(({ permissions }) => permissions.length === 0).map(({ role }) => role);
  const rows = [
    ...known.map(({ role, permissions }) => ({
      cells: [say`${id(role)}`],
      rank: CUT.permission,
      details: permissionSentences(permissions),
    })),
    ...rowsOf(CUT.permission, [none(some(without))]),
  ];
  return { ...listOf(`permissions of ${from}`, title, AFTER, rows), isUnchanged: true };
}

/** One for each API. */
function permissionSentences(permissions: RolePermissions["permissions"]): Sentence[] {
  const shown = permissions.slice(0, MOST_PERMISSIONS);
  const left = permissions.length - shown.length;
  const byServer = [...groupedBy(shown, ({ resourceServer }) => resourceServer)];
  return [
    ...byServer.map(([server, all]) => say`${server}: ${list(all.map(({ name }) => name))}`),
    ...anyOf([left, word(`and ${count(left, "other permission")}`)]),
  ];
}

function notReviewableSection({ unknown }: Review): Section {
  const rows = unknown.flatMap(({ name, line, reason, categories }) => {
    // Without a category it can't need an approval, so it's just a field's value.
    const rank = categories.length === 0 ? CUT.unknownValue : CUT.unknown;
    return rowsOf(rank, [named(name === undefined ? undefined : placed(name, line), reason)]);
  });
  return listOf("unknown", "Not reviewable", BROKEN, rows);
}

function profileSection({ profiles }: Review): Section {
  const shown = profiles.filter((profile) => !isDeletedForGood(profile));
  const rows = shown.map((profile) => ({
    cells: [profileSentence(profile)],
    rank: CUT.profile,
    details: profile.changes.map(changeSentence),
    detailsRank: CUT.value,
  }));
  return listOf("profiles", "Connection profiles", AFTER, rows);
}

/** How a profile fares in a step. */
const PROFILE_SENTENCES: Readonly<
  Record<ProfileEffect["op"], (profile: Sentence, effect: ProfileEffect) => Sentence>
> = {
  create: (profile, { unless }) => say`${profile} is created${except(unless)}`,
  update: (profile, { unless }) => say`${profile}${except(unless)}`,
  adopt: (profile, { reason, changes, unless }) => {
    const effect = changes.length === 0 ? say`` : say`; changes:`;
    return say`${profile} is adopted${tail`: ${reason}`}${except(unless)}${effect}`;
  },
  delete: (profile, { unless }) => say`${profile}${except(unless)}`,
  gone: (profile) => say`${profile} is gone from the tenant`,
};

function profileSentence(effect: ProfileEffect): Sentence {
  const { op, id: profile, name, line } = effect;
  const shown = placed(name, line);
  return PROFILE_SENTENCES[op](profile === undefined ? shown : say`${shown} ${id(profile)}`, effect);
}

function changeSentence({ path, before, after, isSet }: FieldChange): Sentence {
  const items = isSet ? itemsChanged(before ?? [], after ?? []) : [];
  const change = firstOf([
    [items.length > 0, () => list(items)],
    [before === undefined, () => say`${valuePart(after)}`],
    [isDeepStrictEqual(before, after), () => say`${valuePart(after)}, as it is`],
  ]);
  return say`${path}: ${change ?? say`${valuePart(before)} → ${valuePart(after)}`}`;
}

function itemsChanged(before: unknown, after: unknown): Sentence[] {
  if (!isTexts(before) || !isTexts(after)) return [];
  const added = after.filter((item) => !before.includes(item)).map((item) => say`➕ ${valuePart(item)}`);
  const gone = before.filter((item) => !after.includes(item)).map((item) => say`➖ ${valuePart(item)}`);
  return [...added, ...gone];
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Values that stand for something else. */
const NOT_SHOWN: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [undefined, "not set"],
  [UNKNOWN_VALUE, "known only when the change is made"],
  [SECRET_VALUE, "a secret"],
]);

function valuePart(value: unknown): Part | Sentence {
  const words = NOT_SHOWN.get(value);
  if (words !== undefined) return word(words);
  return { value: typeof value === "string" ? value : JSON.stringify(value) };
}

function noteSection({ notes }: Review): Section {
  const sentences = notes.map(({ name, reason }) => named(name, reason));
  return listOf("notes", "For the record", AFTER, rowsOf(CUT.note, sentences));
}

function otherSection({ others }: Review): Section {
  const text = `${count(others, "change")} of other resources, which this review does not cover`;
  return listOf("others", "Other packages", AFTER, rowsOf(CUT.others, anyOf([others, word(text)])));
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

function approvalText(category: Category, { access }: Review): string {
  const isMoved = (ends: AccessEffect["ends"]) => access.some((row) => row.ends === ends);
  const text = firstOf([
    [category === "grant" && isMoved("later"), () => "access gained or extended"],
    [category === "revoke" && isMoved("earlier"), () => "access lost or shortened"],
  ]);
  return text ?? APPROVALS[category];
}

function approvalSection(review: Review, failOn: readonly Category[]): Section {
  const found = failOn.filter((category) => review.categories.includes(category));
  const words = list(found.map((category) => word(approvalText(category, review))));
  return listOf("approval", wordsOf(review).approvalSection, BEFORE, rowsOf(NEVER_CUT, [words]));
}

/** For a drift, both ways out: the state is wrong about the tenant, or somebody did what nobody reviewed. */
function adviceSection({ isDrift, access, profiles, stack }: Review): Section {
  const of = stack === undefined ? "" : ` --stack ${stack.split("/").at(-1)}`;
  const sentences = [
    say`to undo it, run ${`pulumi up --refresh${of}`}`,
    say`to keep it, change the program to match, and apply that`,
  ];
  const isFound = isDrift && access.length + profiles.length > 0;
  return listOf("advice", "What to do", AFTER, rowsOf(NEVER_CUT, isFound ? sentences : []));
}
