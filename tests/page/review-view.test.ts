import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { reviewView } from "../../page/review-view";
import { textOf, type Words } from "../../page/view";
import { type ReviewJson, reviewSchema } from "../../provider/review/model";
import { inPage, reviewShown } from "../../testkit/cli/pages";

const golden = resolve(__dirname, "../e2e/review/golden/everything.json");
const review = reviewSchema.parse(JSON.parse(readFileSync(golden, "utf8")));

const [AUDITOR, BILLING, CONTRACTORS] = [
  "rol_2kVpYs6TgLc8dJmE",
  "grp_5BmRd9aSj2WqTgFx7cUkEn",
  "grp_8HvYs4eMk3ZpLfDr6tXbNj",
];

const viewOf = (...json: ReviewJson[]) => reviewView(inPage(reviewShown(...json)));
const texts = (all: readonly Words[]) => all.map((words) => textOf(words, new Map()));

function cellsOf(...json: ReviewJson[]): string[] {
  const { rows, columns, cells } = viewOf(...json);
  return cells
    .map(
      ({ row, column, status, marks }) =>
        `${rows[row]?.name ?? ""}, ${columns[column]?.name ?? ""}: ${[status, ...marks].join(" ")}`,
    )
    .sort();
}

test("gains, losses, moves and what stays are cells, and broken rules are marked where they break", () => {
  expect(cellsOf(review)).toEqual([
    "auditor, billing-team: gains broken",
    "auditor, contractors: keeps broken",
    "billing-viewer, billing-team: gains broken",
    "billing-viewer, directory-admins: loses",
    "support-agent, billing-team: loses",
    "support-agent, contractors: gains broken",
    "support-agent, directory-admins: stays",
    "support-agent, support-desk: stays broken",
  ]);
});

test("an end that moves is a mark, a badge, a sentence and a tile", () => {
  const [row] = review.access.filter(({ effect }) => effect === "gains");
  const moved = (
    ends: "later" | "earlier",
    days: { until?: string; untilBefore?: string },
    group: string,
  ) => ({
    ...{ ...row!, effect: "keeps" as const, ends, group },
    ...days,
  });
  const json: ReviewJson = {
    ...review,
    counts: { ...review.counts, gains: 0, loses: 0, endsLater: 1, endsEarlier: 1 },
    access: [
      moved("later", { untilBefore: "2199-12-31" }, BILLING),
      moved("earlier", { until: "2199-12-31" }, CONTRACTORS),
    ],
    after: [],
    rules: undefined,
  };
  const { cells, tiles } = viewOf(json);
  expect(cells.map(({ status, marks, badge }) => [status, marks, badge])).toEqual([
    ["keeps", ["later"], "+d"],
    ["keeps", ["earlier"], "−d"],
  ]);
  expect(texts(cells.map(({ why }) => why)).map((why) => why.split(": ")[0])).toEqual([
    "± keeps, now without an end (was 2199-12-31)",
    "± keeps, now ends on 2199-12-31 (had no end)",
  ]);
  expect(tiles).toContainEqual({
    ...{ label: "Ends moved", value: "2", note: "1 later, 1 earlier" },
    kinds: ["later", "earlier"],
  });
  expect(viewOf(review).tiles.map(({ label }) => label)).not.toContain("Ends moved");
});

test("what a group doesn't have today is forgotten, and counts in no tile", () => {
  const [lost] = review.access.filter(({ effect }) => effect === "loses");
  const counts = { ...review.counts, loses: 0, gains: 0 };
  const json = reviewSchema.parse({ ...review, counts, access: [{ ...lost, forgotten: true }], after: [] });
  const { cells, tiles } = viewOf({ ...json, rules: undefined });
  expect(cells.map(({ status, why }) => [status, texts([why])[0]?.split(":")[0]])).toEqual([
    ["forgotten", "forgotten"],
  ]);
  expect(tiles.slice(0, 2).map(({ value, note }) => [value, note])).toEqual([
    ["0", "0 roles change"],
    ["0", "0 groups change"],
  ]);
});

test("what happens in an organization is a row of its own, also where the tenant has the same role", () => {
  const ACME = "org_5vJmTq8XbRz3kWcY";
  const [row] = review.access.filter(({ effect }) => effect === "gains");
  const there: ReviewJson = {
    ...review,
    names: { ...review.names, [ACME]: "acme" },
    access: [row!, { ...row!, organization: ACME, effect: "loses" }],
    after: [],
    rules: {
      file: "rules.yaml",
      breaches: [
        {
          ...{ organization: ACME, rule: "allow", rulesLine: 2, tenant: row!.tenant, isNew: true, by: [] },
          ...{ roles: [row!.role], groups: [row!.group], reason: "not allowed in acme" },
        },
      ],
    },
  };
  const { rows, cells } = viewOf(there);
  expect(rows.map(({ id, note, organization }) => [id, note, organization?.name])).toEqual([
    [row!.role, undefined, undefined],
    [row!.role, "in acme", "acme"],
  ]);
  expect(cells.map(({ row: at, status, marks }) => [at, status, marks])).toEqual([
    [0, "gains", []],
    [1, "loses", ["broken"]],
  ]);
});

test("what can't be undone is on top, then what is broken, and the rest around the matrix", () => {
  const { before, after } = viewOf(review);
  const shown = (sections: typeof before) =>
    sections.map(({ title, kind, rows }) => `${texts([title])[0]} ${rows.length} ${kind}`);
  expect(shown(before)).toEqual([
    "This can't be undone 2 danger",
    "Breaks a rule 3 broken",
    "Not reviewable 1 broken",
    "Needs an approval before it is applied 1 plain",
  ]);
  expect(shown(after)).toEqual([
    "Rules 1 plain",
    "Who gains and who loses access 0 plain",
    "What the roles allow 2 plain",
    "Connection profiles 3 plain",
    "Broke a rule before 1 plain",
    "For the record 6 plain",
  ]);
  expect(texts(after.flatMap(({ totals }) => totals))).toEqual([
    "In all: 5 people in groups that gain a role and 5 people in groups that lose a role.",
  ]);
});

test("a row about cells opens the first one", () => {
  const { before, cells, rows, columns } = viewOf(review);
  const [broken] = before.filter(({ id }) => id === "rules");
  const opened = (broken?.rows ?? []).map(({ cell = -1 }) => cells[cell]);
  expect(opened.map((cell) => [rows[cell?.row ?? -1]?.name, columns[cell?.column ?? -1]?.name])).toEqual([
    ["support-agent", "contractors"],
    ["support-agent", "support-desk"],
    ["auditor", "billing-team"],
  ]);
  // In the cell, the same sentence.
  expect(opened.map((cell) => cell?.remarks[0]?.words)).toEqual(broken?.rows.map((row) => row.cells[0]));
});

test("a change that may not happen says why", () => {
  const access = review.access.map((row) => ({ ...row, unless: "others list it" }));
  const { cells, tiles } = viewOf({ ...review, access });
  const [lost] = cells.filter(({ status }) => status === "loses");
  expect([lost?.marks, ...texts([lost?.why ?? []])]).toEqual([
    ["maybe"],
    "− may lose: agents (index.js:3), unless others list it",
  ]);
  expect(tiles.find(({ label }) => label === "Doubts")?.value).toBe("7");
});

test("users, who have no place in the matrix, are listed below it", () => {
  const by = [{ name: "carol", op: "create", line: { file: "index.ts", line: 3 }, reason: "" }];
  const direct = { tenant: null, role: AUDITOR, user: "auth0|carol", effect: "gains" as const, by };
  const { after, cells } = viewOf({ ...review, direct: [direct] });
  expect(cells).toHaveLength(viewOf(review).cells.length);
  const [users] = after.filter(({ id }) => id === "access");
  expect(users?.head).toEqual(["Role", "Change", "Group or user", "Through"]);
  expect(users?.rows.map((row) => texts(row.cells))).toEqual([
    [AUDITOR, "+ gains", "auth0|carol", "carol (index.ts:3)"],
  ]);
});

test("of several stacks, what happens to a group counts, and both are named", () => {
  const other: ReviewJson = {
    ...review,
    stack: "test/other",
    access: [],
    after: [{ tenant: "tenant.example.com", role: AUDITOR, groups: [{ id: BILLING }] }],
  };
  expect(cellsOf(review, other)).toContain("auditor, billing-team: gains broken");
  expect(cellsOf(other, review)).toContain("auditor, billing-team: gains broken");
  const [row] = review.access;
  const moved: ReviewJson = {
    ...other,
    access:
      row === undefined
        ? []
        : [{ ...row, effect: "loses", by: row.by.map((by) => ({ ...by, name: "old" })) }],
  };
  const { cells } = viewOf(review, moved);
  const merged = cells.find(({ status, sources }) => status === "loses" && sources.length === 2);
  expect(merged?.sources.map(({ resource, stack }) => [resource, stack])).toEqual([
    ["old", "test/other"],
    ["more", "test/test"],
  ]);
});

test("of several stacks, each row begins with its stack, sections and the fingerprint are there once", () => {
  const others = { ...review.counts, others: 1 };
  const other: ReviewJson = { ...review, stack: "test/other" };
  // What only one of them has keeps its place.
  const titles = viewOf({ ...review, notes: [] }, { ...other, counts: others }).after.map(({ id }) => id);
  expect(titles.slice(-3)).toEqual(["rules before", "notes", "others"]);
  const { before, heads, remarks } = viewOf(review, other);
  const [broken, ...more] = before.filter(({ id }) => id === "rules");
  expect(more).toEqual([]);
  const begins = texts(broken?.rows.flatMap(({ cells }) => cells) ?? []).map((text) => text.split(": ")[0]);
  expect(begins).toEqual(["test/test", "test/test", "test/test", "test/other", "test/other", "test/other"]);
  expect(texts(heads.map(({ title }) => title))).toEqual(
    ["test/test", "test/other"].map((stack) => `Access review of ${stack}, tenant tenant.example.com`),
  );
  expect(remarks.slice(1)).toEqual([`Fingerprint ${review.fingerprint}`]);
});

test("roles without a change are left out", () => {
  const after = [{ tenant: "tenant.example.com", role: "rol_quiet", groups: [{ id: CONTRACTORS }] }];
  const { rows } = viewOf({ ...review, after: [...review.after, ...after] });
  expect(rows.map(({ name }) => name)).toEqual(["auditor", "billing-viewer", "support-agent"]);
});

test("a review without changes says so, and one that failed has no fingerprint", () => {
  const quiet = viewOf({ ...review, access: [], after: [], rules: undefined });
  expect([quiet.cells, quiet.empty]).toEqual([[], "No group gains or loses a role."]);
  expect(viewOf({ ...review, failed: true }).remarks).toHaveLength(1);
});
