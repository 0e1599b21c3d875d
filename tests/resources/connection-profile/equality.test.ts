import { isSame, normalize, suppressEquivalent } from "../../../provider/resources/connection-profile/values";
import {
  PROFILE_FIELDS,
  type ProfileField,
  PROFILE_SETTINGS,
} from "../../../provider/service/profile-fields";
import { type JsonObject } from "../../../provider/service/record";
import fc from "../../../testkit/properties";

const okta = (override: unknown) => ({ strategyOverrides: { okta: override } });

describe("two profiles are", () => {
  const areSame = (one: JsonObject, other: JsonObject) =>
    PROFILE_SETTINGS.every(
      (name) => isSame(name, one[name], other[name]) && isSame(name, other[name], one[name]),
    );

  test.each<[string, JsonObject, JsonObject]>([
    ["a set in another order", { enabledFeatures: ["b", "a"] }, { enabledFeatures: ["a", "b"] }],
    ["a set with a repetition", { enabledFeatures: ["a", "a"] }, { enabledFeatures: ["a"] }],
    ["a set of an override", okta({ enabledFeatures: ["b", "a"] }), okta({ enabledFeatures: ["a", "b"] })],
    [
      "the sets of SCIM tokens, and a lifetime that is null",
      { provisioning: { scim: { tokens: { scopes: ["b", "a"], defaultExpiry: null } } } },
      { provisioning: { scim: { tokens: { scopes: ["a", "b"] } } } },
    ],
    [
      "the values of an override's Cross App Access",
      okta({ crossAppAccessResourceApp: { status: { allowedValues: ["b", "a"] } } }),
      okta({ crossAppAccessResourceApp: { status: { allowedValues: ["a", "b"] } } }),
    ],
    ["null inside an override", okta({ enabledFeatures: null, x: { y: null } }), okta({ x: {} })],
    ["an override that is null", okta(null), {}],
    ["null in the object of a list", okta({ x: [{ y: null, z: 1 }] }), okta({ x: [{ z: 1 }] })],
    ["keys in another order", { connectionConfig: { a: 1, b: 2 } }, { connectionConfig: { b: 2, a: 1 } }],
  ])("the same: %s", (_what, one, other) => expect(areSame(one, other)).toBe(true));

  test.each<[string, JsonObject, JsonObject]>([
    ["a list in another order", { connectionConfig: { a: [1, 2] } }, { connectionConfig: { a: [2, 1] } }],
    [
      "a list that nobody knows, in provisioning",
      { provisioning: { scim: { a: [1, 2] }, scopes: ["a", "b"] } },
      { provisioning: { scim: { a: [1, 2] }, scopes: ["b", "a"] } },
    ],
    ["a list of an override that is no set", okta({ x: ["a", "b"] }), okta({ x: ["b", "a"] })],
    [
      "a list within a free-form object",
      okta({ connectionConfig: { enabledFeatures: ["a", "b"] } }),
      okta({ connectionConfig: { enabledFeatures: ["b", "a"] } }),
    ],
    ["an empty set of an override", okta({ enabledFeatures: [] }), okta({})],
    ["an empty object of an override", okta({ connectionConfig: {} }), okta({})],
    ["an override that is empty", okta({}), {}],
    ["an empty list in a free-form object", { connectionConfig: { a: [] } }, {}],
    ["an empty text in a free-form object", { connectionConfig: { a: "" } }, { connectionConfig: {} }],
    ["an empty object in a free-form object", { organization: { a: {} } }, { organization: {} }],
    ["empty values of two kinds", okta({ x: [] }), okta({ x: {} })],
    ["false and none", { connectionConfig: { a: false } }, {}],
    ["zero and an empty text", { connectionConfig: { a: 0 } }, { connectionConfig: { a: "" } }],
    ["a text in other case", { name: "a" }, { name: "A" }],
  ])("not the same: %s", (_what, one, other) => expect(areSame(one, other)).toBe(false));

  test.each(Object.entries<ProfileField>(PROFILE_FIELDS))(
    "the same where %s is not set, however that is written",
    (name, { empty }) => {
      const spellings = [undefined, null, empty];
      for (const one of spellings) for (const other of spellings) expect(isSame(name, one, other)).toBe(true);
    },
  );
});

describe("what is observed is written as the program writes it", () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      "a set in the program's order",
      { enabledFeatures: ["b", "a"] },
      { enabledFeatures: ["a", "b"] },
      { enabledFeatures: ["a", "b"] },
    ],
    [
      "another set as it is",
      { enabledFeatures: ["c", "b"] },
      { enabledFeatures: ["a", "b"] },
      { enabledFeatures: ["c", "b"] },
    ],
    ["a setting that the program wants empty", {}, { connectionConfig: {} }, { connectionConfig: {} }],
    [
      "a value that is not wanted",
      { name: "a", organization: { x: 1 } },
      { name: "a" },
      { name: "a", organization: { x: 1 } },
    ],
    ["a value that is missing", { name: "a" }, { name: "a", organization: { x: 1 } }, { name: "a" }],
    [
      "a set of an override beside what differs",
      okta({ enabledFeatures: ["b", "a"], x: [2, 1] }),
      okta({ enabledFeatures: ["a", "b"], x: [1, 2] }),
      okta({ enabledFeatures: ["a", "b"], x: [2, 1] }),
    ],
    [
      "scopes of SCIM tokens of which the lifetime differs",
      { provisioning: { scim: { tokens: { scopes: ["b", "a"], defaultExpiry: 1 } } } },
      { provisioning: { scim: { tokens: { scopes: ["a", "b"], defaultExpiry: 2 } } } },
      { provisioning: { scim: { tokens: { scopes: ["a", "b"], defaultExpiry: 1 } } } },
    ],
    [
      "an override beside another one",
      { strategyOverrides: { oidc: { x: 1 }, okta: { enabledFeatures: ["b", "a"] } } },
      okta({ enabledFeatures: ["a", "b"] }),
      { strategyOverrides: { oidc: { x: 1 }, okta: { enabledFeatures: ["a", "b"] } } },
    ],
  ])("%s", (_what, observed, wanted, expected) => {
    expect(suppressEquivalent(observed, wanted)).toEqual(expected);
  });
});

describe("for any values", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const features = fc.array(fc.constantFrom("a", "b"), { maxLength: 3 });
  const override = fc.record(
    { enabledFeatures: features, connectionConfig: value, other: value },
    { requiredKeys: [] },
  );
  const settings = fc.record(
    {
      name: fc.string(),
      organization: fc.dictionary(fc.string(), value, { maxKeys: 2 }),
      connectionNamePrefixTemplate: fc.string(),
      enabledFeatures: features,
      connectionConfig: fc.dictionary(fc.string(), value, { maxKeys: 2 }),
      strategyOverrides: fc.dictionary(fc.constantFrom("okta", "oidc"), override),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
  const expectAllSame = (one: JsonObject, other: JsonObject) => {
    for (const name of PROFILE_SETTINGS)
      expect([name, isSame(name, one[name], other[name])]).toEqual([name, true]);
  };

  test("they are the same as themselves, also in one order", () =>
    fc.assert(
      fc.property(settings, (one) => {
        expectAllSame(one, one);
        expectAllSame(one, normalize(one));
      }),
    ));

  test("other words change no meaning, and are those of the program where that is the same", () =>
    fc.assert(
      fc.property(settings, settings, (one, other) => {
        const written = suppressEquivalent(one, other);
        expectAllSame(written, one);
        expect(suppressEquivalent(written, other)).toEqual(written);
        for (const name of PROFILE_SETTINGS)
          if (isSame(name, one[name], other[name])) expect(written[name]).toEqual(other[name]);
      }),
    ));
});
