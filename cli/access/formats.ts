import { type AccessJson } from "./model";
import { type Part, type Sentence } from "../../provider/sentence";
import { inMarkdown, inText, markdownRow } from "../escape";
import { padded, PLAIN, type Style } from "../terminal";
import { type Access, type AccessDocument, accessDocumentOf, type Table } from "./document";
import { type AccessGroup, type AccessRole, type ClaimJson } from "./claims";
import { csvOf } from "./csv";
import { cellsOfClaims, type DecisionsAnswer } from "./decisions";
import { htmlPage } from "../html/page";
import { type RulesAnswer } from "./rules";
import { isExpired } from "./roles";

export const FORMATS = ["text", "markdown", "csv", "json", "html"] as const;
export type Format = (typeof FORMATS)[number];

export function formatted(access: Access, format: Format, style = PLAIN): string {
  switch (format) {
    case "text":
      return toText(accessDocumentOf(access), style);
    case "markdown":
      return accessMarkdown(accessDocumentOf(access));
    case "csv":
      return toCsv(access);
    case "json":
      return `${JSON.stringify(access satisfies WithoutReasons, null, 2)}\n`;
    case "html":
      return htmlPage("access", `Access on ${access.tenant}`, withoutPeople(access));
  }
}

/** Rules name the people who break them; a page is sent around, so it has only those that were asked for. */
function withoutPeople(access: Access): Access {
  const { rules, members, roles } = access;
  const isNamed = members !== undefined || roles.some(({ people }) => people?.ids !== undefined);
  if (rules === undefined || isNamed) return access;
  const breaches = rules.breaches.map(({ people, ...breach }) => ({
    ...breach,
    ...(people !== undefined && { people: { count: people.count } }),
  }));
  return { ...access, rules: { ...rules, breaches } };
}

/** The schema describes exactly the contents that are written. */
type WithoutReasons = Omit<AccessJson, "user" | "rules" | "decisions">;

function toText(document: AccessDocument, style: Style): string {
  const text = (sentence: Sentence) => sentence.render(inertPart(inText));
  const table = ({ title, rows }: Table) =>
    [
      style("bold", text(title)),
      ...padded(rows.map((cells) => cells.map(text))).map((cells) => `  ${cells.join("  ")}`.trimEnd()),
      "",
    ].join("\n");
  return [
    [style("bold", text(document.title)), ...document.summary.map((line) => `  ${text(line)}`)].join("\n") +
      "\n",
    ...document.tables.map(table),
    ...(document.notes.length === 0 ? [] : [document.notes.map(text).join("\n") + "\n"]),
  ].join("\n");
}

function accessMarkdown(document: AccessDocument): string {
  const text = (sentence: Sentence) => sentence.render(inertPart(inMarkdown));
  const table = ({ title, head, rows }: Table) => [
    `#### ${text(title)}\n`,
    markdownRow(head),
    markdownRow(head.map(() => "---")),
    ...rows.map((cells) => markdownRow(cells.map(text))),
    "",
  ];
  return [
    `### ${text(document.title)}\n`,
    ...document.summary.map((line) => `- ${text(line)}`),
    "",
    ...document.tables.flatMap(table),
    ...document.notes.map((note) => `${text(note)}\n`),
  ].join("\n");
}

function inertPart(inert: (text: string) => string): (part: Exclude<Part, string>) => string {
  return (part) => {
    if ("place" in part) return `(${inert(`${part.place.file}:${part.place.line}`)})`;
    return inert("id" in part ? part.id : part.value);
  };
}

type CsvRow = Readonly<Record<string, string>>;

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

function tenantRows({ tenant, made, roles, rules, decisions }: Access): {
  columns: readonly string[];
  rows: CsvRow[];
} {
  const at = { tenant, as_of: made };
  const broken = (role: string, isOf: (breach: RulesAnswer["breaches"][number]) => boolean) =>
    (rules?.breaches ?? [])
      .filter((breach) => breach.roles.includes(role) && isOf(breach))
      .map(({ rule, rulesLine }) => [rule, rulesLine ?? "default"].join(" line "))
      .join("; ");
  const decided = decidedIn(decisions);
  return {
    columns: ["tenant", "as_of", ...GRANT, "people", ...(rules === undefined ? [] : ["breaks"]), ...DECISION],
    rows: roles.flatMap((role) => {
      const groups = [...role.groups, ...role.secret.map(unknownGroup)];
      return [
        ...groups.map((group) => ({
          ...at,
          ...roleCells(role),
          ...groupCells(group),
          breaks: broken(role.id, (breach) => breach.groups.includes(group.id)),
          ...decided(role.id, { group: group.id }),
        })),
        ...directCells(role.people).map(({ person, people }) => ({
          ...at,
          ...roleCells(role),
          status: DIRECT,
          people,
          breaks: broken(
            role.id,
            (breach) =>
              breach.direct?.includes(role.id) === true &&
              (person === undefined || breach.people?.ids?.includes(person) === true),
          ),
          ...decided(role.id, { user: person }),
        })),
      ];
    }),
  };
}

/** The cells of a decision that is valid today, so that only the rest is left to decide. */
function decidedIn(decisions: DecisionsAnswer | undefined) {
  const keyOf = (role: string, { group, user }: { group?: string | undefined; user?: string | undefined }) =>
    JSON.stringify([role, group, user]);
  const all = new Map((decisions?.decided ?? []).map((one) => [keyOf(one.role, one), one]));
  return (role: string, holder: { group?: string; user?: string | undefined }): CsvRow => {
    const found = all.get(keyOf(role, holder));
    return found === undefined
      ? {}
      : { decision: found.decision, reviewer: found.reviewer, note: found.note };
  };
}

/** A count, or with --people one cell for each person. */
function directCells(people: AccessRole["people"]): { person?: string; people: string }[] {
  if (people === undefined || people?.count === 0) return [];
  if (people === null) return [{ people: "unknown" }];
  const { count, more, ids } = people;
  if (ids === undefined) return [{ people: more ? `more than ${count}` : String(count) }];
  return [...ids.map((id) => ({ person: id, people: id })), ...(more ? [{ people: "and more" }] : [])];
}

function unknownGroup(claim: ClaimJson): AccessGroup {
  return { id: "", name: null, status: "unknown", by: [claim] };
}

function userRows(
  { tenant, made, roles }: Access,
  { id, permissions }: NonNullable<Access["user"]>,
): { columns: readonly string[]; rows: CsvRow[] } {
  const ways = new Map(
    roles.map((role) => [
      role.id,
      [
        ...(role.direct === true ? [{ ...roleCells(role), through: "role, directly" }] : []),
        ...role.groups.map((group) => ({ ...roleCells(role), through: "role", ...groupCells(group) })),
        ...(role.direct !== true && role.groups.length === 0
          ? [{ ...roleCells(role), through: "role, not known how" }]
          : []),
      ] as CsvRow[],
    ]),
  );
  const user = { tenant, as_of: made, user_id: id };
  const named = new Set<string>();
  const rows = permissions.flatMap(({ resourceServer, name, sources }): CsvRow[] => {
    const permission = { ...user, api: resourceServer, permission: name };
    if (sources === null) return [{ ...permission, through: "not known" }];
    return sources.flatMap((source): CsvRow[] => {
      if (source.kind === "direct") return [{ ...permission, through: "directly" }];
      if (source.kind === "other")
        return [{ ...permission, through: [source.type, source.name, source.id].join(" ").trim() }];
      named.add(source.id);
      return (ways.get(source.id) ?? []).map((way) => ({ ...permission, ...way }));
    });
  });
  // A role's permissions may not show up in the list.
  const others = roles.filter((role) => !named.has(role.id)).flatMap((role) => ways.get(role.id) ?? []);
  return {
    columns: ["tenant", "as_of", "user_id", "api", "permission", "through", ...GRANT],
    rows: [...rows, ...others.map((way) => ({ ...user, ...way }))],
  };
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
