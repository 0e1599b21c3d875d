import { GROUP_ADMINS, LOST_PHONE_CREDENTIAL_ID, OTHER_ROLE_ID } from "../../../simulator/default-seed";
import { assignment, Engine, failed, profile, removal, type ResourceState } from "../../../testkit/engine";
import { goOnFrom, type Left, leftBy } from "../../../testkit/left";
import { useTenant } from "../../../testkit/tenant";

const tenant = useTenant();

describe("errors that handlers throw", () => {
  test("are one clean line, without a stack", async () => {
    const before = new Engine(tenant);
    await before.up({ p: profile({ name: "a" }) });
    const left = leftBy(before, tenant);
    const engine = goOnFrom(left, new Engine(tenant, { ownProcess: true }), tenant);
    tenant.fail({ path: "/api/v2/*", times: 10, action: { status: 403 } });

    for (const operation of [() => engine.destroy(), () => engine.up({ p: profile({ name: "b" }) })]) {
      const { errors, stderr } = await failed(operation());

      expect(errors).toHaveLength(1);
      expect(errors[0]).not.toContain("\n");
      expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/^\s+at |dist\/|node_modules|undefined|\[object/m);
      expect(stderr).not.toMatch(/Error: .*Error: /);
    }
  });
});

describe("damaged state", () => {
  const resources = {
    p: profile({ name: "a", enabledFeatures: ["scim"] }),
    a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }),
    d: removal(LOST_PHONE_CREDENTIAL_ID),
  };

  let left: Left;
  beforeAll(async () => {
    tenant.seed();
    const engine = new Engine(tenant);
    await engine.up(resources);
    left = leftBy(engine, tenant);
  });

  test.each([
    ["p", { managedFields: 7 }, "ConnectionProfile is damaged at managedFields"],
    ["p", { managedFields: ["name"] }, "ConnectionProfile is damaged at managedFields[0]"],
    ["p", { strategyOverrides: { okta: "all" } }, "ConnectionProfile is damaged at strategyOverrides.okta"],
    ["p", { enabledFeatures: "scim" }, "ConnectionProfile is damaged at enabledFeatures"],
    [
      "a",
      { groupIds: undefined },
      "RoleGroupAssignment is damaged at groupIds (missing), so nothing was sent.",
    ],
    ["a", { unconfirmed: [null] }, "RoleGroupAssignment is damaged at unconfirmed[0]"],
    ["d", { deviceCredentialId: {} }, "DeviceCredentialRemoval is damaged at deviceCredentialId"],
  ] as const)("of %s with %j: nothing is sent, and the place is named", async (name, damage, place) => {
    const engine = goOnFrom(left, new Engine(tenant), tenant);
    const sound: ResourceState = engine.resource(name);
    const damaged = { ...sound, outputs: { ...sound.outputs, ...damage } };

    for (const operation of [() => engine.up({ [name]: resources[name] }), () => engine.destroy()]) {
      engine.state.clear();
      engine.state.set(name, damaged);
      const { errors } = await failed(operation());

      expect(errors).toEqual([expect.stringContaining(place)]);
      expect(errors[0]).toContain("so nothing was sent. Restore an earlier state");
      expect(tenant.sent()).toEqual([]);
      expect(engine.state.get(name)).toEqual(damaged);
    }
  });
});
