import { type AccessRequest } from "../../../cli/access/ask";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { type Fault } from "../../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { assignment, csvRows, encrypted, jsonOf, rules, useAccess } from "../../../testkit/cli/access";
import { UNUSUAL_IDS } from "../../../testkit/unusual-ids";

/* Breaches of the rules today, whoever granted the role. */

const { simulator, holders, ...access } = useAccess();
beforeEach(() => holders({ [AGENT]: [SUPPORT, BILLING], [VIEWER]: [BILLING] }));

const ask = (text: string, resources: Record<string, object> = {}, request: Partial<AccessRequest> = {}) =>
  access.ask(resources, { rules: rules(text), ...request });

test.each(["text", "markdown", "csv", "json"] as const)(
  "a claimed group that isn't there has its name as %s if a rule names it",
  async (format) => {
    const resources = { support: assignment(AGENT, [BILLING, ADMINS]) };
    const rules = "allow:\n  support-agent: [directory-admins, billing-team, support-desk]\n";
    const row = formatted(await ask(rules, resources), format).replace(/\s+/g, " ");
    expect(row).toMatch(new RegExp(`directory-admins.{1,20}${ADMINS}|${ADMINS}.{1,20}directory-admins`));
  },
);

const broken = async (rules: string, resources?: Record<string, object>) => {
  const json = jsonOf(await ask(rules, resources));
  return json.rules?.breaches.map(
    ({ reason, by }) => `${reason} by ${by.map((one) => one.resource).join(",")}`,
  );
};

test.each(UNUSUAL_IDS)("a role by the id %s, which is no name although it could be one", async (id) => {
  access.seed({
    users: [],
    roles: [
      { id: AGENT, name: id, groups: [SUPPORT] },
      { id, name: "another", groups: [SUPPORT, BILLING] },
    ],
  });
  expect(await broken(`allow:\n  ${JSON.stringify(id)}: [support-desk]\n`)).toEqual([
    `billing-team ${BILLING} has another ${id}, which rules.yaml:2 doesn't allow by `,
  ]);
});

test("people with two roles of a conflict are found, and without the scope one line says so", async () => {
  const users = [{ user_id: "auth0|both", groups: [SUPPORT, ADMINS] }];
  const roles = { [AGENT]: [SUPPORT], [VIEWER]: [ADMINS] };
  const rules = "conflicts:\n  - [support-agent, billing-viewer]\n";
  holders(roles, { users });
  const json = jsonOf(await ask(rules));
  expect(json.rules).toMatchObject({ gaps: [], breaches: [{ people: { count: 1, ids: ["auth0|both"] } }] });

  holders(roles, { users, clients: clientsWithout("read:group_members") });
  const without = await ask(rules);
  expect(jsonOf(without).rules).toMatchObject({ gaps: ["needs read:group_members"], breaches: [] });
  const text = formatted(without, "text");
  expect(text).toContain("Not all people were compared for the rules (needs read:group_members)");
  expect(text).toContain("No known breach of the rules of rules.yaml");
  expect(text).not.toContain("Nothing breaks");
  expect(simulator.log().filter((line) => line.includes("/members"))).toHaveLength(1);
  expect(jsonOf(without).complete).toBe(false);
  expect(findingsIn(without)).toContain("rules");
});

test("people who have a role of a conflict directly are compared, and without the scope a gap says so", async () => {
  const users = [
    { user_id: "auth0|both", groups: [SUPPORT], roles: [VIEWER] },
    { user_id: "auth0|twice", roles: [AGENT, VIEWER] },
  ];
  const rules = "conflicts:\n  - [support-agent, billing-viewer]\n";
  holders({ [AGENT]: [SUPPORT] }, { users });
  const json = jsonOf(await ask(rules));
  expect(json.rules?.breaches.map(({ reason, people }) => [reason, people?.ids])).toEqual([
    [
      `1 person has support-agent ${AGENT} through support-desk ${SUPPORT} and billing-viewer ${VIEWER} directly, which rules.yaml:2 keeps apart`,
      ["auth0|both"],
    ],
    [
      `1 person has support-agent ${AGENT} directly and billing-viewer ${VIEWER} directly, which rules.yaml:2 keeps apart`,
      ["auth0|twice"],
    ],
  ]);
  expect(json.complete).toBe(true);
  expect(simulator.log().filter((line) => line.includes("/users?"))).toHaveLength(2);

  holders({ [AGENT]: [SUPPORT] }, { users, clients: clientsWithout("read:role_members", "read:users") });
  const without = await ask(rules);
  expect(jsonOf(without)).toMatchObject({
    complete: false,
    rules: { gaps: ["who has roles directly: needs read:role_members or read:users"] },
  });
  expect(findingsIn(without)).toContain("rules");
  expect(simulator.log().filter((line) => line.includes("/users?"))).toHaveLength(1);
});

test("a role that nobody may have directly; every role is asked if the default forbids it", async () => {
  const users = [
    { user_id: "auth0|one", groups: [SUPPORT], roles: [VIEWER] },
    { user_id: "auth0|two", roles: [AGENT, VIEWER] },
  ];
  holders({ [AGENT]: [SUPPORT] }, { users });
  const answer = await ask("direct:\n  billing-viewer: forbid\n");
  expect(jsonOf(answer).rules?.breaches).toMatchObject([
    {
      rule: "direct",
      rulesLine: 2,
      roles: [VIEWER],
      groups: [],
      direct: [VIEWER],
      people: { count: 2, ids: ["auth0|one", "auth0|two"] },
      reason: `2 people have billing-viewer ${VIEWER} directly, which rules.yaml:2 forbids`,
    },
  ]);
  expect(jsonOf(answer).complete).toBe(true);
  expect(findingsIn(answer)).toContain("rules");
  simulator.reset();
  const closed = await ask("direct:\n  default: forbid\n  billing-viewer: allow\n");
  expect(jsonOf(closed).rules?.breaches.map(({ reason }) => reason)).toEqual([
    `1 person has support-agent ${AGENT} directly, which rules.yaml:2 forbids`,
  ]);

  holders({}, { users, clients: clientsWithout("read:role_members", "read:users") });
  const without = await ask("direct:\n  billing-viewer: forbid\n");
  expect(jsonOf(without)).toMatchObject({
    complete: false,
    rules: { breaches: [], gaps: ["who has roles directly: needs read:role_members or read:users"] },
  });
  expect(findingsIn(without)).toContain("rules");
});

test.each<[why: string, gap: string, action: Fault["action"]]>([
  ["no list of members is not an empty list", "404: the tenant doesn't list its members", { status: 404 }],
  [
    "only a part of a group was read",
    "a group has 1 group within it",
    { status: 200, body: { members: [{ id: BILLING, member_type: "group" }] } },
  ],
])("%s: a conflict can't be excluded", async (_why, gap, action) => {
  const users = [{ user_id: "auth0|both", groups: [SUPPORT, ADMINS] }];
  holders({ [AGENT]: [SUPPORT], [VIEWER]: [ADMINS] }, { users });
  simulator.fail({ path: `/api/v2/groups/${ADMINS}/members`, times: 9, action });
  const answer = await ask(`conflicts:\n  - [${AGENT}, ${VIEWER}]\n`);
  expect(jsonOf(answer)).toMatchObject({ complete: false, rules: { gaps: [gap], breaches: [] } });
  expect(findingsIn(answer)).toContain("rules");
});

test("names of roles are known where only the groups of one role can't be read whole", async () => {
  holders(
    { [AGENT]: [SUPPORT, BILLING], [VIEWER]: [] },
    { behaviour: { cursor_lists: "total", max_page_size: 1 } },
  );
  const answer = await ask("allow:\n  support-agent: [directory-admins]\n");
  expect(answer.incomplete).toHaveLength(1);
  expect(answer.rules?.breaches).toHaveLength(1);
});

test("a clean tenant says so, and --fail-on finds nothing", async () => {
  const answer = await ask(`allow:\n  ${AGENT}: "*"\n`);
  expect(formatted(answer, "text")).toContain("Nothing breaks the rules of rules.yaml");
  expect(findingsIn(answer)).not.toContain("rules");
});

test("each format shows what breaks them", async () => {
  const answer = await ask(`allow:\n  ${AGENT}: [${SUPPORT}]\n`);
  expect(findingsIn(answer)).toContain("rules");
  expect(formatted(answer, "text")).toContain(
    `  billing-team ${BILLING} has support-agent ${AGENT}, which rules.yaml:2 doesn't allow  by hand`,
  );
  expect(formatted(answer, "markdown")).toContain("#### Breaks the rules of `rules.yaml`");
  expect(csvRows(answer).flatMap(({ breaks }) => breaks || [])).toEqual(["allow line 2"]);
});

test("secret groups may break any rule", async () => {
  const answer = await ask(`allow:\n  ${VIEWER}: "*"\n`, { hidden: assignment(VIEWER, encrypted) });
  expect(findingsIn(answer)).toContain("rules");
});

test("one request for each name of a group, none for a name of a role", async () => {
  await ask("allow:\n  support-agent: [support-desk, billing-team]\n  billing-viewer: [support-desk]\n");
  expect(
    simulator
      .log()
      .filter((line) => line.includes("/groups?"))
      .sort(),
  ).toEqual(
    [
      "GET /api/v2/groups?name=billing-team&take=100 200",
      "GET /api/v2/groups?name=support-desk&take=100 200",
      `GET /api/v2/roles/${AGENT}/groups?take=100 200`,
      `GET /api/v2/roles/${VIEWER}/groups?take=100 200`,
    ].sort(),
  );
});

test("a name that is not there is an error, and so is a list of roles that is not whole", async () => {
  await expect(ask("allow:\n  support-agent: [suport-desk]\n")).rejects.toThrow(
    `rules.yaml:2: no group of ${access.host()} is called "suport-desk". Did you mean "support-desk"?`,
  );
  holders({}, { behaviour: { max_numbered_entries: 1, max_page_size: 1 } });
  await expect(ask("allow:\n  support-agent: []\n")).rejects.toThrow(
    "doesn't list all of its roles. Write ids",
  );
});

test("an id that isn't there is a doubt if the tenant doesn't list all roles", async () => {
  holders({}, { behaviour: { max_numbered_entries: 1, max_page_size: 1 } });
  const answer = await ask(`conflicts:\n  - [${AGENT}, rol_typo]\n`);
  expect(answer.rules?.gaps).toContain(
    "rol_typo isn't among the roles that the tenant lists, which aren't all",
  );
  expect(answer.complete).toBe(false);
});
