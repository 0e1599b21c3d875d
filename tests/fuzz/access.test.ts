import MarkdownIt from "markdown-it";
import { claimsIn } from "../../cli/access/claims";
import { type Access } from "../../cli/access/document";
import { formatted } from "../../cli/access/formats";
import { accessCountsOf, rolesOf } from "../../cli/access/roles";
import { userOf } from "../../cli/access/user";
import { readStackExport } from "../../cli/stack-export";
import { assignment, cellsOf, FORMULA, state } from "../../testkit/cli/access";
import { violations } from "../../testkit/json-schemas";
import fc from "../../testkit/properties";
import { hostileText } from "./hostile";
import { NOTHING_KNOWN, untilText } from "./inputs";
import { expectCases, search } from "./search";

/*
 * Strangers' names, on the tenant and in state, are inert in the output of `access`, wherever they appear.
 */

const ROLES = ["rol_1", "rol_2"];
const GROUPS = ["grp_1", "grp_2", "grp_3"];
const TENANT = "tenant.example.com";
const NOW = Date.parse("2026-11-23T12:00:00Z");

/** Texts that a spreadsheet, Markdown or a CI system may take for more than text. */
const name = fc.oneof(
  hostileText.filter(({ length }) => length < 1_000),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ..."=+-@＝＋－＠;,|\t\r\n\"' `<>[]()#*_\\!",
          "=cmd|'/C calc'!A0",
          "=HYPERLINK(1)",
          "</td>",
          "<img src=a>",
          "[a](//b)",
          "&#61;1",
          "::error::x",
          "https://a.example",
        ),
        fc.string({ maxLength: 4 }),
      ),
      { minLength: 1, maxLength: 6 },
    )
    .map((parts) => parts.join("")),
);

const named = (ids: readonly string[]) =>
  fc.uniqueArray(fc.record({ id: fc.constantFrom(...ids), name: fc.option(name, { nil: undefined }) }), {
    selector: ({ id }) => id,
  });
const groups = fc.array(fc.oneof(fc.constantFrom(...GROUPS), name), { maxLength: 3 });
const resource = fc.record({
  role: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...ROLES) }, { weight: 1, arbitrary: name }),
  lists: groups,
  until: fc.option(untilText, { nil: undefined }),
  file: name,
  name,
});
const source = fc.record({
  kind: fc.constantFrom("role" as const, "direct" as const, "other" as const),
  id: fc.oneof(fc.constantFrom(...ROLES), name),
  name,
  type: name,
});
const world = fc.record({
  stack: name,
  resources: fc.array(resource, { maxLength: 4 }),
  roles: named(ROLES),
  groups: fc.tuple(named(GROUPS), named(GROUPS)),
  user: fc.option(
    fc.record({
      id: name,
      permissions: fc.array(
        fc.record({ resourceServer: name, name, sources: fc.option(fc.array(source, { maxLength: 3 })) }),
        { maxLength: 3 },
      ),
      unread: fc.option(fc.constant("403"), { nil: undefined }),
    }),
  ),
});

/** Returns the command's answer. */
function accessOf({
  stack,
  resources,
  roles,
  groups,
  user,
}: typeof world extends fc.Arbitrary<infer W> ? W : never): Access {
  const made = resources.map(({ role, lists, until, file, name }) => [
    name,
    { ...assignment(role, lists, { until }), sourcePosition: `project:///${file}#7,1` },
  ]);
  const exported = state(TENANT, stack, Object.fromEntries(made) as Record<string, object>);
  const states = [{ ...readStackExport(exported, "--state"), label: stack }];
  const claims = claimsIn(states, [TENANT], (text) => text, NOW);
  const holders = new Map(groups.map((one, place) => [ROLES[place] ?? "", one]));
  const told = (): Pick<Access, "roles" | "user"> => {
    if (user === null)
      return {
        roles: rolesOf({ ...NOTHING_KNOWN, roles, groups: holders }, claims, { roles: [], groups: [] }),
        user: null,
      };
    const has = ROLES.map((id) => ({
      id,
      name: undefined,
      isDirect: user.unread === undefined,
      groups: holders.get(id) ?? [],
    }));
    const unread =
      user.unread === undefined ? [] : [{ id: "org_1", name: user.id, reason: "403", allRoles: true }];
    const organizations = {
      ids: [],
      notMemberOf: [{ id: user.id, name: null }],
      others: undefined,
      names: new Map(),
      unread,
    };
    return userOf({ ...user, roles: has, allRoles: true, organizations, incomplete: [] }, claims);
  };
  const answer = told();
  return {
    version: 1,
    made: new Date(NOW).toISOString(),
    tenant: TENANT,
    complete: true,
    incomplete: [],
    stacks: claims.stacks,
    counts: accessCountsOf(answer.roles),
    ...answer,
  };
}

const TAGS = ["code", "h3", "h4", "li", "p", "table", "tbody", "td", "th", "thead", "tr", "ul"];
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

test("CSV: as many cells in each row, none of them a formula, wherever a spreadsheet parts them", () =>
  search(1_200, world, (given) => {
    const csv = formatted(accessOf(given), "csv");
    const [head = "", ...rows] = csv.replace(/^\ufeff/, "").split("\r\n");
    expect(rows.pop()).toBe("");
    const columns = cellsOf(head, ",").length;
    for (const row of rows) {
      expect(row).not.toMatch(CONTROL);
      expect(cellsOf(row, ",")).toHaveLength(columns);
      const parted = [",", ";", "|", "\t"].flatMap((separator) => cellsOf(row, separator));
      expect(parted.filter((cell) => FORMULA.test(cell))).toEqual([]);
    }
  }));

test("Markdown: nothing but the elements of an answer, and tables keep their columns", () => {
  const markdown = new MarkdownIt({ html: true, linkify: true });
  return search(1_200, world, (given) => {
    const html = markdown.render(formatted(accessOf(given), "markdown"));
    const tags = [...html.matchAll(/<\/?(\w+)/g)].map(([, tag = ""]) => tag);
    expect(tags.filter((tag) => !TAGS.includes(tag))).toEqual([]);
    for (const [table] of html.matchAll(/<table>[\s\S]*?<\/table>/g)) {
      const rows = table.split("</tr>").slice(0, -1);
      expect(new Set(rows.map((row) => row.match(/<t[dh]>/g)?.length)).size).toBe(1);
    }
  });
});

test("text and JSON: clean lines, and what the schema accepts", () =>
  search(1_200, world, (given) => {
    const access = accessOf(given);
    for (const line of formatted(access, "text").split("\n")) expect(line).not.toMatch(CONTROL);
    expect(violations("access", JSON.parse(formatted(access, "json")))).toEqual([]);
  }));

expectCases(3_600);
