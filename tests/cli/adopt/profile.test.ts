import { draftOf } from "../../../cli/adopt/profile";

const drafted = (record: object) =>
  draftOf({ id: "cop_1", name: "a", ...record }, (text) => text.includes("my-credential"));

const draft = (record: object) => {
  const { settings, leftOut } = drafted(record);
  return { settings, leftOut };
};

test.each([
  ["all that is set can be written", { enabled_features: ["scim"] }, true],
  ["it has fields that are no inputs", { newer: 1 }, true],
  ["a setting can't be written", { enabled_features: ["newer"] }, false],
  ["a value looks like a secret", { strategy_overrides: { okta: { client_secret: "a" } } }, false],
  ["it has no name", { name: "" }, false],
])("an import of a profile where %s", (_, record, isImportable) => {
  expect(drafted(record).isImportable).toBe(isImportable);
});

const parsed = (json: string) => JSON.parse(json) as unknown;

test("values get the names of the inputs, keys an order; what is not set is left out without a word", () => {
  expect(
    draft({
      organization: { show_as_button: "none", assign_membership_on_login: null },
      connection_name_prefix_template: "",
      enabled_features: ["universal_logout", "scim"],
      connection_config: { token_lifetime: 5, has_secret: true },
      strategy_overrides: {
        samlp: null,
        okta: { enabled_features: [], connection_config: {} },
        oidc: { newer: { b: false, a: 0, list: [], text: "", none: {} }, enabled_features: ["scim"] },
      },
      cross_app_access_resource_app: null,
    }),
  ).toEqual({
    settings: {
      name: "a",
      organization: { showAsButton: "none" },
      connectionConfig: { has_secret: true, token_lifetime: 5 },
      enabledFeatures: ["scim", "universal_logout"],
      strategyOverrides: {
        oidc: { enabledFeatures: ["scim"], newer: { a: 0, b: false, list: [], none: {}, text: "" } },
        okta: { connectionConfig: {}, enabledFeatures: [] },
      },
    },
    leftOut: [],
  });
});

test("Cross App Access and the rules for SCIM tokens are written, also those of an override", () => {
  const provisioning = {
    scim: { tokens: { scopes: ["post:users", "get:users"], default_expiry: 3600, max_allowed_expiry: null } },
    google_workspace: { sync_users: true },
  };
  const written = {
    googleWorkspace: { syncUsers: true },
    scim: { tokens: { defaultExpiry: 3600, scopes: ["get:users", "post:users"] } },
  };
  expect(
    draft({
      enabled_features: ["directory_sync"],
      cross_app_access_resource_app: { status: { default_value: "enabled", allowed_values: null } },
      provisioning,
      strategy_overrides: { okta: { provisioning } },
    }),
  ).toEqual({
    settings: {
      name: "a",
      enabledFeatures: ["directory_sync"],
      crossAppAccessResourceApp: { status: { defaultValue: "enabled" } },
      provisioning: written,
      strategyOverrides: { okta: { provisioning: written } },
    },
    leftOut: [],
  });
});

test.each<[string, object, string]>([
  [
    "a value that the inputs don't take",
    { organization: { show_as_button: "maybe", other: 1 } },
    'organization.showAsButton: must be none, optional or required; received "maybe".',
  ],
  [
    "a template that is too long",
    { connection_name_prefix_template: "x".repeat(16) },
    `connectionNamePrefixTemplate: must have at most 15 characters; received "${"x".repeat(16)}".`,
  ],
  [
    "a field newer than this package",
    { added_by_a_later_release: { a: 1 } },
    "added_by_a_later_release: is no input of ConnectionProfile.",
  ],
  [
    "a key that Pulumi keeps to itself",
    { connection_config: { __pulumiOutput: true, kept: 1 } },
    "connectionConfig.__pulumiOutput: has a key that Pulumi keeps to itself.",
  ],
  [
    "a key that breaks the SDK's registration",
    { provisioning: { toString: 1, kept: { toString: 1 } } },
    "provisioning.toString: has a key that Pulumi's SDK can't take.",
  ],
  [
    "the key __proto__",
    { connection_config: parsed('{"deep": {"__proto__": {"a": 1}}}') },
    "connectionConfig.deep.__proto__: has a key that Pulumi keeps to itself.",
  ],
  [
    "what the engine would take for a file",
    {
      connection_config: {
        a: { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", path: "/x" },
      },
    },
    "connectionConfig.a.4dabf18193072939515e22adb298388d: has a key that Pulumi keeps to itself.",
  ],
  [
    "a text that stands for an unknown value",
    { connection_config: { a: ["04da6b54-80e4-46f7-96ec-b56ff0331ba9"], b: 1 } },
    "connectionConfig.a: is a text that Pulumi takes for an unknown value.",
  ],
  [
    "a value that looks like a secret",
    { connection_config: { bindPassword: "p", token_lifetime: 5, has_secret: true } },
    "connectionConfig.bindPassword: looks like a secret; to manage it, give it as a secret of the configuration.",
  ],
  [
    "a secret among the rules for SCIM tokens",
    { provisioning: { scim: { tokens: { scopes: [], token: "t" } } } },
    "provisioning.scim.tokens.token: looks like a secret; to manage it, give it as a secret of the configuration.",
  ],
  [
    "a secret within a list",
    { connection_config: { list: [{ api_key: "k" }], b: 1 } },
    "connectionConfig.list: looks like a secret; to manage it, give it as a secret of the configuration.",
  ],
  [
    "a credential of the client",
    { connection_config: { note: "it is my-credential" } },
    "connectionConfig.note: holds a credential of this client.",
  ],
  [
    "half of a character",
    { connection_config: { "\ud800": 1 } },
    "connectionConfig.\ud800: holds half of a character.",
  ],
  [
    "a list whose objects hold null",
    { connection_config: { list: [{ a: null }], b: [{}, null] } },
    "connectionConfig.list: holds null, which counts as not set.",
  ],
  [
    "a number without end",
    { connection_config: parsed('{"a": 1e999, "b": 1}') as object },
    "connectionConfig.a: is a number that state can't hold.",
  ],
  [
    "negative zero",
    { connection_config: parsed('{"a": -0, "b": 1}') as object },
    "connectionConfig.a: is a number that state can't hold.",
  ],
])("%s: its setting is left out, and nothing beside it", (_, record, reason) => {
  expect(draft({ ...record, enabled_features: ["scim"] })).toEqual({
    settings: { name: "a", enabledFeatures: ["scim"] },
    leftOut: [reason],
  });
});

test("a list that holds a value which the inputs don't take is left out", () => {
  expect(draft({ enabled_features: ["scim", "newer"] })).toEqual({
    settings: { name: "a" },
    leftOut: ['enabledFeatures[0]: must be directory_sync, scim or universal_logout; received "newer".'],
  });
});

test.each([
  ["", "name: is empty."],
  ["x".repeat(500), `name: must have 1 to 50 characters; received 500 characters.`],
  ["\ud800", "name: holds half of a character."],
  ["my-credential", "name: holds a credential of this client."],
])("a profile named %j can't be declared", (name, reason) => {
  expect(draft({ name })).toEqual({ settings: undefined, leftOut: [reason] });
});
