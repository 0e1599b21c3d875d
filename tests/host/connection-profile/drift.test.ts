import { leafPointers } from "../../../provider/resources/connection-profile/values";
import { type Engine, failed, profile } from "../engine";
import { TOKEN, useTenant } from "../tenant";
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

  test("is not what somebody has added, or answered in another order", async () => {
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

  test("a profile that is gone without a refresh fails the update and says what to do", async () => {
    const { engine, url } = await made(tenant, { name: "a" });
    await tenant.outside("DELETE", url);

    const { errors } = await failed(engine.up({ p: profile({ name: "b" }) }));

    expect(errors).toEqual([expect.stringMatching(/^p: PATCH .* answered 404.*pulumi up --refresh/)]);
    expect(engine.resource("p").outputs).toMatchObject({ name: "a" });
  });
});

describe("what state records of ownership", () => {
  const recorded = (engine: Engine) => engine.resource("p").outputs["managedFields"];

  test("nothing while the program owns all that the profile has, empty values too", async () => {
    const { engine } = await made(tenant, full);
    expect(recorded(engine)).toBeUndefined();

    await engine.up({ p: profile({ ...full, name: "b" }) });
    expect(recorded(engine)).toBeUndefined();
    await engine.refresh();
    expect(recorded(engine)).toBeUndefined();
  });

  test("what it owns, once others have added a value, which no update takes away", async () => {
    const { engine, id, url } = await made(tenant, { name: "a", organization: { show_as_button: "none" } });
    await tenant.outside("PATCH", url, {
      organization: { show_as_button: "none", assign_membership_on_login: "optional" },
    });

    expect((await engine.refresh()).steps).toEqual([]);
    expect(recorded(engine)).toEqual(["/name", "/organization/show_as_button"]);
    await engine.up({ p: profile({ name: "b" }) });
    expect(recorded(engine)).toEqual(["/name"]);
    expect(tenant.profile(id)).toMatchObject({ organization: { assign_membership_on_login: "optional" } });
  });

  test("what it owns, once others have taken a value away: when that is back, it is as wanted", async () => {
    const wanted = { name: "a", enabledFeatures: ["scim"] };
    const { engine, url } = await made(tenant, wanted);
    await tenant.outside("PATCH", url, { enabled_features: [] });
    expect((await engine.refresh()).steps).toEqual(["drift p: enabledFeatures"]);
    expect(recorded(engine)).toEqual(["/name", "/enabledFeatures"]);

    tenant.sent();
    await tenant.outside("PATCH", url, { enabled_features: ["scim"] });
    await engine.refresh();
    expect((await engine.preview({ p: profile(wanted) })).steps).toEqual([]);
  });

  test("all that it owns, as earlier releases did, until the next update", async () => {
    const { engine } = await made(tenant, full);
    const state = engine.resource("p");
    const managedFields = leafPointers(full);
    engine.state.set("p", { ...state, outputs: { ...state.outputs, managedFields } });

    expect((await engine.preview({ p: profile(full) })).steps).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    expect(recorded(engine)).toEqual(managedFields);
    await engine.up({ p: profile({ ...full, name: "b" }) });
    expect(recorded(engine)).toBeUndefined();
  });
});
