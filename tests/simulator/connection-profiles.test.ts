import { type BehaviourInput } from "../../simulator/index";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

const ALL =
  "create:connection_profiles read:connection_profiles update:connection_profiles delete:connection_profiles";
const UNSET = {
  organization: null,
  connection_name_prefix_template: null,
  enabled_features: null,
  connection_config: {},
  strategy_overrides: null,
};
const FULL = {
  name: "partners",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  connection_name_prefix_template: "c-{org_name}",
  enabled_features: ["scim", "universal_logout"],
  connection_config: {},
  strategy_overrides: {
    oidc: { enabled_features: ["scim"], connection_config: {} },
    "google-apps": { enabled_features: [] },
  },
} as const;

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() => seed());

function seed(behaviour: BehaviourInput = {}, names: string[] = []) {
  simulator.seed({
    tokens: [{ access_token: "all", scope: ALL }],
    connection_profiles: names.map((name, index) => ({ id: `cop_${index}`, name })),
    behaviour,
  });
}

async function create(body: object = FULL): Promise<Record<string, unknown>> {
  return (await api("POST", "/connection-profiles", body)).body as Record<string, unknown>;
}

const stored = () => simulator.state().connection_profiles;

describe("POST /connection-profiles", () => {
  test("answers 201 with the record and its generated id", async () => {
    const answer = await api("POST", "/connection-profiles", FULL);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^cop_[1-9A-HJ-NP-Za-km-z]{22}$/) as string,
      ...FULL,
    });
    expect(stored()).toEqual([answer.body]);
  });

  test("a record has every key, also those that are unset", async () => {
    const { id, ...rest } = await create({ name: "bare" });
    expect(rest).toEqual({ name: "bare", ...UNSET });
    expect((await api("GET", `/connection-profiles/${String(id)}`)).body).toEqual({ id, ...rest });
  });

  test("ids differ within a run and are the same in the next", async () => {
    const ids = async () => [(await create({ name: "a" })).id, (await create({ name: "b" })).id];
    const first = await ids();
    expect(new Set(first).size).toBe(2);
    seed();
    expect(await ids()).toEqual(first);
  });

  test("what is newer than the document is kept, and shown once it is set", async () => {
    const fields = {
      enabled_features: ["directory_sync"],
      provisioning: { scim: { tokens: { scopes: ["get:users"], default_expiry: null } }, later: 1 },
      cross_app_access_resource_app: {
        status: { default_value: "enabled", allowed_values: ["enabled", "disabled"] },
      },
    };
    const newer = { name: "newer", ...fields, strategy_overrides: { okta: fields } };
    const created = await create(newer);
    expect(created).toMatchObject(newer);
    const path = `/connection-profiles/${String(created["id"])}`;
    expect((await api("PATCH", path, { cross_app_access_resource_app: null })).body).not.toHaveProperty(
      "cross_app_access_resource_app",
    );
  });

  test.each([
    ["no name", {}, "Missing required property: name' on property name"],
    ["an empty name", { name: "" }, "String is too short (0 chars), minimum 1' on property name"],
    ["a long name", { name: "x".repeat(51) }, "String is too long (51 chars), maximum 50' on property name"],
    ["a name that is null", { name: null }, "Expected type string but found type null' on property name"],
    ["a name that is a number", { name: 5 }, "Expected type string but found type integer' on property name"],
    ["an id", { name: "x", id: "cop_1" }, "Additional properties not allowed: id' on property id"],
    [
      "an unknown feature",
      { name: "x", enabled_features: ["scim", "sso"] },
      `No enum match for: "sso"' on property enabled_features.1`,
    ],
    [
      "a long template",
      { name: "x", connection_name_prefix_template: "x".repeat(16) },
      "String is too long (16 chars), maximum 15' on property connection_name_prefix_template",
    ],
    [
      "another participation",
      { name: "x", organization: { show_as_button: "always" } },
      `No enum match for: "always"' on property organization.show_as_button`,
    ],
    [
      "an unknown field of the organization",
      { name: "x", organization: { hidden: true } },
      "Additional properties not allowed: hidden' on property organization.hidden",
    ],
    [
      "a configuration",
      { name: "x", connection_config: { a: 1 } },
      "Additional properties not allowed: a' on property connection_config.a",
    ],
    [
      "an unknown strategy",
      { name: "x", strategy_overrides: { saml: {} } },
      "Additional properties not allowed: saml' on property strategy_overrides.saml",
    ],
    [
      "an unknown field of an override",
      { name: "x", strategy_overrides: { ad: { name: "x" } } },
      "Additional properties not allowed: name' on property strategy_overrides.ad.name",
    ],
    [
      "Cross App Access without a status",
      { name: "x", cross_app_access_resource_app: {} },
      "Missing required property: status' on property cross_app_access_resource_app.status",
    ],
    [
      "SCIM tokens of an unknown scope",
      { name: "x", provisioning: { scim: { tokens: { scopes: ["users"] } } } },
      `No enum match for: "users"' on property provisioning.scim.tokens.scopes.0`,
    ],
    ["no object", [], "Expected type object but found type array'"],
  ])("%s: 400", async (_what, body, message) => {
    const answer = await api("POST", "/connection-profiles", body);
    expect(answer.body).toEqual({
      statusCode: 400,
      error: "Bad Request",
      message: `Payload validation error: '${message}.`,
      errorCode: "invalid_body",
    });
    expect(stored()).toEqual([]);
  });

  test.each(["", "a-b", "{org_id}", "{org_name}-1", "x".repeat(15)])(
    "the template %j fits",
    async (template) => {
      expect(await create({ name: "x", connection_name_prefix_template: template })).toMatchObject({
        connection_name_prefix_template: template,
      });
    },
  );

  test.each(["-a", "a--b", "{org}", "a b", "ä"])("the template %j does not", async (template) => {
    expect(await create({ name: "x", connection_name_prefix_template: template })).toMatchObject({
      statusCode: 400,
      errorCode: "invalid_body",
    });
  });

  test("names of 50 characters and every strategy fit", async () => {
    const strategies = ["pingfederate", "ad", "adfs", "waad", "google-apps", "okta", "oidc", "samlp"];
    const strategy_overrides = Object.fromEntries(strategies.map((strategy) => [strategy, {}]));
    expect(await create({ name: "x".repeat(50), strategy_overrides })).toMatchObject({ strategy_overrides });
  });

  test("a character counts once, whatever it takes to encode it", async () => {
    expect(await create({ name: "🌍".repeat(50) })).toMatchObject({ name: "🌍".repeat(50) });
    expect(await create({ name: "🌍".repeat(51) })).toMatchObject({
      message: "Payload validation error: 'String is too long (51 chars), maximum 50' on property name.",
    });
  });

  test("profile_name_conflict", async () => {
    await create();
    expect(await create()).toEqual({
      statusCode: 409,
      error: "Conflict",
      message: "A connection profile with the same name already exists.",
    });
    expect(stored()).toHaveLength(1);
    seed({ profile_name_conflict: "allow" });
    expect((await create()).id).not.toBe((await create()).id);
  });

  test("takes no form", async () => {
    const form = new URLSearchParams({ name: "x" });
    expect((await api("POST", "/connection-profiles", form)).status).toBe(415);
  });
});

describe("PATCH /connection-profiles/{id}", () => {
  let path: string;

  async function start(behaviour: BehaviourInput = {}): Promise<void> {
    seed(behaviour);
    path = `/connection-profiles/${String((await create()).id)}`;
  }
  const patch = async (body: object) => (await api("PATCH", path, body)).body;

  test("changes what is sent and answers the whole record", async () => {
    await start();
    const answer = await api("PATCH", path, { name: "others", enabled_features: [] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ id: path.split("/")[2], ...FULL, name: "others", enabled_features: [] });
    expect(stored()).toEqual([answer.body]);
  });

  test("the same rules as for the creation: 400", async () => {
    await start();
    expect(await patch({ name: "" })).toMatchObject({ statusCode: 400, errorCode: "invalid_body" });
    expect(await patch({ id: "cop_1" })).toMatchObject({ statusCode: 400, errorCode: "invalid_body" });
    expect(await patch({ strategy_overrides: { x: {} } })).toMatchObject({ statusCode: 400 });
  });

  test("a name that is taken: 409, unless allowed; one's own name is free", async () => {
    await start();
    await create({ name: "taken" });
    expect(await patch({ name: "taken" })).toMatchObject({ statusCode: 409 });
    expect(await patch({ name: "partners" })).toMatchObject({ name: "partners" });
    await start({ profile_name_conflict: "allow" });
    await create({ name: "taken" });
    expect(await patch({ name: "taken" })).toMatchObject({ name: "taken" });
  });

  const nested = {
    organization: { show_as_button: "none" },
    strategy_overrides: { oidc: { enabled_features: ["universal_logout"] }, ad: {} },
  };

  test("nested_patch: replace", async () => {
    await start();
    expect(await patch(nested)).toMatchObject({ name: "partners" });
    expect(stored()[0]).toEqual({ id: path.split("/")[2], ...FULL, ...nested });
  });

  test("nested_patch: merge", async () => {
    await start({ nested_patch: "merge" });
    expect(await patch(nested)).toEqual({
      id: path.split("/")[2],
      ...FULL,
      organization: { show_as_button: "none", assign_membership_on_login: "required" },
      strategy_overrides: {
        oidc: { enabled_features: ["universal_logout"], connection_config: {} },
        "google-apps": { enabled_features: [] },
        ad: {},
      },
    });
  });

  test("null_in_patch: clear", async () => {
    await start();
    expect(
      await patch({
        organization: null,
        connection_name_prefix_template: null,
        enabled_features: null,
        connection_config: null,
        strategy_overrides: null,
      }),
    ).toEqual({ id: path.split("/")[2], name: "partners", ...UNSET });
    expect(await patch({ name: null })).toMatchObject({ statusCode: 400 });
  });

  test("null_in_patch: clear, inside a field that is merged", async () => {
    await start({ nested_patch: "merge" });
    expect(
      await patch({ organization: { show_as_button: null }, strategy_overrides: { oidc: null } }),
    ).toMatchObject({
      organization: { assign_membership_on_login: "required" },
      strategy_overrides: { "google-apps": { enabled_features: [] } },
    });
    expect(stored()[0]!.strategy_overrides).not.toHaveProperty("oidc");
    expect(stored()[0]!.organization).not.toHaveProperty("show_as_button");
  });

  test("null_in_patch: keep", async () => {
    await start({ null_in_patch: "keep" });
    expect(await patch({ organization: null, strategy_overrides: null, enabled_features: ["scim"] })).toEqual(
      {
        id: path.split("/")[2],
        ...FULL,
        enabled_features: ["scim"],
      },
    );
  });

  test("null_in_patch: reject", async () => {
    await start({ null_in_patch: "reject" });
    expect(await patch({ organization: null })).toMatchObject({
      statusCode: 400,
      message:
        "Payload validation error: 'Expected type object but found type null' on property organization.",
    });
    expect(await create({ name: "x", enabled_features: null })).toMatchObject({ statusCode: 400 });
  });
});

describe("DELETE /connection-profiles/{id}", () => {
  test("answers 204, and the profile is gone", async () => {
    const path = `/connection-profiles/${String((await create()).id)}`;
    const answer = await api("DELETE", path);
    expect([answer.status, answer.body]).toEqual([204, ""]);
    expect((await api("GET", path)).status).toBe(404);
    expect(await create()).toMatchObject({ name: "partners" });
  });

  test("no other profile gets the id of one that was deleted, be it one of the seed", async () => {
    const { id, ...profile } = await create();
    simulator.seed({
      tokens: [{ access_token: "all", scope: ALL }],
      connection_profiles: [{ ...profile, id: String(id), name: "seeded" }],
    });
    await api("DELETE", `/connection-profiles/${String(id)}`);
    expect((await create()).id).not.toBe(id);
  });

  test("delete_unknown_profile", async () => {
    expect((await api("DELETE", "/connection-profiles/cop_none")).status).toBe(404);
    seed({ delete_unknown_profile: 204 });
    expect((await api("DELETE", "/connection-profiles/cop_none")).status).toBe(204);
  });
});

describe("GET /connection-profiles", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
  type Page = { connection_profiles: { name: string }[]; next?: string };
  const page = async (query = "") => {
    const { connection_profiles, ...rest } = (await api("GET", `/connection-profiles${query}`)).body as Page;
    return { names: connection_profiles.map((profile) => profile.name).join(""), ...rest };
  };

  beforeEach(() => seed({}, names));

  test("pages of 5 unless told otherwise, at most 10", async () => {
    const first = await page();
    expect(first).toEqual({ names: "abcde", next: expect.any(String) as string });
    const second = await page(`?from=${first.next}&take=7`);
    expect(second).toEqual({ names: "fghijkl" });
    expect((await page("?take=10")).names).toHaveLength(10);
  });

  test("a cursor keeps its place when others are deleted or created", async () => {
    const { next } = await page();
    await api("DELETE", "/connection-profiles/cop_1");
    await api("DELETE", "/connection-profiles/cop_4");
    await create({ name: "m" });
    expect(await page(`?take=10&from=${next}`)).toEqual({ names: "fghijklm" });
  });

  test("no profiles: an empty list", async () => {
    seed();
    expect((await api("GET", "/connection-profiles")).body).toEqual({ connection_profiles: [] });
  });
});

describe("profile_values", () => {
  const given = {
    name: "a ",
    connection_name_prefix_template: "Con",
    organization: { show_as_button: "none" },
    strategy_overrides: {
      okta: { provisioning: { hosts: ["https://b.example.com", "https://a.example.com"] } },
    },
  };

  test("tidied: another form of what was sent", async () => {
    seed({ profile_values: "tidied" });
    const tidied = {
      name: "a",
      connection_name_prefix_template: "con",
      organization: {},
      strategy_overrides: {
        okta: { provisioning: { hosts: ["https://a.example.com/", "https://b.example.com/"] } },
      },
    };
    const { id, ...made } = await create(given);
    expect(made).toMatchObject(tidied);
    expect((await api("PATCH", `/connection-profiles/${String(id)}`, given)).body).toMatchObject(tidied);
  });

  test("completed: with what organization leaves out", async () => {
    seed({ profile_values: "completed" });
    expect(await create({ name: "a", organization: { show_as_button: "required" } })).toMatchObject({
      organization: { show_as_button: "required", assign_membership_on_login: "none" },
    });
  });
});

test("profile_reads: without what the answer to the write has", async () => {
  seed({ profile_reads: "without_none" });
  const organization = { show_as_button: "none", assign_membership_on_login: "required" };
  const made = await create({ name: "a", organization });
  expect(made).toMatchObject({ organization });
  const shown = { ...made, organization: { assign_membership_on_login: "required" } };
  expect((await api("GET", `/connection-profiles/${String(made.id)}`)).body).toEqual(shown);
  expect((await api("GET", "/connection-profiles")).body).toEqual({ connection_profiles: [shown] });
});
