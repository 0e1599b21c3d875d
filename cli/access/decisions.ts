import { type Edge, edgeKey, type Holder, holderId, roleOfKey } from "../../provider/access/edge";
import { groupedBy } from "../../provider/access/grants";
import { isWithin, latestOf } from "../../provider/access/until";
import { grouped, list, say, type Sentence, tail, word } from "../../provider/sentence";
import { CommandError } from "../errors";
import { optional, unlessEmpty } from "../lists";
import { type AccessGroup, type AccessRole, type ClaimJson } from "./claims";
import { csvLines, inertCell } from "./csv";
import { type AccessJson } from "./model";
import { namedThing } from "./roles";

/*
 * Sign-off by a spreadsheet: `--format csv` writes a row for each grant, people decide on it, and
 * `--decisions` says what the decisions leave open. Rows are known by tenant, role and holder.
 */

type DecisionsJson = NonNullable<AccessJson["decisions"]>;
type FindingJson = DecisionsJson["findings"][number];

/** As in JSON, but sentences keep strangers' names apart. */
export type DecisionsAnswer = Omit<DecisionsJson, "findings"> & {
  findings: (Omit<FindingJson, "reason"> & { reason: Sentence | string })[];
};

export interface DecisionsFile {
  file: string;
  rows: readonly DecisionRow[];
}

interface DecisionRow {
  line: number;
  edge: Edge;
  /** Empty: nobody has decided. */
  decision: (typeof DECISIONS)[number];
  reviewer: string;
  note: string;
  /** The claims that were decided on, as cells of the file. */
  stack: string;
  resource: string;
  until: string;
  /** By the names of their columns. */
  cells: Readonly<Record<string, string>>;
}

/** The roles and places that were read. A row about anything else stays open: nobody has looked. */
export interface Read {
  /** All, also those that nobody has. */
  roles: readonly AccessRole[];
  /** The organizations, and by undefined the tenant itself, of which all roles are known. */
  places: ReadonlySet<string | undefined>;
}

const DECISIONS = ["", "confirm", "revoke"] as const;
const NEEDED = [
  "tenant",
  "role_id",
  "group_id",
  "status",
  "stack",
  "resource",
  "until",
  "people",
  "decision",
] as const;
const READ = [...NEEDED, "reviewer", "note"] as const;
/** Of rows about people; those that have lost a role are written by --compare. */
const OF_PEOPLE: readonly string[] = ["direct", "lost"];
/** Stands in place of a person without --people. */
const NO_PERSON = /^(?:\d*|more than .*|and more|unknown)$/;
const NO_END = "no end";

export function readDecisions({ file, text }: { file: string; text: string }): DecisionsFile {
  const [head, ...lines] = csvLines(text);
  const columns = (head?.cells ?? []).map((name) => name.trim().toLowerCase());
  checkColumns(`${file}:${head?.line ?? 1}`, columns);
  const rows = lines.flatMap(({ line, cells }) => {
    const cell = (name: string) => inertCell(cells[columns.indexOf(name)] ?? "");
    const where = `${file}:${line}`;
    if (cells.slice(columns.length).some((extra) => extra.trim() !== ""))
      throw new CommandError(
        `${where} has more cells than the file has columns. Put quotes around a cell that has a separator in it.`,
      );
    const row = {
      ...{ line, decision: decisionIn(cell("decision"), where), reviewer: cell("reviewer") },
      ...{ note: cell("note"), stack: cell("stack"), resource: cell("resource"), until: cell("until") },
      cells: Object.fromEntries(columns.map((name) => [name, cell(name)])),
    };
    const holder = holderIn(cell);
    if (holder !== undefined)
      return [{ ...row, edge: { tenant: cell("tenant"), role: cell("role_id"), holder } }];
    if (row.decision === "") return [];
    throw new CommandError(
      `${where} decides on a row without a group or a person. To decide on people, write the file with --people.`,
    );
  });
  checkOnce(file, rows);
  return { file, rows };
}

function checkColumns(where: string, columns: readonly string[]): void {
  const missing = NEEDED.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    throw new CommandError(
      `${where} lacks the columns ${missing.join(", ")}. Put the names of the columns back as they were, separated by commas, semicolons or tabs. A new file, without decisions, comes from: npx --no pulumi-identity access --people --format csv`,
    );
  const twice = READ.find((name) => columns.indexOf(name) !== columns.lastIndexOf(name));
  if (twice !== undefined)
    throw new CommandError(`${where} has the column ${twice} twice. Keep the one with the decisions.`);
}

function decisionIn(text: string, where: string): DecisionRow["decision"] {
  const decision = DECISIONS.find((known) => known === text.trim().toLowerCase());
  if (decision !== undefined) return decision;
  throw new CommandError(
    `${where} has the decision ${JSON.stringify(text)}. Write confirm or revoke, or nothing.`,
  );
}

function holderIn(cell: (name: string) => string): Holder | undefined {
  const [group, person] = [cell("group_id"), cell("people")];
  if (group !== "") return { group };
  return OF_PEOPLE.includes(cell("status")) && !NO_PERSON.test(person) ? { user: person } : undefined;
}

function checkOnce(file: string, rows: readonly DecisionRow[]): void {
  const decided = groupedBy(
    rows.filter(({ decision }) => decision !== ""),
    ({ edge }) => edgeKey(edge),
  );
  const [first, second] = [...decided.values()].find(({ length }) => length > 1) ?? [];
  if (first === undefined || second === undefined) return;
  const { edge, line } = first;
  throw new CommandError(
    `${file} decides twice on ${edge.role} for ${holderId(edge.holder)}, on lines ${line} and ${second.line}. Keep one.`,
  );
}

interface GrantToday {
  role: AccessRole;
  holder: Holder;
  /** Undefined: a person, directly. */
  group?: AccessGroup | undefined;
}

/** Compares the tenant of today with the decisions. */
export function judgedBy(
  { file, rows }: DecisionsFile,
  { tenant, roles, read }: Pick<AccessJson, "tenant" | "roles"> & { read: Read },
): DecisionsAnswer {
  const here = rows.filter(({ edge }) => edge.tenant === inertCell(tenant));
  if (rows.length > 0 && here.length === 0)
    throw new CommandError(`${file} is of ${rows[0]?.edge.tenant ?? ""}, and the tenant is ${tenant}.`);
  const byKey = rowsByKey(here);
  const judged = grantsIn(roles).map((grant) => {
    const key = edgeKey(inertEdge({ tenant, role: grant.role.id, holder: grant.holder }));
    const row = byKey.get(key);
    return { grant, key, row, open: openOf(grant, row, file), ids: { role: grant.role.id, ...grant.holder } };
  });
  const seen = new Set(judged.map(({ key }) => key));
  const whyUnread = unreadIn(read);
  const absent = [...byKey]
    .filter(([key]) => !seen.has(key))
    .map(([, row]) => ({ row, why: whyUnread(row.edge) }));
  const unread = absent.flatMap(({ row, why }) => optional(why).map((reason) => ({ row, reason })));
  return {
    file,
    counts: {
      confirmed: judged.filter(
        ({ grant, row, open }) => row?.decision === "confirm" && open === undefined && isThere(grant),
      ).length,
      revoked: absent.filter(({ row, why }) => row.decision === "revoke" && why === undefined).length,
      otherTenants: rows.length - here.length,
    },
    findings: [
      ...judged.flatMap(({ open, ids }) => optional(open).map((finding) => ({ ...ids, ...finding }))),
      ...unread.map(({ row, reason }) => unreadFinding(row, reason)),
    ],
    decided: judged.flatMap(({ row, open, ids }) =>
      !row?.decision || open?.kind === "void"
        ? []
        : [{ ...ids, decision: row.decision, reviewer: row.reviewer, note: row.note }],
    ),
    unread: unlessEmpty(unread.map(({ row }) => row.cells)),
  };
}

/** Returns the decision on a grant, also on one that is gone; null if nobody has decided. */
export type DecisionOn = (edge: Edge) => NonNullable<AccessJson["compared"]>["changes"][number]["decision"];

/** `findings`: of today. A decision that they call void was made before the grant changed. */
export function decisionsOn(
  { rows }: DecisionsFile,
  { findings }: Pick<DecisionsAnswer, "findings">,
): DecisionOn {
  const byKey = rowsByKey(rows);
  const isVoid = ({ role, holder }: Edge) =>
    findings.some(
      (finding) =>
        finding.kind === "void" &&
        finding.role === role &&
        (finding.group ?? finding.user) === holderId(holder),
    );
  return (edge) => {
    const row = byKey.get(edgeKey(inertEdge(edge)));
    if (!row?.decision) return null;
    return { decision: row.decision, reviewer: row.reviewer, note: row.note, void: isVoid(edge) };
  };
}

/** Returns why it isn't known whether somebody has a role today; undefined if it is known. */
function unreadIn({ roles, places }: Read): (edge: Edge) => Sentence | undefined {
  const byId = new Map(roles.map((role) => [inertCell(role.id), role]));
  return ({ role: key, holder }) => {
    const role = byId.get(key);
    const { organization } = roleOfKey(key);
    if (role === undefined) {
      if (places.has(organization)) return undefined;
      // An organization's roles are the tenant's, too.
      if (organization === undefined || !places.has(undefined))
        return word("the tenant doesn't list all of its roles");
      return say`--organization ${organization} asks it`;
    }
    if (!role.exists) return undefined;
    if ("group" in holder)
      return role.incomplete ? word("the tenant doesn't list all of its groups") : undefined;
    if (role.people === undefined || role.people?.ids === undefined) return word("people were not asked for");
    return role.people.more ? word(`more than ${grouped(role.people.count)} people have it`) : undefined;
  };
}

function unreadFinding({ edge, cells }: DecisionRow, why: Sentence): DecisionsAnswer["findings"][number] {
  const { role, holder } = edge;
  const [name, title] = [cells["group_name"] || holderId(holder), cells["role_name"] || role];
  const reason = say`whether ${name} has ${title} was not read: ${why}`;
  return { kind: "unread", role, ...holder, reason };
}

function rowsByKey(rows: readonly DecisionRow[]): Map<string, DecisionRow> {
  const isDecided = ({ decision }: DecisionRow) => decision !== "";
  // One that decides counts, wherever it stands.
  const sorted = [...rows].sort((one, other) => Number(isDecided(one)) - Number(isDecided(other)));
  return new Map(sorted.map((row) => [edgeKey(row.edge), row]));
}

function grantsIn(roles: readonly AccessRole[]): GrantToday[] {
  return roles.flatMap((role) => [
    ...role.groups.map((group): GrantToday => ({ role, holder: { group: group.id }, group })),
    ...(role.people?.ids ?? []).map((user): GrantToday => ({ role, holder: { user } })),
  ]);
}

/** As in a file, which has cells that no spreadsheet takes for a formula. */
function inertEdge({ tenant = "", role, holder }: Edge): Edge {
  const inert = "group" in holder ? { group: inertCell(holder.group) } : { user: inertCell(holder.user) };
  return { tenant: inertCell(tenant), role: inertCell(role), holder: inert };
}

function isThere({ group }: Pick<GrantToday, "group">): boolean {
  return group?.status !== "drift";
}

type Open = Pick<DecisionsAnswer["findings"][number], "kind" | "reason">;

/** Undefined if the decision holds, or nothing is to be decided. */
function openOf(grant: GrantToday, row: DecisionRow | undefined, file: string): Open | undefined {
  if (row?.decision === "revoke") return { kind: "standing", reason: standingReason(grant, row) };
  // Nobody has to decide on what isn't there.
  if (!isThere(grant)) return undefined;
  const { holder, group } = grant;
  const has = say`${nameOf(holder, group)} has ${namedThing(grant.role)}`;
  if (row === undefined) return { kind: "new", reason: say`${has}, which isn't in ${file}` };
  if (row.decision === "") return { kind: "undecided", reason: say`${has}, and nobody has decided` };
  const changed = group === undefined ? say`` : changeSince(row, group.by);
  const reason = tail`${has}, and has changed since it was confirmed: ${changed}`;
  return reason.isEmpty ? undefined : { kind: "void", reason };
}

function standingReason(grant: GrantToday, { reviewer }: DecisionRow): Sentence {
  const [name, role] = [nameOf(grant.holder, grant.group), namedThing(grant.role)];
  const decided = say`which was to be revoked${tail` by ${reviewer}`}`;
  if (isThere(grant)) return say`${name} has ${role}, ${decided}`;
  const claims = list((grant.group?.by ?? []).map(nameOfClaim));
  return say`${name} doesn't have ${role}, ${decided}, but ${claims} would give it again`;
}

/** With the id, as a row is known by it: another group may have the same name, or have had it. */
function nameOf(holder: Holder, group: AccessGroup | undefined): Sentence {
  return namedThing({ id: holderId(holder), name: group?.name });
}

/** A decision is about the resources that grant the role, and about its end. Empty if they are the same. */
function changeSince(row: DecisionRow, by: readonly ClaimJson[]): Sentence {
  const { stack, resource, until } = cellsOfClaims(by);
  const isSame = inertCell(stack) === row.stack && inertCell(resource) === row.resource;
  if (!isSame && by.length === 0) return word("no state has it any more");
  const others = isSame ? [] : by.filter(isBeside(row));
  if (others.length > 0) return say`${list(others.map(nameOfClaim))} grants it too`;
  return until === row.until ? say`` : laterEnd(row, by);
}

/** Returns a test: true for a claim that the row doesn't have. */
function isBeside(row: DecisionRow): (claim: ClaimJson) => boolean {
  const [stacks, resources] = [partsOf(row.stack), partsOf(row.resource)];
  const known = new Set(stacks.map((stack, index) => `${stack} ${resources[index] ?? ""}`));
  return ({ stack, resource }) => !known.has(`${inertCell(stack)} ${inertCell(resource)}`);
}

function nameOfClaim({ stack, resource }: ClaimJson): Sentence {
  return say`${resource} in ${stack}`;
}

function laterEnd({ until }: DecisionRow, by: readonly ClaimJson[]): Sentence {
  const now = latestOf(by.map((claim) => claim.until ?? undefined));
  const then = latestOf(partsOf(until).map((part) => (part === NO_END ? undefined : part)));
  // Also if a spreadsheet has written the date in its own way.
  if (until === "" || isWithin(now, then)) return say``;
  return say`it had the end ${until}, and ${tail`ends ${now}`.or(say`has none`)}`;
}

function partsOf(cell: string): string[] {
  return cell === "" ? [] : cell.split("; ");
}

/** Each cell has one part per claim, all in the same order. */
export function cellsOfClaims(
  by: readonly ClaimJson[],
): Record<"stack" | "resource" | "line" | "until", string> {
  const all = (cell: (claim: ClaimJson) => string) => by.map(cell).join("; ");
  return {
    stack: all(({ stack }) => stack),
    resource: all(({ resource }) => resource),
    until: by.some(({ until }) => until !== null) ? all(({ until }) => until ?? NO_END) : "",
    line: all(({ line }) => (line === null ? "" : `${line.file}:${line.line}`)),
  };
}

/** `1 still to revoke, 2 new` */
export function openIn({ findings }: Pick<DecisionsAnswer, "findings">): string {
  const open = [
    ["standing", "still to revoke"],
    ["void", "changed since"],
    ["new", "new"],
    ["undecided", "undecided"],
    ["unread", "not read"],
  ] as const;
  return open
    .map(([kind, words]) => [findings.filter((finding) => finding.kind === kind).length, words] as const)
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(", ");
}
