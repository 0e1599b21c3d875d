import { csvLines, csvOf } from "../../../cli/access/csv";
import { judgedBy, readDecisions } from "../../../cli/access/decisions";
import { formatted } from "../../../cli/access/formats";
import { inMarkdown } from "../../../cli/escape";
import { manyGroups } from "../../../testkit/assignments";
import { ACME, assignment, inOrganization, jsonOf, useAccess } from "../../../testkit/cli/access";
import { pageJson } from "../../../testkit/cli/pages";
import { UNUSUAL_IDS } from "../../../testkit/unusual-ids";

/* Roles with ids that the document allows and no recorded tenant has: in states, and in each format. */

const { simulator: _, ...access } = useAccess();

/** A group has at most ten roles. */
const GROUPS = manyGroups(UNUSUAL_IDS.length);
const groupOf = (n: number) => GROUPS[n] ?? "";
const roles = UNUSUAL_IDS.map((id, n) => ({ id, groups: [groupOf(n)] }));
const resources = Object.fromEntries(
  UNUSUAL_IDS.flatMap((id, n): [string, object][] => [
    [`here${n}`, assignment(id, [groupOf(n)], { roleId: id })],
    [`there${n}`, inOrganization(ACME, id, [groupOf(n)])],
  ]),
);
const KEYS = [...UNUSUAL_IDS, ...UNUSUAL_IDS.map((id) => `${ACME}/${id}`)].sort();

beforeEach(() =>
  access.seed({
    users: [],
    groups: GROUPS.map((id) => ({ id })),
    roles: UNUSUAL_IDS.map((id, n) => ({ id, name: `role ${n}`, groups: [groupOf(n)] })),
    organizations: [{ id: ACME, name: "acme", groups: GROUPS, roles }],
  }),
);

test("each is the one that the state knows, in the tenant and in the organization", async () => {
  const json = jsonOf(await access.ask(resources));
  expect(json.roles.map(({ id }) => id).sort()).toEqual(KEYS);
  const claims = json.roles.flatMap(({ groups }) => groups).map(({ status, by }) => [status, by.length]);
  expect(claims).toEqual(KEYS.map(() => ["managed", 1]));
  expect(json.complete).toBe(true);
});

test("Markdown has each in a code span, in rows of as many cells as their head", async () => {
  const markdown = formatted(await access.ask(resources), "markdown");
  for (const id of UNUSUAL_IDS) expect(markdown).toContain(inMarkdown(id));
  const tables = markdown
    .split(/\n(?!\|)/)
    .map((text) => text.split("\n").filter((row) => row.startsWith("|")));
  for (const rows of tables) expect(new Set(rows.map((row) => row.split("|").length)).size).toBeLessThan(2);
});

test("a page has all of it", async () => {
  const answer = await access.ask(resources);
  expect(pageJson(formatted(answer, "html"))).toEqual(jsonOf(answer));
});

test("CSV is read again with the decisions, and no cell begins a formula", async () => {
  const answer = await access.ask(resources);
  const [head, ...rows] = csvLines(formatted(answer, "csv")).map(({ cells }) => cells);
  const [columns = [], decision] = [head, head?.indexOf("decision")];
  const confirmed = rows.map((cells) => cells.map((cell, at) => (at === decision ? "confirm" : cell)));
  const file = readDecisions({ file: "access.csv", text: csvOf([columns, ...confirmed]) });

  expect(rows.flat().filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  const { tenant, roles } = jsonOf(answer);
  const judged = judgedBy(file, { tenant, roles, read: { roles, places: new Set() } });
  expect(judged.findings).toEqual([]);
  expect(judged.counts.confirmed).toBe(KEYS.length);
});
