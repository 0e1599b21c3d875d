import {
  GROUP_ADMINS as ADMINS,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { Engine, failed } from "../engine";
import { TOKEN, useTenant } from "../tenant";
import { groupsUrl, made, manyGroups, unassigned, viewers } from "./made";

const tenant = useTenant();
/** Refuses as many calls as a change makes before it gives up. */
const AFTER_THE_FIRST_CALL = {
  method: "POST",
  path: `*${groupsUrl(VIEWER)}`,
  after: 1,
  times: 15,
  action: { status: 403 },
};

describe("partial failure", () => {
  const groups = manyGroups(120);
  beforeEach(() =>
    tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER }, { id: AGENT }] }),
  );

  test("of a create: what was done is recorded with the reason, and the next up finishes", async () => {
    const engine = new Engine(tenant);
    tenant.fail(AFTER_THE_FIRST_CALL);

    const { errors } = await failed(engine.up({ a: viewers(...groups) }));

    expect(errors).toEqual([expect.stringMatching(/^a: POST .* answered 403/)]);
    const { outputs, initErrors, id } = engine.resource("a");
    expect(id).toBe(VIEWER);
    expect(initErrors).toEqual([expect.stringContaining("answered 403")]);
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
    const engine = await made(tenant, first);
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
    tenant.fail(AFTER_THE_FIRST_CALL);
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
    await engine.up({ a: viewers(...groups) });
    expect(tenant.groupsOf(VIEWER)).toEqual(groups);
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });

  test("the service's limits are explained", async () => {
    const roles = Array.from({ length: 10 }, (_, i) => ({ id: `rol_${i}`, groups: [ADMINS] }));
    tenant.seed({ roles: [...roles, { id: VIEWER }] });

    const { errors } = await failed(new Engine(tenant).up({ a: viewers(ADMINS) }));

    expect(errors[0]).toMatch(/10 roles on a group/);
  });
});
