import * as pulumi from "@pulumi/pulumi";
import {
  ConnectionProfile,
  DeviceCredentialRemoval,
  getRoleGroups,
  getRoleGroupsOutput,
  RoleGroupAssignment,
} from "../../../provider";
import { providerText } from "../../../provider/pulumi/hidden-inputs";
import * as plugin from "../../../provider/plugin-classes";
import { runInline } from "../../../testkit/inline-engine";

let registered: pulumi.runtime.MockResourceArgs[] = [];

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      return { id: args.id ?? `${args.name}-id`, state: args.inputs as Record<string, unknown> };
    },
    call: () => ({}),
  }),
);
beforeEach(() => (registered = []));

const valueOf = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => void output.apply(resolve));

async function inputsOf(resource: pulumi.CustomResource): Promise<Record<string, unknown>> {
  await valueOf(resource.urn);
  return registered.at(-1)?.inputs as Record<string, unknown>;
}

/** An Output that is unknown in a preview. */
function unknown(): pulumi.Output<string> {
  const Output = pulumi.Output as unknown as new (...args: unknown[]) => pulumi.Output<string>;
  const no = Promise.resolve(false);
  return new Output(new Set(), Promise.resolve(undefined), no, no, Promise.resolve(new Set()));
}

describe("a resource in a program with mocks", () => {
  test("is registered under its type with its inputs, and gives them as outputs", async () => {
    const resource = new ConnectionProfile("p", { name: "enterprise", enabledFeatures: ["scim"] });

    expect(await inputsOf(resource)).toMatchObject({
      name: "enterprise",
      enabledFeatures: ["scim"],
      __provider: providerText("ConnectionProfile"),
    });
    expect(registered.at(-1)?.type).toBe("pulumi-nodejs:dynamic/identity:ConnectionProfile");
    expect(await valueOf(resource.name)).toBe("enterprise");
  });

  test("declares its outputs, what the program gives, and the text: each property costs the SDK time", () => {
    const propertiesOf = (resource: pulumi.CustomResource) =>
      Object.entries(resource)
        .filter(([name, value]) => pulumi.Output.isInstance(value) && !["id", "urn"].includes(name))
        .map(([name]) => name)
        .sort();

    expect(propertiesOf(new ConnectionProfile("p", { name: "a", enabledFeatures: ["scim"] }))).toEqual([
      "__provider",
      "adopted",
      "connectionConfig",
      "connectionNamePrefixTemplate",
      "crossAppAccessResourceApp",
      "enabledFeatures",
      "name",
      "organization",
      "provisioning",
      "strategyOverrides",
      "tenant",
    ]);
    const roleAndGroups = { roleId: "rol_1", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] };
    expect(propertiesOf(new RoleGroupAssignment("r", roleAndGroups))).toEqual([
      "__provider",
      "exclusive",
      "groupIds",
      "roleId",
      "tenant",
      "until",
    ]);
    expect(propertiesOf(new DeviceCredentialRemoval("d", { deviceCredentialId: "dcr_1" }))).toEqual([
      "__provider",
      "deviceCredentialId",
      "tenant",
    ]);
  });

  test("refuses a key that would vanish on its way to the engine", () => {
    const organization = JSON.parse('{"deep": {"__proto__": {"polluted": "yes"}}}') as Record<
      string,
      unknown
    >;

    expect(() => new ConnectionProfile("p", { name: "enterprise", organization })).toThrow(
      'ConnectionProfile "p": organization.deep holds the key __proto__, which can\'t be sent.',
    );
  });

  test("refuses a value that holds itself, or is nested without end", () => {
    const organization: Record<string, unknown> = {};
    organization["self"] = { list: [organization] };
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 20_000; i++) deep = { deep };

    for (const value of [organization, deep]) {
      expect(() => new ConnectionProfile("p", { name: "enterprise", organization: value })).toThrow(
        'ConnectionProfile "p": organization is nested deeper than 100 levels, or holds itself. Give it plain values.',
      );
    }
  });

  test("names its secret inputs, at any depth, and nothing without any", async () => {
    const secret = new ConnectionProfile("p", {
      name: pulumi.secret("hidden"),
      connectionNamePrefixTemplate: "open",
      organization: { nested: pulumi.secret("hidden") },
    });
    expect((await inputsOf(secret))["__secretInputs"]).toEqual(["name", "organization"]);

    expect(await inputsOf(new ConnectionProfile("q", { name: "open" }))).not.toHaveProperty("__secretInputs");
  });
});

describe.each([
  ["the classes", { ConnectionProfile, RoleGroupAssignment }],
  ["those of the plugin", plugin],
])("an index into a set among ignoreChanges, by %s", (_, classes) => {
  const assigned = { roleId: "rol_1", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] };
  const strategyOverrides = { "google-apps": { connectionNamePrefixTemplate: "a" } };
  const ignoring = (kind: "a" | "p", options: pulumi.CustomResourceOptions) =>
    kind === "a"
      ? new classes.RoleGroupAssignment("r", assigned, options)
      : new classes.ConnectionProfile("r", { name: "a", organization: {}, strategyOverrides }, options);

  test.each([
    ["a", "groupIds[0]", "groupIds"],
    ["a", "groupIds[*]", "groupIds"],
    ["a", "*[0]", "*"],
    ["a", "*.*", "*"],
    ["a", '["groupIds"][0]', "groupIds"],
    ["a", "groupIds.[0]", "groupIds"],
    ["p", 'strategyOverrides["a.b"].enabledFeatures[1]', 'strategyOverrides["a.b"].enabledFeatures'],
    ["p", "strategyOverrides[*].enabledFeatures[*]", "strategyOverrides.*.enabledFeatures"],
    [
      "p",
      'strategyOverrides["google-apps"].crossAppAccessResourceApp.status.allowedValues[*]',
      "strategyOverrides.google-apps.crossAppAccessResourceApp.status.allowedValues",
    ],
    ["p", "provisioning.scim.tokens.scopes[0]", "provisioning.scim.tokens.scopes"],
  ] as const)("is refused, for %s: %s", (kind, path, whole) => {
    expect(() => ignoring(kind, { ignoreChanges: ["until", path] })).toThrow(
      `"r": ignoreChanges can't name ${path}: ${whole} is a set, so its elements have no fixed places, and Pulumi would mix ` +
        `the program's with those of the last update. Ignore ${whole} as a whole, or remove the option.`,
    );
  });

  test("is refused where a transformation adds it", () => {
    const transformations: pulumi.ResourceTransformation[] = [
      ({ props, opts }) => ({ props, opts: { ...opts, ignoreChanges: ["groupIds[*]"] } }),
    ];
    expect(() => ignoring("a", { transformations })).toThrow("ignoreChanges can't name groupIds[*]");
  });

  test.each([
    ["a", "group_ids", "groupIds"],
    ["a", "groupIDs", "groupIds"],
    [
      "p",
      "strategyOverrides.google_apps.connection_name_prefix_template",
      "strategyOverrides.google-apps.connectionNamePrefixTemplate",
    ],
  ] as const)("is no worse than a misspelt name, for %s: %s", (kind, path, right) => {
    expect(() => ignoring(kind, { ignoreChanges: ["*", path] })).toThrow(
      `"r": ignoreChanges: ${path} is not an input: did you mean ${right}?`,
    );
  });

  test("is no other option's, no whole list, and nothing that the engine skips because it can't parse it", () => {
    const ignoreChanges = ["*", "groupIds", "groupIds[", "groupIds[x]", "tags", "list[0]"];
    expect(() => ignoring("a", { ignoreChanges, replaceOnChanges: ["groupIds[*]"] })).not.toThrow();
    const paths = ["strategyOverrides.*", "strategyOverrides.okta.enabledFeatures", "organization.*"];
    expect(() => ignoring("p", { ignoreChanges: paths })).not.toThrow();
  });
});

test.each<[string, (groups: string[]) => pulumi.Input<string[]>, unknown]>([
  ["as they are", (groups) => groups, "groupIds=E8FT2ojP"],
  ["as a secret that comes later", (groups) => pulumi.secret(Promise.resolve(groups)), "groupIds=E8FT2ojP"],
  ["in part not known", (groups) => [...groups, unknown()] as never, undefined],
])("the program's sets go along, %s", async (_, as, expected) => {
  const program = () => {
    const groupIds = as(["grp_7TqWc2nYx5RkHbVd9sPmZa"]);
    new RoleGroupAssignment("r", { roleId: "rol_1", groupIds });
    return Promise.resolve({});
  };
  const { inputs } = await runInline({ stack: "test", isPreview: true, config: {}, program });
  expect(inputs["r"]?.["__sets"]).toBe(expected);
});

describe("what Pulumi can't do for dynamic resources", () => {
  test("an import is refused and shows adopt", () => {
    expect(() => new ConnectionProfile("p", { name: "a" }, { import: "cop_1" })).toThrow(
      /ConnectionProfile "p".*adopt: "cop_1"/,
    );
    expect(
      () => new RoleGroupAssignment("r", { roleId: "rol_1", groupIds: [] }, { import: "rol_1" }),
    ).toThrow(/RoleGroupAssignment "r".*import/);
  });

  test.each(["", undefined, null])("get with the id %j is refused", (id) => {
    expect(() => ConnectionProfile.get("p", id as unknown as string)).toThrow(
      /ConnectionProfile\.get\("p".*empty/,
    );
  });

  test("get reads by id, without inputs", async () => {
    const found = ConnectionProfile.get("p", "cop_1");

    await valueOf(found.urn);
    expect(registered.at(-1)).toMatchObject({ id: "cop_1", name: "p" });
  });

  test("a resource without arguments is refused", () => {
    expect(() => new ConnectionProfile("p", undefined as never)).toThrow(/arguments are required/);
  });
});

describe("a resource where its id belongs", () => {
  const role = () => new pulumi.ComponentResource("acme:index:Role", "role");
  const refused: [string, (wrong: never) => unknown, string][] = [
    [
      "an id",
      (wrong) => new RoleGroupAssignment("a", { roleId: wrong, groupIds: [] }),
      'RoleGroupAssignment "a": roleId',
    ],
    [
      "one in a list",
      (wrong) => new RoleGroupAssignment("a", { roleId: "rol_1", groupIds: ["grp_1", wrong] }),
      'RoleGroupAssignment "a": groupIds[1]',
    ],
    [
      "a profile to adopt",
      (wrong) => new ConnectionProfile("p", { name: "a", adopt: wrong }),
      'ConnectionProfile "p": adopt',
    ],
    [
      "a credential",
      (wrong) => new DeviceCredentialRemoval("d", { deviceCredentialId: wrong }),
      'DeviceCredentialRemoval "d": deviceCredentialId',
    ],
    [
      "through the plugin",
      (wrong) => new plugin.RoleGroupAssignment("a", { roleId: wrong, groupIds: [] }),
      'RoleGroupAssignment "a": roleId',
    ],
    ["of a data source", (wrong) => getRoleGroupsOutput({ roleId: wrong }), "getRoleGroupsOutput: roleId"],
  ];

  test.each(refused)("%s", (_, declare, where) => {
    expect(() => declare(role() as never)).toThrow(
      `${where} is a resource. Give it a value of the resource, such as its id: add .id.`,
    );
  });

  test("of a data source that is awaited", async () => {
    await expect(getRoleGroups({ roleId: role() as never })).rejects.toThrow(
      "getRoleGroups: roleId is a resource. Give it a value of the resource, such as its id: add .id.",
    );
  });
});
