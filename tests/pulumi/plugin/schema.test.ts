import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as index from "../../../provider/index";
import * as plugin from "../../../provider/plugin-classes";
import { PLUGIN_URL } from "../../../provider/pulumi/plugin-source";
import { SETTINGS } from "../../../provider/pulumi/settings-table";
import { DATA_SOURCES } from "../../../provider/contents";
import { schema as connectionProfile } from "../../../provider/resources/connection-profile/schema";
import { schema as deviceCredentialRemoval } from "../../../provider/resources/device-credential-removal/schema";
import { schema as organizationRoleGroupAssignment } from "../../../provider/resources/organization-role-group-assignment/schema";
import { schema as roleGroupAssignment } from "../../../provider/resources/role-group-assignment/schema";
import { schema as userSignOut } from "../../../provider/resources/user-sign-out/schema";

/* The schema comes from the types, but the handlers validate with zod. Both must agree. */

interface Properties {
  [name: string]: {
    type?: string;
    $ref?: string;
    description?: string;
    secret?: boolean;
    willReplaceOnChanges?: boolean;
  };
}
interface Schema {
  pluginDownloadURL: string;
  config: { variables: Properties };
  provider: { description: string; inputProperties: Properties; requiredInputs?: string[] };
  resources: Record<
    string,
    {
      properties: Properties;
      required: string[];
      inputProperties: Properties;
      requiredInputs: string[];
      aliases: { type: string }[];
      description: string;
    }
  >;
  functions: Record<
    string,
    {
      inputs: { properties: Properties; required: string[] };
      outputs: { properties: Properties };
      description: string;
    }
  >;
  types: Record<
    string,
    {
      description?: string;
      properties?: Properties;
      enum?: { name: string; value: string; description?: string }[];
    }
  >;
  language: object;
}

const schema = JSON.parse(readFileSync(resolve("schema.json"), "utf8")) as Schema;

interface Shape {
  shape: Record<string, { safeParse: (value: unknown) => { success: boolean } }>;
}

const optional = ({ shape }: Shape) =>
  Object.keys(shape).filter((name) => shape[name]?.safeParse(undefined).success === true);

test("Pulumi fetches the plugin from one address, for the classes as for generated SDKs", () => {
  expect(schema.pluginDownloadURL).toBe(PLUGIN_URL);
});

describe.each<[string, unknown, string[]]>([
  // `adopt` may be removed, or name the profile itself.
  ["ConnectionProfile", connectionProfile, []],
  ["DeviceCredentialRemoval", deviceCredentialRemoval, ["deviceCredentialId"]],
  ["OrganizationRoleGroupAssignment", organizationRoleGroupAssignment, ["organizationId", "roleId"]],
  ["RoleGroupAssignment", roleGroupAssignment, ["roleId"]],
  ["UserSignOut", userSignOut, ["clientId", "userId"]],
])("%s", (name, accepted, replacing) => {
  const resource = schema.resources[`identity:index:${name}`];
  const inputs = accepted as Shape;

  test("has the inputs that the handlers accept, and requires those that they require", () => {
    expect(Object.keys(resource?.inputProperties ?? {}).sort()).toEqual(Object.keys(inputs.shape).sort());
    expect(resource?.requiredInputs.sort()).toEqual(
      Object.keys(inputs.shape)
        .filter((input) => !optional(inputs).includes(input))
        .sort(),
    );
  });

  // The rows of tests/contract show that they do.
  test("says of an input that it replaces where every change of it does", () => {
    const said = Object.entries(resource?.inputProperties ?? {}).flatMap(
      ([input, { willReplaceOnChanges }]) => (willReplaceOnChanges === true ? [input] : []),
    );
    expect(said.sort()).toEqual(replacing);
  });

  test("takes over what the other door has made", () => {
    expect(resource?.aliases).toEqual([{ type: `pulumi-nodejs:dynamic/identity:${name}` }]);
  });
});

test.each(Object.entries(DATA_SOURCES))("%s takes the arguments of the function", (name, source) => {
  const args = source().schema as unknown as Shape;
  const { inputs } = schema.functions[`identity:index:${name}`] ?? {};
  expect(Object.keys(inputs?.properties ?? {}).sort()).toEqual(Object.keys(args.shape).sort());
  expect([...(inputs?.required ?? [])].sort()).toEqual(
    Object.keys(args.shape)
      .filter((one) => !optional(args).includes(one))
      .sort(),
  );
});

test("the provider and the stack have the settings, and the secret ones are secret", () => {
  const secrets = Object.entries(SETTINGS).flatMap(([name, setting]) => ("secret" in setting ? [name] : []));
  for (const properties of [schema.config.variables, schema.provider.inputProperties]) {
    expect(Object.keys(properties)).toEqual(Object.keys(SETTINGS));
    expect(Object.keys(properties).filter((name) => properties[name]?.secret)).toEqual(secrets);
  }
  // The environment may have all of them.
  expect(schema.provider.requiredInputs ?? []).toEqual([]);
});

test("it says nothing that only TypeScript programs have, or that only TypeScript can spell", () => {
  const lines = JSON.stringify(schema, undefined, 1).split("\n");
  const wrong =
    /throughout|in one program share|undefined|\{@link|Output<|dynamic-provider|`\{ |[Ff]urther keys/;
  expect(lines.filter((line) => wrong.test(line))).toEqual([]);
  expect(schema.functions["identity:index:getRole"]?.description).toContain("previews too. Exactly one");
});

test("every text is there, whole sentences with a full stop, without a link that the registry can't follow", () => {
  const described = [
    ...[schema.config.variables, schema.provider.inputProperties],
    ...Object.values(schema.resources).flatMap((one) => [one.inputProperties, one.properties]),
    ...Object.values(schema.functions).flatMap((one) => [one.inputs.properties, one.outputs.properties]),
    ...Object.values(schema.types).map(({ properties = {} }) => properties),
    ...[schema.provider, ...Object.values(schema.resources), ...Object.values(schema.functions)].map(
      ({ description }) => ({ itself: { description } }),
    ),
    ...Object.entries(schema.types).map(([token, { description }]) => ({ [token]: { description } })),
  ].flatMap((properties: Properties) => Object.entries(properties));
  expect(described.length).toBeGreaterThan(200);
  const wrong = described.filter(
    ([, { description = "" }]) =>
      !/^(?:[A-Z]|`)[^]*\w[^]*\.$/.test(description) || /\]\((?!https:)|^E\.g\./.test(description),
  );
  expect(wrong.map(([name, { description = "" }]) => `${name}: ${description}`)).toEqual([]);
});

test("names of properties are references, which each language spells its own way", () => {
  expect(schema.resources["identity:index:RoleGroupAssignment"]?.description).toContain(
    "unless {{% ref #/resources/identity:index:RoleGroupAssignment/inputProperties/exclusive %}} is true",
  );
  const { inputs, outputs } = schema.functions["identity:index:getUserPermissions"] ?? {};
  const place = "{{% ref #/functions/identity:index:getUserPermissions";
  expect(inputs?.properties["includeTotals"]?.description).toContain(`${place}/outputs/properties/total %}}`);
  expect(outputs?.properties["truncated"]?.description).toContain(`${place}/inputs/properties/maxItems %}}`);
  // Hosts built with Pulumi 3.260 or older refuse these, and generate no SDK.
  expect(JSON.stringify(schema)).not.toContain("ref #/provider");
});

test("choices are enums with words, whole numbers are integers, and names of SDKs are the package's own", () => {
  const { inputProperties } = schema.provider;
  expect(inputProperties["maxConcurrency"]?.type).toBe("integer");
  expect(inputProperties["rateLimitReserve"]?.type).toBe("number");
  expect(inputProperties["requireReview"]?.type).toBe("boolean");
  // Configuration and environment have text for it.
  expect(inputProperties["formerDomains"]?.type).toBe("array");
  expect(schema.config.variables["formerDomains"]?.type).toBe("string");
  const enums = Object.entries(schema.types).filter(([, type]) => type.enum !== undefined);
  expect(enums.map(([token]) => token.replace("identity:index:", "")).sort()).toEqual([
    "ConnectionFeature",
    "CrossAppAccess",
    "DeviceCredentialType",
    "OrganizationParticipation",
    "PrivateKeyAlgorithm",
    "ScimTokenScope",
  ]);
  const values = enums.flatMap(([, type]) => type.enum ?? []);
  expect(values.filter(({ description = "" }) => description === "")).toEqual([]);
  const names = JSON.stringify(schema.language);
  expect(names).toContain("pulumi_identity");
  expect(names).not.toMatch(/"@pulumi\/|com\.pulumi/);
});

test("both modules have the enums that pulumi import and pulumi convert print", () => {
  for (const [token, { enum: values }] of Object.entries(schema.types)) {
    if (values === undefined) continue;
    const printed = Object.fromEntries(values.map(({ name, value }) => [name, value]));
    expect(plugin[token.replace("identity:index:", "") as never]).toEqual(printed);
  }
});

test("the module of the plugin has a class of its own for each resource, and the rest of the package", () => {
  const own = Object.keys(index).filter((name) => index[name as never] !== plugin[name as never]);
  const resources = Object.keys(schema.resources).map((token) => token.replace("identity:index:", ""));

  expect(own.sort()).toEqual([...resources, "Provider"].sort());
});
