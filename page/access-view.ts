import { type AccessJson } from "../cli/access/model";
import { DIRECTLY, type Document, type PageData, SECRET_GROUPS } from "../cli/output/document";
import { edgeKey, roleOfKey } from "../provider/access/edge";
import { groupedBy } from "../provider/access/grants";
import { DAY_MS, endChange, endOfUntil, HOUR_MS, isExpired, latestOf } from "../provider/access/until";
import { grouped, list } from "../provider/sentence";
import { around, Said } from "./sections";
import {
  type Cell,
  type ColumnHeader,
  Index,
  CELL_KINDS,
  type Mark,
  noteOf,
  type PeopleCount,
  type RowHeader,
  type CellSource,
  textsIn,
  type Tile,
  type Untwinned,
  type View,
  withTwins,
  type Words,
} from "./view";

type RoleJson = AccessJson["roles"][number];
type GroupJson = RoleJson["groups"][number];
type NamedGroup = Pick<GroupJson, "id" | "name">;
type ChangeJson = NonNullable<AccessJson["compared"]>["changes"][number];

const PEOPLE = { key: DIRECTLY.group, id: "", name: "people", isSpecial: true } as const;
const SECRETS = { key: SECRET_GROUPS.group, id: "", name: "secret groups", isSpecial: true } as const;

/** An answer of `access`, for a tenant or for one user. */
export function accessView({ json, documents }: PageData<AccessJson, Words>): View {
  const { made } = json;
  const changes = changesOn(json);
  const changed = groupedBy(changes, ({ role }) => role);
  const roles = withLostRoles(json, changes);
  const members = new Map((json.members ?? []).map((group) => [group.id, peopleOf(group.people)]));
  const columns = new Index<Untwinned<ColumnHeader>>();
  const hasDirect = roles.some(({ people, direct }) => people !== undefined || direct !== undefined);
  const hasLost = changes.some(({ group, kind }) => group === undefined && kind === "lost");
  if ((hasDirect && roles.some(hasDirectCell)) || hasLost) columns.place(PEOPLE.key, () => PEOPLE);
  const groups = [...roles.flatMap((role) => role.groups), ...groupsIn(changes)];
  for (const { id, name } of groupsByName(groups))
    columns.place(id, () => ({ key: id, id, name: name ?? id, people: members.get(id) }));
  if (roles.some(({ secret }) => secret.length > 0)) columns.place(SECRETS.key, () => SECRETS);
  const said = new Said(documents[0] as Document<Words>);
  const byEdge = new Map<string, number>();
  const cells = roles
    .flatMap((role, row) =>
      withChanges(cellsOf(role, Date.parse(made)), changed.get(role.id) ?? []).map((cell) => ({
        ...{ role, row, ...cell },
      })),
    )
    .map(({ role, column, why = "", ...cell }, index): Cell => {
      const key = edgeKey({ ...roleOfKey(role.id), holder: { group: column } });
      byEdge.set(key, index);
      const remarks = said.remarks(key);
      const isBroken = remarks.some(({ kind }) => kind === "broken");
      return {
        ...cell,
        column: columns.find(column) ?? 0,
        marks: isBroken ? ["broken", ...cell.marks] : cell.marks,
        why: said.row(key).at(-1) ?? [why],
        remarks,
        people: cell.people ?? members.get(column),
      };
    });
  const rows = roles.map(rowOf);
  const names = namesIn(groups, rows);
  return {
    ...around(documents, [], byEdge),
    remarks: [],
    tiles: tilesOf(json, cells, isWhole(json)),
    rows: withTwins(rows),
    columns: withTwins(columns.items),
    cells,
    empty: emptyText(json),
    names,
    text: textsIn(names),
  };
}

/** False if there may be grants that nobody asked for, or that were not read. */
function isWhole({ incomplete, unreadPeople, unreadDetails, otherOrganizations }: AccessJson): boolean {
  return (
    incomplete.length === 0 &&
    [unreadPeople, unreadDetails, otherOrganizations].every((gap) => gap === undefined)
  );
}

function emptyText({ tenant, roles, user }: AccessJson): string {
  if (roles.length === 0 && user !== null) return "No role of the user is known.";
  if (roles.length === 0) return `${tenant} has no roles.`;
  return roles.some(({ incomplete }) => incomplete)
    ? "Who has these roles could not be read."
    : "Nobody has one of these roles.";
}

function rowOf({
  id: key,
  name,
  organization,
  role,
  exists,
  incomplete,
  permissions,
}: RoleJson): Untwinned<RowHeader> {
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

/** Those that most cells are about first would hide neighbours of one name, so they go by name. */
function groupsByName(all: readonly NamedGroup[]): NamedGroup[] {
  const groups = new Map<string, NamedGroup>();
  for (const { id, name } of all) if ((groups.get(id)?.name ?? null) === null) groups.set(id, { id, name });
  return [...groups.values()].sort(
    (one, other) =>
      Number(one.name === null) - Number(other.name === null) ||
      (one.name ?? one.id).localeCompare(other.name ?? other.id, "en"),
  );
}

function hasDirectCell({ people, direct }: RoleJson): boolean {
  return people === null || (people?.count ?? 0) > 0 || direct === true || direct === null;
}

/** Those of this tenant's roles and groups: a matrix has no place for another tenant's. */
function changesOn({ compared }: AccessJson): ChangeJson[] {
  return (compared?.changes ?? []).filter(({ tenant }) => tenant === undefined);
}

/** A role that is gone, or nobody's, has a row for those who had it. */
function withLostRoles({ roles, covers }: AccessJson, changes: readonly ChangeJson[]): RoleJson[] {
  const known = new Map(roles.map((role) => [role.id, role]));
  const organizations = new Map((covers?.organizations ?? []).map((one) => [one.id, one]));
  const lost = new Map<string, RoleJson>();
  for (const { role: id, roleName: name } of changes) {
    if (known.has(id)) continue;
    const { organization = "", role } = roleOfKey(id);
    const [place, alone] = [organizations.get(organization), known.get(role)];
    const placed = place && alone && { organization: place, role: { id: role, name: alone.name } };
    // In an organization, a role that nobody has isn't listed, and may be there.
    lost.set(id, { id, name, ...placed, exists: organization !== "", groups: [], secret: [] });
  }
  return [...roles, ...lost.values()];
}

function groupsIn(changes: readonly ChangeJson[]): NamedGroup[] {
  return changes.flatMap(({ group: id, groupName: name = null }) => (id === undefined ? [] : [{ id, name }]));
}

const BADGES = { gained: "+", changed: "±", later: "+d", earlier: "−d" } as const;

/** Marks the cells that have changed, and adds those that are gone. */
function withChanges(cells: readonly CellOfRole[], changes: readonly ChangeJson[]): CellOfRole[] {
  const byColumn = groupedBy(changes, ({ group }) => group ?? PEOPLE.key);
  const marked = cells.map((cell): CellOfRole => {
    const [change] = byColumn.get(cell.column) ?? [];
    if (change === undefined) return cell;
    if (change.kind === "lost" && cell.column !== PEOPLE.key) return { ...cell, status: "lost" };
    const mark = markOf(change);
    return { ...cell, marks: [...cell.marks, mark], badge: cell.badge ?? BADGES[mark] };
  });
  const shown = new Set(cells.map(({ column }) => column));
  const gone = [...byColumn].flatMap(([column, [change]]): CellOfRole[] => {
    if (change === undefined || shown.has(column)) return [];
    return [
      {
        column,
        status: "lost",
        marks: [],
        sources: change.before.map(sourceOf),
        why: "It was there in the earlier answer, and isn't today.",
      },
    ];
  });
  return [...marked, ...gone];
}

function markOf({ kind, before, by }: ChangeJson): keyof typeof BADGES {
  if (kind === "end") return endChange(endIn(before), endIn(by)) ?? "later";
  return kind === "gained" ? "gained" : "changed";
}

function endIn(claims: ChangeJson["by"]): string | undefined {
  return latestOf(claims.map(({ until }) => until ?? undefined));
}

interface CellOfRole extends Omit<Cell, "row" | "column" | "remarks" | "why"> {
  /** Key of the column. */
  column: string;
  /** Where the document has no row for it. */
  why?: string;
}

function cellsOf(role: RoleJson, moment: number): CellOfRole[] {
  const groups = role.groups.map((group): CellOfRole => {
    const marks: Mark[] = isExpired(group) ? ["expired"] : endsSoon(group) ? ["soon"] : [];
    return {
      column: group.id,
      status: group.status,
      marks,
      badge: marks.length > 0 ? daysLeft(group.by, moment) : undefined,
      sources: group.by.map(sourceOf),
    };
  });
  // A cell has room for one.
  const secret = { column: SECRETS.key, marks: [], sources: role.secret.map(sourceOf) };
  return [
    ...directCell(role),
    ...groups,
    ...(role.secret.length === 0 ? [] : [{ ...secret, status: "unknown" as const }]),
  ];
}

function directCell({ people, direct }: RoleJson): CellOfRole[] {
  const cell = { column: PEOPLE.key, marks: [], sources: [] };
  if (direct === true) return [{ ...cell, status: "direct" }];
  if (direct === null) return [{ ...cell, status: "unknown", why: "unknown: not through a group" }];
  if (people === null) return [{ ...cell, status: "unknown", why: "unknown: the tenant didn't say" }];
  if (people === undefined || people.count === 0) return [];
  const known = peopleOf(people);
  return [{ ...cell, status: "direct", badge: shortCount(known), people: known }];
}

function peopleOf(people: { count: number; more: boolean; ids?: string[] | undefined }): PeopleCount;
function peopleOf(
  people: { count: number; more: boolean; ids?: string[] | undefined } | null,
): PeopleCount | undefined;
function peopleOf(
  people: { count: number; more: boolean; ids?: string[] | undefined } | null,
): PeopleCount | undefined {
  return people === null ? undefined : { count: people.count, isMore: people.more, ids: people.ids };
}

function shortCount({ count: number, isMore }: PeopleCount): string {
  return number > 999 ? "1k+" : `${number}${isMore ? "+" : ""}`;
}

function endsSoon({ status, by }: GroupJson): boolean {
  return status === "managed" && by.length > 0 && by.every(({ soon, expired }) => soon || expired);
}

/** `9d` or `5h`, by the last end of all. */
function daysLeft(by: GroupJson["by"], moment: number): string {
  const last = Math.max(...by.map(({ until }) => endOfUntil(until ?? "") ?? moment));
  const left = Math.max(0, last - moment);
  return left > 0 && left < DAY_MS ? `${Math.floor(left / HOUR_MS)}h` : `${Math.floor(left / DAY_MS)}d`;
}

function sourceOf({
  stack,
  resource,
  line,
  until,
  unconfirmed,
  ending,
  secret,
}: GroupJson["by"][number]): CellSource {
  return {
    stack,
    resource,
    line,
    until: until === null ? undefined : `until ${until}`,
    isWritten: true,
    notes: [
      ...(unconfirmed ? ["the outcome of its last change of this group is unknown"] : []),
      ...(ending ? ["the next run deletes it"] : []),
      ...(secret ? ["its groups are secret in the program"] : []),
    ],
  };
}

function tilesOf(json: AccessJson, cells: readonly Cell[], isAll: boolean): Tile[] {
  const { roles, user } = json;
  const groups = new Set(roles.flatMap((role) => role.groups.map(({ id }) => id)));
  return [
    { label: "Roles", value: grouped(roles.length), note: withoutHolders(roles, cells) },
    { label: "Groups", value: grouped(groups.size) },
    user === null ? peopleTile(json) : { label: "Permissions", value: grouped(user.permissions.length) },
    grantsTile(json, cells),
    doubtsTile(cells, isAll),
    ...changesTile(json),
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
function doubtsTile(cells: readonly Cell[], isAll: boolean): Tile {
  const kinds = ["unmanaged", "drift", "unknown"] as const;
  const told = kinds.map((kind) => [cells.filter(({ status }) => status === kind).length, kind] as const);
  const doubts = told.reduce((sum, [number]) => sum + number, 0);
  const words = told.filter(([number]) => number > 0);
  return {
    label: doubts === 1 ? "Doubt" : "Doubts",
    value: grouped(doubts),
    note:
      doubts === 0
        ? `all ${isAll ? "of it" : "that was read"} is in a state`
        : list(words.map(([number, kind]) => `${grouped(number)} ${CELL_KINDS[kind].word}`)).toString(),
    isAlarming: doubts > 0,
    kinds,
  };
}

function changesTile({ compared }: AccessJson): Tile[] {
  if (compared === undefined) return [];
  const { changes, gaps, counts } = compared;
  const told = [`${grouped(counts.gained)} gained`, `${grouped(counts.lost)} lost`];
  return [
    {
      label: changes.length === 1 ? "Change" : "Changes",
      value: `${grouped(changes.length)}${gaps.length > 0 ? "+" : ""}`,
      note: told.join(", "),
      kinds: ["gained", "lost", "changed", "later", "earlier"],
    },
  ];
}

function rulesTile({ rules, user }: AccessJson): Tile {
  const label = "Broken rules";
  if (rules === undefined)
    return { label, value: "–", note: user === null ? "not asked: --rules" : "not asked" };
  const { length } = rules.breaches.filter(({ exception }) => exception === undefined);
  const note = rules.gaps.length === 0 ? rules.file : `${rules.file}, not judged whole`;
  return { label, value: grouped(length), note, isAlarming: length > 0, kinds: ["broken"] };
}

function withoutHolders(roles: readonly RoleJson[], cells: readonly Cell[]): string | undefined {
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

function namesIn(groups: readonly NamedGroup[], rows: readonly Untwinned<RowHeader>[]): Map<string, string> {
  const organizations = rows.flatMap(({ organization }) => organization ?? []);
  const all = [...rows, ...organizations, ...groups];
  return new Map(all.flatMap(({ id, name }) => (name === null || name === id ? [] : [[id, name] as const])));
}
