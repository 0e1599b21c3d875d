import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } from "../../../provider";

/*
 * Values derived from a resource's inputs, such as the names of secret ones, must come from the inputs after
 * all transformations.
 */

let registered: pulumi.runtime.MockResourceArgs[] = [];
beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      return { id: `${args.name}-id`, state: args.inputs as object };
    },
    call: () => ({}),
  });
});

/** Returns a program's registered inputs, by the names of its resources. */
async function inputsOf(program: () => void): Promise<Record<string, Record<string, unknown>>> {
  await pulumi.runtime.runInPulumiStack(() => Promise.resolve(program()));
  await pulumi.runtime.disconnect();
  return Object.fromEntries(registered.map(({ name, inputs }) => [name, inputs as Record<string, unknown>]));
}

const hides =
  (input: string): pulumi.ResourceTransformation =>
  ({ props, opts }) => ({ props: { ...props, [input]: pulumi.secret(props[input] as unknown) }, opts });
const groups = ["grp_7TqWc2nYx5RkHbVd9sPmZa"];
const assigned = { roleId: "rol_1", groupIds: groups };

test("a transformation of the stack that makes an input secret is seen", async () => {
  const { p, r } = await inputsOf(() => {
    pulumi.runtime.registerStackTransformation((args) =>
      hides(args.type.endsWith("ConnectionProfile") ? "name" : "groupIds")(args),
    );
    new ConnectionProfile("p", { name: "hidden" });
    new RoleGroupAssignment("r", assigned);
  });

  expect(p?.["__secretInputs"]).toEqual(["name"]);
  expect(r?.["__secretInputs"]).toEqual(["groupIds"]);
});

test("one that replaces an input by a plain value is seen too", async () => {
  const { p } = await inputsOf(() => {
    const replace: pulumi.ResourceTransformation = ({ props, opts }) => ({
      props: { ...props, name: "open" },
      opts,
    });
    new ConnectionProfile("p", { name: pulumi.secret("hidden") }, { transformations: [replace] });
  });

  expect(p).toMatchObject({ name: "open" });
  expect(p).not.toHaveProperty("__secretInputs");
});

test("those of a component, and of the component around it, are seen for each of its children", async () => {
  class Inner extends pulumi.ComponentResource {
    constructor(name: string, options?: pulumi.ComponentResourceOptions) {
      super("test:index:Inner", name, {}, options);
      new ConnectionProfile("first", { name: "hidden" }, { parent: this });
      new RoleGroupAssignment("second", assigned, { parent: this, transformations: [hides("roleId")] });
      new DeviceCredentialRemoval("third", { deviceCredentialId: "dcr_1" }, { parent: this });
    }
  }
  class Outer extends pulumi.ComponentResource {
    constructor(name: string, options?: pulumi.ComponentResourceOptions) {
      super("test:index:Outer", name, {}, options);
      new Inner("inner", {
        parent: this,
        transformations: [
          (args) => (args.type.endsWith("ConnectionProfile") ? hides("name")(args) : undefined),
        ],
      });
    }
  }
  const { first, second, third } = await inputsOf(() => {
    new Outer("outer", {
      transformations: [(args) => (args.type.endsWith("Assignment") ? hides("groupIds")(args) : undefined)],
    });
  });

  expect(first?.["__secretInputs"]).toEqual(["name"]);
  expect(second?.["__secretInputs"]).toEqual(["roleId", "groupIds"]);
  expect(third).not.toHaveProperty("__secretInputs");
});

test("a child of a resource gets none of what belongs to its parent", async () => {
  class Thing extends pulumi.CustomResource {
    constructor(options: pulumi.CustomResourceOptions) {
      super("test:index:Thing", "child", { value: pulumi.secret("x") }, options);
    }
  }
  const seen: string[] = [];
  const { child, other } = await inputsOf(() => {
    const parent = new ConnectionProfile("p", { name: pulumi.secret("hidden") });
    const watch: pulumi.ResourceTransformation = ({ name }) => void seen.push(name);
    new Thing({ parent, transformations: [watch] });
    new RoleGroupAssignment("other", assigned, { parent });
  });

  expect(Object.keys(child ?? {})).toEqual(["value"]);
  expect(other).not.toHaveProperty("__secretInputs");
  expect(seen).toEqual(["child"]);
});
