import * as pulumi from "@pulumi/pulumi";
import { givenSets } from "../../../provider/pulumi/program/given-sets";
import { replacedSets } from "../../../provider/pulumi/sets";

const SETS = [["groupIds"], ["overrides", "*", "features"]];

beforeAll(() => pulumi.runtime.setMocks({ newResource: () => ({ id: "", state: {} }), call: () => ({}) }));

/** Returns the places of the sets in the text, for inputs that hold none of their elements. */
async function placesIn(inputs: pulumi.Inputs): Promise<string[]> {
  const text = await givenSets(() => SETS, inputs);
  return replacedSets(SETS, text, { inputs: {}, before: undefined }).map(({ place }) => place);
}

/** An Output that is unknown in a preview. */
const unknown = () => {
  const Output = pulumi.Output as unknown as new (...args: unknown[]) => pulumi.Output<string>;
  const no = Promise.resolve(false);
  return new Output(new Set(), Promise.resolve(undefined), no, no, Promise.resolve(new Set()));
};

test("plain sets are there at once", () => {
  expect(givenSets(() => SETS, { groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] })).toBe("groupIds=E8FT2ojP");
});

test("Outputs, promises and secrets are awaited, at any depth", async () => {
  const features = [pulumi.output("scim"), "universal_logout"];
  const groupIds = pulumi.secret(Promise.resolve(["a", "b"]));

  expect(await placesIn({ groupIds, overrides: { okta: Promise.resolve({ features }) } })).toEqual([
    "groupIds",
    "overrides.okta.features",
  ]);
});

test("an input that isn't known in whole is left out", async () => {
  const overrides = { okta: { features: ["scim"] } };

  expect(await placesIn({ overrides, groupIds: ["a", unknown()] })).toEqual(["overrides.okta.features"]);
});

test("nothing is sent, and no table loaded, for inputs without lists", () => {
  const sets = jest.fn();
  expect(givenSets(sets, { name: "a" })).toBeUndefined();
  expect(sets).not.toHaveBeenCalled();
  expect(givenSets(() => SETS, { organization: { showAsButton: "none" } })).toBeUndefined();
});
