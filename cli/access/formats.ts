import { type AccessJson } from "./model";
import { isOfGrant, placesOf } from "../../provider/access/broken";
import { roleKey } from "../../provider/access/edge";
import { awayText, isExpired } from "../../provider/access/until";
import { word } from "../../provider/sentence";
import { PLAIN, type Style } from "../terminal";
import { anyOf, optional } from "../lists";
import { type Access, accessDocumentOf, type PermissionSource } from "./document";
import { type AccessGroup, type AccessRole, type ClaimJson } from "./claims";
import { type ChangeJson } from "./compare";
import { csvOf } from "./csv";
import { cellsOfClaims, type DecisionsAnswer } from "./decisions";
import { htmlPage } from "../html/page";
import { toMarkdown } from "../output/markdown";
import { toText } from "../output/text";
import { withTexts } from "../output/texts";
import { type RulesAnswer } from "./rules";

const FORMATTERS = {
  text: (access: Access, style: Style, columns?: number) =>
    toText([accessDocumentOf(access)], {}, style, columns),
  markdown: (access: Access) => toMarkdown([accessDocumentOf(access)]),
  csv: (access: Access) => toCsv(access),
  json: (access: Access) => `${JSON.stringify(withTexts(access satisfies WithoutReasons), null, 2)}\n`,
  html: (access: Access) => accessPage(withoutPeople(access)),
} as const;
export type Format = keyof typeof FORMATTERS;
export const FORMATS = Object.keys(FORMATTERS) as readonly Format[];

/** `columns`: of the terminal. */
export function formatted(access: Access, format: Format, style = PLAIN, columns?: number): string {
  return FORMATTERS[format](access, style, columns);
}

export function accessPage(access: Access): string {
  return htmlPage("access", { json: withTexts(access), documents: [accessDocumentOf(access)] });
}

/** Rules name the people who break them; a page is sent around, so it has only those that were asked for. */
function withoutPeople(access: Access): Access {
  const { rules, members, roles } = access;
  const isNamed = members !== undefined || roles.some(({ people }) => people?.ids !== undefined);
  if (isNamed) return access;
  const decisions = access.decisions && withoutPersons(access.decisions);
  if (rules === undefined) return { ...access, decisions };
  const breaches = rules.breaches.map(({ people, ...breach }) => ({
    ...breach,
    ...(people !== undefined && { people: { count: people.count } }),
  }));
  return { ...access, decisions, rules: { ...rules, breaches } };
}

/** Rows of a file may be about people, too. */
function withoutPersons({ findings, unread, ...decisions }: DecisionsAnswer): DecisionsAnswer {
  return {
    ...decisions,
    findings: findings.map(({ user, ...finding }) =>
      user === undefined ? finding : { ...finding, reason: word("whether a person has a role was not read") },
    ),
    unread: unread?.filter((row) => row["group_id"]),
  };
}

/** The schema describes exactly the contents that are written. */
type WithoutReasons = Omit<AccessJson, "user" | "rules" | "decisions" | "compared">;

type BrokenRule = RulesAnswer["breaches"][number];

type CsvRow = Readonly<Record<string, string | undefined>>;

/** To be filled in by people, and read again by `--decisions`. */
const DECISION = ["decision", "reviewer", "note"] as const;

/** For a spreadsheet: one row per grant; for a user, one per way to each permission. */
function toCsv(access: Access): string {
  const rows = access.user === null ? tenantRows(access) : userRows(access, access.user);
  return csvOf([rows.columns, ...rows.rows.map((row) => rows.columns.map((column) => row[column] ?? ""))]);
}

const GRANT = [
  "role_id",
  "role_name",
  "group_id",
  "group_name",
  "status",
  "stack",
  "resource",
  "line",
  "until",
  "expired",
] as const;

const DIRECT = "direct";

function tenantRows({ tenant, made, roles, rules, decisions, compared, ends }: Access): {
  columns: readonly string[];
  rows: CsvRow[];
} {
  const at = { tenant, as_of: made };
  const changed = new ChangedRows(compared?.changes ?? []);
  const broken = (role: string, holder: { group?: string; user?: string | undefined }) =>
    (rules?.breaches ?? [])
      .filter((breach) => isBrokenBy(breach, role, holder))
      .map(brokenText)
      .join("; ");
  const decided = decidedIn(decisions);
  const away = (role: string, { id, by }: AccessGroup) =>
    (ends?.assignments ?? [])
      .filter((ending) => ending.role === role && by.some(isOneOf(ending)))
      .filter(({ groups, secretGroups }) => (id === "" ? secretGroups : groups.includes(id)))
      .map(({ until }) => awayText(until, Date.parse(made)))
      .slice(0, 1)
      .join("");
  const rows = roles.flatMap((role): CsvRow[] => {
    const groups = [...role.groups, ...role.secret.map(unknownGroup)];
    return [
      ...groups.map((group) => ({
        ...at,
        ...roleCells(role),
        ...groupCells(group),
        breaks: broken(role.id, { group: group.id }),
        ends: away(role.id, group),
        ...decided(role.id, { group: group.id }),
        ...changed.cells(role.id, { group: group.id }),
      })),
      ...directCells(role.people).map(({ person, people }) => ({
        ...at,
        ...roleCells(role),
        status: DIRECT,
        people,
        breaks: broken(role.id, { user: person }),
        ...decided(role.id, { user: person }),
        ...changed.cells(role.id, { user: person }),
      })),
    ];
  });
  return {
    columns: [
      "tenant",
      "as_of",
      ...GRANT,
      "people",
      ...optional(rules).map(() => "breaks"),
      ...optional(ends).map(() => "ends"),
      ...optional(compared).flatMap(() => CHANGED),
      ...DECISION,
    ],
    rows: [
      ...rows,
      ...changed.rest().map((cells) => ({ ...at, ...cells })),
      ...(rules?.breaches ?? [])
        .filter((breach) => !isOfGrant(breach))
        .map((breach) => ({ ...at, ...withoutGrant(breach, roles) })),
      // Nobody knows more of these today.
      ...(decisions?.unread ?? []).map((row) => ({ ...row, breaks: "", ends: "" })),
    ],
  };
}

/** `allow line 3, passes until 2026-12-31 by line 9: covers for a colleague (owner: treasury)` */
function brokenText({ rule, rulesLine, exception }: BrokenRule): string {
  const broken = [rule, rulesLine ?? "default"].join(" line ");
  if (exception === undefined) return broken;
  const { line, reason, owner, until } = exception;
  return `${broken}, passes until ${until} by line ${line}: ${reason} (owner: ${owner})`;
}

/** A row of its own: no grant has such a breach. It names no group, so nobody decides on it. */
function withoutGrant(breach: BrokenRule, known: Access["roles"]): CsvRow {
  const { rule, reason, roles, organization, contexts } = breach;
  const keys = roles.map((role, index) => roleKey({ role, organization: contexts?.[index] ?? organization }));
  const names = keys.map((key) => known.find(({ id }) => id === key)?.name ?? "");
  return {
    role_id: keys.join("; "),
    role_name: names.join("; "),
    status: rule,
    breaks: `${brokenText(breach)}: ${String(reason)}`,
  };
}

/** True if the breach is of this grant. `role`: its key; without a user: of all who have it directly. */
function isBrokenBy(
  breach: BrokenRule,
  role: string,
  { group, user }: { group?: string; user?: string | undefined },
): boolean {
  const isHere = placesOf(breach).some((at) => roleKey(at) === role && at.group === group);
  return isHere && (user === undefined || breach.people?.ids?.includes(user) === true);
}

function isOneOf(ending: { stack: string; resource: string }): (claim: ClaimJson) => boolean {
  return ({ stack, resource }) => stack === ending.stack && resource === ending.resource;
}

/** The cells of a decision that is valid today, so that only the rest is left to decide. */
function decidedIn(decisions: DecisionsAnswer | undefined) {
  const keyOf = (role: string, { group, user }: { group?: string | undefined; user?: string | undefined }) =>
    JSON.stringify([role, group, user]);
  const all = new Map(
    (decisions?.decided ?? []).map((decision) => [keyOf(decision.role, decision), decision]),
  );
  return (role: string, holder: { group?: string; user?: string | undefined }): CsvRow => {
    const { decision, reviewer, note } = all.get(keyOf(role, holder)) ?? {};
    return { decision, reviewer, note };
  };
}

const CHANGED = ["change", "was_stack", "was_resource", "was_line", "was_until", "was_people"] as const;

/** Gives each row its change, and rows to what is gone. */
class ChangedRows {
  readonly #left: Map<string, ChangeJson>;

  constructor(changes: readonly ChangeJson[]) {
    this.#left = new Map(changes.map((change) => [changeKey(change.tenant, change.role, change), change]));
  }

  cells(role: string, holder: Pick<ChangeJson, "group" | "user">): CsvRow {
    const key = changeKey(undefined, role, holder);
    const change = this.#left.get(key);
    this.#left.delete(key);
    return change === undefined ? {} : changeCells(change);
  }

  rest(): CsvRow[] {
    return [...this.#left.values()].map((change) => {
      const { tenant, role, roleName, group, groupName, user, people, decision } = change;
      return {
        ...(tenant !== undefined && { tenant }),
        ...roleCells({ id: role, name: roleName }),
        ...{ group_id: group, group_name: groupName ?? "", status: "lost" },
        people: people === undefined ? user : peopleCell(people.now),
        ...changeCells(change),
        ...(decision && { decision: decision.decision, reviewer: decision.reviewer, note: decision.note }),
      };
    });
  }
}

function changeKey(
  tenant: string | undefined,
  role: string,
  { group, user }: Pick<ChangeJson, "group" | "user">,
): string {
  return JSON.stringify([tenant, role, group, user]);
}

function changeCells({ kind, people, before }: ChangeJson): CsvRow {
  const { stack, resource, line, until } = cellsOfClaims(before);
  return {
    change: kind,
    ...{ was_stack: stack, was_resource: resource, was_line: line, was_until: until },
    was_people: people && peopleCell(people.before),
  };
}

function peopleCell({ count, more }: { count: number; more: boolean }): string {
  return more ? `more than ${count}` : String(count);
}

/** A count, or with --people one cell for each person. */
function directCells(people: AccessRole["people"]): { person?: string; people: string }[] {
  if (people === null) return [{ people: "unknown" }];
  const { count = 0, more = false, ids } = people ?? {};
  if (ids === undefined) return anyOf([count, { people: peopleCell({ count, more }) }]);
  return [...ids.map((id) => ({ person: id, people: id })), ...anyOf([more, { people: "and more" }])];
}

function unknownGroup(claim: ClaimJson): AccessGroup {
  return { id: "", name: null, status: "unknown", by: [claim] };
}

function userRows(
  { tenant, made, roles }: Access,
  { id, permissions }: NonNullable<Access["user"]>,
): { columns: readonly string[]; rows: CsvRow[] } {
  const ways = new Map(roles.map((role) => [role.id, waysTo(role)]));
  const user = { tenant, as_of: made, user_id: id };
  const rows = permissions.flatMap(({ resourceServer, name, sources }) => {
    const through = sources?.flatMap((source) => waysBy(source, ways)) ?? [{ through: "not known" }];
    return through.map((way) => ({ ...user, api: resourceServer, permission: name, ...way }));
  });
  // A role's permissions may not show up in the list.
  const sources = permissions.flatMap((permission) => permission.sources ?? []);
  const named = new Set(sources.filter(({ kind }) => kind === "role").map((role) => role.id));
  const others = roles.filter((role) => !named.has(role.id)).flatMap((role) => ways.get(role.id) ?? []);
  return {
    columns: ["tenant", "as_of", "user_id", "api", "permission", "through", ...GRANT],
    rows: [...rows, ...others.map((way) => ({ ...user, ...way }))],
  };
}

/** How the user has a role: directly, and through each of its groups. */
function waysTo(role: AccessRole): CsvRow[] {
  const ways = [
    ...anyOf([role.direct === true, { through: "role, directly" }]),
    ...role.groups.map((group) => ({ through: "role", ...groupCells(group) })),
  ];
  const known = ways.length > 0 ? ways : [{ through: "role, not known how" }];
  return known.map((way) => ({ ...roleCells(role), ...way }));
}

function waysBy(
  { kind, id, name, type }: PermissionSource,
  waysToRole: ReadonlyMap<string, readonly CsvRow[]>,
): readonly CsvRow[] {
  switch (kind) {
    case "role":
      return waysToRole.get(id) ?? [];
    case "direct":
      return [{ through: "directly" }];
    case "other":
      return [{ through: [type, name, id].join(" ").trim() }];
  }
}

function roleCells({ id, name }: { id: string; name: string | null }): CsvRow {
  return { role_id: id, role_name: name ?? "" };
}

function groupCells(group: AccessGroup): CsvRow {
  const { id, name, status, by } = group;
  return {
    group_id: id,
    group_name: name ?? "",
    status,
    ...cellsOfClaims(by),
    expired: isExpired(group) ? "yes" : "",
  };
}
