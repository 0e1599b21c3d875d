import { toJson } from "../../cli/review/output/json";
import { type ReviewJson } from "../../provider/review/model";
import { type Act, grants, revocations } from "../../provider/review/act";
import { type JsonObject } from "../../provider/service/record";
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
const profile = (
  op: ReviewJson["profiles"][number]["op"],
  rest: Partial<ReviewJson["profiles"][number]> = {},
) => ({
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
    profile("create", { wanted: { name: "a" }, unless: "it turns out the same" }),
    profile("create", { name: "f", wanted: { name: "f", enabledFeatures: ["scim"] } }),
    // A name that isn't known yet may ask for a replacement, or for none.
    profile("update", { wanted: { name: "b" }, had: { name: "a" }, unless: "it turns out another" }),
    profile("delete", { id: "cop_9" }),
    profile("adopt", { id: null, name: "adopter", wanted: { name: "b" }, had: { name: "a" } }),
  ],
  unknown: [hole(["grant", "revoke"], { roles: ["r"] })],
  removed: [{ tenant: TENANT, id: "dcr_1" }],
};

const R = { role: "r" };
const grant = (group: string, end?: string): Act[] => grants(R, [group], end);
const revoke = (group: string): Act[] => revocations(R, [group]);
const change = (name: string, had: string, id = "cop_1"): Act[] => [
  { act: "change profile", id, wanted: { name }, had: { name: had } },
];
const create = (wanted: JsonObject): Act[] => [{ act: "create profile", wanted }];
const remove = (id: string): Act[] => [{ act: "delete profile", id }];
const removeCredential = (id: string): Act[] => [{ act: "remove credential", id }];
const B = { name: "b" };
const PLACE = { file: "review.json", tenant: TENANT, isDefault: true };

const wouldBeCreated = (name: string) =>
  `a connection profile named "${name}" would be created with these settings`;

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
  ["a removed credential", removeCredential("dcr_1"), B, undefined],
  ["another credential", removeCredential("dcr_2"), B, "device credential dcr_2 would be removed"],
  ["a deleted profile", remove("cop_9"), {}, undefined],
  ["another deleted profile", remove("cop_1"), {}, "connection profile cop_1 would be deleted"],
  ["a new profile", create({ name: "a" }), { name: "p" }, undefined],
  ["a new profile of another resource", create({ name: "a" }), { name: "q" }, wouldBeCreated("a")],
  ["a new profile as an update has it", create({ name: "b" }), { name: "p" }, wouldBeCreated("b")],
  ["… with a setting less", create({ name: "f" }), { name: "f" }, wouldBeCreated("f")],
  ["… with one more", create({ name: "a", enabledFeatures: [] }), { name: "p" }, wouldBeCreated("a")],
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
  [
    "a setting that would be emptied",
    [
      {
        act: "change profile",
        id: "cop_1",
        wanted: { name: "b" },
        had: { name: "a", enabledFeatures: ["scim"] },
      },
    ],
    { name: "p" },
    "connection profile cop_1: it would overwrite enabledFeatures, which has changed since",
  ],
  ["another profile", change("b", "a", "cop_2"), { name: "p" }, "connection profile cop_2: it would change"],
  [
    "one that would be deleted",
    [{ act: "change profile", id: "cop_9", wanted: {}, had: { name: "a" } }],
    {},
    "connection profile cop_9: it would change",
  ],
  ["one that the review couldn't name", change("b", "a", "cop_5"), { name: "adopter" }, undefined],
  [
    "… by another resource",
    change("b", "a", "cop_5"),
    { name: "p" },
    "connection profile cop_5: it would change",
  ],
])("%s", (_what, acts, actor, problem) => {
  const permits = permitsOf(REVIEW, { file: "/tmp/review.json", tenant: TENANT, isDefault: true });
  const refusal =
    problem &&
    `${problem}, but review.json (fingerprint abc, made 2026-11-22 10:02) doesn't allow that. Preview and review the change again.`;
  expect(problemsOf(permits, actor, acts)).toEqual(refusal === undefined ? [] : [refusal]);
});

const OF_HOLE = { name: "a" };

/** Moves its end, by as many assignments. */
const ending = (count: number) => ({
  ...row("keeps", "g6"),
  ends: "later" as const,
  by: Array.from({ length: count }, (_, i) => ({ name: `a${i}`, op: "update", line: null, reason: "" })),
});

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
    removeCredential("dcr_2"),
    /doesn't allow that\. Preview/,
  ],
  ["an end that it leaves open, too", { unknownAccepted: true }, grant("g4"), undefined],
  [
    "a group that the review has in another assignment",
    {},
    revoke("g3"),
    /The review has the group in another assignment, which this run hasn't checked yet/,
  ],
  ["… and another one", {}, revocations(R, ["g1", "g3"]), /g1, g3 would lose it, .* hasn't checked yet/],
  ["a group that keeps the role until another end", { access: [ending(1)] }, revoke("g6"), /again\.$/],
  ["… in two assignments", { access: [ending(2)] }, revoke("g6"), /which this run hasn't checked yet/],
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
  const acts = [
    ...grant("g2"),
    ...revoke("g4"),
    ...grant("g1"),
    ...grant("g3"),
    ...grants({ role: "s" }, ["g1"], undefined),
    ...change("c", "a"),
  ];
  expect(problemsOf(permits, B, acts).map((problem) => problem.replace(/, but .*/s, ""))).toEqual([
    "role r: g2, g3 would gain it",
    "role r: g4 would lose it",
    "role s: g1 would gain it",
    "connection profile cop_1: name would get another value",
  ]);
});

const OPEN: Record<string, Act[]> = {
  grant: grant("g2"),
  revoke: revoke("g1"),
  "delete profile": remove("cop_2"),
  "remove credential": removeCredential("dcr_2"),
};
const accepting = (...unknown: ReviewJson["unknown"]) =>
  permitsOf({ ...REVIEW, unknown, unknownAccepted: true }, PLACE);

describe("a hole that is accepted", () => {
  test.each([
    ["grant", ["grant"]],
    ["revoke", ["revoke"]],
    ["exclusive", ["revoke"]],
    ["delete", ["delete profile"]],
    ["removal", ["remove credential"]],
    ["adopt", []],
  ] as const)("of the category %s leaves %s open, and nothing else", (category, open) => {
    const permits = accepting(hole([category]));
    const acts = Object.keys(OPEN).filter(
      (act) => problemsOf(permits, OF_HOLE, OPEN[act] ?? []).length === 0,
    );
    expect(acts).toEqual(open);
  });

  test.each<[string, Actor, object, boolean]>([
    ["the resource that it names", { name: "a", id: "x" }, { id: "y" }, true],
    ["another resource with the id", { name: "b", id: "x" }, { id: "x" }, false],
    ["a delete of the id", { id: "x" }, { id: "x" }, true],
    ["a delete of another id", { id: "y" }, { id: "x" }, false],
    ["a delete that nothing hides", {}, {}, false],
  ])("is one of %s: %s and %s", (_, actor, ids, isOpen) => {
    const problems = problemsOf(accepting(hole(["revoke"], ids)), actor, revoke("g1"));
    expect(problems).toHaveLength(isOpen ? 0 : 1);
  });

  test.each<[string, JsonObject, RegExp | undefined, RegExp | undefined]>([
    ["what it hides may be anything", { showAsButton: "none", logo: "a" }, /calls this unknown/, undefined],
    ["… beside it, nothing else", { showAsButton: "none", logo: "b" }, /allow that\. Preview/, /Preview/],
    ["… nor another key", { showAsButton: "none", logo: "a", more: 1 }, /allow that\. Preview/, /Preview/],
  ])("in a setting: %s", (_, organization, refused, accepted) => {
    const profiles = [
      profile("create", { wanted: { organization: { showAsButton: "[secret]", logo: "a" } } }),
    ];
    for (const [unknownAccepted, problem] of [
      [false, refused],
      [true, accepted],
    ] as const) {
      const permits = permitsOf({ ...REVIEW, profiles, unknownAccepted }, PLACE);
      const [said] = problemsOf(permits, { name: "p" }, create({ organization }));
      if (problem === undefined) expect(said).toBeUndefined();
      else expect(said).toMatch(problem);
    }
  });
});

test("rows of another tenant permit nothing", () => {
  const text = JSON.stringify({ ...REVIEW, unknownAccepted: true }).replaceAll(TENANT, "u.example.com");
  const permits = permitsOf(JSON.parse(text) as ReviewJson, PLACE);
  const acts = [grant("g1"), grant("g2"), revoke("g2"), remove("cop_9"), removeCredential("dcr_1")];
  for (const one of acts) expect(problemsOf(permits, OF_HOLE, one)).toHaveLength(1);
  for (const one of [create({ name: "a" }), change("b", "a")])
    expect(problemsOf(permits, { name: "p" }, one)).toHaveLength(1);
});

test("rows without a tenant are this one's where the environment named it, for the stack's own settings", () => {
  const rows = { after: [{ tenant: null, role: "r", groups: [{ id: "g5" }] }], tenants: [] };
  const problem = (environmentTenant: string | null, isDefault: boolean) =>
    problemsOf(
      permitsOf({ ...EMPTY, ...rows, environmentTenant }, { ...PLACE, isDefault }),
      B,
      grant("g5"),
    )[0];
  expect(problem(TENANT, true)).toBeUndefined();
  expect(problem(null, true)).toMatch(/It doesn't name its tenant: make it with IDENTITY_DOMAIN/);
  expect(problem(TENANT, false)).toBeDefined();
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
