import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { checkCompared, comparedWith, readCompared } from "../../../cli/access/compare";
import { judgedBy, readDecisions } from "../../../cli/access/decisions";
import { accessDocumentOf } from "../../../cli/access/document";
import { formatted } from "../../../cli/access/formats";
import { findingsIn, isCertain } from "../../../cli/access/roles";
import { AGENT, BILLING, SUPPORT } from "../../../simulator/default-seed";
import { assignment, jsonOf, useAccess } from "../../../testkit/cli/access";
import { type accessJson, claim, group, idOf, role } from "../../../testkit/cli/pages";
import {
  agent,
  answer,
  type Answer,
  FILE,
  people,
  quarter,
  there,
  within,
} from "../../../testkit/cli/compared";
import { expectGolden } from "../../../testkit/golden";

/* Two answers beside each other. tests/truth/compared.test.ts compares random ones. */

type Roles = Parameters<typeof accessJson>[0];

const compared = (then: Answer, now: Answer, isByName = false) =>
  comparedWith(now, { file: FILE, isByName, answer: then }, undefined);

/** Its rows without ids. */
function told(then: Answer, now: Answer, isByName = false): string[] {
  const access = { ...now, user: null, rules: undefined, decisions: undefined };
  const { sections } = accessDocumentOf({ ...access, compared: compared(then, now, isByName) });
  return sections
    .filter(({ id }) => ["changes", "uncompared"].includes(id))
    .flatMap(({ rows }) => rows.map(({ cells }) => cells.map(String).join(" | ")))
    .map((row) => row.replace(/ (?:grp|rol|org)_[\w/]+/g, ""));
}

const until = (day: string | null) => [claim("support", { until: day })];
const byHand = group("desk", "unmanaged");
const IN_PROD = "support in access/prod index.ts:18";

test("what is the same is no change, and neither is a name, a line or a claim of what isn't there", () => {
  const then = answer([agent(group("desk"), group("gone", "drift"))]);
  const now = answer([
    {
      ...agent({ ...group("desk", "managed", [claim("other", { line: null })]), name: "help" }),
      name: "support",
    },
  ]);
  expect(told(then, now)).toEqual([]);
  expect(told(now, then)).toEqual([]);
  expect(
    formatted(
      { ...now, user: null, rules: undefined, decisions: undefined, compared: compared(then, now) },
      "text",
    ),
  ).toContain("\n  Changed since 2026-08-23 09:00 UTC (then.json): nothing\n");
});

test.each<[string, Roles, Roles, string[]]>([
  ["gained by a program", [agent()], [agent(group("desk"))], [`agent | ➕ gained | desk | ${IN_PROD}`]],
  [
    "lost, with the line of then",
    [agent(group("desk"))],
    [agent()],
    [`agent | ➖ lost | desk | was ${IN_PROD}`],
  ],
  [
    "an end where there was none",
    [agent(group("desk"))],
    [agent(group("desk", "managed", until("2026-12-31")))],
    [`agent | ⏳ ends earlier | desk | ${IN_PROD}, until 2026-12-31 (had no end)`],
  ],
  [
    "an end in other words",
    [agent(group("desk", "managed", until("2026-11-30")))],
    [agent(group("desk", "managed", until("2026-12-01T00:00:00Z")))],
    [],
  ],
  [
    "now managed",
    [agent(byHand)],
    [agent(group("desk"))],
    [`agent | now managed | desk | ${IN_PROD} (was by hand)`],
  ],
  [
    "people",
    [role("agent", [], people("auth0|a", "auth0|b"))],
    [role("agent", [], people("auth0|b", "auth0|c"))],
    ["agent | ➕ gained | auth0|c | directly, by hand", "agent | ➖ lost | auth0|a | directly, by hand"],
  ],
  [
    "who gives it, if that is secret",
    [agent(byHand)],
    [agent(group("desk", "unknown"))],
    ["agent of desk: who gives it isn't known: the groups of support in access/prod are secret"],
  ],
])("%s", (_, then, now, rows) => {
  expect(told(answer(then), answer(now))).toEqual(rows);
});

const only = (kind: "rol" | "grp", name: string) => [{ id: idOf(kind, name), name }];
describe("what one answer isn't about, or couldn't read, is no change", () => {
  const both = [agent(group("desk")), role("viewer", [group("desk")])];

  test("roles and groups that weren't asked for then", () => {
    expect(told(answer([agent()], { roles: only("rol", "agent") }), answer(both))).toEqual([
      `agent | ➕ gained | desk | ${IN_PROD}`,
      "viewer of desk: only agent was asked for in then.json",
    ]);
    expect(told(answer([], { groups: only("grp", "billing"), people: "no" }), answer(both))).toEqual([
      "agent of desk and viewer of desk: only billing was asked for in then.json",
      "who has roles directly was not asked in then.json",
    ]);
  });

  test("stacks that weren't read: what they give looks as if by hand", () => {
    const dev = [claim("support", { stack: "access/dev" })];
    const both_ = [...answer([]).stacks, { stack: "access/dev", assignments: 1, elsewhere: 0 }];
    const managed = answer([agent(group("desk", "managed", dev))], {}, { stacks: both_ });
    const without = answer([agent(byHand)]);
    expect(told(managed, without)).toEqual(["agent of desk: access/dev was not read today"]);
    expect(told(without, managed)).toEqual(["agent of desk: access/dev was not read in then.json"]);
    expect(told(managed, answer([agent(byHand)], {}, { stacks: both_ }))).toHaveLength(1);
    // The stacks of another tenant are others.
    expect(told(managed, without, true)).toHaveLength(1);
    expect(compared(managed, without, true).changes).toHaveLength(1);
  });

  test("roles and groups that aren't asked for today: nobody wants to know", () => {
    expect(told(answer(both), answer([agent()], { roles: only("rol", "agent") }))).toEqual([
      `agent | ➖ lost | desk | was ${IN_PROD}`,
    ]);
    expect(told(answer(both), answer([], { groups: only("grp", "billing"), people: "no" }))).toEqual([]);
  });

  test("lists that could not be read whole today", () => {
    const part = { tenant: false, people: "no" } as const;
    const now = answer([{ ...agent(), incomplete: true }], part, { incomplete: ["…"] });
    expect(told(answer(both), now)).toEqual([
      "not all lists could be read today",
      "agent of desk: not all groups could be read today",
      "viewer of desk: not all roles could be read today",
    ]);
    const ofGroup = answer([], { groups: only("grp", "desk"), people: "no" }, { incomplete: ["…"] });
    expect(told(answer(both), ofGroup)).toContain(
      "agent of desk and viewer of desk: not all groups could be read today",
    );
  });

  test("people who could not be read, were not asked for, or are too many", () => {
    const with_ = (of: object) => answer([role("agent", [], of)]);
    expect(told(with_(people("auth0|a")), with_({ people: null }))).toEqual([
      "agent: who has it directly could not be read today",
    ]);
    const many = { people: { count: 1000, more: true, ids: ["auth0|b"] } };
    expect(told(with_(people("auth0|a")), with_(many))).toEqual([
      "agent | ➕ gained | auth0|b | directly, by hand",
      "agent: more than 1,000 people have it directly, and not all are listed",
    ]);
    expect(told(with_(people("auth0|a")), answer([role("agent", [])], { people: "no" }))).toEqual([]);
    expect(told(answer([role("agent", [])], { people: "no" }), with_(people("auth0|a")))).toEqual([
      "who has roles directly was not asked in then.json",
    ]);
  });

  test("without ids, the numbers of people are compared", () => {
    const number = (count: number, more = false) =>
      answer([role("agent", [], { people: { count, more } })], { people: "numbers" });
    const same = ["agent: only the number of people is known: --people lists their ids"];
    const many = ["agent: more than 1,000 people have it directly, and not all are listed"];
    expect(told(number(0), number(0))).toEqual([]);
    expect(told(number(2), number(2))).toEqual(same);
    expect(told(answer([role("agent", [], people("auth0|a"))]), number(1))).toEqual(same);
    expect(told(number(2), number(3))).toEqual(["agent | ➕ gained | 3 people, were 2 | directly, by hand"]);
    expect(told(number(1000, true), number(3))).toEqual([
      "agent | ➖ lost | 3 people, were more than 1,000 | directly, by hand",
    ]);
    expect(told(number(1000, true), number(1000, true))).toEqual(many);
    expect(told(number(1100), number(1000, true))).toEqual(many);
    const [change] = compared(number(2), answer([], { people: "numbers" })).changes;
    expect(change).toMatchObject({ kind: "lost", people: { before: { count: 2 }, now: { count: 0 } } });
  });

  test("organizations that weren't asked", () => {
    const acme = within("acme");
    const asked = answer([there("acme", group("desk"))], acme.covers, acme.more);
    const unasked = answer([], {}, { organizations: [], otherOrganizations: { count: 1, more: false } });
    const all = (when: string) => `not all organizations were asked ${when}: --organization all asks them`;
    const whole = (when: string) => `the organization was not asked, or not read whole, ${when}`;
    expect(told(asked, unasked)).toEqual([all("today"), `agent in acme of desk: ${whole("today")}`]);
    expect(told(unasked, asked)[0]).toBe(all("in then.json"));
    expect(compared(unasked, asked).changes).toEqual([]);
    // There is no other one, so this one is gone.
    expect(told(asked, answer([]))).toEqual([`agent in acme | ➖ lost | desk | was ${IN_PROD}`]);
    expect(told(asked, answer([], acme.covers, acme.more))).toEqual([
      `agent in acme | ➖ lost | desk | was ${IN_PROD}`,
    ]);
    expect(told(asked, answer([], {}, acme.more))[0]).toContain(whole("today"));
  });
});

describe("another tenant, by name", () => {
  const other = { tenant: "other.example.com" };
  const renamed = <Of extends { id: string }>(of: Of, id: string): Of => ({ ...of, id });
  const role2 = (name: string, ...groups: Roles[number]["groups"]) =>
    renamed(role(name, groups), `rol_other${name}`);
  const group2 = (name: string, ...more: [] | ["unmanaged"]) =>
    renamed(group(name, ...more), `grp_other${name}`);

  test("roles, groups and organizations go by their names, and lost ones have this tenant's ids", () => {
    const then = answer([role2("agent", group2("desk"), group2("billing"), group2("night"))], {}, other);
    const now = answer([agent(group("desk", "unmanaged")), role("viewer", [group("billing")])]);
    expect(told(then, now, true)).toEqual([
      `agent | ➖ lost | billing | was ${IN_PROD}`,
      `agent on other.example.com | ➖ lost | night | was ${IN_PROD}`,
      `agent | now by hand | desk | was ${IN_PROD}`,
      `viewer | ➕ gained | billing | ${IN_PROD}`,
    ]);
    expect(compared(then, now, true).changes.slice(0, 2)).toMatchObject([
      { role: idOf("rol", "agent"), group: idOf("grp", "billing") },
      { tenant: "other.example.com", role: "rol_otheragent", group: "grp_othernight" },
    ]);
    const acme = within("acme");
    const place = { ...there("acme", group2("desk")), id: "org_x/rol_x" };
    const elsewhere = {
      ...place,
      ...{ organization: { id: "org_x", name: "acme" }, role: { id: "rol_x", name: "agent" } },
    };
    const covers = { organizations: [{ id: "org_x", name: "acme" }] };
    const before = answer([elsewhere], covers, { ...other, organizations: ["org_x"] });
    expect(told(before, answer([there("acme", group("desk"))], acme.covers, acme.more), true)).toEqual([]);
    expect(told(before, answer([], acme.covers, acme.more), true)).toEqual([
      `agent in acme on other.example.com | ➖ lost | desk | was ${IN_PROD}`,
    ]);
  });

  test("two objects of one name, or one without, are told and not guessed", () => {
    const twin = renamed(group("desk"), "grp_2mTqXw7cRk9bLf4dHs8vYz");
    const then = answer([role2("agent", group2("desk"), { ...group2("x"), name: null })], {}, other);
    expect(told(then, answer([agent(group("desk"), twin)]), true)).toEqual([
      "agent of desk on other.example.com, agent of desk and agent of desk: tenant.example.com has several groups named desk",
      "agent of on other.example.com: the name of the group isn't known",
    ]);
    const roles = answer([role2("agent", group2("desk")), renamed(role2("agent"), "rol_second")], {}, other);
    expect(told(roles, answer([agent(group("desk"))]), true)).toEqual([
      "agent of desk on other.example.com and agent of desk: other.example.com has several roles named agent",
    ]);
  });

  test("people have other ids, so only their numbers are compared", () => {
    const of = (...ids: string[]) => answer([role("agent", [], people(...ids))]);
    expect(told(of("auth0|a"), of("auth0|b"), true)).toEqual([
      "agent: people have other ids on another tenant, so only their number is compared",
    ]);
    expect(told(of("auth0|a", "auth0|b"), of("auth0|c"), true)).toEqual([
      "agent | ➖ lost | 1 person, were 2 | directly, by hand",
    ]);
  });
});

describe("a file that can't be compared is refused with a sentence", () => {
  const good = JSON.stringify(answer([agent(group("desk"))]));
  const read = (text: string, people = true) =>
    readCompared({ file: FILE, text }, { isByName: false, people });
  const with_ = (more: object) => JSON.stringify({ ...answer([agent()]), ...more });
  const unread = with_({ unreadPeople: ["who has 1 role directly was not read (403)"] });

  test.each<[string, string, string]>([
    [
      "cut off",
      good.slice(0, -40),
      "then.json is cut off, or isn't JSON. Compare with the whole output of: npx",
    ],
    [
      "another JSON",
      '{"version":1,"access":[]}',
      "then.json isn't an answer of access (made is wrong). Compare",
    ],
    ["a list", "[]", "isn't an answer of access. Compare"],
    ["a hostile member", with_({ roles: [{ id: "\u001b[31m" }] }), "(roles.0.name is wrong)"],
    [
      "another version",
      with_({ version: 2 }),
      "then.json has version 2 of the answer, and this release reads version 1.",
    ],
    [
      "a user's",
      with_({ user: { id: "auth0|a", unread: null, allRoles: true, permissions: [], ends: [] } }),
      "then.json is about auth0|a alone. Compare with an answer without --user.",
    ],
    [
      "not whole",
      with_({ incomplete: ["A list ends early."] }),
      "then.json isn't whole: A list ends early. Compare",
    ],
    [
      "without people",
      unread,
      "was not read (403). Compare with another one, or leave people out with --no-direct.",
    ],
    [
      "without what it covers",
      with_({ covers: undefined }),
      'doesn\'t say what was asked: it has no "covers".',
    ],
  ])("%s", (_, text, sentence) => {
    expect(() => read(text)).toThrow(sentence);
  });

  test("but for people, if nobody asks for them today", () => {
    expect(read(unread, false).answer.tenant).toBe("tenant.example.com");
  });

  test("of another tenant, unless it's to be compared by names, or it's a former name", () => {
    const then = read(good);
    const check = (isByName: boolean, ...tenants: string[]) => checkCompared({ ...then, isByName }, tenants);
    expect(() => check(false, "new.example.com")).toThrow(
      "then.json is of tenant.example.com, and the tenant is new.example.com. To compare two tenants by the names of their roles, groups and organizations, add --by-name.",
    );
    check(true, "new.example.com");
    check(false, "new.example.com", "tenant.example.com");
  });
});

test("a change shows the decision on its grant, also if that is gone, or was decided before the change", () => {
  const decided = (quarter().compared?.changes ?? []).map(({ kind, groupName, user, decision }) =>
    [
      kind,
      groupName ?? user,
      decision === null ? "undecided" : decision?.decision,
      decision?.reviewer,
      decision?.void,
    ].join(" "),
  );
  expect(decided).toEqual([
    "gained audit undecided  ",
    "lost night revoke reviewer@example.com false",
    "end ops confirm reviewer@example.com true",
    "gained auth0|c undecided  ",
    "lost auth0|b revoke lead@example.com false",
    "unmanaged desk undecided  ",
    "managed billing confirm lead@example.com true",
  ]);
});

/** Git may change the ends of lines. */
const shown = (text: string) => text.replace("\ufeff", "").replaceAll("\r\n", "\n");

test.each(["text", "csv"] as const)("a quarter as %s", (format) => {
  expectGolden(join(__dirname, "golden", `compared.${format}`), shown(formatted(quarter(), format)));
});

test("the file of the next sign-off has a row for what is gone, which nobody has to decide on again", () => {
  const now = quarter();
  const next = readDecisions({ file: "next.csv", text: formatted(now, "csv") });
  const read = { roles: now.roles, places: new Set([undefined]) };
  const { findings, counts } = judgedBy(next, { ...now, read });
  expect(counts.revoked).toBe(1);
  expect(findings.map(({ user, group: id }) => user ?? id)).not.toContain("auth0|b");
});

test("--fail-on changes: certain if there are some, not ruled out where something wasn't compared", () => {
  const found = (then: Answer, now: Answer) => {
    const access = { ...now, rules: undefined, compared: compared(then, now) };
    return findingsIn(access).includes("changes") && [isCertain("changes", access)];
  };
  const some = answer([agent(group("desk"))]);
  expect(found(some, some)).toBe(false);
  expect(found(answer([]), some)).toEqual([true]);
  expect(found(answer([agent()], { people: "no" }), answer([agent()]))).toEqual([false]);
  const part = answer([], { tenant: false }, { incomplete: ["…"] });
  expect(found(some, part)).toEqual([false]);
  expect(findingsIn(part)).not.toContain("changes");
});

describe("on a tenant", () => {
  const { simulator, holders, ask, host } = useAccess();
  const support = { support: assignment(AGENT, [SUPPORT]) };
  const read = (text: string) => readCompared({ file: FILE, text }, { isByName: false, people: true });

  test("an answer is compared with its own JSON, which says what was asked", async () => {
    holders({ [AGENT]: [SUPPORT] });
    const first = await ask(support);
    expect(jsonOf(first).covers).toEqual({
      ...{ roles: [], groups: [], people: "numbers", tenant: true, organizations: [] },
    });
    holders({ [AGENT]: [BILLING] });
    const compare = read(formatted(first, "json"));
    expect(jsonOf(await ask(support, { compare })).compared).toMatchObject({
      counts: { gained: 1, lost: 1, end: 0, unmanaged: 0, managed: 0 },
      changes: [
        { kind: "gained", group: BILLING, by: [] },
        { kind: "lost", group: SUPPORT, before: [{ resource: "support" }], by: [{ resource: "support" }] },
      ],
      gaps: [],
    });
    const only = { role: [AGENT], group: [BILLING], direct: false };
    expect(jsonOf(await ask(support, { compare, ...only }))).toMatchObject({
      covers: {
        roles: [{ id: AGENT, name: "support-agent" }],
        groups: [{ id: BILLING, name: "billing-team" }],
        people: "no",
      },
      compared: { counts: { gained: 1, lost: 0 } },
    });
  });

  test("whatever a file holds is inert, and repeats no secret", async () => {
    holders({});
    const hostile = `x\u0060 | </td><img src=a> [a](//b) @team\n# h \u001b[31m\u202e ::error:: ${simulator.clientSecret}`;
    const by = [claim(hostile, { stack: hostile, line: { file: hostile, line: 1 }, until: hostile })];
    const then = answer(
      [{ ...agent({ ...group("desk", "managed", by), name: hostile }), name: hostile }],
      {},
      { tenant: host() },
    );
    const access = await ask(support, { compare: read(JSON.stringify(then)) });
    expect(access.compared?.counts.lost).toBe(1);
    const html = new MarkdownIt({ html: true, linkify: true }).render(formatted(access, "markdown"));
    expect(html).not.toMatch(/<(?:img|a)\b/);
    for (const format of ["text", "markdown", "csv", "json"] as const) {
      const text = formatted(access, format);
      expect(text).not.toMatch(/(?![\n\r])\p{Cc}|(?!\ufeff)\p{Cf}|^# h|::error::/mu);
      expect(text).not.toContain(simulator.clientSecret);
    }
  });
});
