import { toJson } from "../../cli/review/output/json";
import { type ReviewJson } from "../../provider/review/model";
import { type Act, grants, revocations } from "../../provider/review/act";
import { type Actor, permitsOf, problemsOf } from "../../provider/review/permits";
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

const R = { role: "r" };
const grant = (group: string, end?: string): Act[] => grants(R, [group], end);
const revoke = (group: string): Act[] => revocations(R, [group]);
const change = (name: string, had: string): Act[] => [
  { act: "change profile", id: "cop_1", wanted: { name }, had: { name: had } },
];
const B = { name: "b" };

test.each<[string, Act[], Actor, string | undefined]>([
  ["a grant that is listed afterwards", grant("g1"), B, undefined],
  ["another grant", grant("g2"), B, "role r: g2 would gain it"],
  ["a grant that ends as reviewed", grant("g4", "2026-12-31"), B, undefined],
  ["or at the same moment", grant("g4", "2027-01-01T00:00:00Z"), B, undefined],
  ["or as another assignment of the role has it", grant("g5", "2026-11-30"), B, undefined],
  ["an earlier end", grant("g4", "2026-12-30"), B, "role r: g4 would have it until 2026-12-30"],
  ["a new end", grant("g1", "2026-12-31"), B, "role r: g1 would have it until 2026-12-31"],
  ["a longer one", grant("g4", "2027-01-01"), B, "role r: g4 would have it until 2027-01-01"],
  ["one without an end", grant("g4"), B, "role r: g4 would have it without an end"],
  ["a loss", revoke("g2"), B, undefined],
  ["another loss", revoke("g1"), B, "role r: g1 would lose it"],
  ["a removed credential", [{ act: "remove credential", id: "dcr_1" }], B, undefined],
  [
    "another credential",
    [{ act: "remove credential", id: "dcr_2" }],
    B,
    "device credential dcr_2 would be removed",
  ],
  ["a deleted profile", [{ act: "delete profile", id: "cop_9" }], {}, undefined],
  [
    "another deleted profile",
    [{ act: "delete profile", id: "cop_1" }],
    {},
    "connection profile cop_1 would be deleted",
  ],
  ["a new profile", [{ act: "create profile", wanted: { name: "a" } }], { name: "p" }, undefined],
  [
    "a new profile of another resource",
    [{ act: "create profile", wanted: { name: "a" } }],
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
])("%s", (_what, acts, actor, problem) => {
  const permits = permitsOf(REVIEW, { file: "/tmp/review.json", tenant: TENANT, isDefault: true });
  const refusal =
    problem &&
    `${problem}, but review.json (fingerprint abc, made 2026-11-22 10:02) doesn't allow that. Preview and review the change again.`;
  expect(problemsOf(permits, actor, acts)).toEqual(refusal === undefined ? [] : [refusal]);
});

const OF_HOLE = { name: "a" };

test.each<[string, Partial<ReviewJson>, Act[], RegExp | undefined]>([
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
    grants({ role: "s" }, ["g1"], undefined),
    /^role s: g1 would gain it, but/,
  ],
  [
    "nor for a write that it doesn't leave open",
    { unknownAccepted: true },
    [{ act: "remove credential", id: "dcr_2" }],
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
])("%s", (_what, rest, acts, problem) => {
  const permits = permitsOf({ ...REVIEW, ...rest }, { file: "review.json", tenant: TENANT, isDefault: true });
  const [said] = problemsOf(permits, OF_HOLE, acts);
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(problem);
});

test("acts on one role are one sentence, which names those that aren't in the review", () => {
  const permits = permitsOf(REVIEW, { file: "review.json", tenant: TENANT, isDefault: true });
  const acts = [...grant("g2"), ...revoke("g4"), ...grant("g1"), ...grant("g3"), ...change("c", "a")];
  expect(problemsOf(permits, B, acts).map((problem) => problem.replace(/, but .*/s, ""))).toEqual([
    "role r: g2, g3 would gain it",
    "role r: g4 would lose it",
    "connection profile cop_1: name would get another value",
  ]);
});

test("rows without a tenant are this one's where the environment named it", () => {
  const rows = { after: [{ tenant: null, role: "r", groups: [{ id: "g5" }] }], tenants: [] };
  const place = { file: "review.json", tenant: TENANT, isDefault: true };
  const problem = (environmentTenant: string | null) =>
    problemsOf(permitsOf({ ...EMPTY, ...rows, environmentTenant }, place), B, grant("g5"))[0];
  expect(problem(TENANT)).toBeUndefined();
  expect(problem(null)).toMatch(/It doesn't name its tenant: make it with IDENTITY_DOMAIN/);
});

describe("in an organization", () => {
  const granted = (organization?: string) => grants({ organization, role: "r" }, ["g"], undefined);
  const revoked = (organization?: string) => revocations({ organization, role: "r" }, ["g"]);
  const problem = (review: Partial<ReviewJson>, acts: Act[]) =>
    problemsOf(
      permitsOf({ ...EMPTY, ...review }, { file: "review.json", tenant: TENANT, isDefault: false }),
      { name: "a" },
      acts,
    )[0];
  const after = (organization: string | undefined) => ({
    after: [{ tenant: TENANT, ...(organization && { organization }), role: "r", groups: [{ id: "g" }] }],
  });

  test("a grant is permitted where it was reviewed, and nowhere else", () => {
    expect(problem(after("org_1"), granted("org_1"))).toBeUndefined();
    expect(problem(after("org_1"), granted())).toMatch(/^role r: g would gain it, but /);
    for (const organization of [undefined, "org_2"])
      expect(problem(after(organization), granted("org_1"))).toMatch(
        /^role r in org_1: g would gain it, but /,
      );
  });

  test("a loss, too", () => {
    const access = [{ ...row("loses", "g"), organization: "org_1" }];
    expect(problem({ access }, revoked("org_1"))).toBeUndefined();
    expect(problem({ access }, revoked())).toMatch(/^role r: g would lose it/);
    expect(problem({ access: [row("loses", "g")] }, revoked("org_1"))).toMatch(/^role r in org_1: g would/);
  });

  test("an accepted hole is one of the organization that it names", () => {
    const unknown = [hole(["grant"], { roles: ["org_1/r"] })];
    const accepted = { unknown, unknownAccepted: true };
    expect(problem(accepted, granted("org_1"))).toBeUndefined();
    expect(problem(accepted, granted("org_2"))).toBeDefined();
    expect(problem(accepted, granted())).toBeDefined();
  });
});
