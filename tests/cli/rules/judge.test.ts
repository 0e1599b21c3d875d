import { type Grant, Grants } from "../../../provider/access/grants";
import { type RulesFile, readRules } from "../../../cli/rules/file";
import { type Breach } from "../../../cli/rules/breach";
import {
  breachesIn,
  directGrants,
  groupsInConflict,
  type Judged,
  keysBeside,
} from "../../../cli/rules/judge";
import { namesIn, resolved } from "../../../cli/rules/names";
import fc from "../../../testkit/properties";
import { grant as grantIn, grantsOf, type Group, groupOf, GROUPS, NOW } from "./grants";

const file = (text: string): RulesFile => readRules({ file: "rules.yaml", text });
const names = {
  tenant: "tenant.example.com",
  isWhole: false,
  roles: [
    { id: "rol_1", name: "admin" },
    { id: "rol_2", name: "payer" },
    { id: "rol_3", name: "approver" },
    { id: "rol_4", name: "payer", type: "organization" },
    { id: "rol_5", name: "twin" },
    { id: "rol_6", name: "twin" },
  ],
  organizations: new Map(),
  groups: new Map(Object.entries(GROUPS).map(([name, id]) => [name, [{ id, name }]])),
};
const rulesOf = (text: string) => resolved(file(text), names);

const IDS = { admin: "rol_1", payer: "rol_2", approver: "rol_3" };
const grant = (text: string) => grantIn(text, IDS);

function judged(
  text: string,
  after: readonly string[],
  before: readonly string[] = [],
  members?: Partial<Record<Group, string[]>>,
): string[] {
  const found: Judged = {
    before: grantsOf(before, IDS),
    after: grantsOf(after, IDS),
    ...(members && {
      members: (group) => {
        const people = members[groupOf(group) as Group];
        return people && new Set(people);
      },
    }),
  };
  return breachesIn(rulesOf(text), found, NOW).map(shown);
}

function shown({ rule, line, roles, groups, people, isNew, by }: Breach): string {
  const role = roles.map((id) => names.roles.find((one) => one.id === id)?.name ?? id).join("+");
  const group = groups.map(groupOf).join("+");
  const who = people === undefined ? "" : ` ${people.join(",")}`;
  return `${isNew ? "" : "old "}${rule}:${line ?? "default"} ${role} ${group}${who} by ${by.map(({ name }) => name).join(",")}`;
}

test("whoever has a role directly is no group: only conflicts and direct ask for them", () => {
  const admins: Record<string, string[]> = { rol_1: ["x", "z"], rol_2: ["z"] };
  const direct = directGrants(Object.keys(admins), (role) => new Set(admins[role]));
  const found: Judged = {
    before: new Grants(direct),
    after: new Grants([grant("payer a"), ...direct]),
    members: () => new Set(["x", "y"]),
  };
  const rules = rulesOf(
    "default: closed\nallow:\n  payer: '*'\nend:\n  admin: 30\nconflicts:\n  - [admin, payer]\n",
  );
  expect(breachesIn(rules, found, NOW).map((breach) => [shown(breach), breach.direct])).toEqual([
    ["conflict:7 payer+admin a x by payer-a", ["rol_1"]],
    ["old conflict:7 admin+payer  z by ", ["rol_1", "rol_2"]],
  ]);
});

describe("direct", () => {
  const direct = (...held: [role: string, user: string][]) =>
    held.map(([role, user]): Grant => ({ role, holder: { user }, by: [] }));
  const shownWith = (breach: Breach) => `${shown(breach)}${breach.direct.join(",")}`;
  const directly = (text: string, after: Grant[], before: Grant[] = []) =>
    breachesIn(
      rulesOf(text),
      { before: new Grants(before), after: new Grants(after), members: () => new Set(["x"]) },
      NOW,
    ).map(shownWith);
  const held = direct(["rol_1", "x"], ["rol_2", "z"], ["rol_2", "x"], ["rol_3", "x"]);

  test("nobody may have a forbidden role directly; others are free, and groups may have all", () => {
    const text = "direct:\n  admin: allow\n  payer: forbid\n";
    expect(directly(text, [grant("payer a"), ...held])).toEqual(["direct:3 payer  x,z by rol_2"]);
  });

  test("default: forbid is for the roles without a line of their own", () => {
    expect(directly("direct:\n  default: forbid\n  admin: allow\n  rol_3: forbid\n", held)).toEqual([
      "direct:2 payer  x,z by rol_2",
      "direct:4 approver  x by rol_3",
    ]);
    expect(directly("direct:\n  default: allow\n", held)).toEqual([]);
  });

  test("it is old if all of them had the role directly before, not through a group", () => {
    const text = "direct:\n  payer: forbid\n";
    const both = direct(["rol_2", "x"], ["rol_2", "z"]);
    expect(directly(text, both.slice(0, 1), both)).toEqual(["old direct:2 payer  x by rol_2"]);
    expect(directly(text, both, both.slice(0, 1))).toEqual(["direct:2 payer  x,z by rol_2"]);
    expect(directly(text, both.slice(0, 1), [grant("payer a")])).toEqual(["direct:2 payer  x by rol_2"]);
  });
});

describe("allow", () => {
  test("a role is for the groups that the rule names, or for any; others are free", () => {
    const text = "allow:\n  admin: [a]\n  payer: '*'\n";
    expect(judged(text, ["admin a", "admin b", "payer b", "approver c"])).toEqual([
      "allow:2 admin b by admin-b",
    ]);
  });

  test("default: closed closes what no rule names", () => {
    const text = "default: closed\nallow:\n  payer: '*'\n";
    expect(judged(text, ["admin a", "payer a"])).toEqual(["allow:default admin a by admin-a"]);
  });

  test("what broke the rule before is told apart, and comes last", () => {
    expect(judged("allow:\n  admin: []\n", ["admin a", "admin b"], ["admin a"])).toEqual([
      "allow:2 admin b by admin-b",
      "old allow:2 admin a by admin-a",
    ]);
  });
});

describe("end", () => {
  const text = "end:\n  admin: 30\n";
  test.each([
    ["admin a", true],
    ["admin a until 2026-12-26", false],
    ["admin a until 2026-12-27", true],
    ["admin a until 2026-12-26T10:00:00Z", false],
    ["admin a until 2026-12-26T10:00:01Z", true],
  ])("%s, 30 days: a breach is %s", (after, isBreach) => {
    expect(judged(text, [after])).toEqual(isBreach ? ["end:2 admin a by admin-a"] : []);
  });

  test("an end that was too late excuses none that is later, or gone", () => {
    const before = ["admin a until 2027-01-10"];
    expect(judged(text, ["admin a"], before)).toEqual(["end:2 admin a by admin-a"]);
    expect(judged(text, ["admin a until 2036-01-01"], before)).toEqual(["end:2 admin a by admin-a"]);
    for (const after of ["admin a until 2027-01-10", "admin a until 2027-01-09"])
      expect(judged(text, [after], before)).toEqual(["old end:2 admin a by admin-a"]);
  });
});

describe("conflicts", () => {
  const text = "conflicts:\n  - [payer, approver, admin]\n";
  test("a group has at most one role of a set", () => {
    expect(judged(text, ["payer a", "approver b"])).toEqual([]);
    expect(judged(text, ["payer a", "approver a"])).toEqual([
      "conflict:2 payer+approver a by payer-a,approver-a",
    ]);
    expect(judged(text, ["admin a", "payer a", "approver a"])).toHaveLength(1);
  });

  test("a third role of the set is a new breach, and one of three less is none", () => {
    const before = ["payer a", "approver a"];
    expect(judged(text, [...before, "admin a"], before)).toEqual([
      "conflict:2 payer+approver+admin a by payer-a,approver-a,admin-a",
    ]);
    expect(judged(text, before, [...before, "admin a"])).toEqual([
      "old conflict:2 payer+approver a by payer-a,approver-a",
    ]);
  });

  test("people who had both roles before break nothing anew, through whatever groups", () => {
    const members = { a: ["u1"], b: ["u1"], c: ["u1", "u2"] };
    const before = ["payer a", "approver a", "approver b"];
    const old = ["old conflict:2 payer+approver a+b u1 by payer-a,approver-b"];
    expect(judged(text, ["payer a", "approver b"], before, members)).toEqual(old);
    expect(judged(text, ["payer a", "approver c"], ["payer a", "approver b"], members)).toEqual([
      "old conflict:2 payer+approver a+c u1 by payer-a,approver-c",
    ]);
    expect(judged(text, ["payer c", "approver b", "approver a"], ["payer a"], members)).toHaveLength(2);
    const two = { ...members, a: ["u1", "u2"] };
    expect(judged(text, ["payer a", "approver c"], ["payer a", "approver b"], two)).toEqual([
      "conflict:2 payer+approver a+c u1,u2 by payer-a,approver-c",
    ]);
  });

  test("roles beside are those of its sets", () => {
    const rules = rulesOf(
      "conflicts:\n  - [payer, approver]\n  - [admin, twin2]\n".replace("twin2", "rol_9"),
    );
    expect(keysBeside(rules, ["rol_2"])).toEqual(["rol_3"]);
    expect(keysBeside(rules, ["rol_2", "rol_3"])).toEqual([]);
  });
});

describe("of any groups, roles and people", () => {
  const ROLES = ["rol_1", "rol_2", "rol_3", "rol_4"];
  const held = fc.record({
    edges: fc.uniqueArray(fc.tuple(fc.constantFrom(...ROLES), fc.constantFrom("a", "b", "c", "d")), {
      selector: String,
      maxLength: 12,
    }),
    people: fc.record({
      a: fc.subarray(["u1", "u2", "u3"]),
      b: fc.subarray(["u1", "u2", "u3"]),
      c: fc.subarray(["u1", "u2", "u3"]),
    }),
    isChanged: fc.func(fc.boolean()),
  });
  type Two = [role: string, group: string][];

  const none = { byRole: new Map(), byPlace: new Map() };
  const rules = {
    allow: none,
    conflicts: [{ roles: ROLES, line: 1, anyContext: false }],
    ends: none,
    direct: none,
    require: new Map<string, never>(),
    exceptions: [],
  };

  /** Returns all pairs of grants of two roles to two groups. */
  const pairsOf = (edges: Two): [Two[number], Two[number]][] =>
    edges.flatMap((one, place) =>
      edges
        .slice(place + 1)
        .filter(([role, group]) => role !== one[0] && group !== one[1])
        .map((other): [Two[number], Two[number]] => [one, other]),
    );

  test("people are found in two groups as by a comparison of each with each", () => {
    fc.assert(
      fc.property(held, ({ edges, people, isChanged }) => {
        const has = (role: string, group: string) =>
          edges.some(([one, other]) => one === role && other === group);
        const inBoth = (one: string, other: string) =>
          (people[one as "a"] ?? []).filter((person) => people[other as "a"]?.includes(person));
        const expected = pairsOf(edges)
          .filter(([[role, group], [second, other]]) => !has(role, other) && !has(second, group))
          .map((pair) => [pair.map((edge) => edge.join(" ")).sort(), inBoth(pair[0][1], pair[1][1])])
          .filter(([, both]) => both?.length !== 0);
        const after = new Grants(edges.map(([role, group]): Grant => ({ role, holder: { group }, by: [] })));
        const members = (group: string) => people[group as "a"] && new Set(people[group as "a"]);
        const found = breachesIn(rules, { before: new Grants(), after, members }, NOW)
          .filter((breach) => breach.people !== undefined)
          .map(({ roles, groups, people: both }) => [
            roles.map((role, at) => `${role} ${groups[at]}`).sort(),
            both,
          ]);
        expect(found.map((one) => JSON.stringify(one)).sort()).toEqual(
          expected.map((one) => JSON.stringify(one)).sort(),
        );
        const inQuestion = pairsOf(edges)
          .filter((pair) => pair.some(([role, group]) => isChanged(role, group)))
          .flatMap((pair) => pair.map(([, group]) => group));
        const isNew = ({ role, holder }: Grant) => isChanged(role, "group" in holder ? holder.group : "");
        const [conflict] = groupsInConflict(rules, after, isNew as (edge: object) => boolean);
        expect([...(conflict?.groups ?? [])].sort()).toEqual([...new Set(inQuestion)].sort());
      }),
    );
  });
});

describe("names", () => {
  test("those that need the tenant are told, each once", () => {
    const rules = file(
      `allow:\n  admin: [a, ${GROUPS.b}]\n  rol_2: [a]\nconflicts:\n  - [admin, rol_3]\nend:\n  admin: 3\n`,
    );
    expect(namesIn(rules)).toEqual({ roles: ["admin"], groups: ["a"], organizations: [] });
  });

  test("ids stand for themselves, without a tenant", () => {
    const { allow } = resolved(file(`allow:\n  rol_1: [${GROUPS.a}]\n`), undefined);
    expect(allow.byRole.get("rol_1")).toMatchObject({ groups: [GROUPS.a], line: 2 });
  });

  test.each([
    [
      "allow:\n  admn: []\n",
      'rules.yaml:2: no role of tenant.example.com is called "admn". Did you mean "admin"?',
    ],
    ["allow:\n  admin:\n    - a\n    - aa\n", 'rules.yaml:4: no group of tenant.example.com is called "aa".'],
    [
      "end:\n  twin: 3\n",
      'rules.yaml:2: more than one role of tenant.example.com is called "twin": write an id, rol_5, rol_6.',
    ],
    ["conflicts:\n  - [admin, rol_1, payer]\n", "rules.yaml:2: the conflict names one role twice."],
    ["allow:\n  admin: []\n  rol_1: []\n", "rules.yaml:3: this is the role of line 2 again."],
  ])("%j is refused", (text, message) => {
    expect(() => rulesOf(text)).toThrow(message);
  });

  test("a role of an organization stands for no name", () => {
    expect(rulesOf("end:\n  payer: 3\n").ends.byRole.has("rol_2")).toBe(true);
  });

  test("without a tenant a name is refused", () => {
    expect(() => resolved(file("allow:\n  admin: []\n"), undefined)).toThrow(
      'rules.yaml:2: no tenant is asked for the id of "admin". Configure a client, leave out --no-read, or write the id.',
    );
  });
});
