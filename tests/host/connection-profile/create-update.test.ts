import { Engine, profile } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { full, made } from "./made";

const tenant = useTenant();

describe("create", () => {
  test("a preview sends nothing, the up one POST with the API's field names", async () => {
    const engine = new Engine(tenant);

    expect((await engine.preview({ p: profile(full) })).steps).toEqual(["create p"]);
    expect(tenant.sent()).toEqual([]);

    await engine.up({ p: profile(full) });
    expect(tenant.sent()).toEqual([
      TOKEN,
      `POST /connection-profiles ${json({
        name: "enterprise",
        organization: full["organization"],
        connection_name_prefix_template: "con-{org_id}",
        enabled_features: ["scim", "universal_logout"],
        connection_config: {},
        strategy_overrides: { okta: { enabled_features: ["scim"] }, oidc: { connection_config: {} } },
      })} 201`,
    ]);
    expect(engine.resource("p")).toMatchObject({
      id: expect.stringMatching(/^cop_/) as string,
      outputs: { ...full, tenant: tenant.host },
      initErrors: [],
    });
  });

  test("the next preview, up and refresh find no change, whatever is empty", async () => {
    const program = {
      all: profile(full),
      nameAlone: profile({ name: "bare" }),
      // The service may answer these as null.
      emptyValues: profile({ name: "empty", enabledFeatures: [], organization: {} }),
      emptyPrefix: profile({ name: "prefix", connectionNamePrefixTemplate: "" }),
      emptyOverride: profile({ name: "override", strategyOverrides: { okta: {} } }),
    };
    const engine = new Engine(tenant);
    await engine.up(program);
    tenant.sent();

    expect((await engine.preview(program)).steps).toEqual([]);
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);

    expect((await engine.refresh()).steps).toEqual([]);
    expect(tenant.sent()).toEqual([TOKEN, "GET /connection-profiles?take=10 200"]);
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });
});

describe("update", () => {
  test("of one field sends that field alone", async () => {
    const { engine, url } = await made(tenant, full);

    const program = { p: profile({ ...full, connectionNamePrefixTemplate: "new-{org_id}" }) };
    expect((await engine.preview(program)).steps).toEqual(["update p: connectionNamePrefixTemplate"]);
    expect(tenant.sent()).toEqual([]);
    await engine.up(program);

    expect(tenant.sent()).toEqual([
      TOKEN,
      `PATCH ${url} {"connection_name_prefix_template":"new-{org_id}"} 200`,
    ]);
    expect(engine.resource("p").outputs).toMatchObject({ connectionNamePrefixTemplate: "new-{org_id}" });
  });

  test("that adds a key at depth reads the profile, and sends the setting whole", async () => {
    const { engine, url } = await made(tenant, {
      name: "a",
      strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
    });

    const strategyOverrides = { okta: { enabledFeatures: ["scim"] }, adfs: { enabledFeatures: ["scim"] } };
    await engine.up({ p: profile({ name: "a", strategyOverrides }) });

    expect(tenant.sent()).toEqual([
      TOKEN,
      `GET ${url} 200`,
      `PATCH ${url} {"strategy_overrides":{"adfs":{"enabled_features":["scim"]},"okta":{"enabled_features":["scim"]}}} 200`,
    ]);
  });

  test("that only changes the order of features changes nothing", async () => {
    const { engine } = await made(tenant, full);

    const reordered = {
      ...full,
      enabledFeatures: ["universal_logout", "scim", "scim"],
      strategyOverrides: { oidc: { connectionConfig: {} }, okta: { enabledFeatures: ["scim"] } },
    };
    expect((await engine.up({ p: profile(reordered) })).steps).toEqual([]);
    expect((await engine.preview({ p: profile(reordered) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("leaves settings alone that the program never gave", async () => {
    const { engine, id, url } = await made(tenant, { name: "a" });
    await tenant.outside("PATCH", url, {
      enabled_features: ["scim"],
      organization: { assign_membership_on_login: "required" },
    });

    expect((await engine.refresh()).steps).toEqual([]);
    expect(Object.keys(engine.resource("p").outputs)).not.toContain("organization");
    tenant.sent();
    await engine.up({ p: profile({ name: "b" }) });

    expect(tenant.sent()).toEqual([TOKEN, `PATCH ${url} {"name":"b"} 200`]);
    expect(tenant.profile(id)).toMatchObject({
      enabled_features: ["scim"],
      organization: { assign_membership_on_login: "required" },
    });
  });

  test("changes what its preview shows, and no drift that nobody has seen", async () => {
    const { engine, id, url } = await made(tenant, { name: "a", organization: { show_as_button: "none" } });
    await tenant.outside("PATCH", url, { name: "theirs" });

    const program = { p: profile({ name: "a", organization: { show_as_button: "optional" } }) };
    expect((await engine.up(program)).steps).toEqual(["update p: organization"]);

    expect(tenant.sent()).toEqual([
      TOKEN,
      `GET ${url} 200`,
      `PATCH ${url} {"organization":{"show_as_button":"optional"}} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject({ name: "theirs" });
    expect((await engine.refresh()).steps).toEqual(["drift p: name"]);
    expect((await engine.up(program)).steps).toEqual(["update p: name"]);
  });
});
