import { failed, profile } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { type Values } from "../../../testkit/hosts/host";
import { full, made } from "./made";

const tenant = useTenant();

describe("drift", () => {
  test("is found by refresh, shown by the preview and repaired by up", async () => {
    const { engine, id, url } = await made(tenant, full);
    await tenant.outside("PATCH", url, { name: "meddled", enabled_features: ["scim"] });

    expect((await engine.refresh()).steps).toEqual(["drift p: enabledFeatures, name"]);
    expect(engine.resource("p")).toMatchObject({
      inputs: { name: "meddled", enabledFeatures: ["scim"] },
      outputs: { name: "meddled", enabledFeatures: ["scim"] },
    });
    tenant.sent();
    expect((await engine.preview({ p: profile(full) })).steps).toEqual(["update p: enabledFeatures, name"]);
    await engine.up({ p: profile(full) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"enabled_features":["scim","universal_logout"],"name":"enterprise"} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ name: "enterprise" });
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("is a value that somebody has taken away", async () => {
    const { engine, url } = await made(tenant, full);
    await tenant.outside("PATCH", url, { organization: { show_as_button: "optional" } });

    expect((await engine.refresh()).steps).toEqual(["drift p: organization"]);
    tenant.sent();
    await engine.up({ p: profile(full) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `GET ${url} 200`,
      `PATCH ${url} {"organization":{"assign_membership_on_login":"required","show_as_button":"optional"}} 200`,
    ]);
  });

  test("is a key that somebody has put into an object which the program gives", async () => {
    const { engine, id, url } = await made(tenant, full);
    const theirs = {
      okta: { enabled_features: ["scim"], provisioning: { theirs: 1 } },
      oidc: { connection_config: {} },
    };
    await tenant.outside("PATCH", url, { strategy_overrides: theirs });

    expect((await engine.refresh()).steps).toEqual(["drift p: strategyOverrides"]);
    expect(engine.resource("p").inputs["strategyOverrides"]).toMatchObject({
      okta: { provisioning: { theirs: 1 } },
    });
    expect((await engine.preview({ p: profile(full) })).steps).toEqual(["update p: strategyOverrides"]);
    tenant.sent();
    await engine.up({ p: profile(full) });

    // Once a refresh has seen it, the next update removes it.
    expect(tenant.profile(id)?.["strategy_overrides"]).toMatchObject({
      okta: { enabled_features: ["scim"] },
    });
    expect(JSON.stringify(tenant.profile(id))).not.toContain("theirs");
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("is not what somebody has put into another setting, or answered in another order", async () => {
    const { engine, url } = await made(tenant, { name: "a", enabledFeatures: ["scim", "universal_logout"] });
    await tenant.outside("PATCH", url, {
      enabled_features: ["universal_logout", "scim"],
      connection_name_prefix_template: "theirs",
    });

    expect((await engine.refresh()).steps).toEqual([]);
    tenant.sent();
    expect(
      (await engine.up({ p: profile({ name: "a", enabledFeatures: ["scim", "universal_logout"] }) })).steps,
    ).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("a profile that is gone is made again", async () => {
    const { engine, url } = await made(tenant, { name: "a" });
    await tenant.outside("DELETE", url);

    expect((await engine.refresh()).steps).toEqual(["gone p"]);
    tenant.sent();
    expect((await engine.up({ p: profile({ name: "a" }) })).steps).toEqual(["create p"]);

    expect(tenant.sent()).toEqual([TOKEN, 'POST /connection-profiles {"name":"a"} 201']);
  });
});

test("a setting that somebody has emptied and set again is as wanted", async () => {
  const wanted = { name: "a", enabledFeatures: ["scim"], organization: { show_as_button: "none" } };
  const { engine, url } = await made(tenant, wanted);
  await tenant.outside("PATCH", url, { enabled_features: [], organization: {} });
  expect((await engine.refresh()).steps).toEqual(["drift p: enabledFeatures, organization"]);

  tenant.sent();
  await tenant.outside("PATCH", url, {
    enabled_features: ["scim"],
    organization: { show_as_button: "none" },
  });
  await engine.refresh();
  expect((await engine.preview({ p: profile(wanted) })).steps).toEqual([]);
});

describe("state of the first draft, which owned single values", () => {
  const wanted = { name: "a", organization: { show_as_button: "none" } };
  const theirs = { show_as_button: "none", assign_membership_on_login: "optional" };
  const managedFields = ["/name", "/organization/show_as_button"];

  /** State as that release left it, with the settings others had made by then. */
  async function left(outside: Values) {
    const { engine, id, url } = await made(tenant, wanted);
    await tenant.outside("PATCH", url, outside);
    const state = engine.resource("p");
    const outputs = { ...state.outputs, enabledFeatures: ["scim"], organization: theirs, managedFields };
    engine.state.set("p", { ...state, outputs });
    return { engine, id, url };
  }

  test("shows no change; a refresh drops what it no longer needs", async () => {
    const { engine } = await left({ enabled_features: ["scim"] });

    expect((await engine.preview({ p: profile(wanted) })).steps).toEqual([]);
    expect((await engine.up({ p: profile(wanted) })).steps).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    expect(engine.resource("p").outputs).toMatchObject(wanted);
    expect(Object.keys(engine.resource("p").outputs)).not.toContain("managedFields");
    expect(Object.keys(engine.resource("p").outputs)).not.toContain("enabledFeatures");
    expect((await engine.up({ p: profile(wanted) })).steps).toEqual([]);
  });

  test("names the keys of others once, as drift", async () => {
    const { engine, id } = await left({ organization: theirs });

    expect((await engine.up({ p: profile(wanted) })).steps).toEqual([]);
    expect((await engine.refresh()).steps).toEqual(["drift p: organization"]);
    expect(engine.resource("p").inputs["organization"]).toEqual(theirs);
    await engine.up({ p: profile(wanted) });

    expect(tenant.profile(id)).toMatchObject({ organization: { show_as_button: "none" } });
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("and an update does not take them away unseen", async () => {
    const { engine, url } = await left({ organization: theirs });
    tenant.sent();

    const change = { p: profile({ ...wanted, organization: { show_as_button: "required" } }) };
    const { errors } = await failed(engine.up(change));

    expect(errors).toEqual([expect.stringContaining("has organization.assignMembershipOnLogin")]);
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`]);
  });
});
