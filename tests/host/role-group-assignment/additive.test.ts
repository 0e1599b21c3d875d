import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { assigned, groupsUrl, listed, made, unassigned, viewers } from "../../../testkit/assignments";

const tenant = useTenant();

describe("additive", () => {
  test("create: a preview that names the groups, then one POST of a sorted set", async () => {
    const engine = new Engine(tenant);
    const program = { a: viewers(ADMINS, BILLING, ADMINS) };

    const { steps, messages } = await engine.preview(program);
    expect(steps).toEqual(["create a"]);
    expect(messages).toEqual([`a: role ${VIEWER}: + ${BILLING}, ${ADMINS}`]);
    expect(tenant.sent()).toEqual([]);

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, assigned(BILLING, ADMINS)]);
    expect(engine.resource("a")).toMatchObject({
      id: VIEWER,
      outputs: { roleId: VIEWER, groupIds: [BILLING, ADMINS], exclusive: false, tenant: tenant.host },
    });
    // Nothing was handed over, and nothing is unconfirmed.
    expect(Object.keys(engine.resource("a").outputs).sort()).toEqual(
      ["__name", "__provider", "exclusive", "groupIds", "roleId", "tenant"].sort(),
    );
  });

  test("the same groups in another order, or twice, are no change", async () => {
    const engine = await made(tenant, ADMINS, BILLING);

    expect((await engine.preview({ a: viewers(BILLING, ADMINS, BILLING) })).steps).toEqual([]);
    expect((await engine.up({ a: viewers(BILLING, ADMINS, BILLING) })).steps).toEqual([]);

    expect(tenant.sent()).toEqual([]);
  });

  test("update: adds before it removes, and names them", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    const program = { a: viewers(ADMINS, SUPPORT, CONTRACTORS) };

    const { steps, messages } = await engine.preview(program);
    expect(steps).toEqual(["update a: groupIds"]);
    expect(messages).toEqual([`a: role ${VIEWER}: + ${SUPPORT}, ${CONTRACTORS}; − ${BILLING}`]);
    expect(tenant.sent()).toEqual([]);

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, assigned(SUPPORT, CONTRACTORS), unassigned(BILLING)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, SUPPORT, CONTRACTORS].sort());
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("groups that others gave the role to are neither drift nor taken away", async () => {
    const engine = await made(tenant, ADMINS);
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, listed]);
    expect((await engine.up({ a: viewers(ADMINS) })).steps).toEqual([]);
    await engine.destroy();

    expect(tenant.sent()).toEqual([TOKEN, unassigned(ADMINS)]);
    expect(tenant.groupsOf(VIEWER)).toEqual([SUPPORT]);
  });

  test("a group that was taken away outside is drift, and given back", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [BILLING] });

    expect((await engine.refresh()).steps).toEqual(["drift a: groupIds"]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS]);
    tenant.sent();
    await engine.up({ a: viewers(ADMINS, BILLING) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(BILLING)]);
  });

  test("all groups taken away: gone on refresh, made again by up", async () => {
    const engine = await made(tenant, ADMINS);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [ADMINS] });

    expect((await engine.refresh()).steps).toEqual(["gone a"]);
    tenant.sent();
    await engine.up({ a: viewers(ADMINS) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS)]);
  });

  test("a role that is gone: gone on refresh, done on destroy", async () => {
    const engine = await made(tenant, ADMINS);
    const destroyed = new Engine(tenant);
    destroyed.state.set("a", structuredClone(engine.resource("a")));
    tenant.seed({ roles: [] });

    expect((await engine.refresh()).steps).toEqual(["gone a"]);
    await destroyed.destroy();

    expect(destroyed.state.size).toBe(0);
  });

  test("a new role: gives the new one before it takes the old one away", async () => {
    const engine = await made(tenant, ADMINS);
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
});
