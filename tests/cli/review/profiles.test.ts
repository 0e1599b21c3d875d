import { UNKNOWN_VALUE } from "../../../provider/seen";
import { type RawInputs as Values } from "../../../provider/review/raw-inputs";
import { documentOf } from "../../../cli/review/output/document";
import { reviewText } from "../../../cli/review/output/text";
import { readPreview } from "../../../cli/review/input/preview";
import { reviewOf } from "../../../cli/review/review";
import { appearanceOf } from "../../../testkit/cli/asked";
import { told } from "../../../testkit/facts";
import { made, previewText, step } from "../../../testkit/cli/previews";

const profile = (made: Omit<Parameters<typeof step>[0], "kind">) =>
  step({ kind: "ConnectionProfile", id: "cop_1", ...made });
const update = (before: Values, after: Values, more: object = {}) =>
  made([profile({ name: "p", op: "update", before, after, ...more })]);
const changes = (before: Values, after: Values, diffReasons: string[] = []) =>
  update(before, after, { diffReasons }).profiles.flatMap(({ changes }) => changes);
const notes = ({ notes }: ReturnType<typeof made>) => notes.map(({ reason }) => reason.toString());

test("fields are compared one by one, at any depth", () => {
  expect(
    changes(
      { name: "p", organization: { showAsButton: "none" }, connectionConfig: { a: [1, 2], b: { c: 1 } } },
      { name: "q", connectionConfig: { a: [2, 1], b: { c: null } }, strategyOverrides: { okta: {} } },
    ),
  ).toEqual([
    { path: "name", before: "p", after: "q" },
    { path: "organization.showAsButton", before: "none", after: undefined },
    { path: "connectionConfig.a", before: [1, 2], after: [2, 1] },
    { path: "connectionConfig.b.c", before: 1, after: null },
    { path: "strategyOverrides.okta", before: undefined, after: {} },
  ]);
});

test("Cross App Access and rules for SCIM tokens have a row for each value that changes", () => {
  const tokens = (inside: Values) => ({ provisioning: { scim: { tokens: inside } } });
  const status = { defaultValue: "disabled", allowedValues: ["disabled", "enabled"] };
  expect(
    changes(
      { name: "p", ...tokens({ scopes: ["get:users"], defaultExpiry: 60 }) },
      {
        name: "p",
        ...tokens({ scopes: ["get:users", "post:users"], defaultExpiry: 3600 }),
        crossAppAccessResourceApp: { status },
      },
    ),
  ).toEqual([
    {
      path: "crossAppAccessResourceApp.status.allowedValues",
      before: undefined,
      after: status.allowedValues,
      isSet: true,
    },
    { path: "crossAppAccessResourceApp.status.defaultValue", before: undefined, after: "disabled" },
    { path: "provisioning.scim.tokens.defaultExpiry", before: 60, after: 3600 },
    {
      path: "provisioning.scim.tokens.scopes",
      before: ["get:users"],
      after: ["get:users", "post:users"],
      isSet: true,
    },
  ]);
});

test("a secret that stays a secret changes only if the engine says that its input does", () => {
  const secret = { connectionConfig: { key: "[secret]" } };
  expect(changes(secret, secret)).toEqual([]);
  expect(changes(secret, secret, ["connectionConfig"])).toHaveLength(1);
  const changed = update(secret, secret, { diffReasons: ["connectionConfig"] });
  const created = made([profile({ name: "p", after: { name: "p", ...secret } })]);
  for (const { unknown } of [changed, created])
    expect(unknown.map(({ reason }) => reason.toString())).toEqual([
      "the value of connectionConfig.key is secret",
    ]);
});

test("a secret that becomes a plain value may be as it was, unless something else changes for certain", () => {
  const unless = (after: Values) =>
    update({ name: "[secret]" }, after, { diffReasons: ["name"] }).profiles.map((row) =>
      row.unless?.toString(),
    );
  expect(unless({ name: "p" })).toEqual(["what does not show turns out to be as it is"]);
  expect(unless({ name: "p", connectionConfig: { a: 1 } })).toEqual([undefined]);
});

test("what an adoption is told to change does change, also where both values are secret", () => {
  const secret = { showAsButton: "[secret]" };
  const review = made(
    [
      profile({
        name: "p",
        after: { name: "p", adopt: "cop_1", organization: { showAsButton: "[secret]" } },
      }),
    ],
    [told("p", { adopts: "cop_1", name: "p", changes: { organization: [secret, secret] } })],
  );
  expect(review.profiles.flatMap(({ changes }) => changes)).toMatchObject([
    { path: "organization.showAsButton" },
  ]);
  expect(review.unknown.map(({ reason }) => reason.toString())).toEqual([
    "the value of organization.showAsButton is secret",
  ]);
});

test("an adoption of a profile that can't be read is unknown, with the settings that are sent", () => {
  const line = told("p", { notAsked: "cop_1", why: "no call; sent unseen: name" });
  const review = made([profile({ name: "p", after: { name: "q", adopt: "cop_1" } })], [line]);
  expect(review.unknown.map(({ reason }) => reason.toString())).toEqual([
    "what changes on cop_1: the tenant could not be asked (no call; sent unseen: name)",
  ]);
  expect(review.profiles).toMatchObject([{ op: "adopt", id: "cop_1", changes: [], wanted: { name: "q" } }]);
});

test("a name that is left to others is no change, whatever it is", () => {
  const scim = { adopt: "cop_1", enabledFeatures: ["scim"] };
  const logout = { ...scim, enabledFeatures: ["universal_logout"] };
  const theirs = { outputs: { ...scim, name: "theirs", ownsName: false } };
  expect(update({ name: "p", ...scim }, scim).profiles).toEqual([]);
  expect(update(scim, scim, theirs).profiles).toEqual([]);
  const changed = update(scim, logout, theirs);
  expect(changed.profiles.flatMap((row) => row.changes.map(({ path }) => path))).toEqual(["enabledFeatures"]);
  expect(reviewText([documentOf(changed, [])], appearanceOf(changed))).toMatch(/cop_1/);
  expect(update(scim, { name: "p", ...scim }, theirs).profiles).toMatchObject([
    { changes: [{ path: "name", before: undefined, after: "p" }], wanted: { name: "p" } },
  ]);
});

test("what an adoption takes away has a row, also where the value is too long for the line", () => {
  const review = (strategyOverrides: unknown) =>
    made(
      [profile({ name: "p", after: { name: "p", adopt: "cop_1", strategyOverrides: { okta: {} } } })],
      [
        told("p", {
          adopts: "cop_1",
          name: "p",
          changes: { strategyOverrides: [strategyOverrides, { okta: {} }] },
          removes: ["strategyOverrides.waad"],
        }),
      ],
    ).profiles.flatMap(({ changes }) => changes);
  const after = { path: "strategyOverrides", before: "(612 characters)", after: { okta: {} } };
  const gone = { path: "strategyOverrides.waad", after: undefined };
  expect(review("(612 characters)")).toEqual([after, { ...gone, before: "(not shown)" }]);
  expect(review({ okta: {}, waad: {} })).toEqual([{ ...gone, before: {} }]);
});

test.each<[string, Values, Values, boolean]>([
  ["made by the resource", {}, {}, true],
  ["adopted", {}, { adopted: true }, false],
  ["adopted, with deleteOnDestroy", { deleteOnDestroy: true }, { adopted: true }, true],
  ["made, with deleteOnDestroy false", { deleteOnDestroy: false }, {}, false],
])("a profile that is %s: whether its delete deletes it", (_, inputs, outputs, isDeleted) => {
  const review = made([profile({ name: "p", op: "delete", before: { name: "p", ...inputs }, outputs })]);
  expect(review.profiles.map(({ op }) => op)).toEqual(isDeleted ? ["delete"] : []);
  expect(notes(review)).toHaveLength(isDeleted ? 0 : 1);
  expect(review.categories).toEqual(isDeleted ? ["delete"] : []);
});

test("a profile that another resource adopts is not deleted", () => {
  const review = made([
    profile({ name: "old", op: "delete", before: { name: "p" } }),
    profile({ name: "new", after: { name: "p", adopt: "cop_1" } }),
  ]);
  expect(review.profiles.map(({ op }) => op)).toEqual(["adopt"]);
  expect(notes(review)).toEqual(["nothing is sent: another resource adopts cop_1"]);
});

test.each(["same", "update"])(
  "a profile that another resource of state has, too, is not deleted (%s)",
  (op) => {
    const review = made([
      profile({ name: "old", op: "delete", before: { name: "p" } }),
      profile({ name: "new", op, before: { name: "p" }, after: { name: "q" } }),
    ]);
    expect(review.profiles.map((row) => row.op)).not.toContain("delete");
    expect(notes(review)).toContain("nothing is sent: another resource manages cop_1");
  },
);

test("a profile is deleted, if the run leaves out the other resource that has or adopts it", () => {
  const rows = (after: Values, state: object, isDestroy: boolean) => {
    const text = previewText([
      profile({ name: "old", op: "delete", before: { name: "p" } }),
      profile({ name: "new", op: "same", before: after, state }),
    ]);
    const { profiles, notes } = reviewOf(
      readPreview(text, () => undefined, { isDestroy }),
      false,
    );
    return [profiles.map(({ op, id }) => [op, id]), notes];
  };
  const deleted = [[["delete", "cop_1"]], []];
  for (const inputs of [{ name: "p" }, { name: "p", adopt: "cop_1" }]) {
    expect(rows(inputs, { outputs: inputs }, false)).toEqual(deleted);
    expect(rows(inputs, {}, true)).toEqual(deleted);
  }
});

test("a delete that comes before a replacement may come before an adoption", () => {
  const row = (oldAfter: object, newAfter: object) => {
    const whole = profile({
      name: "old",
      op: "replace",
      before: { name: "p" },
      after: { name: "p", adopt: "cop_2" },
      state: oldAfter,
    });
    const { urn, oldState } = whole as { urn: string; oldState: object };
    const others = ["create-replacement", "replace"].map((op) => ({ ...whole, op }));
    const adopter = profile({ name: "new", after: { name: "p", adopt: "cop_1" }, state: newAfter });
    return made([{ op: "delete-replaced", urn, oldState }, ...others, adopter]).profiles.flatMap(
      ({ op, unless }) => (op === "delete" ? [unless?.toString()] : []),
    );
  };
  const after = (name: string) => ({
    dependencies: [`urn:pulumi:prod::access::pulumi-nodejs:dynamic/identity:ConnectionProfile::${name}`],
  });
  expect(row({}, {})).toEqual(["new adopts it"]);
  expect(row({}, after("old"))).toEqual([undefined]);
  expect(row(after("new"), {})).toEqual([]);
});

test("a profile that is deleted while one of its name is made looks like a renamed resource", () => {
  const renamed = (before: Values, after: Values) =>
    made([
      profile({ name: 'the "old"', op: "delete", before }),
      profile({ name: "new", after }),
    ]).profiles.map(({ op, reason }) => `${op}: ${reason.toString()}`.trim());
  expect(renamed({ name: "p" }, { name: "p" })).toEqual([
    "create:",
    'delete: has the same name as new: renamed? aliases: [{ name: "the \\"old\\"" }]',
  ]);
  expect(renamed({ name: "p" }, { name: "q" })).toEqual(["create:", "delete:"]);
  expect(renamed({ name: UNKNOWN_VALUE }, { name: UNKNOWN_VALUE })).toEqual(["create:", "delete:"]);
});

test("what is replaced for a value that is not known yet may be changed instead", () => {
  const review = (name: unknown, more: object) =>
    made([
      profile({
        name: "p",
        op: "replace",
        before: { name: "p", organization: { showAsButton: "none" } },
        after: { name, strategyOverrides: { okta: {} } },
        ...more,
      }),
    ]);
  const replaced = (...given: Parameters<typeof review>) =>
    review(...given).profiles.map(({ op, unless, changes }) => [
      op,
      unless !== undefined,
      changes.map(({ path }) => path),
    ]);
  const either = [
    ["update", true, ["organization.showAsButton", "strategyOverrides.okta"]],
    ["create", true, ["name", "strategyOverrides.okta"]],
    ["delete", true, []],
  ];
  expect(replaced(UNKNOWN_VALUE, { replaceReasons: ["name"] })).toEqual(either);
  // A taint, or a value known to differ, replaces it whatever else turns out.
  expect(replaced(UNKNOWN_VALUE, { replaceReasons: ["id"] })).toEqual(either.slice(1));
  expect(replaced(UNKNOWN_VALUE, { replaceReasons: ["name", "organization"] })).toEqual(either.slice(1));
  expect(replaced("q", { replaceReasons: ["name"] }).map(([op]) => op)).toEqual(["create", "delete"]);

  const kept = "cop_1 stays, because of retainOnDelete; no resource manages it any more";
  const noted = (name: unknown) =>
    notes(review(name, { replaceReasons: ["name"], old: { retainOnDelete: true } }));
  expect(noted(UNKNOWN_VALUE)).toContain(`if it is replaced, ${kept}`);
  expect(noted("q")).toContain(`nothing is sent: ${kept}`);

  const shown = review(UNKNOWN_VALUE, { replaceReasons: ["name"] });
  const text = reviewText([documentOf(shown, [])], appearanceOf(shown));
  expect(text).toContain(
    "p cop_1, unless what is not known yet turns out to be another: then it is replaced",
  );
  expect(text).toContain("p is created, unless what is not known yet turns out to be as it is");
});

describe("what is replaced along with another", () => {
  const urn = (name: string) =>
    `urn:pulumi:prod::access::pulumi-nodejs:dynamic/identity:ConnectionProfile::${name}`;
  const replaced = (name: string, id: string, after: Values, more: object) =>
    profile({ name, id, op: "replace", before: { name }, after, old: { delete: true }, ...more });
  const said = (first: Values, option: object, replaceReasons: string[]) =>
    made([
      replaced("first", "cop_1", first, { replaceReasons: ["name"] }),
      replaced("second", "cop_2", { name: "second" }, { state: option, replaceReasons }),
    ])
      .profiles.filter(({ name }) => name === "second")
      .map(({ op, unless }) => `${op}${unless === undefined ? "" : ` unless ${unless.toString()}`}`);
  const same = "unless what is not known yet turns out to be as it is";

  test.each<[string, object]>([
    ["deletedWith", { deletedWith: urn("first") }],
    ["replaceWith", { replaceWith: [urn("first")] }],
  ])("%s: may stay where that may stay", (reason, option) => {
    expect(said({ name: "other" }, option, [reason])).toEqual(["create", "delete"]);
    expect(said({ name: UNKNOWN_VALUE }, option, [reason])).toEqual([`create ${same}`, `delete ${same}`]);
    expect(said({ name: UNKNOWN_VALUE }, option, [reason, "name"])).toEqual(["create", "delete"]);
  });

  test("a trigger that is not known yet may be as it was", () => {
    const [row] = made([
      replaced("first", "cop_1", { name: "first" }, { state: { replacementTrigger: UNKNOWN_VALUE } }),
      replaced(
        "second",
        "cop_2",
        { name: "second" },
        { state: { replaceWith: [urn("first")] }, replaceReasons: ["replaceWith"] },
      ),
    ]).profiles.filter(({ name }) => name === "first");
    expect(row?.unless?.toString()).toBe("what is not known yet turns out to be as it is");
  });

  const second = profile({
    name: "second",
    id: "cop_2",
    op: "delete",
    before: { name: "second" },
    old: { deletedWith: urn("first") },
  });

  test("what is deleted with something that is deleted first may stay on the tenant", () => {
    const steps = ["delete-replaced", "replace", "create-replacement"].map((op) =>
      profile({
        name: "first",
        op,
        before: { name: "first" },
        after: { name: "other" },
        old: { pendingReplacement: true },
      }),
    );
    const rows = made([...steps, second]).profiles.filter(({ name }) => name === "second");
    expect(rows.map(({ op, unless }) => [op, unless?.toString()])).toEqual([
      ["delete", "what it is deletedWith is deleted"],
    ]);
  });

  test("what is deleted with something that was only read stays, since that leaves the state as well", () => {
    const first = profile({
      name: "first",
      op: "discard",
      before: { name: "first" },
      old: { external: true },
    });
    expect(made([first, second]).profiles).toEqual([]);
  });
});

test("a profile that is yet to be made is no drift", () => {
  const review = made([step({ kind: "ConnectionProfile", name: "new", after: { name: "new" } })], [], true);
  expect([review.profiles, review.categories]).toEqual([[], []]);
});

test("what changes a later destroy is said", () => {
  const state = { protect: true, retainOnDelete: true };
  expect(notes(update({ name: "p" }, { name: "p", deleteOnDestroy: false }, { state }))).toEqual([
    "from now on, destroying it leaves cop_1 in place (deleteOnDestroy)",
    "is protected from now on",
    "from now on, destroying it sends nothing (retainOnDelete)",
  ]);
  expect(
    notes(update({ name: "p" }, { name: "p", deleteOnDestroy: true }, { outputs: { adopted: true } })),
  ).toEqual(["from now on, destroying it deletes cop_1 for good (deleteOnDestroy)"]);
});
