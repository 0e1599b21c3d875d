import { UNKNOWN_VALUE } from "../../../provider/seen";
import { documentOf } from "../../../cli/review/output/document";
import { reviewMarkdown } from "../../../cli/review/output/markdown";
import { type Review } from "../../../cli/review/review";
import { toJson } from "../../../cli/review/output/json";
import { type TenantAnswers } from "../../../cli/review/tenant/answers";
import { reviewText } from "../../../cli/review/output/text";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import {
  adds,
  appearanceOf,
  AskedTenant,
  assignment,
  clientsWithout,
  MAKING,
  manyGroups,
} from "../../../testkit/cli/asked";
import { step, TENANT } from "../../../testkit/cli/previews";

/* Rules, judged on the state after the changes of all stacks, with and without a tenant to ask. */

const AUDITOR = "rol_2kVpYs6TgLc8dJmE";
/** Anything that moves a terminal's text, or commands a CI system. */
const HOSTILE = /(?![\n\r])\p{Cc}|(?!\ufeff)\p{Cf}|::error::/u;

const tenant = AskedTenant.forTests();
const seed = (more: Parameters<AskedTenant["seed"]>[0]) => tenant.seed(more);

const same = (name: string, role: string, groups: string[]) =>
  step({ name, op: "same", id: role, before: assignment(role, groups) });

type Given = Parameters<AskedTenant["reviewed"]>[1];
const judged = (rules: string, stacks: readonly (readonly object[])[], given?: Given) =>
  tenant.reviewed(stacks, { rules, ...given });
const judgedAlone = (rules: string, steps: readonly object[], given?: Given) =>
  tenant.reviewedAlone(steps, { rules, ...given });
const broken = ({ rules }: Review) =>
  (rules?.breaches ?? []).map(
    ({ isNew, reason, by }) =>
      `${isNew ? "" : "old: "}${String(reason)} by ${by.map(({ name }) => name).join(",")}`,
  );
const doubts = ({ unknown }: Review) => unknown.map(({ reason }) => String(reason));

test("names are the tenant's; a group that the rule does not name is a new breach, and an approval waits for it", async () => {
  const review = await judgedAlone("allow:\n  support-agent: [support-desk]\n", [
    adds("a", AGENT, [SUPPORT, BILLING]),
  ]);
  expect(broken(review)).toEqual([`${BILLING} has ${AGENT}, which rules.yaml:2 doesn't allow by a`]);
  expect(review.categories).toContain("rules");
  expect(review.names).toMatchObject({ [BILLING]: "billing-team", [AGENT]: "support-agent" });
});

test("what nothing happens to is asked for its name only if it breaks a rule", async () => {
  seed({ roles: [{ id: AGENT, name: "support-agent", groups: [SUPPORT, BILLING] }] });
  const review = await judgedAlone("allow:\n  support-agent: [support-desk]\n", [
    same("a", AGENT, [SUPPORT, BILLING]),
  ]);
  expect(broken(review)).toEqual([`old: ${BILLING} has ${AGENT}, which rules.yaml:2 doesn't allow by a`]);
  expect(review.names).toMatchObject({ [BILLING]: "billing-team", [AGENT]: "support-agent" });
  const asked = tenant.simulator.requests().map(({ path }) => path);
  expect(asked.some((path) => path.endsWith(`/groups/${BILLING}`))).toBe(true);
  expect(asked.some((path) => path.endsWith(`/groups/${SUPPORT}`))).toBe(false);
});

test("a breach that nobody's assignment gives is in the first review of its tenant, and needs no approval", async () => {
  seed({ roles: [{ id: AGENT, groups: [SUPPORT] }] });
  const rules = `allow:\n  ${AGENT}: [${ADMINS}]\n`;
  const reviews = await judged(rules, [[], [adds("a", AGENT, [ADMINS])]]);
  expect(reviews.map(broken)).toEqual([
    [],
    [`old: ${SUPPORT} has ${AGENT}, which rules.yaml:2 doesn't allow by `],
  ]);
  expect(reviews.flatMap(({ categories }) => categories)).not.toContain("rules");
});

test("stacks with other settings are on one tenant, and its answers count for all", async () => {
  seed({
    users: [{ user_id: "auth0|both", groups: [BILLING, ADMINS] }],
    roles: [
      { id: AGENT, name: "support-agent", groups: [ADMINS] },
      { id: VIEWER, name: "billing-viewer" },
    ],
  });
  const stacks = [[adds("a", AUDITOR, [SUPPORT])], [adds("b", VIEWER, [BILLING])]];
  const one = `1 person has ${AGENT} through ${ADMINS} and ${VIEWER} through ${BILLING}, which rules.yaml:2 keeps apart by b`;
  const own: Record<string, string>[] = [
    { IDENTITY_MAX_REVOCATIONS: "7" },
    { IDENTITY_CLIENT_ID: "nobody", IDENTITY_CLIENT_SECRET: "wrong" },
  ];
  const rules = "conflicts:\n  - [support-agent, billing-viewer]\n";
  const [, second] = await judged(rules, stacks, { own: own.slice(0, 1) });
  expect(broken(second!)).toEqual([one]);
  expect(second!.names).toMatchObject({ [ADMINS]: "directory-admins", [AGENT]: "support-agent" });
  const reviews = await judged(rules, [stacks[0]!, [adds("b", AGENT, [BILLING])]], { own });
  expect(reviews.flatMap(doubts).filter((doubt) => doubt.includes("could not be judged"))).toEqual([]);
});

test("all stacks count together: each shows what its own assignments break", async () => {
  const rules = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
  const stacks = [
    [adds("a", AGENT, [BILLING])],
    [adds("b", VIEWER, [BILLING])],
    [adds("c", VIEWER, [ADMINS])],
  ];
  const reviews = await judged(rules, stacks, { asks: false });
  const both = `${BILLING} has ${AGENT} and ${VIEWER}, which rules.yaml:2 keeps apart by a,b`;
  expect(reviews.map(broken)).toEqual([[both], [both], []]);
  const [first] = reviews;
  expect(reviewText([documentOf(first!, [])], appearanceOf(first!))).toContain(
    "keeps apart, through a and b in access/s1\n",
  );
});

test("a conflict with a role that nobody touches is found: who has it is asked, and nothing else", async () => {
  seed({
    roles: [
      { id: AGENT, name: "support-agent", groups: [SUPPORT] },
      { id: VIEWER, name: "billing-viewer", groups: [BILLING] },
      { id: AUDITOR, name: "auditor", groups: [BILLING] },
    ],
  });
  const review = await judgedAlone("conflicts:\n  - [support-agent, billing-viewer]\n", [
    adds("a", AGENT, [BILLING]),
  ]);
  expect(broken(review)).toEqual([
    `${BILLING} has ${AGENT} and ${VIEWER}, which rules.yaml:2 keeps apart by a`,
  ]);
  const read = tenant.simulator.requests().map(({ path }) => path.replace(/^\/api\/v2|\?.*$/g, ""));
  expect(read).not.toContain(`/roles/${AUDITOR}/groups`);
  expect(read).toContain(`/roles/${VIEWER}/groups`);
});

test("nobody has two roles of a conflict through two groups, as far as people can be asked for", async () => {
  const users = [
    { user_id: "auth0|both", groups: [BILLING, ADMINS] },
    { user_id: "auth0|one", groups: [BILLING] },
  ];
  const roles = [{ id: AGENT, groups: [ADMINS] }, { id: VIEWER }];
  const rules = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
  const change = [adds("a", VIEWER, [BILLING])];
  seed({ users, roles });
  const review = await judgedAlone(rules, change);
  expect(broken(review)).toEqual([
    `1 person has ${AGENT} through ${ADMINS} and ${VIEWER} through ${BILLING}, which rules.yaml:2 keeps apart by a`,
  ]);
  expect(review.rules?.breaches[0]).toMatchObject({ isNew: true, people: ["auth0|both"] });
  expect(JSON.stringify(toJson(review, MAKING))).not.toContain("auth0|");

  seed({ users, roles, clients: clientsWithout("read:group_members") });
  const without = await judgedAlone(rules, change);
  expect(broken(without)).toEqual([]);
  expect(doubts(without)).toEqual([
    `not everyone in ${BILLING} and ${ADMINS} was compared for the conflicts of rules.yaml (needs read:group_members)`,
  ]);
  expect(without.categories).toContain("rules");
});

describe("a person who has one role of a conflict directly", () => {
  const conflict = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
  const gains = [adds("a", VIEWER, [BILLING])];

  test("and gains the other one through a group", async () => {
    seed({
      users: [
        { user_id: "auth0|both", groups: [BILLING], roles: [AGENT] },
        { user_id: "auth0|one", groups: [BILLING] },
      ],
      roles: [{ id: AGENT }, { id: VIEWER }],
    });
    const review = await judgedAlone(conflict, gains);
    expect(broken(review)).toEqual([
      `1 person has ${VIEWER} through ${BILLING} and ${AGENT} directly, which rules.yaml:2 keeps apart by a`,
    ]);
    expect(review.rules?.breaches[0]).toMatchObject({ people: ["auth0|both"], direct: [AGENT] });
    expect(review.categories).toContain("rules");
    const json = toJson(review, MAKING);
    expect(json.rules?.breaches[0]).toMatchObject({ direct: [AGENT], groups: [BILLING] });
  });

  test.each([
    [
      "a missing scope",
      { clients: clientsWithout("read:role_members", "read:users") },
      "needs read:role_members",
    ],
    [
      "too many of them",
      { users: Array.from({ length: 1_001 }, (_, at) => ({ user_id: `auth0|${at}`, roles: [AGENT] })) },
      "more than 1,000 people",
    ],
  ])("can't be excluded: %s is a doubt", async (_, more, why) => {
    seed({ roles: [{ id: AGENT }, { id: VIEWER }], ...more });
    const review = await judgedAlone(conflict, gains);
    expect(doubts(review)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^who has ${AGENT}.* directly was not read, so not all conflicts of rules.yaml were judged \\(${why}`,
        ),
      ),
    ]);
    expect(review.categories).toEqual(expect.arrayContaining(["rules", "unknown"]));
  });
});

describe("a role that nobody may have directly", () => {
  const rules = `direct:\n  ${VIEWER}: forbid\n`;
  const gains = [adds("a", VIEWER, [BILLING])];

  test("is a doubt without the scope", async () => {
    seed({
      roles: [{ id: AGENT }, { id: VIEWER }],
      clients: clientsWithout("read:role_members", "read:users"),
    });
    const review = await judgedAlone(rules, gains);
    expect(doubts(review)).toEqual([
      `who has ${VIEWER} directly was not read, and rules.yaml forbids it (needs read:role_members or read:users)`,
    ]);
    expect(review.categories).toEqual(expect.arrayContaining(["rules", "unknown"]));
  });
});

test.each([
  ["every group", "/api/v2/groups/*/members", [BILLING, ADMINS]],
  ["one group", `/api/v2/groups/${ADMINS}/members`, [ADMINS]],
])("no list of members is not an empty list: 404 for %s is a doubt", async (_, path, unread) => {
  seed({
    users: [{ user_id: "auth0|both", groups: [BILLING, ADMINS] }],
    roles: [{ id: AGENT, groups: [ADMINS] }, { id: VIEWER }],
  });
  tenant.simulator.fail({ path, times: 10, action: { status: 404 } });
  const review = await judgedAlone(`conflicts:\n  - [${AGENT}, ${VIEWER}]\n`, [adds("a", VIEWER, [BILLING])]);
  expect(doubts(review)).toEqual([
    `not everyone in ${unread.join(" and ")} was compared for the conflicts of rules.yaml (404: the tenant doesn't list its members)`,
  ]);
  expect(review.categories).toEqual(expect.arrayContaining(["rules", "unknown"]));
  expect(toJson(review, MAKING).complete).toBe(false);
});

test("whether the tenant has a role that a rule names is a doubt where the roles could not be read, but for roles whose groups were", async () => {
  seed({ clients: clientsWithout("read:roles") });
  const review = await judgedAlone(`conflicts:\n  - [${AGENT}, ${VIEWER}]\nend:\n  rol_typo: 30\n`, [
    adds("a", AGENT, [BILLING]),
  ]);
  expect(doubts(review)).toEqual([
    "whether the tenant has rol_typo, which rules.yaml names, could not be read (needs read:roles)",
  ]);
  expect(review.categories).toContain("rules");
});

describe("a doubt of one client stays, whatever another one of the tenant was not asked", () => {
  const asAnother = { IDENTITY_MAX_CONCURRENCY: "3" };
  const lacking = { IDENTITY_CLIENT_SECRET: "" };

  test.each([
    ["nothing", [], asAnother],
    ["for want of a credential", [adds("b", AUDITOR, [BILLING])], lacking],
  ])("whether it has a role: %s", async (_, steps, settings) => {
    seed({ clients: clientsWithout("read:roles") });
    const rules = `end:\n  rol_typo: 30\n`;
    const expected = expect.arrayContaining([
      "whether the tenant has rol_typo, which rules.yaml names, could not be read (needs read:roles)",
    ]) as unknown;
    const stacks = [[adds("a", AGENT, [BILLING])], steps];
    const one = await judged(rules, stacks, { own: [{}, settings] });
    expect(one.flatMap(doubts)).toEqual(expected);
    const other = await judged(rules, [...stacks].reverse(), { own: [settings, {}] });
    expect(other.flatMap(doubts)).toEqual(expected);
  });

  test("who is compared", async () => {
    seed({
      clients: clientsWithout("read:group_members"),
      roles: [{ id: AGENT, groups: [SUPPORT] }, { id: VIEWER }],
    });
    const rules = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
    const stacks = [[adds("b", AUDITOR, [BILLING])], [adds("a", VIEWER, [BILLING])]];
    const reviews = await judged(rules, stacks, { own: [lacking, {}] });
    expect(reviews.flatMap(doubts)).toContain(
      `not everyone in ${BILLING} and ${SUPPORT} was compared for the conflicts of rules.yaml (needs read:group_members)`,
    );
  });
});

describe("what can't be judged of a conflict counts as broken", () => {
  const conflict = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
  const change = [adds("a", VIEWER, [BILLING])];

  test("more than 100 groups in it", async () => {
    const groups = manyGroups(100);
    const users = [{ user_id: "auth0|both", groups: [groups[99]!, BILLING] }];
    const all = [...(DEFAULT_SEED.groups ?? []), ...groups.map((id) => ({ id }))];
    seed({ users, groups: all, roles: [{ id: AGENT, groups }, { id: VIEWER }] });
    const review = await judgedAlone(conflict, change);
    expect(doubts(review)).toEqual([
      "people in 101 groups were not compared for rules.yaml:2 (more than 100)",
    ]);
    expect(review.categories).toContain("rules");
    seed({
      users,
      groups: all,
      roles: [{ id: AGENT, groups: groups.slice(1) }, { id: VIEWER }],
    });
    const compared = await judgedAlone(conflict, change);
    expect(doubts(compared)).toEqual([]);
    expect(broken(compared)).toHaveLength(1);
  });

  test("members of more groups than a review asks for", async () => {
    const many = manyGroups(99);
    seed({
      groups: [...(DEFAULT_SEED.groups ?? []), ...many.map((id) => ({ id }))],
      roles: [{ id: AGENT, groups: [SUPPORT] }, { id: VIEWER }, { id: AUDITOR }],
    });
    const review = await judgedAlone(conflict, [...change, adds("b", AUDITOR, many)]);
    expect(doubts(review)).toEqual([
      `not everyone in ${SUPPORT} was compared for the conflicts of rules.yaml (not asked)`,
    ]);
    expect(review.categories).toContain("rules");
  });

  test.each([
    ["no client", { asks: false }, "not asked"],
    ["a wrong client", { environment: { IDENTITY_CLIENT_SECRET: "" } }, "the connection is not configured"],
    [
      "a client of another tenant",
      { environment: { IDENTITY_FORMER_DOMAINS: "other.example.com" } },
      "not asked",
    ],
  ])("who has its roles today, with %s", async (_, given, why) => {
    const review = await judgedAlone(conflict, change, given);
    expect(doubts(review)).toContainEqual(
      expect.stringContaining(
        `who has ${AGENT} and ${VIEWER} today was not read, so not all conflicts of rules.yaml were judged (${why})`,
      ),
    );
    expect(review.categories).toContain("rules");
    const other = await judgedAlone(conflict, [adds("a", AUDITOR, [BILLING])], given);
    expect(doubts(other).filter((doubt) => doubt.includes("rules.yaml"))).toEqual([]);
    expect(other.categories).not.toContain("rules");
  });

  test("what is missing for a client is told in full only once", async () => {
    const across = `  - { roles: [${AGENT}, ${VIEWER}], anyContext: true }\n`;
    const given = { environment: { IDENTITY_DOMAIN: "", IDENTITY_CLIENT_SECRET: "" } };
    const all = doubts(await judgedAlone(conflict + across, change, given));
    expect(all.length).toBeGreaterThan(2);
    expect(all.filter((doubt) => doubt.includes("Set IDENTITY_DOMAIN"))).toHaveLength(1);
    expect(all[0]).toContain("Set IDENTITY_DOMAIN");
  });

  test("a role that another stack's client did not ask for", async () => {
    const stacks = [[adds("a", AUDITOR, [SUPPORT])], [adds("b", VIEWER, [BILLING])]];
    const own: Record<string, string>[] = [{}, { IDENTITY_CLIENT_ID: "", IDENTITY_CLIENT_SECRET: "" }];
    const reviews = await judged(conflict, stacks, { own });
    expect(reviews.flatMap(doubts)).toContain(
      `who has ${AGENT} and ${VIEWER} today was not read, so not all conflicts of rules.yaml were judged (not asked)`,
    );
  });
});

test.each([
  ["is the 1,200th member", 1_200, 0, "more than 1,000 people"],
  ["may be in a group within the group", 5, 1, "1 group within it"],
])("whoever %s can't be excluded: a doubt, and an approval waits for it", async (_, number, nested, why) => {
  const members = Array.from({ length: number }, (_, index) => ({
    user_id: `auth0|${index}`,
    groups: [ADMINS],
  }));
  const roles = [{ id: AGENT, groups: [ADMINS] }, { id: VIEWER }];
  seed({ roles, users: [...members, { user_id: "auth0|last", groups: [ADMINS, BILLING] }] });
  // The simulator has no groups within groups.
  const withNested = (tenant: TenantAnswers): TenantAnswers => ({
    ...tenant,
    members: new Map(
      [...tenant.members].map(([group, answer]) => [
        group,
        group === ADMINS && answer.value ? { value: { ...answer.value, groups: nested } } : answer,
      ]),
    ),
  });
  const change = [adds("a", VIEWER, [BILLING])];
  const conflict = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;
  const review = await judgedAlone(conflict, change, { answered: withNested });
  expect(doubts(review)).toEqual([
    `not everyone in ${ADMINS} was compared for the conflicts of rules.yaml (${why})`,
  ]);
  expect(review.names).toMatchObject({ [ADMINS]: "directory-admins" });
  expect(review.categories).toContain("rules");
});

test("a role that must end: without an end, too late, in time", async () => {
  const review = await judgedAlone(`end:\n  ${VIEWER}: 30\n`, [
    adds("a", VIEWER, [ADMINS]),
    adds("b", VIEWER, [BILLING], { until: "2027-06-01" }),
    adds("c", VIEWER, [SUPPORT], { until: "2026-12-20" }),
  ]);
  expect(broken(review)).toEqual([
    `${BILLING} has ${VIEWER} until 2027-06-01, and rules.yaml:2 allows 30 days ahead at most by b`,
    `${ADMINS} has ${VIEWER} without an end, and rules.yaml:2 allows it for 30 days at most by a`,
  ]);
});

test("groups that do not show may break any rule", async () => {
  const rules = `allow:\n  ${AGENT}: []\n`;
  const review = await judgedAlone(rules, [adds("a", AGENT, UNKNOWN_VALUE)], { asks: false });
  expect(review.categories).toContain("rules");
  expect(review.unknown[0]?.categories).toContain("rules");
});

describe("the tenant does not answer", () => {
  const names = "allow:\n  support-agent: [support-desk]\n";
  const change = [adds("a", AGENT, [BILLING])];

  test.each([
    ["read:groups", "(needs read:groups)"],
    ["read:roles", "(needs read:roles)"],
  ])("without %s, rules with names can't be judged: one line, and it counts", async (scope, why) => {
    seed({ clients: clientsWithout(scope) });
    const review = await judgedAlone(names, change);
    const told = doubts(review).filter((one) => one.includes("rules"));
    expect(told).toEqual([
      expect.stringMatching(
        /^the rules of rules\.yaml could not be judged: the ids of their names could not be read/,
      ),
    ]);
    expect(told[0]).toContain(why);
    expect(review.categories).toContain("rules");
  });

  test("with --no-read a name is an error, and an id is not", async () => {
    await expect(judgedAlone(names, change, { asks: false })).rejects.toThrow(
      'rules.yaml:2: no tenant is asked for the id of "support-agent". Configure a client, leave out --no-read, or write the id.',
    );
    const review = await judgedAlone(`allow:\n  ${AGENT}: [${SUPPORT}]\n`, change, { asks: false });
    expect(broken(review)).toHaveLength(1);
  });

  test("a name that is not there is an error, also where nothing changes", async () => {
    await expect(judgedAlone("allow:\n  support-agnt: []\n", [])).rejects.toThrow(
      `rules.yaml:2: no role of ${new URL(tenant.simulator.url).host} is called "support-agnt". Did you mean "support-agent"?`,
    );
  });

  test("the tenant of a review is another one than the client's", async () => {
    const review = await judgedAlone(names, change, {
      environment: { IDENTITY_FORMER_DOMAINS: "other.example.com" },
    });
    expect(doubts(review)).toEqual([
      `the rules of rules.yaml on ${TENANT} could not be judged (it was not asked for the ids of their names)`,
    ]);
  });
});

test.each([
  ["nothing changes", []],
  ["nothing changes on it", [same("a", VIEWER, [BILLING])]],
])("with ids only, a tenant on which %s is asked for no token", async (_, steps) => {
  const review = await judgedAlone(`allow:\n  ${VIEWER}: []\n`, steps);
  expect(tenant.simulator.log()).toEqual([]);
  expect(broken(review)).toHaveLength(steps.length);
});

test.each([true, false])(
  "what a refresh has found is new, whether or not the tenant is asked: %s",
  async (asks) => {
    seed({ roles: [{ id: AGENT, groups: [SUPPORT, BILLING] }, { id: VIEWER }] });
    const drift = step({
      name: "a",
      id: AGENT,
      before: assignment(AGENT, [SUPPORT]),
      after: assignment(AGENT, [SUPPORT, BILLING]),
    });
    const rules = `allow:\n  ${AGENT}: []\n`;
    const review = await judgedAlone(rules, [drift], { isDrift: true, asks });
    expect(broken(review)).toEqual([
      `${BILLING} has ${AGENT}, which rules.yaml:2 doesn't allow by a`,
      `old: ${SUPPORT} has ${AGENT}, which rules.yaml:2 doesn't allow by a`,
    ]);
    expect(review.categories).toContain("rules");
    // Another stack has given it.
    const reviews = await judged(rules, [[drift], [same("b", AGENT, [BILLING])]], { isDrift: true, asks });
    expect(reviews.flatMap(broken).every((breach) => breach.startsWith("old"))).toBe(true);
  },
);

test("a hostile tenant's names are inert wherever a breach is shown", async () => {
  const name = "x`|<b>\u202e\u001b[31m\n::error::y@team";
  seed({
    groups: [...(DEFAULT_SEED.groups ?? []).filter(({ id }) => id !== BILLING), { id: BILLING, name }],
    roles: [{ id: AGENT, name, groups: [BILLING] }],
  });
  const review = await judgedAlone(`allow:\n  ${AGENT}: []\n`, [adds("a`|\u202e", AGENT, [BILLING, ADMINS])]);
  const documents = [documentOf(review, [])];
  const appearance = appearanceOf(review);
  const shown = [reviewMarkdown(documents, "", appearance), reviewText(documents, appearance)];
  for (const text of shown) {
    expect(text).toContain("Breaks a rule");
    expect(text).not.toMatch(HOSTILE);
  }
  expect(shown[0]).not.toMatch(/(?<!`[^`\n]*)<b>/);
});
