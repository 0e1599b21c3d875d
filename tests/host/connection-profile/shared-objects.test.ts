import { Engine, failed, profile, secret } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";
import { made } from "./made";

const tenant = useTenant();

/** The simulated service's free-form object; of connectionConfig it accepts only the empty one. */
const ours = (provisioning: unknown) => ({ strategyOverrides: { okta: { provisioning } } });
const wire = (provisioning: unknown) => ({ strategy_overrides: { okta: { provisioning } } });

describe("a key that nobody has seen, in an object that an update changes,", () => {
  test.each([
    {
      field: "organization",
      wire: "organization",
      before: { show_as_button: "optional" },
      after: { show_as_button: "required" },
      outside: { show_as_button: "optional", assign_membership_on_login: "required" },
      names: ["organization.assignMembershipOnLogin"],
    },
    {
      field: "strategyOverrides",
      wire: "strategy_overrides",
      before: { okta: { enabledFeatures: ["scim"] } },
      after: { okta: { enabledFeatures: ["universal_logout"] } },
      outside: {
        okta: { enabled_features: ["scim"], provisioning: { theirs: "a value" } },
        waad: { connection_config: {} },
      },
      names: ["strategyOverrides.okta.provisioning", "strategyOverrides.waad"],
    },
  ])(
    "refuses it, by name and before anything is sent: $field",
    async ({ field, wire, before, after, outside, names }) => {
      const { engine, id, url } = await made(tenant, { name: "a", [field]: before });
      await tenant.outside("PATCH", url, { [wire]: outside });
      const program = { p: profile({ name: "b", [field]: after }) };

      const { errors } = await failed(engine.up(program));

      expect(errors).toEqual([
        `p: Connection profile ${id} was not changed: neither the program nor state has ${names.join(", ")}, which this update ` +
          "would remove. Add it to the program to keep it; or run `pulumi up --refresh`, whose preview shows it as drift, to remove it.",
      ]);
      expect(tenant.sent()).toEqual([TOKEN, `GET ${url} 200`]);
      expect(tenant.profile(id)).toMatchObject({ name: "a", [wire]: outside });

      // A refresh sees it, and then the change removes it.
      await engine.up(program, { refresh: true });
      expect(JSON.stringify(tenant.profile(id))).not.toMatch(/assign_membership|provisioning|waad/);
      expect((await engine.up(program)).steps).toEqual([]);
      expect((await engine.refresh()).steps).toEqual([]);
    },
  );

  test("has to go on the tenant where the setting is new to the program, as no refresh reads it", async () => {
    const { engine, url } = await made(tenant, { name: "a" });
    await tenant.outside("PATCH", url, { organization: { assign_membership_on_login: "required" } });
    const program = { p: profile({ name: "a", organization: { show_as_button: "none" } }) };

    for (const refresh of [false, true]) {
      const { errors } = await failed(engine.up(program, { refresh }));
      expect(errors).toEqual([
        expect.stringMatching(/Add it to the program to keep it, or remove it on the tenant\.$/),
      ]);
    }

    tenant.sent();
    await tenant.outside("PATCH", url, { organization: {} });
    await engine.up(program);
    expect((await engine.refresh()).steps).toEqual([]);
  });

  test("is named of a secret, its value is not", async () => {
    const inputs = (button: string) => ({ name: "a", organization: secret({ show_as_button: button }) });
    const { engine, url } = await made(tenant, inputs("none"));
    const organization = { show_as_button: "none", assign_membership_on_login: "optional" };
    await tenant.outside("PATCH", url, { organization });

    const { errors } = await failed(engine.up({ p: profile(inputs("required")) }));

    expect(errors).toEqual([expect.stringContaining("has organization.assignMembershipOnLogin,")]);
    expect(errors[0]).not.toContain("optional");
  });

  test("is named by the preview of an adoption, which overwrites it", async () => {
    await tenant.outside("POST", "/connection-profiles", {
      name: "theirs",
      organization: { show_as_button: "none", assign_membership_on_login: "optional" },
      enabled_features: ["scim"],
    });
    const adopt = String(tenant.profiles()[0]?.["id"]);
    const program = { p: profile({ name: "theirs", adopt, organization: { show_as_button: "none" } }) };
    const engine = new Engine(tenant);

    const { messages } = await engine.preview(program);
    expect(messages).toEqual([
      expect.stringMatching(
        /: changes organization: .*; removes \["organization\.assignMembershipOnLogin"\]$/,
      ),
    ]);
    tenant.sent();
    await engine.up(program);

    expect(tenant.sent().filter((line) => !line.startsWith("GET"))).toEqual([
      TOKEN,
      `PATCH /connection-profiles/${adopt} {"organization":{"show_as_button":"none"}} 200`,
    ]);
    expect(tenant.profile(adopt)).toMatchObject({ enabled_features: ["scim"] });
    expect((await engine.refresh()).steps).toEqual([]);
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
});
