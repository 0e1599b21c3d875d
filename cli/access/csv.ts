import { clean } from "../../provider/border";
import { type Access } from "./document";
import { type AccessGroup } from "./claims";
import { isExpired } from "./roles";

type CsvRow = Readonly<Record<string, string>>;

/** Excel takes a file without it for one of another encoding. */
const BYTE_ORDER_MARK = "\ufeff";

/** For a spreadsheet: one row a grant; of a user, one for each way to each permission. */
export function toCsv(access: Access): string {
  const rows = access.user === null ? tenantRows(access) : userRows(access, access.user);
  const lines = [rows.columns, ...rows.rows.map((row) => rows.columns.map((column) => row[column] ?? ""))];
  return BYTE_ORDER_MARK + lines.map((cells) => cells.map(inCsv).join(",") + "\r\n").join("");
}

/** What a spreadsheet takes for the beginning of a formula; the wide ones in some languages. */
const FORMULA = /(^|[,;|\t])([\s"]*)(?=[=+\-@\t\r＝＋－＠])/g;

/**
 * A cell that no spreadsheet takes for a formula: an apostrophe stands before what begins one. A spreadsheet may part cells
 * at other characters than commas, so that it stands behind these, too.
 */
export function inCsv(value: string): string {
  const inert = clean(value).replace(FORMULA, "$1'$2");
  return `"${inert.replaceAll('"', '""')}"`;
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

function tenantRows({ tenant, made, roles }: Access): { columns: readonly string[]; rows: CsvRow[] } {
  const at = { tenant, as_of: made };
  return {
    columns: ["tenant", "as_of", ...GRANT],
    rows: roles.flatMap((role) => [
      ...role.groups.map((group) => ({
        ...at,
        ...roleCells(role),
        ...groupCells(group),
      })),
      ...role.secret.map((claim) => ({
        ...at,
        ...roleCells(role),
        ...groupCells({ id: "", name: null, status: "unknown", by: [claim] }),
      })),
    ]),
  };
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
  // A role may give nothing that the list of permissions shows.
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
  // As many parts in each cell as there are claims, in one order.
  const all = (cell: (claim: AccessGroup["by"][number]) => string) => by.map(cell).join("; ");
  return {
    group_id: id,
    group_name: name ?? "",
    status,
    stack: all(({ stack }) => stack),
    resource: all(({ resource }) => resource),
    until: by.some(({ until }) => until !== null) ? all(({ until }) => until ?? "no end") : "",
    expired: isExpired(group) ? "yes" : "",
    line: all(({ line }) => (line === null ? "" : `${line.file}:${line.line}`)),
  };
}
