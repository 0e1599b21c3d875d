import {
  adoptionOf,
  plan,
  recorded,
  type Situation,
} from "../../../provider/resources/connection-profile/plan";
import { PROFILE_SETTINGS } from "../../../provider/service/profile-fields";
import { type JsonObject } from "../../../provider/service/record";
import fc from "../../../testkit/properties";

const okta = (override: unknown) => ({ strategyOverrides: { okta: override } });

describe("an update sends", () => {
  test.each<[string, Situation, JsonObject]>([
    ["nothing for what is as it was", { had: { name: "a" }, wanted: { name: "a" } }, {}],
    [
      "only what differs, each setting whole",
      {
        had: { name: "a", organization: { x: 1, y: 1 } },
        wanted: { name: "a", organization: { x: 1, y: 2 } },
      },
      { organization: { x: 1, y: 2 } },
    ],
    [
      "the empty value of a setting that the program stops giving",
      { had: { enabledFeatures: ["scim"], ...okta({ x: 1 }) }, wanted: {} },
      { enabledFeatures: [], strategyOverrides: {} },
    ],
    [
      "nothing for one that was empty",
      { had: { enabledFeatures: [], organization: {}, connectionNamePrefixTemplate: "" }, wanted: {} },
      {},
    ],
    [
      "a setting that is new to the program, whatever it is",
      { had: {}, wanted: { enabledFeatures: [], connectionNamePrefixTemplate: "x" } },
      { enabledFeatures: [], connectionNamePrefixTemplate: "x" },
    ],
    [
      "nothing that the tenant turns out to have",
      {
        had: { organization: { x: 1 }, name: "a" },
        wanted: { organization: { x: 2 }, name: "b" },
        live: { organization: { x: 2 }, name: "a" },
      },
      { name: "b" },
    ],
    [
      "no setting that the program doesn't change, though the tenant has another value",
      {
        had: { organization: { x: 1 }, name: "a" },
        wanted: { organization: { x: 2 }, name: "a" },
        live: { organization: { x: 1 }, name: "theirs" },
      },
      { organization: { x: 2 } },
    ],
    [
      "also that one if state may be out of date",
      { had: { name: "a" }, wanted: { name: "a" }, live: { name: "theirs" }, isUnconfirmed: true },
      { name: "a" },
    ],
  ])("%s", (_what, situation, expected) => expect(plan(situation).settings).toEqual(expected));
});

describe("the paths that nobody has seen", () => {
  test.each<[string, Situation, string[][]]>([
    [
      "are those that neither state nor the program has, the topmost of each",
      {
        had: okta({ a: 1 }),
        wanted: okta({ a: 2, b: 1 }),
        live: { strategyOverrides: { okta: { a: 1, b: 0, c: { d: 1 } }, waad: { x: 1 } } },
      },
      [
        ["strategyOverrides", "okta", "c"],
        ["strategyOverrides", "waad"],
      ],
    ],
    [
      "are all that others put into an object which is new to the program",
      { had: {}, wanted: { organization: { x: 1 } }, live: { organization: { x: 2, y: 1 } } },
      [["organization", "y"]],
    ],
    [
      "are in a setting that the program stops giving, too",
      { had: { organization: { x: 1 } }, wanted: {}, live: { organization: { x: 1, y: 1 } } },
      [["organization", "y"]],
    ],
    [
      "are none where a known value became another, or null",
      {
        had: okta({ list: [1], x: { y: 1 } }),
        wanted: okta({ list: [2], x: 1 }),
        live: okta({ list: [1, 3], x: { y: 2 }, none: null }),
      },
      [],
    ],
    [
      "are none in an object that stays as it is",
      {
        had: { organization: { x: 1 } },
        wanted: { organization: { x: 1 } },
        live: { organization: { y: 1 } },
      },
      [],
    ],
    [
      "are not in what is no object",
      { had: {}, wanted: { enabledFeatures: [] }, live: { enabledFeatures: ["scim"] } },
      [],
    ],
  ])("%s", (_what, situation, expected) => expect(plan(situation).unseen).toEqual(expected));
});

test("an adoption overwrites whole settings that the program gives, and tells what goes", () => {
  const live = { name: "a", enabledFeatures: ["scim"], organization: { x: 1, y: 1 }, ...okta({ z: 1 }) };
  expect(plan(adoptionOf(live, { name: "b", organization: { x: 2 } }))).toEqual({
    settings: { name: "b", organization: { x: 2 } },
    removes: [["organization", "y"]],
    unseen: [],
  });
});

test("state records what the program gives: as the tenant has it, without null, and as empty if it has none", () => {
  const live = { name: "b", enabledFeatures: ["b", "a"], ...okta({ x: null, y: 1 }), organization: { z: 1 } };
  const names = ["name", "enabledFeatures", "strategyOverrides", "connectionConfig"];
  expect(
    recorded(names, live, { name: "a", enabledFeatures: ["a", "b"], connectionConfig: { x: 1 } }),
  ).toEqual({
    name: "b",
    enabledFeatures: ["a", "b"],
    ...okta({ y: 1 }),
    connectionConfig: {},
  });
});

describe("for any values", () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const object = fc.dictionary(fc.constantFrom("a", "b", "", "__proto__"), value);
  const settings = fc.record(
    {
      name: fc.constantFrom("a", "b"),
      organization: object,
      enabledFeatures: fc.subarray(["a", "b"]),
      connectionConfig: object,
      strategyOverrides: fc.dictionary(fc.constantFrom("okta", "oidc"), object),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;

  test("after it was done there is nothing to do, and nothing was touched that the program never gave", () =>
    fc.assert(
      fc.property(settings, settings, settings, fc.boolean(), (had, wanted, live, isUnconfirmed) => {
        const situation = { had, wanted, live, isUnconfirmed };
        const done = { ...live, ...plan(situation).settings };
        expect(plan({ ...situation, live: done }).settings).toEqual({});
        for (const name of PROFILE_SETTINGS)
          if (!(name in had) && !(name in wanted)) expect(done[name]).toBe(live[name]);
      }),
    ));

  test("nothing is unseen where state is what the tenant has", () =>
    fc.assert(
      fc.property(settings, settings, (had, wanted) =>
        expect(plan({ had, wanted, live: had, isUnconfirmed: true }).unseen).toEqual([]),
      ),
    ));
});
