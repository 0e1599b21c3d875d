import { isDeepStrictEqual } from "node:util";
import { type AccessEffect } from "../../../provider/access/change";
import { holderId } from "../../../provider/access/edge";
import {
  type Category,
  type FieldChange,
  type ProfileEffect,
  type RolePermissions,
} from "../../../provider/review/effects";
import { UNKNOWN } from "../../../provider/review/raw-inputs";
import { compare, SECRET } from "../../../provider/review/step";
import { PENDING_ADVICE, pendingSentence } from "../../pending";
import { peopleSentence } from "../tenant/people";
import { countsOf, hasChanges, type Review } from "../review";
import {
  count,
  grouped,
  id,
  list,
  type Part,
  say,
  type Sentence,
  some,
  word,
} from "../../../provider/review/sentence";

/** One stack's review, ready for any format. */
export interface ReviewDocument {
  title: Sentence;
  /** `➕ 4 grants`, …; the most important first. */
  summary: Sentence[];
  sections: Section[];
}

export interface Section {
  title: string;
  kind: "irreversible" | "access" | "list";
  rows: readonly Row[];
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
  const kind = review.isDrift ? "Drift" : "Access review";
  const where = review.stack === undefined ? say`` : say` of ${review.stack}`;
  const tenants =
    review.tenants.length === 0
      ? say``
      : say`, ${word(review.tenants.length === 1 ? "tenant" : "tenants")} ${list(review.tenants)}`;
  return {
    title: say`${word(kind)}${where}${tenants}`,
    summary: reviewSummary(review),
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

function reviewSummary(review: Review): Sentence[] {
  const { gains, loses, removals, created, changed, adopted, deleted, unknown } = countsOf(review);
  const part = (number: number, text: string) => (number === 0 ? [] : [word(text)]);
  const parts = review.isDrift
    ? [
        ...part(gains, `➕ ${count(gains, "group")} gained a role`),
        ...part(loses, `➖ ${count(loses, "group")} lost a role`),
        ...part(deleted, `${count(deleted, "profile")} gone`),
        ...part(changed, `${count(changed, "profile")} changed`),
      ]
    : [
        ...part(gains, `➕ ${count(gains, "grant")}`),
        ...part(loses, `➖ ${count(loses, "revocation")}`),
        ...part(removals, `⛔ ${count(removals, "permanent removal")}`),
        ...part(deleted, `⛔ ${count(deleted, "profile")} deleted`),
        ...part(created, `${count(created, "profile")} created`),
        ...part(changed, `${count(changed, "profile")} changed`),
        ...part(adopted, `${count(adopted, "profile")} adopted`),
        ...part(unknown, `❔ ${grouped(unknown)} not reviewable`),
      ];
  const broken = brokenRules(review);
  parts.unshift(...part(broken, `⛔ ${count(broken, "broken rule")}`));
  const failure = review.isDrift ? "❌ The refresh failed" : "❌ The preview failed";
  if (review.errors.length > 0) return [word(failure), ...parts];
  if (parts.length > 0) return parts;
  if (review.isDrift) return [word("no drift, the tenant is as the state says")];
  const none = "no change of access, connection profiles or device credentials";
  return [word(hasChanges(review) ? "No change on the tenant" : none)];
}

function pendingSection({ pending = [] }: Review): Section {
  const rows = pending.map((one) =>
    oneCellRow(CUT.error, say`${pendingSentence(one)}. ${word(PENDING_ADVICE)}`),
  );
  return { title: "An earlier run ended halfway", kind: "list", rows };
}

function twinSection({ twins }: Review): Section {
  const rows = twins.map(({ name, reason }) => oneCellRow(CUT.error, named(name, reason)));
  return { title: "Already on the tenant", kind: "list", rows };
}

function failureSection({ errors, isDrift }: Review): Section {
  const what = isDrift
    ? "The refresh failed: this is not all there is"
    : "The preview failed: this is not all that would happen";
  const rows = errors.map(({ name, message }) => oneCellRow(CUT.error, named(name, message)));
  return { title: what, kind: "list", rows };
}

function irreversibleSection({ removals, profiles, isDrift }: Review): Section {
  const deleted = isDrift ? [] : profiles.filter(({ op }) => op === "delete");
  const row = (what: string, sentence: Sentence) => ({
    ...oneCellRow(CUT.irreversible, sentence),
    short: say`${id(what)}`,
  });
  return {
    title: "This can't be undone",
    kind: "irreversible",
    rows: [
      ...removals.map(({ id: credential, name, line }) =>
        row(credential, say`device credential ${id(credential)} is removed, by ${namedWithLine(name, line)}`),
      ),
      ...deleted.map(({ id: profile = "", name, line, reason, unless }) =>
        row(
          profile,
          say`connection profile ${id(profile)} is deleted: ${namedWithLine(name, line)}${because(reason)}${except(unless)}`,
        ),
      ),
    ],
  };
}

function brokenRules({ rules }: Review): number {
  return (rules?.breaches ?? []).filter(({ isNew }) => isNew).length;
}

function rulesSection({ rules, isDrift, tenants }: Review, isNew: boolean): Section {
  const rows = (rules?.breaches ?? [])
    .filter((breach) => breach.isNew === isNew)
    .map(({ tenant, reason, by }) => {
      const where = tenants.length > 1 && tenant !== undefined ? say`on ${tenant}: ` : say``;
      const givers = by.map(({ name, line }) => namedWithLine(name, line));
      const through = givers.length === 0 ? say`, given by hand` : say`, through ${list(givers)}`;
      return oneCellRow(isNew ? CUT.rule : CUT.oldRule, say`${where}${reason}${through}`);
    });
  const title = isNew ? (isDrift ? "Now breaks a rule" : "Breaks a rule") : "Broke a rule before";
  return { title, kind: "list", rows };
}

function judgedSection({ judgedBy = [] }: Review): Section {
  return { title: "Rules", kind: "list", rows: judgedBy.map((sentence) => oneCellRow(NEVER_CUT, sentence)) };
}

/** If no single resource is concerned, the sentence stands alone. */
function named(name: Sentence | string | undefined, sentence: Sentence): Sentence {
  return name === undefined ? sentence : say`${name}: ${sentence}`;
}

function because(reason: Sentence): Sentence {
  return reason.isEmpty ? say`` : say` ${reason}`;
}

function except(unless: Sentence | undefined): Sentence {
  return unless === undefined ? say`` : say`, unless ${unless}`;
}

function namedWithLine(name: string, line: AccessEffect["by"][number]["line"]): Sentence {
  return line === undefined ? say`${name}` : say`${name} ${{ place: line }}`;
}

/** For a preview and for a drift; `maybe`: if it may not happen. */
const EFFECTS = {
  gains: {
    rank: CUT.gain,
    certain: ["➕ gains", "➕ has gained"],
    maybe: ["➕ may gain", "➕ may have gained"],
  },
  loses: { rank: CUT.loss, certain: ["➖ loses", "➖ has lost"], maybe: ["➖ may lose", "➖ may have lost"] },
  keeps: { rank: CUT.kept, certain: ["keeps", "keeps"], maybe: ["may keep", "may keep"] },
} as const;

function accessSection({ access, isDrift, tenants, people }: Review, hasIds: boolean): Section {
  const severalTenants = tenants.length > 1;
  const sorted = [...access].sort(
    (one, other) =>
      compare(one.tenant ?? "", other.tenant ?? "") ||
      compare(one.role, other.role) ||
      EFFECTS[one.effect].rank - EFFECTS[other.effect].rank ||
      compare(holderId(one.holder), holderId(other.holder)),
  );
  const rows = sorted.map((row) => {
    const { tenant, role, holder, effect, by, unless } = row;
    const who = people.get(row);
    return {
      cells: [
        severalTenants
          ? say`${id(role)} on ${tenant ?? "a tenant that the preview doesn't tell"}`
          : say`${id(role)}`,
        word(EFFECTS[effect][unless === undefined ? "certain" : "maybe"][isDrift ? 1 : 0]),
        say`${id(holderId(holder))}${who === undefined ? say`` : peopleSentence(row, who, hasIds)}`,
        say`${list(by.map(({ name, line, reason }) => say`${namedWithLine(name, line)}${because(reason)}`))}${except(unless)}`,
      ],
      rank: EFFECTS[effect].rank,
    };
  });
  return {
    title: isDrift ? "Access that the tenant and the state disagree on" : "Who gains and who loses access",
    kind: "access",
    rows,
  };
}

/** Further ones are counted. */
const MOST_PERMISSIONS = 10;

function permissionSection({ roles }: Review, from: RolePermissions["from"]): Section {
  const told = roles.filter((role) => role.from === from);
  const known = told.filter((role) => role.permissions.length > 0);
  const without = told.filter((role) => role.permissions.length === 0);
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
  return {
    title: from === "role" ? "What the roles allow" : "What the roles allow, as sample users have them",
    kind: "list",
    rows: without.length === 0 ? rows : [...rows, oneCellRow(CUT.permission, none)],
  };
}

function notReviewableSection({ unknown }: Review): Section {
  const rows = unknown.map(({ name, line, reason, categories }) =>
    oneCellRow(
      // Without a category it can't need an approval, so it's just a field's value.
      categories.length === 0 ? CUT.unknownValue : CUT.unknown,
      named(name === undefined ? undefined : namedWithLine(name, line), reason),
    ),
  );
  return { title: "Not reviewable", kind: "list", rows };
}

function profileSection({ profiles, isDrift }: Review): Section {
  const shown = isDrift ? profiles : profiles.filter(({ op }) => op !== "delete");
  const rows = shown.map((profile) => ({
    ...oneCellRow(CUT.profile, headOf(profile)),
    details: profile.changes.map(changeSentence),
    detailsRank: CUT.value,
  }));
  return { title: "Connection profiles", kind: "list", rows };
}

function headOf({ op, id: profile, name, line, reason, changes, unless }: ProfileEffect): Sentence {
  const head =
    profile === undefined ? namedWithLine(name, line) : say`${namedWithLine(name, line)} ${id(profile)}`;
  if (op === "create") return say`${head} is created${except(unless)}`;
  if (op === "gone") return say`${head} is gone from the tenant`;
  if (op !== "adopt") return say`${head}${except(unless)}`;
  const effect = changes.length === 0 ? say`` : say`; changes:`;
  return say`${head} is adopted${reason.isEmpty ? say`` : say`: ${reason}`}${except(unless)}${effect}`;
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
  return { title: "For the record", kind: "list", rows };
}

function otherSection({ others }: Review): Section {
  const text = `${count(others, "change")} of other resources, which this review does not cover`;
  const rows = others === 0 ? [] : [oneCellRow(CUT.others, word(text))];
  return { title: "Other packages", kind: "list", rows };
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

function approvalSection({ categories, isDrift }: Review, failOn: readonly Category[]): Section {
  const found = failOn.filter((category) => categories.includes(category));
  const words = list(found.map((category) => word(APPROVALS[category])));
  const title = isDrift ? "Needs attention" : "Needs an approval before it is applied";
  return { title, kind: "list", rows: found.length === 0 ? [] : [oneCellRow(NEVER_CUT, words)] };
}

function oneCellRow(rank: number, sentence: Sentence): Row {
  return { cells: [sentence], rank };
}
