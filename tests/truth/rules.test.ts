import { type ReviewJson } from "../../provider/review/model";
import { Judge, rulesClaims, type Said, standingOf, unsaidIn, whyNone } from "./rules";
import { GROUPS, ORGANIZATIONS, PEOPLE, ROLES } from "../../testkit/worlds/universe";
import { type RulesText } from "../../testkit/worlds/world";

/* Proves that the claims can fail, for each kind of rule. */

const [agent = "", viewer = "", auditor = ""] = ROLES;
const [one = "", two = "", three = ""] = GROUPS;
const [acme = "", other = ""] = ORGANIZATIONS.map(({ id }) => id);
const HOST = "tenant.example.com";

const RULES: RulesText = {
  allow: { [agent]: [one] },
  conflicts: [{ roles: [agent, viewer], anyContext: false }],
  end: { [auditor]: 30 },
  direct: { [auditor]: "forbid" },
  default: "free",
  organizations: { [acme]: { allow: { [viewer]: [] }, end: {}, direct: {}, default: "free" } },
};
/** As `RULES`, but for a conflict across organizations. */
const ACROSS: RulesText = {
  ...RULES,
  conflicts: [{ roles: [agent, { role: viewer, organization: acme }], anyContext: true }],
};
const text = JSON.stringify(RULES);
const judge = new Judge(RULES, Date.parse("2026-11-26T10:00:00Z"));

/** `groups`: by role, in an organization `org_…/rol_…`. `direct`: the tenant's roles by person. */
const standing = (groups: Record<string, string[]>, direct: Record<string, string[]> = {}) =>
  standingOf(
    {
      roles: ROLES.map((id) => ({ id, groups: groups[id] ?? [] })),
      organizations: [acme, other].map((id) => ({
        id,
        name: id,
        groups: [],
        roles: ROLES.map((role) => ({ id: role, groups: groups[`${id}/${role}`] ?? [], members: [] })),
      })),
      users: PEOPLE.map((user) => ({ ...user, permissions: [], roles: direct[user.user_id] ?? [] })),
    },
    [],
  );

type Breach = NonNullable<ReviewJson["rules"]>["breaches"][number];
const breach = (
  rule: Said["rule"],
  roles: string[],
  groups: string[],
  more: Partial<Breach> = {},
): Breach => ({
  rule,
  rulesLine: 1,
  roles,
  groups,
  tenant: HOST,
  isNew: true,
  by: [],
  reason: [rule, ...groups, ...roles].join(" "),
  ...more,
});
const claimsOf = (
  breaches: Breach[],
  after: Record<string, string[]>,
  before: Record<string, string[]> = {},
  unknown: unknown[] = [],
  rules = text,
) =>
  rulesClaims({
    review: {
      made: "2026-11-26T10:00:00.000Z",
      unknown,
      rules: { file: "", breaches },
    } as unknown as ReviewJson,
    text: rules,
    isPartial: false,
    before: { [HOST]: standing(before) },
    after: { [HOST]: standing(after) },
    isOpen: () => false,
  }).map(({ claim }) => claim);

const BROKEN: [string, Record<string, string[]>, Breach][] = [
  ["allow", { [agent]: [two] }, breach("allow", [agent], [two])],
  ["a conflict in a group", { [agent]: [one], [viewer]: [one] }, breach("conflict", [agent, viewer], [one])],
  [
    "a conflict in a person",
    { [agent]: [one], [viewer]: [two] },
    breach("conflict", [agent, viewer], [one, two], { people: { count: 1, ids: ["auth0|person0"] } }),
  ],
  [
    "an organization's own line",
    { [`${acme}/${viewer}`]: [two], [`${other}/${viewer}`]: [two] },
    breach("allow", [`${acme}/${viewer}`], [two]),
  ],
  [
    "a conflict in an organization",
    { [`${other}/${agent}`]: [one], [`${other}/${viewer}`]: [one] },
    breach("conflict", [`${other}/${agent}`, `${other}/${viewer}`], [one]),
  ],
  ["end", { [auditor]: [three] }, breach("end", [auditor], [three])],
];

test.each(BROKEN)(
  "%s: said as it is, unsaid, doubted, said of something else, and old or new",
  (_, after, said) => {
    expect(claimsOf([said], after)).toEqual([]);
    // The people of a group that has both roles are unsaid, too.
    expect([...new Set(claimsOf([], after))]).toEqual(["unsaid breach"]);
    expect(claimsOf([], after, {}, [{ name: null, categories: ["rules"] }])).toEqual([]);
    expect(claimsOf([said], {})).toEqual(["said breach"]);
    expect(claimsOf([said], after, after)).toEqual(["said breach"]);
    expect(claimsOf([{ ...said, isNew: false }], after, after)).toEqual([]);
    expect(claimsOf([{ ...said, isNew: false }], after)).toEqual(["said breach"]);
  },
);

test("a conflict holds in one place, unless it compares all", () => {
  const after = { [agent]: [one], [`${acme}/${viewer}`]: [two], [`${other}/${viewer}`]: [one] };
  const said = breach("conflict", [agent, `${acme}/${viewer}`], [one, two], {
    people: { count: 1, ids: ["auth0|person0"] },
  });
  const rules = JSON.stringify({ ...ACROSS, organizations: {} });
  expect(claimsOf([said], after, {}, [], rules)).toEqual([]);
  expect(claimsOf([], after, {}, [], rules)).toEqual(["unsaid breach"]);
  expect(claimsOf([said], after)).toEqual(["said breach", "unsaid breach"]);
});

test("a role that nobody keeps: said as it is, unsaid, said of one who keeps it, and old or new", () => {
  const rules = JSON.stringify({ ...RULES, require: { [viewer]: [one, two] }, organizations: {} });
  const said = breach("require", [viewer], [one, two]);
  const had = { [viewer]: [one] };
  expect(claimsOf([said], { [viewer]: [three] }, had, [], rules)).toEqual([]);
  expect(claimsOf([], {}, had, [], rules)).toEqual(["unsaid breach"]);
  expect(claimsOf([said], { [viewer]: [two] }, had, [], rules)).toEqual(["said breach"]);
  expect(claimsOf([{ ...said, groups: [one] }], {}, had, [], rules)).toContain("said breach");
  expect(claimsOf([{ ...said, isNew: false }], {}, had, [], rules)).toEqual(["said breach"]);
  // A review doesn't ask for it if nothing changes.
  expect(claimsOf([], {}, {}, [], rules)).toEqual([]);
});

const PERSON = "auth0|person2";
const DIRECTLY: [string, Record<string, string[]>, string[], Breach][] = [
  [
    "a forbidden role",
    {},
    [auditor],
    breach("direct", [auditor], [], { direct: [auditor], people: { count: 1, ids: [PERSON] } }),
  ],
  [
    "a role of a conflict, beside one through a group",
    { [agent]: [one] },
    [viewer],
    breach("conflict", [agent, viewer], [one], { direct: [viewer], people: { count: 1, ids: [PERSON] } }),
  ],
  [
    "both roles of a conflict",
    {},
    [agent, viewer],
    breach("conflict", [agent, viewer], [], {
      direct: [agent, viewer],
      people: { count: 1, ids: [PERSON] },
    }),
  ],
];

test.each(DIRECTLY)(
  "%s, directly: said as it is, unsaid, and said of somebody who lacks it",
  (_, groups, has, said) => {
    const now = standing(groups, { [PERSON]: has });
    expect([whyNone(said, judge, now), unsaidIn([said], judge, now)]).toEqual([undefined, []]);
    expect(unsaidIn([], judge, now)).toHaveLength(1);
    expect(whyNone(said, judge, standing(groups))).toBe(`${PERSON} lack a role`);
    const throughGroups = { ...groups, ...Object.fromEntries(has.map((role) => [role, [one]])) };
    expect(whyNone(said, judge, standing(throughGroups))).toBe(
      `${PERSON} don't have ${said.direct?.join(", ")} directly`,
    );
  },
);

test("people who lack a role, or are missing from a breach", () => {
  const after = { [agent]: [one], [viewer]: [two] };
  const [, , said] = BROKEN[2]!;
  const others = { ...said, people: { count: 1, ids: ["auth0|person1"] } };
  expect(whyNone(others, judge, standing(after))).toBe("auth0|person1 lack a role");
  expect(unsaidIn([others], judge, standing(after)).map(({ text }) => text)).toEqual([
    `auth0|person0 has ${agent} and ${viewer}`,
  ]);
});
