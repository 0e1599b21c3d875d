import { documentOf } from "../../../../cli/review/output/document";
import { reviewMarkdown } from "../../../../cli/review/output/markdown";
import { type Review } from "../../../../cli/review/review";
import { toJson } from "../../../../cli/review/output/json";
import { type TenantAnswers } from "../../../../cli/review/tenant/answers";
import { reviewText } from "../../../../cli/review/output/text";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  SUPPORT,
  VIEWER,
} from "../../../../simulator/default-seed";
import {
  adds as addsGroups,
  appearanceOf,
  AskedTenant,
  assignment,
  clientsWithout,
  MAKING,
  manyGroups,
} from "../../../../testkit/cli/asked";
import { step } from "../../../../testkit/cli/previews";

/* The number of people behind a change, and the role's permissions. */

const tenant = AskedTenant.forTests();
const log = () => tenant.simulator.log();

const people = (prefix: string, number: number, groups: string[]) =>
  Array.from({ length: number }, (_, index) => ({ user_id: `auth0|${prefix}${index}`, groups }));
const adds = (name: string, role: string, ...groups: string[]) => addsGroups(name, role, groups);
const removes = (name: string, role: string, ...groups: string[]) =>
  step({ name, id: role, before: assignment(role, groups) });

const reviewed = (steps: readonly object[]) => tenant.reviewedAlone(steps);

/** `more`: settings of the second stack. */
const together = (stacks: readonly (readonly object[])[], more: Record<string, string>) =>
  tenant.reviewed(stacks, { own: [{}, more] });

const textOf = (review: Review, hasIds = false) =>
  reviewText([documentOf(review, [], hasIds)], appearanceOf(review));
const notes = (review: Review) => review.notes.map(({ reason }) => String(reason));

test("a gain and a loss have the number of people, and those who keep it or have it already", async () => {
  tenant.seed({
    users: [
      ...people("a", 9, [BILLING]),
      ...people("b", 3, [BILLING, SUPPORT]),
      ...people("c", 1, [CONTRACTORS]),
    ],
    roles: [
      { id: AGENT, name: "support-agent", groups: [SUPPORT, BILLING] },
      { id: VIEWER, name: "billing-viewer", groups: [SUPPORT] },
    ],
  });
  const review = await reviewed([removes("a", AGENT, BILLING), adds("b", VIEWER, BILLING, CONTRACTORS)]);
  const text = textOf(review);
  expect(text).toContain(
    `billing-team ${BILLING}, 12 people, 3 of them keep it through support-desk ${SUPPORT}`,
  );
  expect(text).toContain(
    `billing-team ${BILLING}, 12 people, 3 of them have it already through support-desk ${SUPPORT}`,
  );
  expect(text).toContain(`contractors ${CONTRACTORS}, 1 person `);
  expect(text).not.toContain("In all");
  expect(reviewText([documentOf(review, [])], appearanceOf(review), undefined, 120)).toContain(
    "  In all: 13 people in groups that gain a role and 12 people in a group that loses a role.\n",
  );
  const json = toJson(review, MAKING);
  expect(json.access.map((row) => row.people)).toContainEqual({
    count: 12,
    more: false,
    same: { count: 3, through: [SUPPORT] },
    direct: 0,
    notCompared: 0,
  });
});

test("who has the role directly keeps it, or has it already, whatever the group gains or loses", async () => {
  const of = (prefix: string, number: number, groups: string[], roles: string[]) =>
    people(prefix, number, groups).map((user) => ({ ...user, roles }));
  tenant.seed({
    users: [
      ...people("a", 7, [BILLING]),
      ...people("b", 3, [BILLING, SUPPORT]),
      ...of("c", 1, [BILLING, SUPPORT], [AGENT]),
      ...of("d", 1, [BILLING], [AGENT, VIEWER]),
      ...of("e", 5, [], [AGENT]),
    ],
    roles: [{ id: AGENT, groups: [SUPPORT, BILLING] }, { id: VIEWER }],
  });
  const review = await reviewed([removes("a", AGENT, BILLING), adds("b", VIEWER, BILLING)]);
  const text = textOf(review);
  expect(text).toContain(
    `${BILLING}, 12 people, 4 of them keep it through support-desk ${SUPPORT}, 2 have it directly `,
  );
  expect(text).toContain(`${BILLING}, 12 people, 1 has it directly `);
  const json = toJson(review, MAKING);
  expect(json.access.map((row) => row.people?.direct)).toEqual([2, 1]);
});

test("without the scope, nobody is compared with those who have it directly, and the row says so", async () => {
  tenant.seed({
    users: people("a", 4, [BILLING]),
    roles: [{ id: AGENT, groups: [BILLING] }],
    clients: clientsWithout("read:role_members", "read:users"),
  });
  const review = await reviewed([removes("a", AGENT, BILLING)]);
  expect(textOf(review)).toContain(
    ", 4 people, not compared with those who have it directly (needs read:role_members or read:users) ",
  );
  expect(toJson(review, MAKING).access[0]?.people?.direct).toBeNull();
});

describe("a grant whose end moves", () => {
  const moves = (name: string, groups: string[], before: object, after: object) =>
    step({
      ...{ name, id: AGENT },
      before: assignment(AGENT, groups, before),
      after: assignment(AGENT, groups, after),
    });
  const until = { until: "2199-12-31" };
  beforeEach(() => {
    tenant.seed({
      users: [
        ...people("a", 4, [BILLING]),
        ...people("b", 2, [BILLING, SUPPORT]),
        ...people("c", 1, [BILLING, ADMINS]),
      ],
      roles: [{ id: AGENT, name: "support-agent", groups: [BILLING, SUPPORT, ADMINS] }],
    });
  });

  test("has its names and people, and who has the role besides", async () => {
    const [longer, shorter] = [
      await reviewed([moves("a", [BILLING], until, {})]),
      await reviewed([moves("a", [BILLING], {}, until)]),
    ];
    const through = `through support-desk ${SUPPORT} and directory-admins ${ADMINS}`;
    expect(textOf(longer)).toContain(
      `support-agent ${AGENT}  ⏳ keeps, now without an end (was 2199-12-31)  billing-team ${BILLING}, 7 people, 3 of them also have it ${through}`,
    );
    expect(textOf(shorter)).toContain(
      `⏳ keeps, now ends on 2199-12-31 (had no end)  billing-team ${BILLING}, 7 people, 3 of them keep it ${through}`,
    );
    expect(reviewText([documentOf(shorter, [])], appearanceOf(shorter), undefined, 120)).toContain(
      "  In all: 7 people in a group that keeps a role for less time.\n",
    );
    expect(toJson(longer, MAKING)).toMatchObject({
      counts: { keeps: 1, endsLater: 1 },
      access: [{ effect: "keeps", ends: "later", untilBefore: "2199-12-31", people: { count: 7 } }],
    });
  });

  test("isn't kept through another one that ends with it", async () => {
    const text = textOf(await reviewed([moves("a", [BILLING, SUPPORT], {}, until)]));
    expect(text).toContain(`7 people, 1 of them keeps it through directory-admins ${ADMINS}`);
    expect(text).toContain(`support-desk ${SUPPORT}, 2 people `);
  });

  test("still counts for who loses the role in another group", async () => {
    const text = textOf(await reviewed([moves("a", [BILLING], {}, until), removes("b", AGENT, SUPPORT)]));
    expect(text).toContain(`2 people, 2 of them keep it through billing-team ${BILLING}`);
  });
});

describe("people aren't sure to keep it", () => {
  const secretly = (name: string, op: "delete" | "update", groupIds: unknown, more = {}) => {
    const before = assignment(AGENT, groupIds, more);
    return step({
      name,
      op,
      id: AGENT,
      before,
      ...(op === "update" && { after: assignment(AGENT, [ADMINS]) }),
    });
  };

  test.each([
    ["may lose it, too", secretly("b", "delete", [SUPPORT], { deleteOnDestroy: "[secret]" }), []],
    ["keeps it, but for a secret", secretly("b", "update", "[secret]"), [adds("c", AGENT, SUPPORT)]],
  ])("through a group that %s", async (_, open, more) => {
    tenant.seed({
      users: [...people("a", 3, [BILLING, SUPPORT]), ...people("b", 2, [BILLING, SUPPORT, CONTRACTORS])],
      roles: [{ id: AGENT, groups: [BILLING, SUPPORT, CONTRACTORS] }],
    });
    const review = await reviewed([removes("a", AGENT, BILLING), open, ...more]);
    const text = textOf(review);
    expect(text).toContain(
      `${BILLING}, 5 people, 2 of them keep it through contractors ${CONTRACTORS}, 3 of them may keep it through support-desk ${SUPPORT} `,
    );
    const json = toJson(review, MAKING);
    const row = json.access.find(({ group }) => group === BILLING);
    expect(row?.people).toMatchObject({
      same: { count: 2, through: [CONTRACTORS] },
      maybe: { count: 3, through: [SUPPORT] },
      notCompared: 0,
    });
  });

  test("nor to have it already through a group that may have it, if the tenant doesn't tell", async () => {
    tenant.seed({ users: people("a", 2, [BILLING, SUPPORT]), roles: [{ id: AGENT }] });
    const through = async (groups: TenantAnswers["groups"]) => {
      const inputs = { before: assignment(AGENT, "[secret]"), after: assignment(AGENT, [SUPPORT]) };
      const steps = [adds("a", AGENT, BILLING), step({ name: "b", id: AGENT, ...inputs })];
      const review = await tenant.reviewedAlone(steps, { answered: (answers) => ({ ...answers, groups }) });
      return toJson(review, MAKING).access.find(({ group }) => group === BILLING)?.people?.maybe;
    };
    expect(await through(new Map())).toEqual({ count: 2, through: [SUPPORT] });
    expect(await through(new Map([[AGENT, { value: [] }]]))).toBeUndefined();
  });
});

test("nobody has it already through a group that has lost the role since", async () => {
  tenant.seed({
    users: people("a", 4, [SUPPORT, ADMINS]),
    roles: [{ id: AGENT, groups: [] }],
  });
  const text = textOf(await reviewed([removes("a", AGENT, SUPPORT), adds("b", AGENT, ADMINS)]));
  expect(text).not.toContain("have it already");
});

test.each([
  ["the same settings", {}],
  ["other settings", { IDENTITY_MAX_REVOCATIONS: "7" }],
])("nobody keeps through one stack what another one takes away: with %s", async (_, more) => {
  tenant.seed({
    users: people("a", 4, [SUPPORT, BILLING]),
    roles: [{ id: AGENT, groups: [SUPPORT, BILLING] }],
  });
  for (const review of await together([[removes("a", AGENT, SUPPORT)], [removes("b", AGENT, BILLING)]], more))
    expect(textOf(review)).toMatch(/, 4 people +[ab] is deleted/);
  const [first] = await together([[removes("a", AGENT, SUPPORT)], [adds("b", AGENT, ADMINS)]], more);
  expect(textOf(first!)).toMatch(/, 4 people, 4 of them keep it through billing-team/);
});

test("a group that was read in part is not compared with others", async () => {
  tenant.seed({
    users: [...people("a", 1_450, [BILLING]), ...people("z", 50, [BILLING, SUPPORT])],
    roles: [{ id: AGENT, groups: [BILLING, SUPPORT] }],
  });
  const review = await reviewed([removes("a", AGENT, BILLING)]);
  expect(textOf(review)).toContain("more than 1,000 people, not compared with 1 other group that has it");
});

test("whoever is in a group within a group is not compared", async () => {
  tenant.seed({
    users: [...people("a", 1, [BILLING]), ...people("b", 1, [BILLING, SUPPORT])],
    roles: [{ id: AGENT, groups: [BILLING, SUPPORT] }],
  });
  const nested = (answers: TenantAnswers): TenantAnswers => {
    const { value } = answers.members.get(SUPPORT)!;
    return {
      ...answers,
      members: new Map([...answers.members, [SUPPORT, { value: { ...value!, groups: 1 } }]]),
    };
  };
  const elsewhere = step({
    name: "b",
    id: AGENT,
    before: assignment(AGENT, [SUPPORT]),
    outputs: { tenant: "other.example.com" },
  });
  for (const more of [[], [elsewhere]]) {
    const steps = [removes("a", AGENT, BILLING), ...more];
    const review = await tenant.reviewedAlone(steps, { answered: nested });
    const row = toJson(review, MAKING).access.find(({ group }) => group === BILLING);
    expect(row?.people).toMatchObject({ same: { count: 1 }, notCompared: 1 });
  }
});

test("more than 1,000 are not counted further, and of many other groups nobody is asked", async () => {
  const many = manyGroups(12);
  tenant.seed({
    users: people("a", 1_250, [BILLING]),
    groups: [...(DEFAULT_SEED.groups ?? []), ...many.map((id) => ({ id }))],
    roles: [{ id: AGENT, groups: [BILLING, ...many] }],
  });
  const review = await reviewed([removes("a", AGENT, BILLING)]);
  expect(textOf(review)).toContain("more than 1,000 people, not compared with 12 other groups that have it");
  expect(review.people.get(review.access[0]!)?.people).toHaveLength(1_000);
  const asked = log().filter((line) => line.includes("/members"));
  expect(asked).toHaveLength(10);
});

test("1,000 are counted to the last", async () => {
  tenant.seed({ users: people("a", 1_000, [BILLING]), roles: [{ id: AGENT, groups: [] }] });
  expect(textOf(await reviewed([adds("a", AGENT, BILLING)]))).toContain(", 1,000 people ");
});

test("--people names them, ten a group, and the JSON all that were read", async () => {
  tenant.seed({ users: people("a", 12, [BILLING]), roles: [{ id: AGENT }] });
  const review = await reviewed([adds("a", AGENT, BILLING)]);
  expect(textOf(review)).not.toContain("auth0|");
  expect(textOf(review, true)).toMatch(/12 people: auth0\|a0, (auth0\|a\d+, ){8}auth0\|a9 and 2 more/);
  expect(JSON.stringify(toJson(review, MAKING))).not.toContain("auth0|");
  expect(toJson(review, { ...MAKING, hasIds: true }).access[0]?.people?.ids).toHaveLength(12);
});

test("what the role allows: ten permissions by name, and a count of the others", async () => {
  const permissions = Array.from({ length: 13 }, (_, index) => ({
    resource_server_identifier: "https://tickets.example.com/",
    permission_name: `do:${String.fromCharCode(97 + index)}`,
  }));
  tenant.seed({ roles: [{ id: AGENT, permissions }, { id: VIEWER }] });
  const review = await reviewed([adds("a", AGENT, BILLING), adds("b", VIEWER, BILLING)]);
  const text = textOf(review);
  expect(text).toContain("What the roles allow:");
  expect(text).toContain(
    "https://tickets.example.com/: do:a, do:b, do:c, do:d, do:e, do:f, do:g, do:h, do:i and do:j",
  );
  expect(text).toContain("and 3 other permissions");
  expect(text).toContain(`- nothing: ${VIEWER}`);
  expect(toJson(review, MAKING).roles[0]).toMatchObject({ role: AGENT, from: "role" });
  expect(toJson(review, MAKING).roles[0]?.permissions).toHaveLength(13);
});

describe("an absence is one line, and nothing else is missing", () => {
  const change = [adds("a", AGENT, BILLING, ADMINS), removes("b", VIEWER, ADMINS)];
  test.each([
    ["read:group_members", "members of groups are not shown (needs read:group_members)", "/members"],
    ["read:roles", "permissions of roles are not shown (needs read:roles)", "/permissions"],
    ["read:groups", "names of groups are not shown (needs read:groups)", "/api/v2/groups/grp_"],
  ])("without %s", async (scope, line, path) => {
    tenant.seed({ clients: clientsWithout(scope) });
    const review = await reviewed(change);
    expect(notes(review).filter((note) => note === line)).toHaveLength(1);
    expect(review.unknown).toEqual([]);
    expect(review.access).toHaveLength(3);
    const asked = log().filter((one) => one.includes(path) && one.endsWith(" 403"));
    expect(asked).toHaveLength(1);
  });
});

test("members and permissions that the tenant doesn't know are not none: a line says so", async () => {
  const fail = (path: string) => tenant.simulator.fail({ path, times: 9, action: { status: 404 } });
  fail("/api/v2/groups/*/members");
  fail("/api/v2/roles/*/permissions");
  const review = await reviewed([adds("a", AGENT, BILLING)]);
  expect(notes(review)).toEqual(
    expect.arrayContaining([
      "members of groups are not shown (404: the tenant doesn't list its members)",
      "permissions of roles are not shown (404: not on the tenant)",
    ]),
  );
  expect(textOf(review)).not.toMatch(/0 people|nothing: /);
});

test("a group that isn't on the tenant is named, and nobody misses its members", async () => {
  const [gone, lost] = ["grp_8KvPcRtLmQwZyXnBdFgHjS", "grp_9KvPcRtLmQwZyXnBdFgHjS"];
  const host = new URL(tenant.simulator.url).host;
  const one = await reviewed([adds("a", AGENT, gone, ADMINS)]);
  expect(notes(one)).toEqual([
    `${host} was asked who has these roles today`,
    `the group ${gone} isn't on ${host}: a grant to it fails`,
  ]);
  const both = await reviewed([adds("a", AGENT, gone, lost)]);
  expect(notes(both)).toContain(`the groups ${gone} and ${lost} aren't on ${host}: a grant to them fails`);

  tenant.seed({ clients: clientsWithout("read:groups") });
  expect(notes(await reviewed([adds("a", AGENT, gone)]))).not.toContainEqual(
    expect.stringContaining("isn't on"),
  );
});

test("what keeps its access is asked nothing", async () => {
  await reviewed([adds("a", AGENT, SUPPORT)]);
  expect(log().filter((line) => /members|permissions/.test(line))).toEqual([]);
});

test("a hostile tenant's people and permissions are inert", async () => {
  const text = "x`|<b>\u202e\u001b[31m\n::error::y@team";
  tenant.seed({
    users: [{ user_id: text, groups: [BILLING] }],
    roles: [{ id: AGENT, permissions: [{ resource_server_identifier: text, permission_name: text }] }],
  });
  const review = await reviewed([adds("a", AGENT, BILLING)]);
  const markdown = reviewMarkdown([documentOf(review, [], true)], "", appearanceOf(review));
  const json = JSON.stringify(toJson(review, { ...MAKING, hasIds: true }));
  for (const shown of [textOf(review, true), markdown, json]) {
    expect(shown).toContain("x`");
    expect(shown).not.toMatch(/(?![\n\r])\p{Cc}|\p{Cf}|::error::/u);
  }
});

test("members of 100 groups at most are asked for, and one line says how many are left", async () => {
  const many = manyGroups(103);
  tenant.seed({ groups: many.map((id) => ({ id })), roles: [{ id: AGENT }], users: [] });
  const review = await reviewed([adds("a", AGENT, ...many)]);
  expect(log().filter((line) => line.includes("/members"))).toHaveLength(100);
  expect(notes(review)).toContain("members of groups are not shown (3 more than 100)");
});
