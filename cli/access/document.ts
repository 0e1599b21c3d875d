import { type AccessJson } from "./model";
import { isOfGrant, placesOf } from "../../provider/access/broken";
import { type Edge, type Holder, roleOfKey } from "../../provider/access/edge";
import { groupedBy } from "../../provider/access/grants";
import { endChange, isExpired } from "../../provider/access/until";
import { count, grouped, list, placed, say, type Sentence, some, tail, word } from "../../provider/sentence";
import { anyOf, optional } from "../lists";
import {
  AFTER,
  BEFORE,
  BROKEN,
  DIRECTLY,
  type Document,
  IN_MATRIX,
  NEVER_CUT,
  type Row,
  rowsOf,
  SECRET_GROUPS,
  type Section,
} from "../output/document";
import { type AccessGroup, type AccessRole, type ClaimJson } from "./claims";
import { passSentence } from "../rules/sentences";
import { type ChangeJson, type ComparedAnswer, type GapJson, lastEnd } from "./compare";
import { namedThing } from "./roles";
import { endSections, withinOf } from "../ends";
import { endsText } from "./ends";
import { type DecisionsAnswer, openIn } from "./decisions";
import { type RulesAnswer } from "./rules";
import { isNotOfRoles, LEAVING_NOTE, leavingRemarks, leavingSections } from "./leaving";
import { type End, isUnread, type UserAnswer } from "./user";

export type PermissionSource = NonNullable<UserAnswer["permissions"][number]["sources"]>[number];

export type Access = Omit<AccessJson, "user" | "rules" | "decisions" | "compared"> & {
  user: UserAnswer | null;
  rules?: RulesAnswer | undefined;
  decisions?: DecisionsAnswer | undefined;
  compared?: ComparedAnswer | undefined;
};

export function accessDocumentOf(access: Access): Document {
  const { remarks, sections, ...document } =
    access.user === null ? tenantDocument(access) : userDocument(access, access.user);
  return {
    ...document,
    summary: [],
    remarks: [...remarks, nothingEnds(access)].filter(({ isEmpty }) => !isEmpty),
    sections: [
      ...optional(access.ends).flatMap((ends) => endSections(endsText(ends, access), NEVER_CUT)),
      ...sections,
    ].filter(({ rows }) => rows.length > 0),
  };
}

/** Only states have ends, and what they name is always asked. */
function nothingEnds({ ends, incomplete, user }: Access): Sentence {
  if (ends === undefined || ends.assignments.length > 0) return say``;
  const unread = [
    ...ends.secret,
    ...incomplete,
    ...optional(user?.unread),
    ...(user?.unreadOrganizations ?? []),
  ];
  const isCertain = unread.length === 0;
  return word(`No ${isCertain ? "" : "known "}grant ends within ${withinOf(ends.within).words}`);
}

type WithoutSummary = Omit<Document, "summary">;
type AccessRow = Omit<Row, "rank">;

function tableOf(
  id: string,
  title: Sentence,
  on: Pick<Section, "place" | "kind">,
  { head, rows }: { head: readonly string[]; rows: readonly AccessRow[] },
): Section {
  return { id, title, ...on, head, rows: rows.map((row) => ({ ...row, rank: NEVER_CUT })) };
}

const WHO = ["Group", "Id", "Why it has the role"] as const;

function holdersOf({ id }: AccessRole, title: Sentence, rows: readonly AccessRow[]): Section {
  return tableOf(`holders of ${id}`, title, IN_MATRIX, { head: WHO, rows });
}

/** Also what the answer doesn't cover, so it stands above the matrix. */
function noteSection(notes: readonly Sentence[]): Section {
  return { id: "notes", title: say``, ...BEFORE, rows: rowsOf(NEVER_CUT, notes) };
}

function tenantDocument(access: Access): WithoutSummary {
  const { tenant, made, counts, roles, stacks, incomplete, unreadPeople = [], rules, decisions } = access;
  const { unreadDetails = [] } = access;
  const isWhole = access.otherOrganizations === undefined && incomplete.length + unreadPeople.length === 0;
  const checks = [
    ...optional(access.compared).map(comparedCheck),
    ...optional(rules).map(rulesCheck),
    ...optional(decisions).map((answer) => decisionsCheck(answer, isWhole)),
  ];
  const ofRoles = roles.map((role) => ({ role, rows: roleRows(role) }));
  // In any place, as far as is known.
  const held = new Set(
    ofRoles
      .filter(({ role, rows }) => rows.length > 0 || role.incomplete)
      .map(({ role }) => roleOfKey(role.id).role),
  );
  const empty = ofRoles
    .filter(({ role }) => !held.has(roleOfKey(role.id).role))
    .map(({ role }) => say`${role.name ?? role.id}`);
  const [known = word("")] = anyOf([access.otherOrganizations !== undefined, word(" where it was asked")]);
  const asked = roles.filter(({ people }) => people !== undefined);
  return {
    title: say`Access on ${tenant}, ${asOf(made)}`,
    gaps: [...incomplete, ...unreadPeople, ...unreadDetails].map((gap) => say`${gap}`),
    remarks: [word(countsSummary(counts)), ...checks.flatMap(({ remarks }) => remarks), comparedWith(stacks)],
    sections: [
      ...checks.map(({ section }) => section),
      ...optional(access.compared).map(uncomparedSection),
      ...ofRoles.map(({ role, rows }) => {
        const title = role.exists ? namedThing(role) : say`${namedThing(role)}, which is not on the tenant`;
        return holdersOf(role, title, rows);
      }),
      noteSection([
        ...sharedNotes(roles),
        ...anyOf([empty.length > 1, say`No group has these roles${known}: ${some(empty)}.`]),
        ...anyOf([empty.length === 1, say`No group has ${some(empty)}${known}.`]),
        ...(asked.length > 0 ? directTotal(asked, unreadPeople.length === 0) : []),
        ...organizationNotes(access, NOT_ASKED.tenant),
        ...anyOf([
          asked.length === 0,
          say`Lists roles granted through groups. Use --user for a user's direct roles.`,
        ]),
        ...optional(decisions).map(
          ({ file }) => say`A sign-off is no signature: commit ${file}, and let a review protect it.`,
        ),
      ]),
    ],
  };
}

function roleRows(role: AccessRole): AccessRow[] {
  return [
    ...role.groups.map((group) => groupRow(role, group)),
    ...peopleRows(role),
    ...role.secret.map((claim) => ({
      cells: [NO_NAME, say``, say`unknown if all are there: the groups of ${claimed(claim)} are secret`],
      edges: [edgeOf(role.id, SECRET_GROUPS)],
    })),
  ];
}

/** `key`: of a role. */
function edgeOf(key: string, holder: Holder): Edge {
  return { ...roleOfKey(key), holder };
}

/** The people who have roles directly: each once where ids are known, or else one by one. */
function directTotal(roles: Access["roles"], isRead: boolean): Sentence[] {
  const known = roles.flatMap(({ people }) => people ?? []).filter(({ count: number }) => number > 0);
  const isLeast = !isRead || known.some(({ more }) => more);
  if (known.length === 0) return anyOf([!isLeast, say`Nobody has one of these roles directly.`]);
  const least = isLeast ? "At least " : "";
  const ids = known.flatMap((people) => people.ids ?? []);
  const grants = known.reduce((sum, people) => sum + people.count, 0);
  if (known.length > 1 && ids.length < grants)
    return [word(`${least}${grouped(grants)} direct grants to people; --people tells who has several.`)];
  const people = known.length > 1 ? new Set(ids).size : grants;
  return [word(`${least}${count(people, "person has", "people have")} one of these roles directly.`)];
}

/** Organizations that weren't asked, in the answers about a tenant and about a user. */
const NOT_ASKED = {
  tenant: {
    unknown: "Whether there are organizations that were not asked",
    organization: ["organization", "organizations"],
    what: "who has roles there",
  },
  user: {
    unknown: "Whether the user is a member of other organizations",
    organization: ["organization of the user", "organizations of the user"],
    what: "for roles there",
  },
} as const;

function organizationNotes(
  access: Access,
  { unknown, organization: [noun, plural], what }: (typeof NOT_ASKED)["tenant" | "user"],
): Sentence[] {
  const asked = tail` Asked: ${some(namesOfAsked(access).map((name) => say`${name}`))}.`;
  const were = `were not asked ${what}: --organization all asks them.`;
  return optional(access.otherOrganizations).map(({ count: number, more, reason = "unknown" }) => {
    if (number === null) return say`${word(unknown)} could not be read (${reason}).${asked}`;
    const others = more
      ? `More than ${count(number, noun, plural)} ${were}`
      : count(number, `${noun} was not asked ${what}: --organization all asks it.`, `${plural} ${were}`);
    return say`${word(others)}${asked}`;
  });
}

function namesOfAsked({ organizations = [], roles, user }: Access): string[] {
  const ofRoles = roles.flatMap(({ organization }) => organization ?? []);
  const named = [...ofRoles, ...(user?.unreadOrganizations ?? [])];
  const names = new Map(named.map((object) => [object.id, shownName(object)]));
  return organizations.map((id) => names.get(id) ?? id);
}

/** None of the stacks knows of the other, so the first one that drops the group takes it from both. */
function sharedNotes(roles: Access["roles"]): Sentence[] {
  return roles.flatMap((role) =>
    role.groups.filter(isShared).map((group) => {
      return say`Several stacks list ${namedThing(group)} for ${namedThing(role)}: ${list(group.by.map(claimed))}. The stack that drops it takes it from all of them.`;
    }),
  );
}

function isShared({ status, by }: AccessGroup): boolean {
  return status === "managed" && new Set(by.map(({ stack }) => stack)).size > 1;
}

/** The findings of a check of the access. */
interface Check {
  remarks: Sentence[];
  section: Section;
}

function rulesCheck({ file, gaps, breaches }: RulesAnswer): Check {
  const rows = breaches.map(({ reason, by, ...breach }) => {
    const givers = list(by.map(({ resource, stack, line }) => say`${resource} in ${placed(stack, line)}`));
    const byHand = isOfGrant(breach) ? say`by hand: in none of the states` : NO_NAME;
    return {
      cells: [say`${reason}${passSentence(breach.exception, file)}`, givers.or(byHand)],
      edges: placesOf(breach).map(({ group, ...at }) => ({
        ...at,
        holder: group === undefined ? DIRECTLY : { group },
      })),
    };
  });
  const passing = breaches.filter(({ exception }) => exception !== undefined).length;
  const broken = breaches.length - passing;
  const number = broken > 0 ? count(broken, "breach", "breaches") : "No known breach";
  const isClean = broken + gaps.length === 0;
  const verdict = isClean
    ? say`Nothing breaks the rules of ${file}`
    : say`${word(number)} of the rules of ${file}`;
  const [excepted = say``] = anyOf([
    passing,
    say`, and exceptions let ${word(count(passing, "breach", "breaches"))} pass`,
  ]);
  return {
    remarks: [say`${verdict}${excepted}`, tail`Not all people were compared for the rules (${list(gaps)})`],
    section: tableOf("rules", say`Breaks the rules of ${file}`, BROKEN, {
      head: ["Breach", "Why it has the role"],
      rows,
    }),
  };
}

/** `isWhole`: false if grants that no row decides on may be where nobody asked. */
function decisionsCheck(decisions: DecisionsAnswer, isWhole: boolean): Check {
  const { file, counts, findings } = decisions;
  const { confirmed, revoked, otherTenants } = counts;
  const nothing = isWhole ? "nothing is open" : "nothing is open in what was read";
  const open = findings.length === 0 ? nothing : `open: ${openIn(decisions)}`;
  const elsewhere = count(
    otherTenants,
    "row of other tenants doesn't count",
    "rows of other tenants don't count",
  );
  const parts = [
    `${grouped(confirmed)} confirmed, ${grouped(revoked)} revoked`,
    open,
    ...anyOf([otherTenants, elsewhere]),
  ];
  return {
    remarks: [say`Decisions of ${file}: ${word(parts.join("; "))}`],
    section: tableOf("decisions", say`Open in ${file}`, BROKEN, {
      head: ["Open", "What"],
      rows: findings.map(({ kind, reason, role, group }) => ({
        cells: [word(OPEN[kind]), say`${reason}`],
        edges: [edgeOf(role, group === undefined ? DIRECTLY : { group })],
      })),
    }),
  };
}

const CHANGES = {
  gained: word("➕ gained"),
  lost: word("➖ lost"),
  later: word("⏳ ends later"),
  earlier: word("⏳ ends earlier"),
  unmanaged: word("now by hand"),
  managed: word("now managed"),
} as const;

function comparedCheck(compared: ComparedAnswer): Check {
  const { file, made, tenant, byName, counts, changes, gaps } = compared;
  const since = byName
    ? say`Different from ${tenant}, ${asOf(made)} (${file})`
    : say`Changed since ${word(minuteOf(made))} (${file})`;
  const { gained, lost, end, unmanaged, managed } = counts;
  const parts = anyOf(
    [gained, `${grouped(gained)} gained`],
    [lost, `${grouped(lost)} lost`],
    [end, `${grouped(end)} with another end`],
    [unmanaged, `${grouped(unmanaged)} now by hand`],
    [managed, `${grouped(managed)} now managed`],
  );
  const nothing = gaps.length === 0 ? "nothing" : "nothing in what could be compared";
  const rows = changes.map((change): AccessRow => {
    const { tenant: on, role, roleName: name, group, user } = change;
    const isGroup = group !== undefined;
    return {
      cells: [
        say`${namedThing({ id: role, name })}${tail` on ${on}`}`,
        CHANGES[change.kind === "end" ? endMove(change) : change.kind],
        isGroup ? namedThing({ id: group, name: change.groupName }) : tail`${user}`.or(numbersText(change)),
        say`${changeReason(change)}${decisionText(change)}`,
      ],
      edges: on === undefined ? [edgeOf(role, isGroup ? { group } : DIRECTLY)] : [],
    };
  });
  return {
    remarks: [say`${since}: ${word(parts.length === 0 ? nothing : parts.join(", "))}`],
    section: {
      ...tableOf("changes", since, BEFORE, {
        head: [
          "Role",
          "Change",
          changes.every(({ group }) => group !== undefined) ? "Group" : "Group or person",
          "Why",
        ],
        rows,
      }),
      isGrouped: true,
    },
  };
}

function endMove({ before, by }: ChangeJson): "later" | "earlier" {
  return endChange(lastEnd({ by: before }), lastEnd({ by })) ?? "later";
}

function numbersText({ people }: ChangeJson): Sentence {
  if (people === undefined) return say``;
  const { before, now } = people;
  const more = (number: { more: boolean }) => (number.more ? "more than " : "");
  const is = `${more(now)}${count(now.count, "person", "people")}`;
  return word(`${is}, ${before.count === 1 ? "was" : "were"} ${more(before)}${grouped(before.count)}`);
}

/** The lines that give it, and what gave it before. */
function changeReason({ kind, group, before, by }: ChangeJson): Sentence {
  if (group === undefined) return say`directly, by hand`;
  const [was, is] = [before, by].map((claims) => list(claims.map(claimed)).or(say`by hand`));
  switch (kind) {
    case "gained":
      return is ?? say``;
    case "lost":
      return say`was ${was ?? say``}${stillClaimed(was, list(by.map(claimed)))}`;
    case "end":
      return say`${is ?? say``} (${tail`was until ${lastEnd({ by: before })}`.or(say`had no end`)})`;
    case "unmanaged":
      return say`was ${was ?? say``}`;
    case "managed":
      return say`${is ?? say``} (was by hand)`;
  }
}

function stillClaimed(was: Sentence | undefined, claims: Sentence): Sentence {
  if (claims.isEmpty) return say``;
  return claims.toString() === was?.toString() ? say`, still claimed` : say`, now claimed by ${claims}`;
}

function decisionText({ decision }: ChangeJson): Sentence {
  if (decision === undefined) return say``;
  if (decision === null) return say`; nobody has decided`;
  const { reviewer, note } = decision;
  const by = reviewer === "" ? say`somebody` : say`${reviewer}`;
  const done = word(decision.decision === "confirm" ? "confirmed it" : "decided to revoke it");
  return say`; ${by} ${done}${word(decision.void ? " before that" : "")}${tail`: ${note}`}`;
}

/** Rows of one reason are one. */
function uncomparedSection({ file, gaps }: ComparedAnswer): Section {
  const rows = [...groupedBy(gaps, ({ reason }) => reason.toString()).values()].flatMap((all) => {
    const named = new Set(all.flatMap(({ role, group }) => (group === undefined ? [] : [role])));
    const shown = all.filter(
      ({ role, group }) => role !== undefined && (group !== undefined || !named.has(role)),
    );
    const what = some(shown.map(uncomparedThing));
    return all.slice(0, 1).map(({ reason }) => say`${tail`${what}: `}${reason}`);
  });
  return {
    id: "uncompared",
    title: say`Not compared with ${file}`,
    ...BEFORE,
    rows: rowsOf(NEVER_CUT, rows),
  };
}

function uncomparedThing({ tenant, role = "", roleName, group, groupName }: GapJson): Sentence {
  const [ofRole, ofGroup] = [
    namedThing({ id: role, name: roleName }),
    group === undefined ? say`` : namedThing({ id: group, name: groupName }),
  ];
  return say`${ofRole}${tail` of ${ofGroup}`}${tail` on ${tenant}`}`;
}

const OPEN = {
  standing: "still to revoke",
  void: "changed",
  new: "new",
  undecided: "undecided",
  unread: "not read",
} as const;

/** `as of 2026-11-22 10:02 UTC`: an auditor keeps the answer. */
function asOf(made: string): Sentence {
  return word(`as of ${minuteOf(made)}`);
}

function minuteOf(made: string): string {
  return `${made.slice(0, 16).replace("T", " ")} UTC`;
}

/** `2 roles · 3 grants: 1 managed, 2 by hand · 1 claimed, not there` */
function countsSummary({ roles, grants, ...counts }: Access["counts"]): string {
  const { managed, unmanaged, unknown, drift, expired } = counts;
  const parts = anyOf(
    [managed, `${grouped(managed)} managed`],
    [unmanaged, `${grouped(unmanaged)} by hand`],
    [unknown, `${grouped(unknown)} not known`],
  );
  return [
    count(roles, "role"),
    itemised(count(grants, "grant"), parts),
    ...anyOf([drift, `${grouped(drift)} claimed, not there`], [expired, `${grouped(expired)} expired`]),
  ].join(" · ");
}

/** `3 grants: 1 managed, 2 by hand` */
function itemised(text: string, parts: readonly string[]): string {
  return parts.length === 0 ? text : `${text}: ${parts.join(", ")}`;
}

const NO_NAME = say`–`;

function groupRow(role: AccessRole, group: AccessGroup): AccessRow {
  return {
    cells: [tail`${group.name}`.or(NO_NAME), say`${group.id}`, why(group)],
    edges: [edgeOf(role.id, { group: group.id })],
  };
}

const BY_HAND = say`by hand: assignments give roles to groups, not to users`;

/** With ids, one row for each person. */
function peopleRows(role: AccessRole): AccessRow[] {
  return optional(role.people)
    .filter(({ count: number }) => number > 0)
    .flatMap((people) => holdersIn(people).map((holder) => directRow(role, holder)));
}

function directRow(role: AccessRole, holder: Sentence, direct = BY_HAND): AccessRow {
  return { cells: [say`directly`, holder, direct], edges: [edgeOf(role.id, DIRECTLY)] };
}

function holdersIn(people: NonNullable<AccessRole["people"]>): Sentence[] {
  if (people.ids === undefined)
    return [word(`${people.more ? "more than " : ""}${count(people.count, "person", "people")}`)];
  return [...people.ids.map((id) => say`${id}`), ...anyOf([people.more, say`and more`])];
}

function comparedWith(stacks: AccessJson["stacks"]): Sentence {
  const each = stacks.map(({ stack, assignments, elsewhere, pending = [] }) => {
    const others = elsewhere === 0 ? "" : `, and ${grouped(elsewhere)} on other tenants`;
    const killed = tail`, and ${some(pending.map((name) => say`${name}`))}, whose run was killed: what was given is listed as by hand`;
    return say`${stack} (${word(`${count(assignments, "assignment")}${others}`)}${killed})`;
  });
  return say`Compared with ${list(each)}`;
}

const WHY: Readonly<Record<AccessGroup["status"], (claims: Sentence) => Sentence>> = {
  managed: (claims) => claims,
  unmanaged: () => say`by hand: in none of the states`,
  drift: (claims) => say`claimed, not there: ${claims}`,
  unknown: (claims) => say`unknown: the groups of ${claims} are secret`,
};

export function why(group: AccessGroup): Sentence {
  const { status, by } = group;
  const sentence = WHY[status](list(by.map(claimed)));
  return isExpired(group) ? say`${sentence}, the next run takes it away` : sentence;
}

/** `support in access/prod (index.ts:18)` */
export function claimed(claim: ClaimJson): Sentence {
  const { resource, stack, line, until, expired, soon, ending, untilSecret = false } = claim;
  const [near = say``] = anyOf(
    [expired, say`: expired`],
    [soon, say` (within 14 days)`],
    [untilSecret, say`, with a secret end`],
  );
  const [deleted = say``] = anyOf([ending, say`, which the next run deletes`]);
  return say`${resource} in ${placed(stack, line)}${tail`, until ${until}`}${near}${deleted}`;
}

function shownName({ id, name }: { id: string; name: string | null }): string {
  return name ?? id;
}

function userDocument(access: Access, user: UserAnswer): WithoutSummary {
  const { tenant, made, roles, stacks, incomplete } = access;
  const { id, permissions, ends, unread, allRoles, unreadOrganizations = [], notMemberOf = [] } = user;
  const { leaving } = user;
  // A permission that only roles give goes with them.
  const shown = leaving === undefined ? permissions : permissions.filter(isNotOfRoles);
  const nameOf = new Map(roles.map((role) => [role.id, role.name ?? role.id]));
  return {
    title:
      leaving === undefined
        ? say`Access of ${id} on ${tenant}, ${asOf(made)}`
        : say`What ${id} still has on ${tenant}, ${asOf(made)}`,
    gaps: [...incomplete, ...(leaving?.unread ?? [])].map((gap) => say`${gap}`),
    remarks: [
      ...(leaving === undefined
        ? [
            word(
              `${count(roles.length, "role")} · ${itemised(count(permissions.length, "permission"), originsOf(user))}`,
            ),
          ]
        : leavingRemarks({ roles, user, leaving })),
      comparedWith(stacks),
    ],
    sections: [
      tableOf(
        "permissions",
        leaving === undefined ? say`Permissions` : say`Permissions given directly`,
        AFTER,
        {
          head: ["Permission", "API", "From"],
          rows: shown.map(({ name, resourceServer, sources }) => ({
            cells: [
              say`${name}`,
              say`${resourceServer}`,
              sources === null ? say`in a form that this release doesn't know` : fromText(sources),
            ],
          })),
        },
      ),
      ...roles.map((role) =>
        holdersOf(
          role,
          say`${namedThing(role)}${throughWhat(role, isUnread(role, user))}`,
          throughRows(role, leaving === undefined ? BY_HAND : say`without a group`),
        ),
      ),
      ...optional(leaving).flatMap(leavingSections),
      tableOf("ends", say`If an assignment were destroyed`, AFTER, {
        head: ["Assignment", "Then the user"],
        // A leaver's group may have other members.
        rows: (leaving === undefined ? ends : []).map((end) => ({
          cells: [claimed(end.by), endText(end, nameOf.get(end.role) ?? end.role)],
        })),
      }),
      noteSection([
        ...optional(unread).map((reason) =>
          allRoles
            ? say`The groups behind the user's roles could not be read (${word(reason)}).`
            : say`The user's roles, and the groups behind them, could not be read (${word(reason)}). Only roles that give a permission are listed.`,
        ),
        ...unreadOrganizations.map((organization) =>
          organization.allRoles
            ? say`The groups behind the user's roles in ${shownName(organization)} could not be read (${organization.reason}).`
            : say`The user's roles in ${shownName(organization)} could not be read (${organization.reason}).`,
        ),
        ...anyOf([leaving?.gone === false, LEAVING_NOTE]),
        tail`The user is no member of ${list(notMemberOf.map(shownName))}.`,
        ...organizationNotes(access, NOT_ASKED.user),
      ]),
    ],
  };
}

const ORIGINS = [
  ["role", "through roles"],
  ["elsewhere", "from elsewhere"],
  ["elsewhere, role", "both"],
  ["", "not known"],
] as const;

/** `["1 through roles", "1 both"]` */
function originsOf({ permissions }: UserAnswer): string[] {
  const byOrigin = groupedBy(permissions, ({ sources }) => {
    const origins = (sources ?? []).map(({ kind }) => (kind === "role" ? "role" : "elsewhere"));
    return [...new Set(origins)].sort().join(", ");
  });
  return ORIGINS.flatMap(([origin, words]) => {
    const { length } = byOrigin.get(origin) ?? [];
    return anyOf([length, `${grouped(length)} ${words}`]);
  });
}

/** `role support-agent; elsewhere: directly` */
function fromText(sources: readonly PermissionSource[]): Sentence {
  const roles = sources.filter(({ kind }) => kind === "role").map(({ id, name }) => name || id);
  const others = sources.filter(({ kind }) => kind !== "role");
  const elsewhere = others.map(({ kind, id, name, type }) =>
    kind === "direct" ? say`directly` : [type, name, id].filter((text) => text !== "").join(" "),
  );
  const [first = say`unknown`, second] = [
    tail`${word(roles.length === 1 ? "role" : "roles")} ${list(roles)}`,
    tail`elsewhere: ${list(elsewhere)}`,
  ].filter(({ isEmpty }) => !isEmpty);
  return say`${first}${tail`; ${second}`}`;
}

function throughWhat({ direct, groups }: AccessRole, mayBeAny: boolean): Sentence {
  if (groups.length === 0) return say``;
  return mayBeAny && direct !== true
    ? say`, through any of these groups, or directly`
    : say`, through these groups`;
}

/** `direct`: why the user has the role without a group. */
function throughRows(role: AccessRole, direct: Sentence): AccessRow[] {
  const { groups } = role;
  const elsewhere = {
    cells: [say`elsewhere`, say``, say`not among the roles that the user has outside of organizations`],
    edges: [edgeOf(role.id, DIRECTLY)],
  };
  return [
    ...anyOf([role.direct === true, directRow(role, say``, direct)]),
    ...groups.map((group) => groupRow(role, group)),
    ...anyOf([role.direct === null && groups.length === 0, elsewhere]),
  ];
}

function endText({ ends, permissions, reason }: End, role: string): Sentence {
  const because = (mark: string) => tail`${word(mark)} ${reason}`;
  if (ends === null) return say`unknown${because(":")}`;
  if (!ends) return say`keeps ${role}${because(":")}`;
  const names = permissions.map(({ name }) => name);
  return say`loses ${role}${tail`, and with it ${list(names)}`}${because(";")}`;
}
