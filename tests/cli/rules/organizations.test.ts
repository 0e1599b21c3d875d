import { readRules } from "../../../cli/rules/file";
import { type Breach } from "../../../cli/rules/breach";
import { breachesIn, concernsAll, keysBeside, lineAgainstDirect } from "../../../cli/rules/judge";
import { type Names, resolved } from "../../../cli/rules/names";
import { breachSentence } from "../../../cli/rules/sentences";
import { grantsOf, GROUPS, NOW } from "./grants";

/* Where rules hold: everywhere, in one organization, or across organizations. */

const [ACME, GLOBEX] = ["org_acme", "org_globex"];
const { a: A, b: B } = GROUPS;

const names: Names = {
  tenant: "tenant.example.com",
  isWhole: true,
  roles: [
    { id: "rol_1", name: "payer" },
    { id: "rol_2", name: "approver" },
    { id: "rol_3", name: "clerk", type: "organization", owner_id: ACME },
    { id: "rol_4", name: "clerk", type: "organization", owner_id: GLOBEX },
    { id: "rol_5", name: "rol_named" },
  ],
  groups: new Map(),
  organizations: new Map([
    [
      "acme",
      { known: [{ id: ACME, name: "acme" }], roles: [{ id: "rol_3", name: "clerk", type: "organization" }] },
    ],
    [ACME, { known: [{ id: ACME }], roles: [{ id: "rol_3", name: "clerk", type: "organization" }] }],
    [
      "globex",
      {
        known: [{ id: GLOBEX, name: "globex" }],
        roles: [{ id: "rol_4", name: "payer", type: "organization" }],
      },
    ],
    ["none", { known: [], roles: undefined }],
    ["org_none", { known: [], roles: undefined }],
  ]),
};
const rulesOf = (text: string) => resolved(readRules({ file: "rules.yaml", text }), names);

const MEMBERS: Record<string, string[]> = { [A]: ["u1", "u2"], [B]: ["u1", "u3"] };
const breaches = (text: string, after: string[], before: string[] = []): Breach[] =>
  breachesIn(
    rulesOf(text),
    {
      before: grantsOf(before),
      after: grantsOf(after),
      members: (group) => new Set(MEMBERS[group]),
    },
    NOW,
  );
const judged = (...given: Parameters<typeof breaches>) =>
  breaches(...given).map((breach) => `${breach.isNew ? "" : "old "}${String(breachSentence(breach, "r"))}`);

describe("anyContext", () => {
  const APART = "conflicts:\n  - [payer, approver]\n";
  const ACROSS = "conflicts:\n  - roles: [payer, approver]\n    anyContext: true\n";

  test.each([
    ["a group", ["rol_1 a", "org_acme/rol_2 a"]],
    ["people of two groups", ["org_acme/rol_1 a", "org_globex/rol_2 b"]],
    ["people who have one directly", ["rol_1 u1", "org_acme/rol_2 a"]],
    ["people who have both directly", ["org_acme/rol_1 u1", "org_globex/rol_2 u1"]],
  ])("only with it, %s may break a conflict across organizations", (_, held) => {
    expect(judged(APART, held)).toEqual([]);
    expect(judged(ACROSS, held)).toHaveLength(1);
  });

  test("a sentence says where each of the roles counts", () => {
    expect(judged(ACROSS, ["rol_1 a", "org_acme/rol_2 a"])).toEqual([
      `${A} has rol_1 in the tenant and rol_2 in ${ACME}, which r:2 keeps apart`,
    ]);
    expect(judged(ACROSS, ["org_acme/rol_1 a", "org_globex/rol_2 b"])).toEqual([
      `1 person has rol_1 in ${ACME} through ${A} and rol_2 in ${GLOBEX} through ${B}, which r:2 keeps apart`,
    ]);
    expect(judged(ACROSS, ["rol_2 u1", "org_acme/rol_1 a"])).toEqual([
      `1 person has rol_1 in ${ACME} through ${A} and rol_2 in the tenant directly, which r:2 keeps apart`,
    ]);
  });

  test("it compares inside one place, too, and one role in two places is no conflict", () => {
    expect(judged(ACROSS, ["org_acme/rol_1 a", "org_acme/rol_2 a"])).toEqual([
      `${A} has rol_1 and rol_2 in ${ACME}, which r:2 keeps apart`,
    ]);
    expect(judged(ACROSS, ["org_acme/rol_1 a", "org_globex/rol_1 a", "rol_1 u1"])).toEqual([]);
  });

  test("one role may be kept apart in two organizations", () => {
    const text =
      "conflicts:\n  - { roles: [{ role: payer, organization: acme }, { role: rol_1, organization: org_globex }], anyContext: true }\n";
    expect(judged(text, ["org_acme/rol_1 a", "org_globex/rol_1 a"])).toHaveLength(1);
    expect(judged(text, ["org_acme/rol_1 a", "rol_1 a"])).toEqual([]);
  });

  test("what broke it before is old; one more place is new", () => {
    const [before, more] = [
      ["rol_1 a", "org_acme/rol_2 a"],
      ["rol_1 a", "org_acme/rol_2 a", "org_globex/rol_2 a"],
    ];
    expect(judged(ACROSS, before, before)[0]).toMatch(/^old /);
    expect(judged(ACROSS, more, before)[0]).not.toMatch(/^old /);
    const people = ["rol_1 u1", "org_acme/rol_2 b"];
    expect(judged(ACROSS, people, people)[0]).toMatch(/^old /);
    expect(judged(ACROSS, ["rol_1 u1", "org_globex/rol_2 b"], people)[0]).not.toMatch(/^old /);
  });

  test("roles beside are in the tenant and in each organization", () => {
    expect(keysBeside(rulesOf(APART), [`${ACME}/rol_1`], [GLOBEX])).toEqual([`${ACME}/rol_2`]);
    expect(keysBeside(rulesOf(ACROSS), [`${ACME}/rol_1`], [GLOBEX])).toEqual([
      "rol_2",
      `${GLOBEX}/rol_2`,
      `${ACME}/rol_2`,
    ]);
    const inAcme =
      "conflicts:\n  - { roles: [payer, { role: clerk, organization: acme }], anyContext: true }\n";
    expect(keysBeside(rulesOf(inAcme), ["rol_1"], [GLOBEX])).toEqual([`${ACME}/rol_3`]);
    expect(concernsAll(rulesOf(APART))).toBe(false);
    expect(concernsAll(rulesOf(inAcme), ["rol_2"])).toBe(false);
    expect(concernsAll(rulesOf(inAcme), ["rol_1"])).toBe(true);
  });
});

describe("rules of one organization", () => {
  test("win over those of all, there", () => {
    const text =
      `allow:\n  payer: []\n` +
      `organizations:\n  acme:\n    allow:\n      payer: [${A}]\n    default: closed\n`;
    expect(judged(text, ["org_acme/rol_1 a", "rol_2 b", "org_globex/rol_1 a"])).toEqual([
      `${A} has rol_1 in ${GLOBEX}, which r:2 doesn't allow`,
    ]);
    expect(judged(text, ["org_acme/rol_2 b", "org_acme/rol_1 b"])).toEqual([
      `${B} has rol_1 in ${ACME}, which r:6 doesn't allow`,
      `${B} has rol_2 in ${ACME}, a role that r keeps closed`,
    ]);
    const there = ["org_globex/rol_1 a"];
    expect(judged(text, there, there)).toEqual([`old ${A} has rol_1 in ${GLOBEX}, which r:2 doesn't allow`]);
  });

  test("end and direct hold there, each with a default of its own", () => {
    const text =
      "direct:\n  default: forbid\n" +
      "organizations:\n  acme:\n    end:\n      clerk: 30\n    direct:\n      default: allow\n      payer: forbid\n";
    expect(judged(text, ["org_acme/rol_3 a", "org_globex/rol_4 a"])).toEqual([
      `${A} has rol_3 in ${ACME} without an end, and r:6 allows it for 30 days at most`,
    ]);
    expect(judged(text, ["org_acme/rol_1 u1", "org_acme/rol_2 u1", "org_globex/rol_2 u1"])).toEqual([
      `1 person has rol_1 directly in ${ACME}, which r:9 forbids`,
      `1 person has rol_2 directly in ${GLOBEX}, which r:2 forbids`,
    ]);
    const line = (role: string, organization?: string) =>
      lineAgainstDirect(rulesOf(text), { organization, role });
    expect([line("rol_1"), line("rol_1", ACME), line("rol_2", ACME), line("rol_2", GLOBEX)]).toEqual([
      2,
      9,
      undefined,
      2,
    ]);
  });

  test("a conflict of roles in one organization holds there alone", () => {
    const text = "organizations:\n  acme:\n    conflicts:\n      - [payer, approver]\n";
    expect(judged(text, ["org_acme/rol_1 a", "org_acme/rol_2 a", "rol_1 a", "rol_2 a"])).toEqual([
      `${A} has rol_1 and rol_2 in ${ACME}, which r:4 keeps apart`,
    ]);
    expect(
      judged("conflicts:\n  - [payer, { role: approver, organization: acme }]\n", [
        "org_acme/rol_1 a",
        "org_acme/rol_2 a",
      ]),
    ).toHaveLength(1);
  });
});

describe("names", () => {
  test("a role's name stands for one of the tenant or of the organization; its own counts there alone", () => {
    const ends = (text: string) => [...rulesOf(text).ends.byRole.keys()];
    expect(ends("organizations:\n  acme:\n    end:\n      clerk: 3\n      payer: 3\n")).toEqual([
      `${ACME}/rol_3`,
      `${ACME}/rol_1`,
    ]);
    expect(ends("end:\n  rol_3: 3\n  rol_1: 3\n")).toEqual([`${ACME}/rol_3`, "rol_1"]);
  });

  test.each([
    [
      "organizations:\n  acm:\n    end: { payer: 3 }\n",
      'rules.yaml:2: no organization of tenant.example.com is called "acm".',
    ],
    [
      "organizations:\n  none:\n    end: {}\n    default: free\n",
      'no organization of tenant.example.com is called "none"',
    ],
    [
      "conflicts:\n  - [payer, { role: approver, organization: org_none }]\n",
      "rules.yaml:2: no organization of tenant.example.com has the id org_none.",
    ],
    [
      "organizations:\n  globex:\n    end: { payer: 3 }\n",
      'rules.yaml:3: more than one role of tenant.example.com or globex is called "payer": write an id, rol_1, rol_4.',
    ],
    [
      "organizations:\n  acme:\n    end: { cleric: 3 }\n",
      'no role of tenant.example.com or acme is called "cleric"',
    ],
    [
      "organizations:\n  acme:\n    end: { rol_9: 3 }\n",
      "rules.yaml:3: no role of tenant.example.com has the id rol_9.",
    ],
    [
      "end:\n  rol_named: 3\n",
      "rules.yaml:2: no role of tenant.example.com has the id rol_named. A role is called so: write its id, rol_5",
    ],
    [
      "organizations:\n  acme: { default: free }\n  org_acme: { default: free }\n",
      "rules.yaml:3: this organization is given twice.",
    ],
    [
      "conflicts:\n  - [{ role: payer, organization: acme }, { role: approver, organization: globex }]\n",
      "rules.yaml:2: the conflict names roles of several organizations, and each is judged alone: add anyContext: true.",
    ],
    ["conflicts:\n  - [rol_3, rol_4]\n", "the conflict names roles of several organizations"],
    [
      "conflicts:\n  - [payer, { role: rol_1, organization: acme }]\n",
      "rules.yaml:2: the conflict names one role twice.",
    ],
  ])("%j is refused", (text, message) => {
    expect(() => rulesOf(text)).toThrow(message);
  });

  test("without a tenant, ids of organizations stand for themselves, and names are refused", () => {
    const without = (text: string) => resolved(readRules({ file: "rules.yaml", text }), undefined);
    const text =
      "conflicts:\n  - { roles: [rol_1, { role: rol_2, organization: org_x }], anyContext: true }\n";
    expect(without(text).conflicts).toEqual([{ roles: ["rol_1", "org_x/rol_2"], line: 2, anyContext: true }]);
    expect(() => without("organizations:\n  acme:\n    end: { rol_1: 3 }\n")).toThrow(
      'rules.yaml:2: no tenant is asked for the id of "acme".',
    );
  });
});
