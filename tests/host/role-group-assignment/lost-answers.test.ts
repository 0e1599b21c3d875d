import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  OTHER_ROLE_ID as VIEWER,
} from "../../../simulator/default-seed";
import { Engine, failed } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { assigned, groupsUrl, listed, made, viewers } from "../../../testkit/assignments";

const tenant = useTenant();

describe("an answer that was lost", () => {
  const groups = "*/roles/*";

  test("is resolved by the list: done", async () => {
    const engine = new Engine(tenant);
    tenant.fail({ method: "POST", path: groups, action: { drop: "after" } });

    await engine.up({ a: viewers(ADMINS) });

    expect(tenant.sent()).toEqual([TOKEN, assigned(ADMINS).replace(/204$/, "0"), listed]);
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("that nothing resolves leaves the groups in the state, and the next up finishes", async () => {
    const engine = await made(tenant, ADMINS);
    tenant.fail({ method: "POST", path: groups, action: { drop: "after" } });
    tenant.fail({ method: "GET", path: groups, times: 10, action: { status: 403 } });

    await failed(engine.up({ a: viewers(ADMINS, BILLING) }));
    expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS, BILLING].sort());

    // Undone in the program, it's undone on the tenant.
    await engine.up({ a: viewers(ADMINS) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  });

  const LAGGING = { read_lag: 100 };
  /** The client itself sends a DELETE four times. */
  const againRefused = (method: "POST" | "DELETE") => [
    { method, path: groups, times: method === "DELETE" ? 4 : 1, action: { drop: "after" } } as const,
    { method, path: groups, action: { status: 400 } } as const,
  ];

  test("of a grant that is refused when it is sent again leaves the groups in the state", async () => {
    tenant.behave(LAGGING);
    const engine = new Engine(tenant);
    tenant.fail(...againRefused("POST"));

    await failed(engine.up({ a: viewers(ADMINS) }));

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    await engine.destroy();
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
  });

  test("of a removal that is refused when it is sent again has the groups given the role where they are listed again", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    tenant.reseed({ behaviour: LAGGING });
    tenant.fail(...againRefused("DELETE"));

    await failed(engine.up({ a: viewers(ADMINS) }));
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);

    await engine.up({ a: viewers(ADMINS, BILLING) });
    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
  });
});

test("a removal that is answered by 404 is not done while the role lists its groups", async () => {
  const engine = await made(tenant, ADMINS);
  tenant.fail({ method: "DELETE", path: "*/roles/*", action: { status: 404 } });

  const { errors } = await failed(engine.destroy());

  expect(errors).toEqual([
    expect.stringMatching(/^a: Group .* still has the role: .*answered 404.* Run this again/),
  ]);
  expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
  expect(engine.state.size).toBe(0);
});

describe("a service that refuses what is done already", () => {
  beforeEach(() => tenant.behave({ assign_assigned_group: "error", remove_absent_group: "error" }));

  test("create, where one of the groups has the role", async () => {
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [ADMINS] });
    const engine = await made(tenant, ADMINS, BILLING);

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect(engine.resource("a").initErrors).toEqual([]);
  });

  test("destroy, where one of the groups lost the role", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    await tenant.outside("DELETE", groupsUrl(VIEWER), { groups: [ADMINS] });

    await engine.destroy();

    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.state.size).toBe(0);
  });
});
