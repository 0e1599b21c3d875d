import { Engine, profile } from "../engine";
import { json, TOKEN, useTenant } from "../tenant";
import { made } from "./made";

const tenant = useTenant();

/** The free-form object of the simulated service; of connectionConfig it takes the empty one only. */
const ours = (provisioning: unknown) => ({ strategyOverrides: { okta: { provisioning } } });
const wire = (provisioning: unknown) => ({ strategy_overrides: { okta: { provisioning } } });

describe("somebody else's key survives a change beside it, without a refresh in between", () => {
  test.each([
    {
      field: "organization",
      wire: "organization",
      before: { show_as_button: "optional" },
      after: { show_as_button: "required" },
      outside: { show_as_button: "optional", assign_membership_on_login: "required" },
      sent: { show_as_button: "required", assign_membership_on_login: "required" },
    },
    {
      field: "strategyOverrides",
      wire: "strategy_overrides",
      before: { okta: { enabledFeatures: ["scim"] } },
      after: { okta: { enabledFeatures: ["universal_logout"] } },
      outside: {
        okta: { enabled_features: ["scim"], provisioning: { theirs: 1 } },
        waad: { connection_config: {} },
      },
      sent: {
        okta: { enabled_features: ["universal_logout"], provisioning: { theirs: 1 } },
        waad: { connection_config: {} },
      },
    },
  ])("$field", async ({ field, wire, before, after, outside, sent }) => {
    const { engine, id, url } = await made(tenant, { name: "a", [field]: before });
    await tenant.outside("PATCH", url, { [wire]: outside });

    await engine.up({ p: profile({ name: "a", [field]: after }) });

    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${json({ [wire]: sent })} 200`]);
    expect(tenant.profile(id)).toMatchObject({ [wire]: sent });
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("also when the program takes its own key back", async () => {
    const { engine, id, url } = await made(tenant, { name: "a", ...ours({ a: 1, b: 2 }) });
    await tenant.outside("PATCH", url, wire({ a: 1, b: 2, theirs: 3 }));

    await engine.up({ p: profile({ name: "a", ...ours({ b: 2 }) }) });

    expect(tenant.sent().slice(0, 3)).toEqual([
      TOKEN,
      `GET ${url} 200`,
      `PATCH ${url} ${json(wire({ b: 2, theirs: 3 }))} 200`,
    ]);
    expect(tenant.profile(id)).toMatchObject(wire({ b: 2, theirs: 3 }));
  });
});

describe("what is no object is sent without a look", () => {
  test.each([
    ["name", { name: "b" }, { name: "b" }],
    [
      "connectionNamePrefixTemplate",
      { connectionNamePrefixTemplate: "new" },
      { connection_name_prefix_template: "new" },
    ],
    ["enabledFeatures", { enabledFeatures: ["scim"] }, { enabled_features: ["scim"] }],
  ])("%s", async (_field, change, sent) => {
    const { engine, url } = await made(tenant, { name: "a", ...ours({ a: 1 }) });

    await engine.up({ p: profile({ name: "a", ...ours({ a: 1 }), ...change }) });

    expect(tenant.sent()).toEqual([TOKEN, `PATCH ${url} ${json(sent)} 200`]);
  });

  test("an object that does not change is not sent along", async () => {
    const { engine, id, url } = await made(tenant, { name: "a", ...ours({ a: 1 }) });
    await tenant.outside("PATCH", url, wire({ a: 1, theirs: 2 }));

    await engine.up({ p: profile({ name: "b", ...ours({ a: 1 }) }) });

    expect(tenant.sent()).toEqual([TOKEN, `PATCH ${url} {"name":"b"} 200`]);
    expect(tenant.profile(id)).toMatchObject(wire({ a: 1, theirs: 2 }));
  });
});

describe("null", () => {
  const nulls = {
    name: "a",
    organization: null,
    connectionNamePrefixTemplate: null,
    enabledFeatures: null,
    connectionConfig: { a: null },
    strategyOverrides: {
      okta: { provisioning: { a: null, b: { c: null, d: 1 }, list: [{ e: null, f: 2 }] } },
      oidc: { enabledFeatures: null, connectionConfig: { g: null } },
      waad: null,
    },
    adopt: null,
    deleteOnDestroy: null,
  };

  test("is not sent, at any depth, and does not drift", async () => {
    const engine = new Engine(tenant);

    await engine.up({ p: profile(nulls) });
    expect(tenant.sent()).toEqual([
      TOKEN,
      `POST /connection-profiles ${json({
        name: "a",
        connection_config: {},
        strategy_overrides: {
          okta: { provisioning: { b: { d: 1 }, list: [{ f: 2 }] } },
          oidc: { connection_config: {} },
        },
      })} 201`,
    ]);

    const { steps, messages } = await engine.refresh();
    expect([steps, messages]).toEqual([[], []]);
    tenant.sent();
    expect((await engine.preview({ p: profile(nulls) })).steps).toEqual([]);
    expect((await engine.up({ p: profile(nulls) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });

  test("in place of a value removes it, as leaving it out does", async () => {
    const { engine, id, url } = await made(tenant, {
      name: "a",
      connectionNamePrefixTemplate: "x",
      ...ours({ b: { c: 1, d: 2 } }),
    });

    const { steps } = await engine.up({
      p: profile({
        name: "a",
        connectionNamePrefixTemplate: null,
        ...ours({ b: { c: null, d: 2 } }),
      }),
    });

    expect(steps).toEqual(["update p: connectionNamePrefixTemplate, strategyOverrides"]);
    const sent = json({ ...wire({ b: { d: 2 } }), connection_name_prefix_template: "" });
    expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`, `PATCH ${url} ${sent} 200`]);
    expect(tenant.profile(id)).toMatchObject(wire({ b: { d: 2 } }));
    expect(tenant.profile(id)?.["connection_name_prefix_template"] ?? "").toBe("");
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("of a required input is refused", async () => {
    await expect(new Engine(tenant).preview({ p: profile({ name: null }) })).rejects.toThrow(/name/);
  });
});
