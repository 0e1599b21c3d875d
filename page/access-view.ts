import { type AccessJson } from "../cli/access/model";
import { count, grouped } from "../provider/sentence";
import { placesOf } from "../provider/access/broken";
import { roleKey } from "../provider/access/edge";
import { endOfUntil } from "../provider/access/until";
import {
  type Cell,
  type Column,
  type Fact,
  Index,
  KINDS,
  type Mark,
  minuteOf,
  noteOf,
  type People,
  type Row,
  type Section,
  type Source,
  type Tile,
  type View,
  withTwins,
} from "./view";

type Role = AccessJson["roles"][number];
type Group = Role["groups"][number];
type Claim = Group["by"][number];
type Breach = NonNullable<AccessJson["rules"]>["breaches"][number];

type Unmarked<Of> = Omit<Of, "isTwin">;

const DIRECTLY = { key: "directly", id: "", name: "people", isSpecial: true } as const;
const SECRET = { key: "secret", id: "", name: "secret groups", isSpecial: true } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** An answer of `access`, for a tenant or for one user. */
export function accessView(json: AccessJson): View {
  const { tenant, made, roles, user } = json;
  const members = new Map((json.members ?? []).map((group) => [group.id, peopleOf(group.people)]));
  const columns = new Index<Unmarked<Column>>();
  const hasDirect = roles.some(({ people, direct }) => people !== undefined || direct !== undefined);
  if (hasDirect && roles.some(hasDirectCell)) columns.place(DIRECTLY.key, () => DIRECTLY);
  for (const { id, name } of groupsByName(roles))
    columns.place(id, () => ({ key: id, id, name: name ?? id, people: members.get(id) }));
  if (roles.some(({ secret }) => secret.length > 0)) columns.place(SECRET.key, () => SECRET);
  const breaches = breachesByCell(json);
  const decided = decisionsByCell(json);
  const cells = roles.flatMap((role, row) =>
    cellsOf(role, Date.parse(made)).map(({ column, ...cell }): Cell => {
      const key = `${role.id} ${column}`;
      const broken = breaches.get(key) ?? [];
      const decision = decided.get(key);
      return {
        ...cell,
        row,
        column: columns.find(column) ?? 0,
        marks: broken.length > 0 ? ["broken", ...cell.marks] : cell.marks,
        facts: [
          ...broken.map(({ reason }): Fact => ({ kind: "broken", text: reason })),
          ...(decision === undefined ? [] : [{ kind: "decision" as const, text: decision }]),
        ],
        people: cell.people ?? members.get(column),
      };
    }),
  );
  const rows = roles.map(rowOf);
  const names = namesIn(roles, rows);
  const gaps = [
    ...json.incomplete,
    ...(json.unreadPeople ?? []),
    ...(json.unreadDetails ?? []),
    ...notAsked(json),
  ];
  return {
    title: user === null ? `Access on ${tenant}` : `Access of ${user.id} on ${tenant}`,
    facts: [`As of ${minuteOf(made)}`, comparedWith(json.stacks)],
    gaps,
    tiles: tilesOf(json, cells, gaps.length === 0),
    before: [...rulesSection(json, cells, breaches), ...decisionSection(json, gaps.length === 0)],
    rows: withTwins(rows),
    columns: withTwins(columns.items),
    cells,
    empty: emptyText(tenant, roles),
    after: user === null ? [] : userSections(user, roles),
    names,
  };
}

function emptyText(tenant: string, roles: readonly Role[]): string {
  if (roles.length === 0) return `${tenant} has no roles.`;
  return roles.some(({ incomplete }) => incomplete)
    ? "Who has these roles could not be read."
    : "Nobody has one of these roles.";
}

function rowOf({ id: key, name, organization, role, exists, incomplete, permissions }: Role): Unmarked<Row> {
  const id = role?.id ?? key;
  const where = organization && { id: organization.id, name: organization.name ?? organization.id };
  return {
    key,
    id,
    name: (role ?? { name }).name ?? id,
    organization: where,
    permissions,
    ...noteOf(
      where && `in ${where.name}`,
      !exists && "not on the tenant",
      incomplete === true && "not read whole",
    ),
  };
}

/** Nobody takes the organizations that were asked for all. */
function notAsked({ otherOrganizations: others, user }: AccessJson): string[] {
  if (others === undefined) return [];
  const { count: number, more, reason } = others;
  if (number === null)
    return [
      user === null
        ? `whether there are organizations that were not asked could not be read (${reason ?? "unknown"})`
        : `whether the user is a member of other organizations could not be read (${reason ?? "unknown"})`,
    ];
  const [were, them] = number === 1 && !more ? ["was", "it"] : ["were", "them"];
  return [
    `${more ? "more than " : ""}${count(number, "organization")} ${user === null ? "" : "of the user "}${were} not asked ${user === null ? "who has" : "for"} roles there: --organization all asks ${them}`,
  ];
}

/** Those that most cells are about first would hide neighbours of one name, so they go by name. */
function groupsByName(roles: readonly Role[]): Pick<Group, "id" | "name">[] {
  const groups = new Map<string, Pick<Group, "id" | "name">>();
  for (const { id, name } of roles.flatMap((role) => role.groups))
    if ((groups.get(id)?.name ?? null) === null) groups.set(id, { id, name });
  return [...groups.values()].sort(
    (one, other) =>
      Number(one.name === null) - Number(other.name === null) ||
      (one.name ?? one.id).localeCompare(other.name ?? other.id, "en"),
  );
}

function hasDirectCell({ people, direct }: Role): boolean {
  return people === null || (people?.count ?? 0) > 0 || direct === true || direct === null;
}

interface CellOfRole extends Omit<Cell, "row" | "column" | "facts"> {
  /** Key of the column. */
  column: string;
}

function cellsOf(role: Role, moment: number): CellOfRole[] {
  const groups = role.groups.map((group): CellOfRole => {
    const marks: Mark[] = isExpired(group) ? ["expired"] : endsSoon(group) ? ["soon"] : [];
    return {
      column: group.id,
      status: group.status,
      marks,
      badge: marks.length > 0 ? daysLeft(group.by, moment) : undefined,
      why: whyOf(group),
      sources: group.by.map(sourceOf),
    };
  });
  const secret = role.secret.map((claim): CellOfRole => ({
    column: SECRET.key,
    status: "unknown",
    marks: [],
    why: `unknown if all are there: the groups of ${claimText(claim)} are secret`,
    sources: [sourceOf(claim)],
  }));
  // A cell has room for one.
  const [first] = secret;
  const secretCell = first && { ...first, sources: secret.flatMap(({ sources }) => sources) };
  return [...directCell(role), ...groups, ...(secretCell === undefined ? [] : [secretCell])];
}

const BY_HAND = "by hand: assignments give roles to groups, not to users";

function directCell({ people, direct }: Role): CellOfRole[] {
  const cell = { column: DIRECTLY.key, marks: [], sources: [] };
  if (direct === true) return [{ ...cell, status: "direct", why: BY_HAND }];
  if (direct === null) return [{ ...cell, status: "unknown", why: "unknown: not through a group" }];
  if (people === null) return [{ ...cell, status: "unknown", why: "unknown: the tenant didn't say" }];
  if (people === undefined || people.count === 0) return [];
  const known = peopleOf(people);
  const why = `${countOf(known)}, ${BY_HAND}`;
  return [{ ...cell, status: "direct", badge: shortCount(known), why, people: known }];
}

function peopleOf(people: { count: number; more: boolean; ids?: string[] | undefined }): People;
function peopleOf(
  people: { count: number; more: boolean; ids?: string[] | undefined } | null,
): People | undefined;
function peopleOf(
  people: { count: number; more: boolean; ids?: string[] | undefined } | null,
): People | undefined {
  return people === null ? undefined : { count: people.count, isMore: people.more, ids: people.ids };
}

export function countOf({ count: number, isMore }: People): string {
  return `${isMore ? "more than " : ""}${count(number, "person", "people")}`;
}

function shortCount({ count: number, isMore }: People): string {
  return number > 999 ? "1k+" : `${number}${isMore ? "+" : ""}`;
}

function isExpired({ status, by }: Group): boolean {
  return status === "managed" && by.every(({ expired }) => expired);
}

function endsSoon({ status, by }: Group): boolean {
  return status === "managed" && by.length > 0 && by.every(({ soon, expired }) => soon || expired);
}

/** `9d`, by the last end of all. */
function daysLeft(by: readonly Claim[], moment: number): string {
  const last = Math.max(...by.map(({ until }) => endOfUntil(until ?? "") ?? moment));
  return `${Math.max(0, Math.floor((last - moment) / DAY_MS))}d`;
}

function whyOf(group: Group): string {
  const all = listed(group.by.map(claimText));
  switch (group.status) {
    case "managed":
      return isExpired(group) ? `${all}, the next run takes it away` : all;
    case "unmanaged":
      return "by hand: in none of the states";
    case "drift":
      return `claimed, not there: ${all}`;
    case "unknown":
      return `unknown: the groups of ${all} are secret`;
  }
}

export function listed(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items.at(-1) ?? ""}`;
}

/** `support in access/prod (index.ts:18), until 2026-12-31` */
function claimText(claim: Claim): string {
  const { resource, stack, line } = claim;
  const place = line === null ? "" : ` (${line.file}:${line.line})`;
  return [`${resource} in ${stack}${place}`, ...endOf(claim)].join(", ");
}

function endOf({ until, expired, soon }: Claim): string[] {
  if (until === null) return [];
  return [`until ${until}${expired ? ": expired" : soon ? " (within 14 days)" : ""}`];
}

function sourceOf(claim: Claim): Source {
  const { stack, resource, line, unconfirmed, ending, secret } = claim;
  return {
    stack,
    resource,
    line,
    until: endOf(claim)[0],
    isWritten: true,
    notes: [
      ...(unconfirmed ? ["the outcome of its last change of this group is unknown"] : []),
      ...(ending ? ["the next run deletes it"] : []),
      ...(secret ? ["its groups are secret in the program"] : []),
    ],
  };
}

/** By row and column: the rules that are broken there. */
function breachesByCell({ rules, roles }: AccessJson): Map<string, Breach[]> {
  const found = new Map<string, Breach[]>();
  const add = (key: string, breach: Breach) => {
    const known = found.get(key) ?? [];
    if (!known.includes(breach)) found.set(key, [...known, breach]);
  };
  const has = new Map(roles.map((role) => [role.id, new Set(role.groups.map(({ id }) => id))]));
  for (const breach of rules?.breaches ?? [])
    for (const { group, ...at } of placesOf(breach)) {
      const role = roleKey(at);
      if (group === undefined) add(`${role} ${DIRECTLY.key}`, breach);
      else if (has.get(role)?.has(group)) add(`${role} ${group}`, breach);
    }
  return found;
}

function rulesSection(
  { rules }: AccessJson,
  cells: readonly Cell[],
  found: ReadonlyMap<string, readonly Breach[]>,
): Section[] {
  if (rules === undefined) return [];
  const { file, gaps, breaches } = rules;
  const inCells = new Set([...found.values()].flat());
  const clean = gaps.length === 0 ? "Nothing breaks" : "No known breach of";
  return [
    {
      title: `${breaches.length === 0 ? clean : "Breaks"} the rules of ${file}`,
      kind: breaches.length === 0 ? "plain" : "broken",
      note: gaps.length === 0 ? undefined : `Not all people were compared: ${listed(gaps)}.`,
      items: breaches.map((breach) => ({
        text: breach.reason,
        details:
          breach.by.length === 0
            ? ["by hand: in none of the states"]
            : breach.by.map(
                ({ resource, stack, line }) =>
                  `${resource} in ${stack}${line === null ? "" : ` (${line.file}:${line.line})`}`,
              ),
        cells: inCells.has(breach)
          ? cells.flatMap(({ facts }, index) =>
              facts.some(({ kind, text }) => kind === "broken" && text === breach.reason) ? [index] : [],
            )
          : undefined,
      })),
    },
  ];
}

function decisionsByCell({ decisions }: AccessJson): Map<string, string> {
  return new Map(
    (decisions?.findings ?? []).flatMap(({ role, group, reason }) =>
      role === undefined ? [] : [[`${role} ${group ?? DIRECTLY.key}`, reason] as const],
    ),
  );
}

/** `isWhole`: false if there may be grants that nobody asked for. */
function decisionSection({ decisions }: AccessJson, isWhole: boolean): Section[] {
  if (decisions === undefined) return [];
  const { file, findings, counts } = decisions;
  return [
    {
      title:
        findings.length === 0
          ? `${file} decides on all ${isWhole ? "of it" : "that was read"}`
          : `Open in the sign-off of ${file}`,
      kind: findings.length === 0 ? "plain" : "broken",
      note: `${grouped(counts.confirmed)} confirmed, ${grouped(counts.revoked)} revoked. A file is no signature: commit it, and let a review protect it.`,
      items: findings.map(({ reason }) => ({ text: reason })),
    },
  ];
}

function tilesOf(json: AccessJson, cells: readonly Cell[], isWhole: boolean): Tile[] {
  const { roles, user } = json;
  const groups = new Set(roles.flatMap((role) => role.groups.map(({ id }) => id)));
  return [
    { label: "Roles", value: grouped(roles.length), note: withoutHolders(roles, cells) },
    { label: "Groups", value: grouped(groups.size) },
    user === null ? peopleTile(json) : { label: "Permissions", value: grouped(user.permissions.length) },
    grantsTile(json, cells),
    doubtsTile(cells, isWhole),
    rulesTile(json),
  ];
}

function grantsTile({ counts: { grants, managed, expired } }: AccessJson, cells: readonly Cell[]): Tile {
  const soon = cells.filter(({ marks }) => marks.includes("soon")).length;
  const told = [
    `${grouped(managed)} managed`,
    ...(expired > 0 ? [`${grouped(expired)} expired`] : []),
    ...(soon > 0 ? [`${grouped(soon)} ${soon === 1 ? "expires" : "expire"} soon`] : []),
  ];
  const label = grants === 1 ? "Grant" : "Grants";
  return { label, value: grouped(grants), note: told.join(", "), isAlarming: expired > 0 };
}

/** Counts the cells that it shows when it is chosen, those among them that nobody could read. */
function doubtsTile(cells: readonly Cell[], isWhole: boolean): Tile {
  const kinds = ["unmanaged", "drift", "unknown"] as const;
  const told = kinds.map((kind) => [cells.filter(({ status }) => status === kind).length, kind] as const);
  const doubts = told.reduce((sum, [number]) => sum + number, 0);
  const words = told.filter(([number]) => number > 0);
  return {
    label: doubts === 1 ? "Doubt" : "Doubts",
    value: grouped(doubts),
    note:
      doubts === 0
        ? `all ${isWhole ? "of it" : "that was read"} is in a state`
        : listed(words.map(([number, kind]) => `${grouped(number)} ${KINDS[kind].word}`)),
    isAlarming: doubts > 0,
    kinds,
  };
}

function rulesTile({ rules, user }: AccessJson): Tile {
  const label = "Broken rules";
  if (rules === undefined)
    return { label, value: "–", note: user === null ? "not asked: --rules" : "not asked" };
  const { length } = rules.breaches;
  const note = rules.gaps.length === 0 ? rules.file : `${rules.file}, not judged whole`;
  return { label, value: grouped(length), note, isAlarming: length > 0, kinds: ["broken"] };
}

function withoutHolders(roles: readonly Role[], cells: readonly Cell[]): string | undefined {
  const held = new Set(cells.map(({ row }) => row));
  const { length: left } = roles.filter(({ incomplete }, row) => !held.has(row) && incomplete !== true);
  return left === 0 ? undefined : `${grouped(left)} without a holder`;
}

function peopleTile({ roles, members }: AccessJson): Tile {
  const asked = roles.flatMap(({ people }) => (people === undefined || people === null ? [] : [people]));
  const isAsked = roles.some(({ people }) => people !== undefined);
  const ids = [
    ...asked.flatMap((people) => people.ids ?? []),
    ...(members ?? []).flatMap(({ people }) => people?.ids ?? []),
  ];
  const isNamed = asked.some((people) => people.ids !== undefined) || members !== undefined;
  if (isNamed) {
    const isMore = [...asked, ...(members ?? []).flatMap(({ people }) => people ?? [])].some(
      ({ more }) => more,
    );
    return { label: "People", value: `${grouped(new Set(ids).size)}${isMore ? "+" : ""}` };
  }
  if (!isAsked) return { label: "People", value: "–", note: "not asked" };
  if (asked.length === 0) return { label: "People", value: "?", note: "the tenant didn't say" };
  const most = asked.reduce((sum, people) => sum + people.count, 0);
  return {
    label: "Given directly",
    value: `${grouped(most)}${asked.some(({ more }) => more) ? "+" : ""}`,
    note: "to people, without a group",
  };
}

function comparedWith(stacks: AccessJson["stacks"]): string {
  const each = stacks.map(({ stack, assignments, elsewhere, pending = [] }) => {
    const others = elsewhere === 0 ? "" : `, and ${grouped(elsewhere)} on other tenants`;
    const killed =
      pending.length === 0
        ? ""
        : `, and ${listed(pending)}, whose run was killed: what was given is listed as by hand`;
    return `${stack} (${count(assignments, "assignment")}${others}${killed})`;
  });
  return `Compared with ${listed(each)}`;
}

function namesIn(roles: readonly Role[], rows: readonly Unmarked<Row>[]): Map<string, string> {
  const organizations = rows.flatMap(({ organization }) => organization ?? []);
  const all = [...rows, ...organizations, ...roles.flatMap((role) => role.groups)];
  return new Map(all.flatMap(({ id, name }) => (name === null || name === id ? [] : [[id, name] as const])));
}

type User = NonNullable<AccessJson["user"]>;

function userSections(user: User, roles: readonly Role[]): Section[] {
  const { permissions, ends, unread, allRoles, unreadOrganizations = [], notMemberOf = [] } = user;
  const roleName = (key: string) => roles.find(({ id }) => id === key)?.name ?? key;
  const sections: Section[] = [
    {
      title: "Permissions",
      kind: "plain",
      items: permissions.map(({ name, resourceServer, sources }) => ({
        text: `${name} on ${resourceServer}`,
        details: (sources ?? []).map(({ kind, id, name: source, type }) =>
          kind === "direct"
            ? "directly"
            : kind === "role"
              ? `role ${source || id}`
              : [type, source, id].filter((text) => text !== "").join(" "),
        ),
      })),
    },
    {
      title: "If an assignment were destroyed",
      kind: "plain",
      items: ends.map(({ by, role, ends: isEnd, permissions: lost, reason }) => {
        const because = reason === "" ? "" : `: ${reason}`;
        const then =
          isEnd === null ? "unknown" : isEnd ? `loses ${roleName(role)}` : `keeps ${roleName(role)}`;
        const and = lost.length === 0 ? "" : `, and with it ${listed(lost.map(({ name }) => name))}`;
        return { text: `${claimText(by)}: ${then}${and}${because}` };
      }),
    },
    {
      title: "For the record",
      kind: "plain",
      items: [
        ...(unread === null
          ? []
          : [{ text: `The groups behind the user's roles could not be read (${unread}).` }]),
        ...(allRoles ? [] : [{ text: "Only roles that give a permission are listed." }]),
        ...unreadOrganizations.map(({ id, name, reason, allRoles: hasRoles }) => ({
          text: `${hasRoles ? "The groups behind the user's" : "The user's"} roles in ${name ?? id} could not be read (${reason}).`,
        })),
        ...(notMemberOf.length === 0
          ? []
          : [{ text: `The user is no member of ${listed(notMemberOf.map(({ id, name }) => name ?? id))}.` }]),
      ],
    },
  ];
  return sections.filter(({ title, items }) => title !== "For the record" || items.length > 0);
}
