import { GROUP_ADMINS, OTHER_ROLE_ID } from "../../simulator/default-seed";
import { assignment, Engine, failed, profile, type ResourceState } from "../engine";
import { useTenant } from "../tenant";

const tenant = useTenant();

describe("errors that handlers throw", () => {
  test("are one clean line, without a stack", async () => {
    const engine = new Engine(tenant, { ownProcess: true });
    await engine.up({ p: profile({ name: "a" }) });
    tenant.fail({ path: "/api/v2/*", times: 10, action: { status: 403 } });

    for (const operation of [
      () => engine.refresh(),
      () => engine.destroy(),
      () => engine.up({ p: profile({ name: "b" }) }),
    ]) {
      const { errors, stderr } = await failed(operation());

      expect(errors).toHaveLength(1);
      expect(errors[0]).not.toContain("\n");
      expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(1);
      expect(stderr).not.toMatch(/^\s+at |dist\/|node_modules|undefined|\[object/m);
      expect(stderr).not.toMatch(/Error: .*Error: /);
    }
  });

  test("for state that no release has written fail, and do not hang", async () => {
    const engine = new Engine(tenant);
    await engine.up({ p: profile({ name: "a" }) });
    tenant.sent();
    const strange: ResourceState = { ...engine.resource("p") };
    engine.state.set("p", { ...strange, outputs: { ...strange.outputs, managedFields: 7 } });

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toHaveLength(1);
    expect(errors[0]).not.toContain("\n");
    expect(tenant.sent()).toEqual([]);
  });
});

test("a 404 that is not the service's own gives nothing up", async () => {
  const engine = new Engine(tenant);
  await engine.up({
    p: profile({ name: "a" }),
    a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }),
  });
  tenant.fail({ path: "/api/v2/*", times: 20, action: { status: 404, body: "<html>no such route</html>" } });

  const refreshed = await failed(engine.refresh());
  expect(refreshed.errors.join("\n")).toContain("not in the words of the service");
  await failed(engine.destroy());

  expect([...engine.state.keys()].sort()).toEqual(["a", "p"]);
});
