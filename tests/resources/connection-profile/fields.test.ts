import { problemsOf } from "../../../provider/pulumi/input-problems";
import { normalize } from "../../../provider/resources/connection-profile/values";
import { settingsIn } from "../../../provider/resources/connection-profile/plan";
import { schema } from "../../../provider/resources/connection-profile/fields";
import { settingsFromWire, PROFILE_SETTINGS, toWire } from "../../../provider/service/profile-fields";
import { profileRecord } from "../../../provider/service/connection-profiles";
import { type JsonObject } from "../../../provider/service/record";
import fc from "../../properties";

const features = fc.uniqueArray(fc.constantFrom("scim", "universal_logout"), { minLength: 1 });
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
    enabledFeatures: features,
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
      organization: { show_as_button: "none" },
      connectionNamePrefixTemplate: "con",
      enabledFeatures: ["scim"],
      connectionConfig: { enabledFeatures: 1 },
      strategyOverrides: {
        okta: { enabledFeatures: ["scim"], connectionConfig: { enabledFeatures: 2 }, other: 3 },
      },
      adopt: "cop_1",
      deleteOnDestroy: true,
    });

    expect(body).toEqual({
      name: "a",
      organization: { show_as_button: "none" },
      connection_name_prefix_template: "con",
      enabled_features: ["scim"],
      connection_config: { enabledFeatures: 1 },
      strategy_overrides: {
        okta: { enabled_features: ["scim"], connection_config: { enabledFeatures: 2 }, other: 3 },
      },
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

  test("how the resource is handled is no setting", () => {
    expect(PROFILE_SETTINGS).not.toEqual(expect.arrayContaining(["adopt"]));
    expect(PROFILE_SETTINGS).not.toEqual(expect.arrayContaining(["deleteOnDestroy"]));
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
    ["id", 1],
    ["id", ""],
    ["name", ["a"]],
    ["organization", "none"],
    ["connection_name_prefix_template", {}],
    ["enabled_features", "scim"],
    ["enabled_features", [1]],
    ["connection_config", []],
    ["strategy_overrides", 7],
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

describe("sets", () => {
  test("are brought into one order, without repetition, within overrides too", () => {
    expect(
      normalize({
        enabledFeatures: ["universal_logout", "scim", "scim"],
        strategyOverrides: { okta: { enabledFeatures: ["universal_logout", "scim"], other: ["b", "a"] } },
      }),
    ).toEqual({
      enabledFeatures: ["scim", "universal_logout"],
      strategyOverrides: { okta: { enabledFeatures: ["scim", "universal_logout"], other: ["b", "a"] } },
    });
  });
});

describe("another spelling of a known member", () => {
  const problems = (inputs: JsonObject, secrets: string[] = []) =>
    problemsOf(schema, { name: "a", ...inputs }, secrets);

  test.each<[given: JsonObject, problem: string]>([
    [
      { organization: { showAsButton: "none" } },
      'organization.showAsButton: is written show_as_button here; received "none".',
    ],
    [
      { organization: { show_as_buton: "none" } },
      'organization.show_as_buton: is written show_as_button here; received "none".',
    ],
    [{ strategyOverrides: { Okta: {} } }, "strategyOverrides.Okta: is written okta here; received {}."],
    [
      { strategyOverrides: { googleApps: {} } },
      "strategyOverrides.googleApps: is written google-apps here; received {}.",
    ],
    [
      { strategyOverrides: { okta: { enabledFeature: ["scim"] } } },
      'strategyOverrides.okta.enabledFeature: is written enabledFeatures here; received ["scim"].',
    ],
    [
      { strategyOverrides: { okta: { enabled_features: ["scim"] } } },
      'strategyOverrides.okta.enabled_features: is written enabledFeatures here; received ["scim"].',
    ],
  ])("%j is refused", (given, problem) => expect(problems(given)).toEqual([problem]));

  test("its value is not shown where it is secret", () =>
    expect(problems({ organization: { showAsButton: "hush" } }, ["organization"])).toEqual([
      "organization: is written show_as_button here; received a secret value.",
    ]));

  test("what is newer than this package passes, and what is free-form", () =>
    expect(
      problems({
        organization: { show_as_button: "none", show_as_button_first: true, invite: 1 },
        strategyOverrides: {
          oktb: { enabledFeatures: [], enabledFeaturesOfScim: [], provisioning: { showAsButton: 1 } },
          adf: {},
        },
        connectionConfig: { enabledFeature: 1, showAsButton: 2 },
      }),
    ).toEqual([]));
});
