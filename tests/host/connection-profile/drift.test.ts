import { failed, profile } from "../../../testkit/engine";
import { catchLines } from "../../../testkit/hosts/host-in-process";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { type Values } from "../../../testkit/hosts/host";
import { made } from "./made";

const tenant = useTenant();
catchLines();

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
