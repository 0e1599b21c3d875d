import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../simulator/default-seed";
import { assignment, Engine, failed, UNKNOWN } from "./engine";
import { type Values } from "./host";
import { json, TOKEN, useTenant } from "./tenant";

const tenant = useTenant();

const groupsUrl = (roleId: string) => `/roles/${roleId}/groups`;
const listed = `GET ${groupsUrl(VIEWER)}?take=100 200`;
const assigned = (...groups: string[]) => `POST ${groupsUrl(VIEWER)} ${json({ groups })} 204`;
const unassigned = (...groups: string[]) => `DELETE ${groupsUrl(VIEWER)} ${json({ groups })} 204`;

const viewers = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds });
const exactly = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds, exclusive: true });

/** `count` ids of groups, in order, all different. */
function manyGroups(count: number): string[] {
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
  return Array.from({ length: count }, (_, i) => {
    const last = `${digits[Math.floor(i / digits.length)]}${digits[i % digits.length]}`;
    return `grp_9999999999999999${last}`;
  });
}

async function made(...groupIds: string[]): Promise<Engine> {
  const engine = new Engine(tenant);
  await engine.up({ a: viewers(...groupIds) });
  tenant.sent();
  return engine;
}

describe("additive", () => {
  test("create: a preview that counts the groups, then one POST of a sorted set", async () => {
    const engine = new Engine(tenant);
    const program = { a: viewers(ADMINS, BILLING, ADMINS) };

    const { steps, messages } = await engine.preview(program);
    expect(steps).toEqual(["create a"]);
    expect(messages).toEqual([`role ${VIEWER}: +2 groups`]);
    expect(tenant.sent()).toEqual([]);

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, assigned(BILLING, ADMINS)]);
    expect(engine.resource("a")).toMatchObject({
      id: VIEWER,
      outputs: { roleId: VIEWER, groupIds: [BILLING, ADMINS], exclusive: false, tenant: tenant.host },
    });
  });

  test("the same groups in another order, or twice, are no change", async () => {
    const engine = await made(ADMINS, BILLING);

    expect((await engine.preview({ a: viewers(BILLING, ADMINS, BILLING) })).steps).toEqual([]);
    expect((await engine.up({ a: viewers(BILLING, ADMINS, BILLING) })).steps).toEqual([]);

    expect(tenant.sent()).toEqual([]);
  });

  test("update: adds before it removes, and says how many", async () => {
    const engine = await made(ADMINS, BILLING);
    const program = { a: viewers(ADMINS, SUPPORT, CONTRACTORS) };

    const { steps, messages } = await engine.preview(program);
    expect(steps).toEqual(["update a: groupIds"]);
    expect(messages).toEqual([`role ${VIEWER}: +2 groups, −1 group`]);
    expect(tenant.sent()).toEqual([]);

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, assigned(SUPPORT, CONTRACTORS), unassigned(BILLING)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT, CONTRACTORS].sort());
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("groups that others gave the role to are neither drift nor taken away", async () => {
    const engine = await made(ADMINS);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, listed]);
    expect((await engine.up({ a: viewers(ADMINS) })).steps).toEqual([]);
    await engine.destroy();

    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT]);
  });

  test("a group that was taken away outside is drift, and given back", async () => {
    const engine = await made(ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS]);
    tenant.sent();
    await engine.up({ a: viewers(ADMINS, BILLING) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(BILLING)]);
  });

  test("all groups taken away: gone on refresh, made again by up", async () => {
    const engine = await made(ADMINS);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [ADMINS] });

    expect((await engine.refresh()).steps).toEqual(["gone a"]);
    tenant.sent();
    await engine.up({ a: viewers(ADMINS) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS)]);
  });

  test("a role that is gone: gone on refresh, done on destroy", async () => {
    const engine = await made(ADMINS);
    const destroyed = new Engine(tenant);
    destroyed.state.set("a", structuredClone(engine.resource("a")));
    tenant.seed({ roles: [] });

    expect((await engine.refresh()).steps).toEqual(["gone a"]);
    await destroyed.destroy();

    expect(destroyed.state.size).toBe(0);
  });

  test("a new role: gives the new one before it takes the old one away", async () => {
    const engine = await made(ADMINS);
    const program = { a: assignment({ roleId: AGENT, groupIds: [ADMINS] }) };

    expect((await engine.preview(program)).steps).toEqual(["replace a: roleId", "delete replaced a"]);
    expect(tenant.sent()).toEqual([]);
    await engine.up(program);

    expect(tenant.sent()).toEqual([
      TOKEN,
      `POST ${groupsUrl(AGENT)} ${json({ groups: [ADMINS] })} 204`,
      unassigned(ADMINS),
    ]);
    expect(engine.resource("a").id).toBe(AGENT);
    expect(engine.pendingDeletes).toEqual([]);
  });

  test("two assignments of one role share one listing at refresh", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING) });
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);

    expect(tenant.sent()).toEqual([TOKEN, listed]);
  });

  test("drift is read from all pages of the list", async () => {
    const groups = manyGroups(230);
    tenant.seed({
      groups: groups.map((id) => ({ id })),
      roles: [{ id: VIEWER }],
    });
    const engine = await made(...groups);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [groups[229]] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);

    const requests = tenant.sent();
    expect(requests).toHaveLength(4);
    expect(requests[3]).toMatch(/^GET .*from=/);
    expect(engine.resource("a").outputs["groupIds"]).toEqual(groups.slice(0, 229));
  });
});

describe("exclusive", () => {
  test("create: the preview names how many it takes away, the up takes them away", async () => {
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT, CONTRACTORS] });
    const engine = new Engine(tenant);

    const { messages } = await engine.preview({ a: exactly(ADMINS, SUPPORT) });
    expect(messages.join("\n")).toMatch(/takes the role from 1 group /);
    expect(messages.join("\n")).toContain(CONTRACTORS);
    expect(tenant.sent()).toEqual([TOKEN, listed]);

    await engine.up({ a: exactly(ADMINS, SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT].sort());
    const writes = tenant.sent().filter((line) => !line.startsWith("GET"));
    expect(writes).toEqual([TOKEN, assigned(SUPPORT, ADMINS), unassigned(CONTRACTORS)]);
  });

  test("turned on later: the preview names how many it takes away", async () => {
    const engine = await made(ADMINS);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT, CONTRACTORS] });

    const { messages } = await engine.preview({ a: exactly(ADMINS) });
    expect(messages.join("\n")).toMatch(/takes the role from 2 groups /);
    await engine.up({ a: exactly(ADMINS) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);

    // From then on the state knows, and nothing is asked.
    tenant.sent();
    await engine.preview({ a: exactly(ADMINS) });
    expect(tenant.sent()).toEqual([]);
  });

  test("a group added outside is drift, and taken away again", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS) });
    tenant.sent();
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);
    tenant.sent();
    await engine.up({ a: exactly(ADMINS) });

    expect(tenant.sent()).toEqual([TOKEN, listed, unassigned(SUPPORT)]);
  });

  test("without drift a refresh shows none, and the next up sends nothing", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS) });
    tenant.sent();

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, listed]);
    expect((await engine.up({ a: exactly(ADMINS) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("turning it on takes the others away; turning it off leaves them", async () => {
    const engine = await made(ADMINS);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    await engine.up({ a: exactly(ADMINS) });
    expect(tenant.sent()).toEqual([TOKEN, listed, unassigned(SUPPORT)]);

    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [BILLING] });
    await engine.up({ a: viewers(ADMINS) });
    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
  });

  test("without the right to list it fails before it changes anything", async () => {
    tenant.withoutScopes("read:group_roles");

    const { errors } = await failed(new Engine(tenant).up({ a: exactly(ADMINS) }));

    expect(errors).toEqual([expect.stringContaining("Grant read:group_roles")]);
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });
});

describe("what another resource of the same run owns", () => {
  test("a group moved from one assignment to another keeps the role", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS, BILLING), b: viewers(SUPPORT) });

    await engine.up({ a: viewers(ADMINS), b: viewers(BILLING, SUPPORT) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());

    await engine.up({ a: viewers(ADMINS, SUPPORT), b: viewers(BILLING) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING, SUPPORT].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("a rename without an alias ends with the access in place", async () => {
    const engine = await made(ADMINS);

    const { steps } = await engine.up({ b: viewers(ADMINS) });

    expect(steps).toEqual(["create b", "delete a"]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("a rename of an exclusive assignment too", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(ADMINS, BILLING) });

    await engine.up({ b: exactly(ADMINS) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });

  test("a role swapped between two assignments ends with both in place", async () => {
    const engine = new Engine(tenant);
    const of = (roleId: string) => assignment({ roleId, groupIds: [ADMINS] });
    await engine.up({ a: of(VIEWER), b: of(AGENT) });

    await engine.up({ a: of(AGENT), b: of(VIEWER) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect(tenant.groupsOf(AGENT)).toEqual([SUPPORT, ADMINS].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });
});

describe("a run that failed half-way", () => {
  test("what another assignment got then, and still has, is not taken from it by the next run", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: viewers(ADMINS, BILLING) });
    tenant.fail({ method: "POST", path: "*/roles/*", action: { status: 500 } });
    const program = { renamed: viewers(BILLING), b: viewers(ADMINS) };
    await failed(engine.up(program));

    await engine.up(program);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("an assignment whose answer was lost is known to the state, so that it can be taken away", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: "*/roles/*", action: { drop: "after" } });

    await engine.up({ a: viewers(ADMINS) }).catch(() => undefined);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    await engine.up({});

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });
});

describe("an answer that was lost", () => {
  const groups = "*/roles/*";

  test("is resolved by the list: done", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: groups, action: { drop: "after" } });

    await engine.up({ a: viewers(ADMINS) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS).replace(/204$/, "0"), listed]);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("is resolved by the list: not done, so done again", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: groups, action: { drop: "before" } });

    await engine.up({ a: viewers(ADMINS) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("that nothing resolves leaves the groups in the state, and the next up finishes", async () => {
    const engine = await made(ADMINS);
    tenant.fail({ method: "POST", path: groups, action: { drop: "after" } });
    tenant.fail({ method: "GET", path: groups, times: 10, action: { status: 403 } });

    await failed(engine.up({ a: viewers(ADMINS, BILLING) }));
    expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS, BILLING].sort());

    // Taken back in the program, it is taken back on the tenant.
    await engine.up({ a: viewers(ADMINS) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });
});

describe("a service that refuses what is done already", () => {
  beforeEach(() => tenant.behave({ assign_assigned_group: "error", remove_absent_group: "error" }));

  test("create, where one of the groups has the role", async () => {
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [ADMINS] });
    const engine = await made(ADMINS, BILLING);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("destroy, where one of the groups lost the role", async () => {
    const engine = await made(ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [ADMINS] });

    await engine.destroy();

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });
});

describe("partial failure", () => {
  const groups = manyGroups(120);
  beforeEach(() =>
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }, { id: AGENT }] }),
  );

  test("of a create: what was done is recorded with the reason, and the next up finishes", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: `*${groupsUrl(VIEWER)}`, after: 1, action: { status: 500 } });

    const { errors } = await failed(engine.up({ a: viewers(...groups) }));

    expect(errors).toEqual([expect.stringMatching(/^a: POST .* answered 500/)]);
    const { outputs, initErrors, id } = engine.resource("a");
    expect(id).toBe(VIEWER);
    expect(initErrors).toEqual([expect.stringContaining("answered 500")]);
    expect(outputs["groupIds"]).toEqual(tenant.groupsOf(VIEWER));
    expect(tenant.groupsOf(VIEWER).length).toBeGreaterThan(0);
    expect(tenant.groupsOf(VIEWER).length).toBeLessThan(groups.length);
    const left = groups.filter((group) => !tenant.groupsOf(VIEWER).includes(group));
    tenant.sent();

    await engine.up({ a: viewers(...groups) });

    const written = tenant.sent().filter((line) => line !== TOKEN);
    expect(written.flatMap((line) => line.match(/grp_\w+/g) ?? []).sort()).toEqual(left);
    expect(tenant.groupsOf(VIEWER)).toEqual(groups);
    expect((await engine.up({ a: viewers(...groups) })).steps).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("of an update that added but could not remove", async () => {
    const [first, second] = groups as [string, string];
    const engine = await made(first);
    tenant.fail({ method: "DELETE", path: "*", action: { status: 403 } });

    await failed(engine.up({ a: viewers(second) }));

    expect(engine.resource("a").outputs["groupIds"]).toEqual([first, second]);
    expect(engine.resource("a").initErrors).toHaveLength(1);
    tenant.sent();
    await engine.up({ a: viewers(second) });

    expect(tenant.sent()).toEqual([TOKEN, unassigned(first)]);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("is destroyed completely", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: `*${groupsUrl(VIEWER)}`, after: 1, action: { status: 500 } });
    await failed(engine.up({ a: viewers(...groups) }));

    await engine.destroy();

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });

  test("a service that takes fewer groups in one call than we send", async () => {
    tenant.seed({
      groups: groups.map((id) => ({ id })),
      roles: [{ id: VIEWER }],
      behaviour: { max_groups_per_call: 10 },
    });

    const engine = new Engine(tenant);
    const { errors } = await engine
      .up({ a: viewers(...groups) })
      .catch(() => failed(engine.up({ a: viewers(...groups) })));

    // Either it finds out what the service takes, or it says what the service said.
    if (errors.length === 0) expect(tenant.groupsOf(VIEWER)).toEqual(groups);
    else expect(errors[0]).toContain("maximum 10");
  });

  test("the service's limits are explained", async () => {
    const roles = Array.from({ length: 10 }, (_, i) => ({ id: `rol_${i}`, groups: [ADMINS] }));
    tenant.seed({ roles: [...roles, { id: VIEWER }] });

    const { errors } = await failed(new Engine(tenant).up({ a: viewers(ADMINS) }));

    expect(errors[0]).toMatch(/10 roles on a group/);
  });
});

describe("bad input", () => {
  test.each<[string, Values, RegExp[]]>([
    ["nothing", {}, [/roleId: .*nothing/, /groupIds: .*nothing/]],
    ["no group", { roleId: VIEWER, groupIds: [] }, [/groupIds: must name at least one group/]],
    [
      "everything wrong at once",
      { roleId: "..", groupIds: ["grp_0", ADMINS, "x"], exclusive: "yes", extra: 1 },
      [
        /roleId: .*"\.\."/,
        /groupIds\[\d\]: .*"grp_0"/,
        /groupIds\[\d\]: .*"x"/,
        /exclusive: .*"yes"/,
        /extra: is not/,
      ],
    ],
    ["null", { roleId: null, groupIds: [null] }, [/roleId: .*null/, /groupIds\[0\]: .*null/]],
    ["a group with a trailing line", { roleId: VIEWER, groupIds: [`${ADMINS}\n`] }, [/groupIds\[0\]/]],
    ["a text instead of a list", { roleId: VIEWER, groupIds: ADMINS }, [/groupIds: /]],
  ])("%s", async (_what, inputs, problems) => {
    const { errors } = await failed(new Engine(tenant).preview({ a: assignment(inputs) }));

    expect(errors).toHaveLength(problems.length);
    for (const problem of problems) expect(errors.join("\n")).toMatch(problem);
    expect(tenant.sent()).toEqual([]);
  });

  test.each([
    ["rol/../../users", "rol%2F..%2F..%2Fusers"],
    ["rol%2e", "rol%252e"],
  ])("the role %j is one segment of the path", async (roleId, segment) => {
    await failed(new Engine(tenant).up({ a: assignment({ roleId, groupIds: [ADMINS] }) }));

    const [, ...requests] = tenant.sent();
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) expect(request).toContain(` /roles/${segment}/groups`);
  });

  test("a role that does not exist fails and says so; nothing is recorded", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ a: assignment({ roleId: "rol_none", groupIds: [ADMINS] }) }));

    expect(errors).toEqual([expect.stringMatching(/\/roles\/rol_none\/groups answered 404/)]);
    expect(engine.state.size).toBe(0);
  });

  test("a missing scope is named", async () => {
    tenant.withoutScopes("create:group_roles");

    const { errors } = await failed(new Engine(tenant).up({ a: viewers(ADMINS) }));

    expect(errors).toEqual([expect.stringContaining("Grant create:group_roles")]);
  });
});

describe("unknown values", () => {
  const unknowns: Values[] = [
    { roleId: UNKNOWN, groupIds: [ADMINS] },
    { roleId: VIEWER, groupIds: UNKNOWN },
    { roleId: VIEWER, groupIds: [ADMINS, UNKNOWN, UNKNOWN] },
    { roleId: VIEWER, groupIds: [ADMINS], exclusive: UNKNOWN },
    { roleId: UNKNOWN, groupIds: UNKNOWN, exclusive: true },
  ];

  test.each(unknowns)("%j", async (inputs) => {
    expect((await new Engine(tenant).preview({ a: assignment(inputs) })).steps).toEqual(["create a"]);
    expect(tenant.sent()).toEqual([]);

    const engine = await made(ADMINS);
    const { steps } = await engine.preview({ a: assignment(inputs) });
    expect(steps[0]).toMatch(inputs["roleId"] === UNKNOWN ? /^replace a: .*roleId/ : /^update a: /);
    expect(tenant.sent()).toEqual([]);
  });
});
