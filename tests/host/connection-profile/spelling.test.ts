import { PluginHost } from "../../../testkit/hosts/plugin-host";
import { Engine, failed, profile } from "../../../testkit/engine";
import { json, TOKEN, useTenant } from "../../../testkit/tenant";

/* Members of settings in camel case, or as the service spells them: both mean the same. */

const tenant = useTenant();

const OURS = {
  name: "a",
  organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
  crossAppAccessResourceApp: { status: { defaultValue: "disabled", allowedValues: ["disabled", "enabled"] } },
  provisioning: {
    googleWorkspace: { syncUsers: true },
    scim: { tokens: { scopes: ["get:users"], defaultExpiry: 60, maxAllowedExpiry: 120 } },
  },
};
const THEIRS = {
  name: "a",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  crossAppAccessResourceApp: {
    status: { default_value: "disabled", allowed_values: ["disabled", "enabled"] },
  },
  provisioning: {
    google_workspace: { sync_users: true },
    scim: { tokens: { scopes: ["get:users"], default_expiry: 60, max_allowed_expiry: 120 } },
  },
};
const { name, organization, crossAppAccessResourceApp: cross_app_access_resource_app, provisioning } = THEIRS;
const WIRE = { name, organization, cross_app_access_resource_app, provisioning };

test.each([
  ["ours", "the SDK's host", OURS, THEIRS, {}],
  ["the service's", "the plugin", THEIRS, OURS, { startHost: () => PluginHost.start() }],
])(
  "%s through %s: sends the same, state keeps it, and another spelling changes nothing",
  async (_spelling, _door, given, other, options) => {
    const engine = new Engine(tenant, options);
    await engine.up({ p: profile(given) });
    expect(tenant.sent()).toEqual([TOKEN, `POST /connection-profiles ${json(WIRE)} 201`]);
    expect(engine.resource("p")).toMatchObject({ inputs: given, outputs: given });

    for (const inputs of [other, given]) expect((await engine.up({ p: profile(inputs) })).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual([]);
    expect(engine.resource("p")).toMatchObject({ inputs: given, outputs: given });
    tenant.sent();
    expect((await engine.up({ p: profile(other) }, { refresh: true })).steps).toEqual([]);
    expect(tenant.sent().filter((line) => !line.startsWith("GET") && line !== TOKEN)).toEqual([]);
  },
);

test("a change of value and spelling is one change", async () => {
  const engine = new Engine(tenant);
  await engine.up({ p: profile({ name: "a", organization: { show_as_button: "optional" } }) });
  const { id } = engine.resource("p");
  tenant.sent();

  await engine.up({ p: profile({ name: "a", organization: { showAsButton: "required" } }) });

  expect(tenant.sent()).toEqual([
    TOKEN,
    `GET /connection-profiles/${id} 200`,
    `PATCH /connection-profiles/${id} {"organization":{"show_as_button":"required"}} 200`,
  ]);
  expect(engine.resource("p").outputs["organization"]).toEqual({ showAsButton: "required" });
  expect((await engine.refresh()).steps).toEqual([]);
});

test("drift is in the program's spelling", async () => {
  const engine = new Engine(tenant);
  await engine.up({ p: profile({ name: "a", organization: { show_as_button: "optional" } }) });
  const { id } = engine.resource("p");
  tenant.sent();
  const theirs = { show_as_button: "none", assign_membership_on_login: "optional" };
  await tenant.outside("PATCH", `/connection-profiles/${id}`, { organization: theirs });

  expect((await engine.refresh()).steps).toEqual(["drift p: organization"]);

  expect(engine.resource("p").inputs["organization"]).toEqual(theirs);
});

test("both spellings of one key are refused before any call", async () => {
  const both = { showAsButton: "none", show_as_button: "none" };
  for (const operation of ["preview", "up"] as const) {
    const { errors } = await failed(
      new Engine(tenant)[operation]({ p: profile({ name: "a", organization: both }) }),
    );
    expect(errors).toEqual([
      expect.stringContaining(
        "organization.show_as_button: is another spelling of showAsButton: give only one of them",
      ),
    ]);
  }
  expect(tenant.sent()).toEqual([]);
});
