import { toJson } from "../../cli/review/output/json";
import { type ReviewJson } from "../../provider/review/model";
import { type Actor, permitsOf, type PlannedWrite, problemOf } from "../../provider/review/permits";
import { made } from "../../testkit/cli/previews";

/* What a review permits, without a run. tests/host/held.test.ts shows that nothing else is sent. */

const TENANT = "t.example.com";

const EMPTY: ReviewJson = {
  ...toJson(made([]), {
    made: new Date("2026-11-22T10:02:59Z"),
    unknownAccepted: false,
    environmentTenant: undefined,
  }),
  tenants: [TENANT],
  fingerprint: "abc",
};

const row = (effect: "gains" | "loses" | "keeps", group: string) => ({
  tenant: TENANT,
  role: "r",
  group,
  effect,
  by: [],
});
const profile = (op: "create" | "update" | "delete", rest: Partial<ReviewJson["profiles"][number]> = {}) => ({
  tenant: TENANT,
  op,
  id: op === "create" ? null : "cop_1",
  name: "p",
  line: null,
  reason: "",
  changes: [],
  ...rest,
});
const hole = (categories: ReviewJson["unknown"][number]["categories"], rest: object = {}) => ({
  tenant: TENANT,
  name: "a",
  line: null,
  reason: "",
  categories,
  ...rest,
});

const REVIEW: ReviewJson = {
  ...EMPTY,
  access: [row("gains", "g1"), row("loses", "g2"), row("keeps", "g3")],
  after: [
    {
      tenant: TENANT,
      role: "r",
      groups: [{ id: "g1" }, { id: "g4", until: "2026-12-31" }, { id: "g5", earlier: ["2026-11-30"] }],
    },
  ],
  profiles: [
    profile("create", { wanted: { name: "a" } }),
    profile("update", { wanted: { name: "b" }, had: { name: "a" } }),
    profile("delete", { id: "cop_9" }),
  ],
  unknown: [hole(["grant", "revoke"], { roles: ["r"] })],
  removed: [{ tenant: TENANT, id: "dcr_1" }],
};

type Checked = Parameters<typeof problemOf>[2];

const grant = (group: string): Checked => ({ act: "grant", role: "r", groups: [group] });
const until = (group: string, end?: string): PlannedWrite => ({
  act: "grant",
  role: "r",
  groups: [group],
  until: end,
});
const revoke = (group: string): Checked => ({ act: "revoke", role: "r", groups: [group] });
const change = (name: string, had: string): PlannedWrite => ({
  act: "change profile",
  id: "cop_1",
  wanted: { name },
  had: { name: had },
});
const B = { name: "b" };

test.each<[string, Checked, Actor, string | undefined]>([
  ["a grant that is listed afterwards", grant("g1"), B, undefined],
  ["another grant", grant("g2"), B, "role r: g2 would gain it"],
  ["a grant that ends as reviewed", until("g4", "2026-12-31"), B, undefined],
  ["or at the same moment", until("g4", "2027-01-01T00:00:00Z"), B, undefined],
  ["or as another assignment of the role has it", until("g5", "2026-11-30"), B, undefined],
  ["an earlier end", until("g4", "2026-12-30"), B, "role r: g4 would have it until 2026-12-30"],
  ["a new end", until("g1", "2026-12-31"), B, "role r: g1 would have it until 2026-12-31"],
  ["a longer one", until("g4", "2027-01-01"), B, "role r: g4 would have it until 2027-01-01"],
  ["one without an end", until("g4"), B, "role r: g4 would have it without an end"],
  ["a loss", revoke("g2"), B, undefined],
  ["another loss", revoke("g1"), B, "role r: g1 would lose it"],
  ["a removed credential", { act: "remove credential", id: "dcr_1" }, B, undefined],
  [
    "another credential",
    { act: "remove credential", id: "dcr_2" },
    B,
    "device credential dcr_2 would be removed",
  ],
  ["a deleted profile", { act: "delete profile", id: "cop_9" }, {}, undefined],
  [
    "another deleted profile",
    { act: "delete profile", id: "cop_1" },
    {},
    "connection profile cop_1 would be deleted",
  ],
  ["a new profile", { act: "create profile", wanted: { name: "a" } }, { name: "p" }, undefined],
  [
    "a new profile of another resource",
    { act: "create profile", wanted: { name: "a" } },
    { name: "q" },
    'a connection profile named "a" would be created with these settings',
  ],
  ["a changed profile", change("b", "a"), { name: "p" }, undefined],
  ["a profile that stays as it is", change("c", "c"), { name: "p" }, undefined],
  [
    "other settings",
    change("c", "a"),
    { name: "p" },
    "connection profile cop_1: name would get another value",
  ],
  [
    "a profile that somebody has changed since",
    change("b", "x"),
    { name: "p" },
    "connection profile cop_1: it would overwrite name, which has changed since",
  ],
])("%s", (_what, write, actor, problem) => {
  const permits = permitsOf(REVIEW, { file: "/tmp/review.json", tenant: TENANT, isDefault: true });
  const refusal =
    problem &&
    `${problem}, but review.json (fingerprint abc, made 2026-11-22 10:02) doesn't allow that. Preview and review the change again.`;
  expect(problemOf(permits, actor, write)).toEqual(refusal);
});

const OF_HOLE = { name: "a" };

test.each<[string, Partial<ReviewJson>, Checked, RegExp | undefined]>([
  [
    "what the review calls unknown, was not accepted",
    {},
    grant("g2"),
    /allow that\. It calls this unknown, and was made without --accept-unknown\. Preview/,
  ],
  ["and if it was, it is permitted", { unknownAccepted: true }, grant("g2"), undefined],
  [
    "but not for another role",
    { unknownAccepted: true },
    { act: "grant", role: "s", groups: ["g1"] },
    /^role s: g1 would gain it, but/,
  ],
  [
    "nor for a write that it doesn't leave open",
    { unknownAccepted: true },
    { act: "remove credential", id: "dcr_2" },
    /doesn't allow that\. Preview/,
  ],
  [
    "a group that the review has in another assignment",
    {},
    revoke("g3"),
    /The review has the group in another assignment, which this run hasn't checked yet/,
  ],
  [
    "a review of another tenant",
    { tenants: ["u.example.com"], unknown: [] },
    grant("g2"),
    /It is for u\.example\.com, and this run is on t\.example\.com\./,
  ],
])("%s", (_what, rest, write, problem) => {
  const permits = permitsOf({ ...REVIEW, ...rest }, { file: "review.json", tenant: TENANT, isDefault: true });
  const said = problemOf(permits, OF_HOLE, write);
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(problem);
});

test("rows without a tenant are this one's where the environment named it", () => {
  const rows = { after: [{ tenant: null, role: "r", groups: [{ id: "g5" }] }], tenants: [] };
  const place = { file: "review.json", tenant: TENANT, isDefault: true };
  const problem = (environmentTenant: string | null) =>
    problemOf(permitsOf({ ...EMPTY, ...rows, environmentTenant }, place), B, grant("g5"));
  expect(problem(TENANT)).toBeUndefined();
  expect(problem(null)).toMatch(/It doesn't name its tenant: make it with IDENTITY_DOMAIN/);
});

describe("in an organization", () => {
  const at = { organization: "org_1", role: "r" };
  const grant = (more: object = {}): PlannedWrite => ({
    act: "grant",
    role: "r",
    groups: ["g"],
    until: undefined,
    ...more,
  });
  const problem = (review: Partial<ReviewJson>, write: PlannedWrite | Parameters<typeof problemOf>[2]) =>
    problemOf(
      permitsOf({ ...EMPTY, ...review }, { file: "review.json", tenant: TENANT, isDefault: false }),
      { name: "a" },
      write,
    );
  const after = (organization: string | undefined) => ({
    after: [{ tenant: TENANT, ...(organization && { organization }), role: "r", groups: [{ id: "g" }] }],
  });

  test("a grant is permitted where it was reviewed, and nowhere else", () => {
    expect(problem(after("org_1"), grant({ organization: "org_1" }))).toBeUndefined();
    expect(problem(after("org_1"), grant())).toMatch(/^role r: g would gain it, but /);
    for (const organization of [undefined, "org_2"])
      expect(problem(after(organization), grant({ organization: "org_1" }))).toMatch(
        /^role r in org_1: g would gain it, but /,
      );
  });

  test("a loss, too", () => {
    const access = [{ ...row("loses", "g"), organization: "org_1" }];
    const loss = { act: "revoke" as const, role: "r", groups: ["g"] };
    expect(problem({ access }, { ...loss, organization: "org_1" })).toBeUndefined();
    expect(problem({ access }, loss)).toMatch(/^role r: g would lose it/);
    expect(problem({ access: [row("loses", "g")] }, { ...loss, ...at })).toMatch(/^role r in org_1: g would/);
  });

  test("an accepted hole is one of the organization that it names", () => {
    const unknown = [hole(["grant"], { roles: ["org_1/r"] })];
    const accepted = { unknown, unknownAccepted: true };
    expect(problem(accepted, grant({ organization: "org_1" }))).toBeUndefined();
    expect(problem(accepted, grant({ organization: "org_2" }))).toBeDefined();
    expect(problem(accepted, grant())).toBeDefined();
  });
});
