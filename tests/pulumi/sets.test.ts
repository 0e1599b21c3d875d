import { formatSets, ignoredProblem, replacedSets } from "../../provider/pulumi/sets";
import { PROFILE_SETS } from "../../provider/service/profile-fields";
import fc from "../../testkit/properties";

/* Indices into lists that stand for sets. */

const SETS = [["groupIds"], ["overrides", "*", "features"], ["a.b", "list"]];

describe("ignoreChanges is refused", () => {
  test.each([
    ["an index", "groupIds[0]", "groupIds"],
    ["all indices", "groupIds[*]", "groupIds"],
    ["all of anything", "*[0]", "*"],
    ["all of all", "*.*", "*"],
    ["an index under any key", 'overrides["google-apps"].features[1]', "overrides.google-apps.features"],
    ["an index under all keys", "overrides[*].features[*]", "overrides.*.features"],
    ["a quoted name", '["groupIds"][0]', "groupIds"],
    ["a name that is no word", '["a.b"].list[0]', '["a.b"].list'],
    ["a dot before an index", "groupIds.[0]", "groupIds"],
  ])("for %s", (_, option, whole) => {
    expect(ignoredProblem(SETS, ["name", option], [])).toBe(
      `ignoreChanges can't name ${option}: ${whole} is a set, so its elements have no fixed places, and Pulumi would mix ` +
        `the program's with those of the last update. Ignore ${whole} as a whole, or remove the option.`,
    );
  });

  test.each([
    "*",
    "groupIds",
    "overrides",
    "overrides.okta",
    "overrides.*",
    "overrides.okta.features",
    "overrides.okta.list[0]",
    "list[0]",
    // The engine skips what it can't parse.
    "groupIds[",
    "groupIds[x]",
  ])("but not for %s", (option) => {
    expect(ignoredProblem(SETS, [option], [])).toBeUndefined();
  });
});

test.each([
  ["another case or style", "group_ids", "groupIds"],
  ["a member in snake case", "organization.show_as_button", "organization.showAsButton"],
  [
    "one that only the program has",
    "overrides.google_apps.scim_tokens[0]",
    "overrides.google-apps.scimTokens[0]",
  ],
])("ignoreChanges: %s is named with the right spelling", (_, option, right) => {
  const before = { groupIds: ["grp_a"], organization: { showAsButton: "none" } };
  const after = { ...before, overrides: { "google-apps": { scimTokens: [{}] } } };
  const known = [
    "*",
    "groupIds",
    "organization.*",
    "overrides[*].scim_tokens",
    "tags",
    "groupIds[",
    "groupIds[0]",
  ];
  expect(ignoredProblem([], [...known, option], [before, after])).toBe(
    `ignoreChanges: ${option} is not an input: did you mean ${right}?`,
  );
});

describe("what the program gave, beside what comes", () => {
  const [A, B, C, D] = ["grp_a", "grp_b", "grp_c", "grp_d"] as const;

  const replaced = (program: string[], now: string[] | undefined, before: string[] = []) =>
    replacedSets(SETS, formatSets(SETS, { groupIds: program }), {
      inputs: { ...(now !== undefined && { groupIds: now }) },
      before: { groupIds: before },
    }).map(({ place, isMixture, withheld }) => [place, isMixture, withheld.length]);

  test.each([
    ["the same", [D, A], [D, A], [A, B], []],
    ["another order", [D, A], [A, D], [A, B], []],
    ["repetitions of the program", [A, A, B], [A, A, B], [A], []],
    ["an element of state in the place of the program's", [D, A], [A, A], [A, B], ["mixture", 1]],
    ["the same without a repetition", [C, D], [A, D], [A, B], ["mixture", 1]],
    ["a longer list in state", [C], [A], [A, B], ["mixture", 1]],
    ["a shorter list in state", [A, B, D], [B, B, D], [B, D], ["mixture", 1]],
    ["the whole of state", [C, D], [A, B], [A, B], ["other", 2]],
    ["nothing, as in state", [C, D], undefined, [], ["other", 2]],
    ["one more", [A, B], [A, B, C], [A], ["other", 0]],
    ["one less", [A, B], [A], [A, C], ["other", 1]],
    ["one in place of another, as in no state", [A, B], [A, C], [A, D], ["other", 1]],
  ])("%s", (_, program, now, before, expected) => {
    const [kind, withheld] = expected;
    expect(replaced(program, now, before)).toEqual(
      expected.length === 0 ? [] : [["groupIds", kind === "mixture", withheld]],
    );
  });

  test("at any depth, and each by itself", () => {
    const given = formatSets(SETS, {
      groupIds: [A],
      overrides: { okta: { features: [A, B] }, adfs: { features: [C] }, waad: {} },
    });
    const inputs = { groupIds: [A], overrides: { okta: { features: [D, B] } } };
    const before = { overrides: { okta: { features: [D, C] } } };

    const replaced = replacedSets(SETS, given, { inputs, before });
    expect(replaced.map(({ place, isMixture }) => [place, isMixture])).toEqual([
      ["overrides.okta.features", true],
      ["overrides.adfs.features", false],
    ]);
  });

  test("is unknown for programs in other languages, and without sets", () => {
    expect(formatSets(SETS, { name: "a", groupIds: "all" })).toBeUndefined();
    const all = { inputs: { groupIds: [A] }, before: { groupIds: [B] } };
    expect(replacedSets(SETS, undefined, all)).toEqual([]);
  });

  test("is read without an error, whatever text comes", () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(replacedSets(SETS, text, { inputs: {}, before: undefined })).toBeInstanceOf(Array);
      }),
    ));
});

test("the sets of a profile", () => {
  const ofBoth = [
    "crossAppAccessResourceApp.status.allowedValues",
    "enabledFeatures",
    "provisioning.scim.tokens.scopes",
  ];
  expect(PROFILE_SETS.map((path) => path.join(".")).sort()).toEqual(
    [...ofBoth, ...ofBoth.map((path) => `strategyOverrides.*.${path}`)].sort(),
  );
});
