import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { reviewView } from "../../page/review-view";
import { type ReviewJson, reviewSchema } from "../../provider/review/model";

const golden = resolve(__dirname, "../e2e/review/golden/everything.json");
const review = reviewSchema.parse(JSON.parse(readFileSync(golden, "utf8")));

const [AUDITOR, BILLING, CONTRACTORS] = [
  "rol_2kVpYs6TgLc8dJmE",
  "grp_5BmRd9aSj2WqTgFx7cUkEn",
  "grp_8HvYs4eMk3ZpLfDr6tXbNj",
];

function cellsOf(json: ReviewJson | ReviewJson[]): string[] {
  const { rows, columns, cells } = reviewView(json);
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

test("an end that moves is a mark, a badge, a fact and a tile, with both days", () => {
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
  const { cells, tiles } = reviewView(json);
  expect(cells.map(({ status, marks, badge }) => [status, marks, badge])).toEqual([
    ["keeps", ["later"], "+d"],
    ["keeps", ["earlier"], "−d"],
  ]);
  expect(cells.map(({ why }) => why.split(": ")[0])).toEqual([
    "keeps it, now without an end (was 2199-12-31)",
    "keeps it, now ends on 2199-12-31 (had no end)",
  ]);
  expect(cells.map(({ facts }) => facts[0]?.text)).toEqual([
    "Its end was 2199-12-31, and is open then",
    "Its end was open, and is 2199-12-31 then",
  ]);
  expect(tiles).toContainEqual({
    ...{ label: "Ends moved", value: "2", note: "1 later, 1 earlier" },
    kinds: ["later", "earlier"],
  });
  expect(reviewView(review).tiles.map(({ label }) => label)).not.toContain("Ends moved");
});

test("what a group doesn't have today is forgotten, and counts in no tile", () => {
  const [lost] = review.access.filter(({ effect }) => effect === "loses");
  const counts = { ...review.counts, loses: 0, gains: 0 };
  const json = reviewSchema.parse({ ...review, counts, access: [{ ...lost, forgotten: true }], after: [] });
  const { cells, tiles } = reviewView({ ...json, rules: undefined });
  expect(cells.map(({ status, why }) => [status, why.split(":")[0]])).toEqual([
    ["forgotten", "is forgotten"],
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
  const { rows, cells } = reviewView(there);
  expect(rows.map(({ id, note, organization }) => [id, note, organization?.name])).toEqual([
    [row!.role, undefined, undefined],
    [row!.role, "in acme", "acme"],
  ]);
  expect(cells.map(({ row: at, status, marks }) => [at, status, marks])).toEqual([
    [0, "gains", []],
    [1, "loses", ["broken"]],
  ]);
});

test("what can't be undone is on top, then broken rules and what can't be reviewed", () => {
  const { before, after } = reviewView(review);
  expect(before.map(({ title, items }) => `${title} ${items.length}`)).toEqual([
    "This can't be undone 2",
    "Breaks a rule 3",
    "Not reviewable 1",
  ]);
  expect(after.find(({ title }) => title === "Rules")?.items).toEqual([
    { text: "3 breaches of rules.yaml (sha256 65c00086f4829c79)" },
  ]);
  expect(before[0]?.items.map(({ text }) => text)).toEqual([
    "device credential dcr_2GjRf8mYd5LcVt7K is removed, by laptop (index.js:10): the rotating refresh token of auth0|64c1f0a2b7d83e5f9a1b2c3d on work laptop",
    "connection profile cop_legacy1111111111111111 is deleted: legacy",
  ]);
});

test("what a killed run left pending says what to do", () => {
  const pending = [{ kind: "ConnectionProfile", name: "partners", line: { file: "index.ts", line: 9 } }];
  const { before } = reviewView({ ...review, pending });
  const { items } = before.find(({ title }) => title === "An earlier run ended halfway")!;
  expect(items).toEqual([
    {
      text: expect.stringMatching(
        /^the connection profile partners \(index\.ts:9\) may be on the tenant already: /,
      ) as string,
      details: [expect.stringContaining("pulumi refresh --clear-pending-creates") as string],
    },
  ]);
});

test("a change that may not happen says why", () => {
  const access = review.access.map((row) => ({ ...row, unless: "others list it" }));
  const { cells, tiles } = reviewView({ ...review, access });
  expect(cells.filter(({ status }) => status === "loses").map(({ marks, why }) => [marks, why])[0]).toEqual([
    ["maybe"],
    "may lose it: agents (index.js:3), unless others list it",
  ]);
  expect(tiles.find(({ label }) => label === "Doubts")?.value).toBe("7");
});

test("users and permissions are listed below, with names", () => {
  const by = [{ name: "carol", op: "create", line: { file: "index.ts", line: 3 }, reason: "" }];
  const direct = { tenant: null, role: AUDITOR, user: "auth0|carol", effect: "gains" as const, by };
  const permission = {
    ...{ tenant: null, role: AUDITOR, effect: "loses" as const, permission: "delete:tickets" },
    ...{ resourceServer: "https://api.example.com", name: "may", line: null, reason: "is deleted" },
  };
  const { after } = reviewView({
    ...review,
    direct: [direct, { ...direct, organization: "org_1", unless: "it stays" }],
    permissions: [permission, { ...permission, people: { count: 2, more: true } }],
  });
  expect(after.slice(0, 2)).toEqual([
    {
      title: "Users who gain or lose a role",
      kind: "plain",
      items: [
        { text: `auth0|carol gains auditor ${AUDITOR}`, details: ["through carol (index.ts:3)"] },
        {
          text: `auth0|carol may gain auditor ${AUDITOR} in org_1, unless it stays`,
          details: ["through carol (index.ts:3)"],
        },
      ],
    },
    {
      title: "What roles and users may do",
      kind: "plain",
      items: [
        {
          text: `auditor ${AUDITOR} can no longer delete:tickets of https://api.example.com`,
          details: ["through may is deleted"],
        },
        {
          text: `auditor ${AUDITOR} can no longer delete:tickets of https://api.example.com: at least 2 people`,
          details: ["through may is deleted"],
        },
      ],
    },
  ]);
});

test("of several stacks, what happens to a group counts, and both are named", () => {
  const other: ReviewJson = {
    ...review,
    stack: "test/other",
    access: [],
    after: [{ tenant: "tenant.example.com", role: AUDITOR, groups: [{ id: BILLING }] }],
  };
  expect(cellsOf([review, other])).toContain("auditor, billing-team: gains broken");
  expect(cellsOf([other, review])).toContain("auditor, billing-team: gains broken");
  const [row] = review.access;
  const moved: ReviewJson = {
    ...other,
    access:
      row === undefined
        ? []
        : [{ ...row, effect: "loses", by: row.by.map((by) => ({ ...by, name: "old" })) }],
  };
  const { cells } = reviewView([review, moved]);
  const merged = cells.find(({ status, sources }) => status === "loses" && sources.length === 2);
  expect(merged?.sources.map(({ resource, stack }) => [resource, stack])).toEqual([
    ["old", "test/other"],
    ["more", "test/test"],
  ]);
});

test("of several stacks, the one fingerprint is shown once, and a giver in another one with its stack", () => {
  const by = [review.stack, "test/other"].map((stack) => ({ stack, name: "agents", line: null }));
  const [breach] = review.rules!.breaches.filter(({ isNew }) => isNew);
  const broken: ReviewJson = { ...review, rules: { file: "rules.yaml", breaches: [{ ...breach!, by }] } };
  const { before, facts } = reviewView([broken, { ...review, stack: "test/other", rules: undefined }]);
  expect(before.find(({ title }) => title === "Breaks a rule")?.items[0]?.details).toEqual([
    "through agents",
    "through agents in test/other",
  ]);
  expect(facts.slice(-1)).toEqual([`Fingerprint ${review.fingerprint}`]);
});

test("roles without a change are left out", () => {
  const after = [{ tenant: "tenant.example.com", role: "rol_quiet", groups: [{ id: CONTRACTORS }] }];
  const { rows } = reviewView({ ...review, after: [...review.after, ...after] });
  expect(rows.map(({ name }) => name)).toEqual(["auditor", "billing-viewer", "support-agent"]);
});

test("a profile's list says what comes and what goes", () => {
  const [profile] = review.profiles;
  const changes = [
    { path: "enabledFeatures", before: ["scim", "universal_logout"], after: ["scim", "directory_sync"] },
    { path: "name", before: "a", after: "b" },
    { path: "connectionConfig", before: undefined, after: ["scim"] },
  ];
  const { after } = reviewView({ ...review, profiles: [{ ...profile!, op: "update", changes }] });
  expect(after.find(({ title }) => title === "Connection profiles")?.items[0]?.details).toEqual([
    "enabledFeatures: + directory_sync, − universal_logout",
    "name: a → b",
    "connectionConfig: scim",
  ]);
});

test("a review without changes, and a failed one, say so", () => {
  const quiet = reviewView({ ...review, access: [], after: [] });
  expect([quiet.cells, quiet.empty]).toEqual([[], "No group gains or loses a role."]);
  const failed = reviewView({ ...review, failed: true, errors: [{ name: "agents", message: "no" }] });
  expect(failed.gaps).toEqual(["the preview failed: agents: no"]);
});
