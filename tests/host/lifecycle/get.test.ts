import {
  GROUP_ADMINS,
  GROUP_BILLING,
  LOST_PHONE_CREDENTIAL_ID,
  OTHER_ROLE_ID,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed, profile, removal } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";

const tenant = useTenant();

describe("get", () => {
  test("reads an existing profile, and never deletes it", async () => {
    const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
    tenant.seed({ connection_profiles: [{ id, name: "theirs", enabled_features: ["scim"] }] });
    const engine = new Engine(tenant);
    const program = { p: profile({}, { get: id }) };

    await engine.up(program);
    expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${id} 200`]);
    expect(engine.resource("p").outputs).toMatchObject({
      name: "theirs",
      enabledFeatures: ["scim"],
      tenant: tenant.host,
    });
    await engine.refresh();
    await engine.destroy();

    expect(tenant.sent().filter((line) => !/^GET|^token/.test(line))).toEqual([]);
    expect(tenant.profile(id)).toBeDefined();
  });

  test("reads all groups of a role", async () => {
    await tenant.outside("POST", `/roles/${OTHER_ROLE_ID}/groups`, { groups: [GROUP_BILLING, GROUP_ADMINS] });
    const engine = new Engine(tenant);

    await engine.up({ a: assignment({}, { get: OTHER_ROLE_ID }) });

    expect(engine.resource("a").outputs).toMatchObject({
      roleId: OTHER_ROLE_ID,
      groupIds: [GROUP_BILLING, GROUP_ADMINS],
    });
  });

  test("a removal that was done elsewhere sends nothing", async () => {
    const engine = new Engine(tenant);

    await engine.up({ r: removal(LOST_PHONE_CREDENTIAL_ID, { get: LOST_PHONE_CREDENTIAL_ID }) });
    await engine.destroy();

    expect(tenant.sent()).toEqual([]);
  });

  test.each([
    ["an id that does not exist", "cop_none", /cop_none.*does not exist/],
    ["an empty id", "", /the id.*empty|empty/],
  ])("%s fails clearly", async (_what, id, problem) => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ p: profile({}, { get: id }) }));

    expect(errors).toEqual([expect.stringMatching(problem)]);
    expect(engine.state.size).toBe(0);
  });
});
