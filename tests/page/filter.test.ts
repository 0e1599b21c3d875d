import { accessView } from "../../page/access-view";
import { type Filter, Filters, NO_FILTER, sorted, TENANT } from "../../page/filter";
import { accessShown, everything, idOf, inPage, organizations } from "../../testkit/cli/pages";

const viewOf = (json: ReturnType<typeof everything>) => accessView(inPage(accessShown(json)));

const view = viewOf(everything());
const filters = new Filters(view);

/** `billing-viewer: contractors, support-desk` */
function shown(filter: Partial<Filter>): string[] {
  const { rows, cells, count } = filters.shown({ ...NO_FILTER, ...filter });
  expect(count).toBe(cells.filter(Boolean).length);
  return view.rows.flatMap(({ name }, row) => {
    if (rows[row] !== true) return [];
    const columns = view.cells.flatMap((cell, index) =>
      cell.row === row && cells[index] === true ? [view.columns[cell.column]?.name ?? ""] : [],
    );
    return [`${name}: ${columns.sort().join(", ")}`];
  });
}

test.each<[string, Partial<Filter>, string[]]>([
  ["a status", { kinds: new Set(["unmanaged"]) }, ["support-agent: support-desk"]],
  ["a status or a mark", { kinds: new Set(["direct", "expired"]) }, ["support-agent: contractors, people"]],
  ["a stack", { stack: "access/dev" }, ["billing-viewer: billing-team, contractors, secret groups"]],
  ["words of a role and of a group", { text: "BILLING-V desk" }, ["billing-viewer: support-desk"]],
  ["a resource", { text: "owners" }, ["admin: directory-admins"]],
  ["a permission", { text: "close:tickets desk" }, ["support-agent: support-desk"]],
  ["a role that nobody has", { text: "auditor" }, ["auditor: "]],
  ["such a role, and a status", { text: "auditor", kinds: new Set(["managed"]) }, []],
  ["nothing", { text: "no such text" }, []],
])("%s", (_, filter, rows) => {
  expect(shown(filter)).toEqual(rows);
});

test("an organization, or the tenant itself", () => {
  const there = viewOf(organizations());
  const shownIn = (filter: Partial<Filter>) => {
    const { rows } = new Filters(there).shown({ ...NO_FILTER, ...filter });
    return there.rows.flatMap(({ note = "" }, row) => (rows[row] === true ? [note] : []));
  };
  expect(shownIn({ organization: TENANT })).toEqual([""]);
  expect(shownIn({ organization: idOf("org", "acme") })).toEqual(["in acme"]);
  expect(shownIn({ organization: idOf("org", "acme"), text: "billing" })).toEqual([]);
  expect(shownIn({ text: "acme" })).toEqual(["in acme"]);
});

test("without a filter, all is shown", () => {
  expect(filters.shown(NO_FILTER).count).toBe(view.cells.length);
});

test("special columns stay at the ends of each order", () => {
  const named = (order: number[]) => order.map((index) => view.columns[index]?.name);
  expect(named(sorted(view, "column", "most"))).toEqual([
    "people",
    "billing-team",
    "contractors",
    "support-desk",
    "directory-admins",
    view.columns.at(-2)?.name,
    "secret groups",
  ]);
  expect(sorted(view, "row", "doubts").map((index) => view.rows[index]?.name)).toEqual([
    "support-agent",
    "billing-viewer",
    "admin",
    "auditor",
  ]);
});
