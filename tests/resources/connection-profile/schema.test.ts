import { UNKNOWN_VALUE } from "../../../provider/seen";
import { problemsOf } from "../../../provider/pulumi/input-problems";
import { normalize } from "../../../provider/resources/connection-profile/values";
import { settingsIn } from "../../../provider/resources/connection-profile/plan";
import { schema } from "../../../provider/resources/connection-profile/schema";
import { settingsFromWire, toWire } from "../../../provider/service/profile-fields";
import { profileRecord } from "../../../provider/service/connection-profiles";
import { type JsonObject } from "../../../provider/service/record";
import fc from "../../../testkit/properties";

const features = fc.uniqueArray(fc.constantFrom("scim", "universal_logout"));
const keys = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.constantFrom("constructor", "toString", "hasOwnProperty"),
);
const freeForm = fc.dictionary(
  keys.filter((key) => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 2 }),
  { minKeys: 1, maxKeys: 4 },
);
const override = fc.record(
  { enabledFeatures: features, connectionConfig: freeForm, provisioning: fc.jsonValue({ maxDepth: 1 }) },
  { requiredKeys: [] },
);
const settings = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 50 }),
    organization: freeForm,
    connectionNamePrefixTemplate: fc.constantFrom("con", "con-{org_id}"),
    enabledFeatures: features.filter(({ length }) => length > 0),
    connectionConfig: freeForm,
    strategyOverrides: fc.dictionary(
      keys.filter((key) => key !== "__proto__"),
      override,
      { minKeys: 1, maxKeys: 3 },
    ),
  },
  { requiredKeys: ["name"] },
);

describe("the names of the API", () => {
  test("come back as what they were sent for", () =>
    fc.assert(
      fc.property(settings, (given) => {
        const body = toWire(given);
        expect(settingsFromWire({ id: "cop_1", ...body })).toEqual(given);
      }),
    ));

  test("are used for all fields, and for the known ones within an override", () => {
    const body = toWire({
      name: "a",
      organization: { showAsButton: "none", future_key: 1 },
      connectionNamePrefixTemplate: "con",
      enabledFeatures: ["scim"],
      connectionConfig: { enabledFeatures: 1, showAsButton: 1 },
      strategyOverrides: {
        okta: { enabledFeatures: ["scim"], connectionConfig: { enabledFeatures: 2 }, other: 3 },
      },
      adopt: "cop_1",
      deleteOnDestroy: true,
    });

    expect(body).toEqual({
      name: "a",
      organization: { show_as_button: "none", future_key: 1 },
      connection_name_prefix_template: "con",
      enabled_features: ["scim"],
      connection_config: { enabledFeatures: 1, showAsButton: 1 },
      strategy_overrides: {
        okta: { enabled_features: ["scim"], connection_config: { enabledFeatures: 2 }, other: 3 },
      },
    });
  });

  test("are used for members too, and null empties what can't be an empty object", () => {
    const crossAppAccessResourceApp = { status: { defaultValue: "enabled", later: 1 } };
    const provisioning = { scim: { tokens: { scopes: ["get:users"], maxAllowedExpiry: 60 } } };
    const wire = {
      cross_app_access_resource_app: { status: { default_value: "enabled", later: 1 } },
      provisioning: { scim: { tokens: { scopes: ["get:users"], max_allowed_expiry: 60 } } },
    };
    const given = {
      crossAppAccessResourceApp,
      provisioning,
      strategyOverrides: { okta: { crossAppAccessResourceApp, provisioning } },
    };
    const body = { ...wire, strategy_overrides: { okta: wire } };
    expect(toWire(given)).toEqual(body);
    expect(settingsFromWire({ id: "cop_1", ...body })).toEqual(given);
    expect(toWire({ crossAppAccessResourceApp: {}, provisioning: {} })).toEqual({
      cross_app_access_resource_app: null,
      provisioning: {},
    });
  });

  test.each(["constructor", "toString", "hasOwnProperty", "valueOf"])("a key %s is like any other", (key) => {
    const given = {
      name: "a",
      organization: { [key]: 1 },
      connectionConfig: { [key]: { [key]: 2 } },
      strategyOverrides: { [key]: { [key]: [3] } },
    };

    expect(settingsFromWire({ id: "cop_1", ...toWire(given) })).toEqual(given);
    expect(normalize(given)).toEqual(given);
    expect(settingsIn(schema.parse(given))).toEqual(given);
  });

  test("what the tenant holds as empty or null counts as not set", () => {
    const record = {
      id: "cop_1",
      name: "a",
      organization: null,
      connection_name_prefix_template: "",
      enabled_features: [],
      connection_config: {},
      strategy_overrides: null,
    };

    expect(settingsFromWire(record)).toEqual({ name: "a" });
  });
});

describe("a record", () => {
  const record: JsonObject = {
    id: "cop_1",
    name: "a",
    organization: { show_as_button: "none" },
    connection_name_prefix_template: "con",
    enabled_features: ["scim"],
    connection_config: {},
    strategy_overrides: {},
    added_by_a_later_release: 1,
  };

  test("of the documented types passes, with fields that nobody uses", () => {
    expect(profileRecord.parse(record)).toEqual(record);
  });

  test.each([
    ["id", "cop_1/../../users"],
    ["name", ["a"]],
    ["enabled_features", [1]],
    ["connection_config", []],
    ["strategy_overrides", ["okta"]],
  ])("with a wrong type in %s is refused: %j", (field, value) => {
    expect(profileRecord.safeParse({ ...record, [field]: value }).success).toBe(false);
  });

  test("may hold null where nothing is set", () => {
    const holding = {
      ...record,
      organization: null,
      strategy_overrides: { okta: null, oidc: { connection_config: null } },
    };
    expect(profileRecord.parse(holding)).toEqual(holding);
  });

  test("without a name is refused", () => {
    expect(profileRecord.safeParse({ ...record, name: null }).success).toBe(false);
    expect(profileRecord.safeParse({ ...record, name: undefined }).success).toBe(false);
  });

  test.each([{ okta: "scim" }, { okta: { enabled_features: "scim" } }, { okta: { connection_config: 1 } }])(
    "with a wrong type within an override is refused: %j",
    (overrides) => {
      expect(profileRecord.safeParse({ ...record, strategy_overrides: overrides }).success).toBe(false);
    },
  );
});

describe("the inside of a setting that is newer", () => {
  const tokens = (inside: object) => ({ provisioning: { scim: { tokens: inside } } });
  const access = (status: object) => ({ crossAppAccessResourceApp: { status } });

  test.each<[JsonObject, string]>([
    [access({}), "status.defaultValue: must be enabled or disabled; received nothing."],
    [access({ defaultValue: "on" }), 'status.defaultValue: must be enabled or disabled; received "on".'],
    [
      access({ defaultValue: "enabled", allowedValues: ["enabled"] }),
      'status.allowedValues: must have enabled and disabled, or be left out; received ["enabled"].',
    ],
    [
      access({ Default_value: "enabled", defaultValue: "enabled" }),
      'status.Default_value: write defaultValue; received "enabled".',
    ],
    [{ provisioning: { scim: {} } }, "scim.tokens: is required; received nothing."],
    [tokens({}), "scim.tokens.scopes: is required; received nothing."],
    [
      tokens({ scopes: ["read:users"] }),
      'scim.tokens.scopes[0]: must be get:users, post:users, put:users, patch:users or delete:users; received "read:users".',
    ],
    [
      tokens({ scopes: [], defaultExpiry: 0 }),
      "scim.tokens.defaultExpiry: must be a whole number of seconds, 1 or more; received 0.",
    ],
    [
      tokens({ scopes: [], maxAllowedExpiry: "1d" }),
      'scim.tokens.maxAllowedExpiry: must be a number; received "1d".',
    ],
    [
      { provisioning: { googleWorkspace: { syncUsers: "yes" } } },
      'googleWorkspace.syncUsers: must be true or false; received "yes".',
    ],
    [
      tokens({ scopes: [], maxAllowedExpirys: 5 }),
      "scim.tokens.maxAllowedExpirys: write maxAllowedExpiry; received 5.",
    ],
  ])("%j is refused, also in an override", (given, problem) => {
    const [name = ""] = Object.keys(given);
    expect(problemsOf(schema, { name: "a", ...given }, [])).toEqual([`${name}.${problem}`]);
    expect(problemsOf(schema, { name: "a", strategyOverrides: { okta: given } }, [])).toEqual([
      `strategyOverrides.okta.${name}.${problem}`,
    ]);
  });

  test.each<JsonObject>([
    { enabledFeatures: ["directory_sync"] },
    { crossAppAccessResourceApp: {}, provisioning: {} },
    access({ defaultValue: "enabled", allowedValues: ["disabled", "enabled"], later: 1 }),
    tokens({ scopes: [], defaultExpiry: 1, later: { a: 1 } }),
    { provisioning: { googleWorkspace: { syncUsers: true, later: 1 } } },
    access({ defaultValue: UNKNOWN_VALUE, allowedValues: UNKNOWN_VALUE }),
    tokens({ scopes: [UNKNOWN_VALUE], defaultExpiry: UNKNOWN_VALUE }),
  ])("%j passes", (given) => expect(problemsOf(schema, { name: "a", ...given }, [])).toEqual([]));

  test("a field that nobody knows is refused", () =>
    expect(problemsOf(schema, { name: "a", crossAppAccess: {}, provisionings: {} }, [])).toEqual([
      "crossAppAccess: is not an input; check its spelling.",
      "provisionings: is not an input: did you mean provisioning?",
    ]));
});

describe("another spelling of a known member", () => {
  const problems = (inputs: JsonObject, secrets: string[] = []) =>
    problemsOf(schema, { name: "a", ...inputs }, secrets);

  test.each<[given: JsonObject, problem: string]>([
    [
      { organization: { show_as_button: "none" } },
      'organization.show_as_button: write showAsButton; received "none".',
    ],
    [
      { organization: { show_as_buton: "none" } },
      'organization.show_as_buton: write showAsButton; received "none".',
    ],
    [{ strategyOverrides: { Okta: {} } }, "strategyOverrides.Okta: write okta; received {}."],
    [
      { strategyOverrides: { googleApps: {} } },
      "strategyOverrides.googleApps: write google-apps; received {}.",
    ],
    [
      { strategyOverrides: { okta: { enabled_features: ["scim"] } } },
      'strategyOverrides.okta.enabled_features: write enabledFeatures; received ["scim"].',
    ],
  ])("%j is refused", (given, problem) => expect(problems(given)).toEqual([problem]));

  test("what is newer than this package passes, and what is free-form", () =>
    expect(
      problems({
        organization: { showAsButton: "none", show_as_button_first: true, invite: 1 },
        strategyOverrides: {
          oktb: { enabledFeatures: [], enabledFeaturesOfScim: [], provisioning: { showAsButton: 1 } },
          adf: {},
        },
        connectionConfig: { enabledFeature: 1, show_as_button: 2 },
      }),
    ).toEqual([]));
});

describe("inputs", () => {
  const problems = (inputs: JsonObject) => problemsOf(schema, inputs, []);

  test.each<[inputs: JsonObject, problem: RegExp]>([
    [{}, /name: .*received nothing/],
    [{ name: "" }, /name: must have 1 to 50 characters; received ""/],
    [{ name: "🌍".repeat(51) }, /name: must have 1 to 50 characters; received 51 characters/],
    [{ name: 7 }, /name: .*received 7/],
    [{ name: "a", enabledFeatures: [null] }, /enabledFeatures\[0\]: .*received null/],
    [
      { name: "a", organization: { showAsButton: "yes" } },
      /organization\.showAsButton: must be none, optional or required; received "yes"/,
    ],
    [{ name: "a", strategyOverrides: [] }, /strategyOverrides: .*received \[\]/],
  ])("%j are refused", (inputs, problem) =>
    expect(problems(inputs)).toEqual([expect.stringMatching(problem)]),
  );

  test.each<JsonObject>([
    { name: UNKNOWN_VALUE },
    { name: "a", organization: { showAsButton: UNKNOWN_VALUE } },
    { name: "a", enabledFeatures: ["scim", UNKNOWN_VALUE] },
    { name: "a", strategyOverrides: { okta: UNKNOWN_VALUE } },
    { name: "a", strategyOverrides: { okta: { enabledFeatures: [UNKNOWN_VALUE, UNKNOWN_VALUE] } } },
    { name: "a", adopt: UNKNOWN_VALUE },
  ])("%j may turn out to be right", (inputs) => expect(problems(inputs)).toEqual([]));
});
