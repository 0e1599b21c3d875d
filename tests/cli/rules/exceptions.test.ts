import { type Breach } from "../../../cli/rules/breach";
import { readRules } from "../../../cli/rules/file";
import { breachesIn, type Judged } from "../../../cli/rules/judge";
import { resolved } from "../../../cli/rules/names";
import { breachSentence, passSentence } from "../../../cli/rules/sentences";
import { grantsOf, groupOf, GROUPS, NOW } from "./grants";

/* Groups that must keep a role, and exceptions: what they let pass, and what is wrong with them. */

const [ADMIN, PAYER, APPROVER] = ["rol_admin", "rol_payer", "rol_approver"];
const [ONE, TWO] = ["auth0|1", "auth0|2"];
const WHOLE = "reason: the desk is short, owner: ops@example.com";

/** Members: of `a` and `b`, one person; of `b`, another one too. */
function judged(rules: string, after: string[], before: string[] = [], more: Partial<Judged> = {}): Breach[] {
  const members = (group: string) => new Set({ [GROUPS.a]: [ONE], [GROUPS.b]: [ONE, TWO] }[group] ?? []);
  const file = readRules({ file: "rules.yaml", text: rules });
  const change = { before: grantsOf(before), after: grantsOf(after), members, ...more };
  return breachesIn(resolved(file, undefined), change, NOW);
}

const shown = ({ people, isNew, exception, ...breach }: Breach) =>
  [
    ...(isNew ? [] : ["old:"]),
    breach.rule,
    breach.roles.join("+"),
    ...breach.groups.map(groupOf),
    ...(people ?? []),
    ...(exception === undefined ? [] : [`passes by ${exception.line}`]),
  ].join(" ");
const all = (...given: Parameters<typeof judged>) => judged(...given).map(shown);
const said = (...given: Parameters<typeof judged>) =>
  judged(...given).map((breach) => String(breachSentence(breach, "rules.yaml", (id) => id)));

describe("require", () => {
  const rules = `require:\n  ${ADMIN}: [${GROUPS.a}, ${GROUPS.b}]\n`;
  const lost = [`require ${ADMIN} a b`];
  const old = [`old: require ${ADMIN} a b`];

  test.each<[what: string, after: string[], before: string[], expected: string[]]>([
    ["one of the groups is enough", ["rol_admin b"], ["rol_admin a", "rol_admin b"], []],
    ["another group's grant is none", ["rol_admin c"], ["rol_admin a"], lost],
    ["nor is a person's", ["rol_admin auth0|1"], ["rol_admin a"], lost],
    ["who lacked it before breaks it no more than then", ["rol_admin c"], [], old],
    ["in an organization it is another one", ["org_acme/rol_admin a"], ["rol_admin a"], lost],
    ["a grant that ends later keeps it until then", ["rol_admin a until 2026-11-26"], ["rol_admin a"], []],
    ["one that has ended doesn't", ["rol_admin a until 2026-11-25"], ["rol_admin a"], lost],
    ["whoever takes away what has ended loses it", [], ["rol_admin a until 2026-11-25"], lost],
  ])("%s", (_, after, before, expected) => {
    expect(all(rules, after, before)).toEqual(expected);
  });

  test("what others took was there before; and without an answer, nothing is said", () => {
    expect(all(rules, [], [], { taken: grantsOf(["rol_admin a"]) })).toEqual(lost);
    expect(all(rules, [], ["rol_admin a"], { isRead: () => false })).toEqual([]);
  });

  test("it says who gave it, and which groups would do", () => {
    const [breach] = judged(rules, [], ["rol_admin a"]);
    expect(breach?.by.map(({ name }) => name)).toEqual(["rol_admin-a"]);
    expect(said(rules, [])).toEqual([
      `none of ${GROUPS.a} and ${GROUPS.b} has rol_admin, which rules.yaml:2 requires`,
    ]);
    expect(said(`require:\n  ${ADMIN}: [${GROUPS.a}]\n`, [])).toEqual([
      `${GROUPS.a} doesn't have rol_admin, which rules.yaml:2 requires`,
    ]);
  });

  test("an organization's own line holds there", () => {
    const there = `organizations:\n  org_acme:\n    require:\n      ${ADMIN}: [${GROUPS.a}]\n`;
    expect(all(there, ["org_acme/rol_admin a"], ["org_acme/rol_admin a"])).toEqual([]);
    expect(said(there, ["rol_admin a"])).toEqual([
      `${GROUPS.a} doesn't have rol_admin in org_acme, which rules.yaml:4 requires`,
    ]);
  });
});

describe("an exception", () => {
  const RULES = [
    `allow: { ${ADMIN}: [], ${PAYER}: "*" }`,
    `conflicts: [[${PAYER}, ${APPROVER}, rol_third]]`,
    `end: { ${ADMIN}: 30 }`,
    `direct: { ${ADMIN}: forbid }`,
    `require: { ${ADMIN}: [${GROUPS.c}] }`,
  ].join("\n");
  /** The exception is on line 7. */
  const except = (text: string) => `${RULES}\nexceptions:\n  - { ${text} }\n`;
  const valid = (text: string) => except(`${text}, ${WHOLE}, until: 2026-12-31`);
  const kept = ["rol_admin c until 2026-12-01"];
  const broken = (rules: string, after: string[]) =>
    all(rules, [...after, ...kept]).filter((text) => text !== `allow ${ADMIN} c`);

  test.each<[what: string, exception: string, after: string[], expected: string[]]>([
    [
      "lets one group have one role, whatever rule that breaks",
      `role: ${ADMIN}, group: ${GROUPS.a}`,
      ["rol_admin a", "rol_admin b"],
      [`allow ${ADMIN} b`, `end ${ADMIN} b`, `allow ${ADMIN} a passes by 7`, `end ${ADMIN} a passes by 7`],
    ],
    [
      "of one rule lets no other one pass",
      `rule: end, role: ${ADMIN}, group: ${GROUPS.a}`,
      ["rol_admin a"],
      [`allow ${ADMIN} a`, `end ${ADMIN} a passes by 7`],
    ],
    [
      "of one place lets no other one pass",
      `rule: allow, role: { role: ${ADMIN}, organization: org_acme }, group: ${GROUPS.a}`,
      ["org_acme/rol_admin a until 2026-12-01", "rol_admin a until 2026-12-01"],
      [`allow ${ADMIN} a`, `allow ${ADMIN} a passes by 7`],
    ],
    [
      "of one person lets no other one pass who has the role directly",
      `role: ${ADMIN}, user: ${ONE}`,
      [`rol_admin ${ONE}`, `rol_admin ${TWO}`],
      [`direct ${ADMIN} ${TWO}`, `direct ${ADMIN} ${ONE} passes by 7`],
    ],
    [
      "of a conflict names all of the roles that a group has",
      `roles: [${APPROVER}, ${PAYER}], group: ${GROUPS.a}`,
      ["rol_payer a", "rol_approver a"],
      [`conflict ${PAYER}+${APPROVER} a passes by 7`],
    ],
    [
      "of one role of a conflict lets nothing pass",
      `role: ${PAYER}, group: ${GROUPS.a}`,
      ["rol_payer a", "rol_approver a"],
      [`conflict ${PAYER}+${APPROVER} a`],
    ],
    [
      "of two roles doesn't let a third one pass",
      `roles: [${APPROVER}, ${PAYER}], group: ${GROUPS.a}`,
      ["rol_payer a", "rol_approver a", "rol_third a"],
      [`conflict ${PAYER}+${APPROVER}+rol_third a`],
    ],
    [
      "of a group doesn't let a person pass who is in two",
      `roles: [${APPROVER}, ${PAYER}], group: ${GROUPS.a}`,
      ["rol_payer a", "rol_approver b"],
      [`conflict ${PAYER}+${APPROVER} a b ${ONE}`],
    ],
    [
      "of a person does",
      `roles: [${APPROVER}, ${PAYER}], user: ${ONE}`,
      ["rol_payer a", "rol_approver b"],
      [`conflict ${PAYER}+${APPROVER} a b ${ONE} passes by 7`],
    ],
  ])("%s", (_, exception, after, expected) => {
    expect(broken(valid(exception), after)).toEqual(expected);
  });

  test("never lets a role go that must be kept", () => {
    expect(all(valid(`role: ${ADMIN}, group: ${GROUPS.c}`), [], kept)).toEqual([
      `require ${ADMIN} c`,
      `exception ${ADMIN} c`,
    ]);
  });

  const holder = `role: ${ADMIN}, group: ${GROUPS.a}`;
  const open = [`allow ${ADMIN} a`, `end ${ADMIN} a`, `old: exception ${ADMIN} a`];
  const of = "the exception of rules.yaml:7, for grp_AAAAAAAAAAAAAA with rol_admin,";
  test.each<[exception: string, problem: string]>([
    [`${holder}, until: 2026-12-31, owner: ops`, `${of} has no reason, so it lets nothing pass`],
    [`${holder}, reason: " "`, `${of} has no reason, no owner and no until, so it lets nothing pass`],
    [
      `${holder}, ${WHOLE}, until: 2026-11-25`,
      `${of} has ended (until 2026-11-25): remove it, or say why it goes on`,
    ],
    [
      `${holder}, ${WHOLE}, until: "2026-11-26T09:59:00Z"`,
      `${of} has ended (until 2026-11-26T09:59:00Z): remove it, or say why it goes on`,
    ],
    [
      `${holder}, ${WHOLE}, until: 2027-11-28`,
      `${of} ends on 2027-11-28, more than 366 days ahead, so it lets nothing pass`,
    ],
  ])("%s lets nothing pass, and is a finding", (exception, problem) => {
    expect(broken(except(exception), ["rol_admin a"])).toEqual(open);
    expect(said(except(exception), ["rol_admin a", ...kept])).toContain(problem);
  });

  test("counts on its last day, and a year ahead", () => {
    for (const until of ["2026-11-26", "2027-11-27"])
      expect(broken(except(`${holder}, ${WHOLE}, until: ${until}`), ["rol_admin a"])).toEqual([
        `allow ${ADMIN} a passes by 7`,
        `end ${ADMIN} a passes by 7`,
      ]);
  });

  test("that no breach needs is a finding, if all was read or the change ends the breach", () => {
    const unused = `exception ${ADMIN} a`;
    const file = valid(holder);
    expect(all(file, kept, kept)).not.toContain(`old: ${unused}`);
    expect(all(file, kept, kept, { isWhole: true })).toContain(`old: ${unused}`);
    expect(all(file, kept, ["rol_admin a", ...kept])).toContain(unused);
    expect(said(file, kept, ["rol_admin a"])).toContain(
      `${of} lets nothing pass, since nothing breaks the rule: remove it`,
    );
  });

  test("a breach that passes is as new or old as others, and the others of its people too", () => {
    const file = valid(`role: ${ADMIN}, user: ${ONE}`);
    const both = [`rol_admin ${ONE}`, `rol_admin ${TWO}`];
    expect(all(file, [...both, ...kept], [`rol_admin ${TWO}`, ...kept])).toEqual([
      `direct ${ADMIN} ${ONE} passes by 7`,
      `old: allow ${ADMIN} c`,
      `old: direct ${ADMIN} ${TWO}`,
    ]);
  });

  test("a sentence has its reason, owner and end, and names no person", () => {
    const [, passing] = judged(valid(`role: ${ADMIN}, user: ${ONE}`), [`rol_admin ${ONE}`, ...kept]);
    expect(String(passSentence(passing?.exception, "rules.yaml"))).toBe(
      "; rules.yaml:7 lets it pass until 2026-12-31: the desk is short (owner: ops@example.com)",
    );
    expect(said(except(`role: ${ADMIN}, user: ${ONE}`), kept).at(-1)).toMatch(
      /^the exception of rules\.yaml:7, for a person with rol_admin, has no /,
    );
  });
});

test("an exception in an organization's section is of that organization", () => {
  const rules = `allow: { ${ADMIN}: [] }
organizations:
  org_acme:
    exceptions:
      - { role: ${ADMIN}, group: ${GROUPS.a}, ${WHOLE}, until: 2026-12-31 }
`;
  expect(all(rules, ["rol_admin a", "org_acme/rol_admin a"])).toEqual([
    `allow ${ADMIN} a`,
    `allow ${ADMIN} a passes by 5`,
  ]);
});
