import * as pulumi from "@pulumi/pulumi";
import {
  getConnectionProfiles,
  getConnectionProfilesOutput,
  getDeviceCredentials,
  getDeviceCredentialsOutput,
  getGroup,
  getGroupOutput,
  getOrganization,
  getOrganizationOutput,
  getRole,
  getRoleGroups,
  getRoleGroupsOutput,
  getRoleOutput,
  getUser,
  getUserOutput,
  getUserPermissions,
  getUserPermissionsOutput,
  Provider,
} from "../../provider";
import { RoleGroupAssignment } from "../../provider";
import { type Simulator } from "../../simulator";
import { isKnown, settled, startTenant, stopTenants, USER_ID } from "./tenant";

/** A resource with a name like this doesn't exist yet, as in a preview. */
const PLANNED = "planned";

let tenant: Simulator;
let calls: pulumi.runtime.MockCallArgs[];
let answer: unknown;

beforeEach(async () => {
  tenant = await startTenant({ users: [{ user_id: USER_ID }] });
  calls = [];
  answer = { email: "mock@example.com", additionalProperties: {} };
  await pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => ({
        id: name.startsWith(PLANNED) ? undefined : `${name}-id`,
        state: inputs as Record<string, unknown>,
      }),
      call: (args) => {
        calls.push(args);
        return answer as Record<string, unknown>;
      },
    },
    "project",
    "stack",
    true,
  );
});

afterEach(async () => {
  expect(tenant.requests()).toEqual([]);
  await stopTenants();
});

const assignment = (name: string, options?: pulumi.CustomResourceOptions) =>
  new RoleGroupAssignment(
    name,
    { roleId: "rol_4hNkVx8QmTz2bRcW", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] },
    options,
  );

class Team extends pulumi.ComponentResource {
  constructor(name: string, children: string[]) {
    super("test:index:Team", name);
    const inner = new pulumi.ComponentResource("test:index:Inner", name, {}, { parent: this });
    for (const child of children) assignment(child, { parent: inner });
  }
}

describe("mocks of pulumi.runtime.setMocks answer instead of the tenant", () => {
  type Form<Result> = (args: never) => Result;

  test.each<[string, [plain: Form<Promise<unknown>>, output: Form<pulumi.Output<unknown>>], object, object]>([
    [
      "getConnectionProfiles",
      [getConnectionProfiles, getConnectionProfilesOutput],
      { name: "enterprise" },
      { connectionProfiles: [{ id: "cop_1", name: "enterprise" }] },
    ],
    ["getRole", [getRole, getRoleOutput], { name: "support-agent" }, { id: "rol_1", name: "support-agent" }],
    [
      "getOrganization",
      [getOrganization, getOrganizationOutput],
      { name: "acme" },
      { id: "org_1", name: "acme" },
    ],
    [
      "getGroup",
      [getGroup, getGroupOutput],
      { name: "support-desk", connectionId: "con_1" },
      { id: "grp_1", name: "support-desk", connectionId: "con_1" },
    ],
    [
      "getRoleGroups",
      [getRoleGroups, getRoleGroupsOutput],
      { roleId: "rol_1" },
      { groups: [{ id: "grp_7TqWc2nYx5RkHbVd9sPmZa" }] },
    ],
    [
      "getDeviceCredentials",
      [getDeviceCredentials, getDeviceCredentialsOutput],
      { userId: USER_ID, type: "public_key" },
      { deviceCredentials: [{ id: "dcr_1", type: "public_key", userId: USER_ID }] },
    ],
    [
      "getUser",
      [getUser, getUserOutput],
      { userId: USER_ID, fields: ["email"] },
      { email: "mock@example.com" },
    ],
    [
      "getUserPermissions",
      [getUserPermissions, getUserPermissionsOutput],
      { userId: USER_ID, maxItems: 5 },
      { userId: USER_ID, permissions: [{ permissionName: "read:tickets" }], total: 1 },
    ],
  ])("both forms of %s", async (name, [plain, output], inputs, mocked) => {
    answer = mocked;
    const asOutputs = Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => [key, pulumi.output(value)]),
    );
    expect(await plain(inputs as never)).toEqual(mocked);
    expect(await settled(output(asOutputs as never))).toEqual({ value: mocked, secret: false });
    expect(calls).toEqual(Array(2).fill({ token: `identity:index:${name}`, inputs, provider: "" }));
  });

  test("a secret argument keeps the result a secret", async () => {
    expect(await settled(getUserOutput({ userId: pulumi.secret(USER_ID) }))).toEqual({
      value: answer,
      secret: true,
    });
  });

  test("tokens of identities are secret as they are outside of tests", async () => {
    answer = { identities: [{ connection: "partner", accessToken: "mocked" }] };
    const user = await getUser({ userId: USER_ID, includeIdentityTokens: true });
    expect(await settled(user.identities![0]!.accessToken!)).toEqual({ value: "mocked", secret: true });
    const output = getUserOutput({ userId: USER_ID, includeIdentityTokens: true });
    expect(await settled(output)).toEqual({ value: answer, secret: true });
  });

  test("an empty answer is a user who does not exist, where that is allowed", async () => {
    answer = {};
    expect(await getUser({ userId: USER_ID, required: false })).toBeUndefined();
    expect(await getUser({ userId: USER_ID })).toEqual({});
  });

  test("invalid arguments are refused as they are outside of tests", async () => {
    await expect(getUser({ userId: "" })).rejects.toThrow("userId: must be an id");
    await expect(getUserPermissions({ userId: USER_ID, maxItems: 0 })).rejects.toThrow("maxItems: must be");
    expect(calls).toEqual([]);
  });

  test("they learn which provider was given", async () => {
    const provider = new Provider("eu", { domain: "eu.example.com", accessToken: "unused" });
    await getUser({ userId: USER_ID }, { provider });
    expect(calls[0]?.provider).toMatch(/pulumi:providers:pulumi-nodejs::eu::eu-id$/);
  });
});

describe("a result is unknown while a resource that it waits for is yet to be created:", () => {
  const planned = () => assignment(PLANNED);
  const created = () => assignment("created");
  const dependsOn = (resources: Parameters<typeof getUserOutput>[1] & object) =>
    getUserOutput({ userId: USER_ID }, resources);

  test.each<[string, () => pulumi.Output<unknown>, boolean]>([
    ["one resource", () => dependsOn({ dependsOn: planned() }), false],
    ["one that exists", () => dependsOn({ dependsOn: created() }), true],
    ["one of several", () => dependsOn({ dependsOn: [created(), planned()] }), false],
    ["an Output", () => dependsOn({ dependsOn: pulumi.output([created(), planned()]) }), false],
    ["a promise", () => dependsOn({ dependsOn: Promise.resolve(planned()) }), false],
    ["a child of a component", () => dependsOn({ dependsOn: new Team("a", ["x", PLANNED]) }), false],
    ["a component without children", () => dependsOn({ dependsOn: new Team("c", []) }), true],
    ["the origin of an argument", () => getUserOutput({ userId: planned().roleId }), false],
    ["an origin that exists", () => getUserOutput({ userId: created().roleId }), true],
    [
      "the origin of a list of resources",
      () => dependsOn({ dependsOn: planned().roleId.apply(() => [created()]) }),
      false,
    ],
  ])("%s", async (_, call, expected) => {
    const output = call();
    expect(await isKnown(output)).toBe(expected);
    expect(calls).toHaveLength(expected ? 1 : 0);
  });
});

test("what depends on a resource carries the dependency on", async () => {
  const resource = assignment("created");
  const output = getUserOutput({ userId: USER_ID }, { dependsOn: resource });
  const { allResources } = output as unknown as { allResources: () => Promise<Set<pulumi.Resource>> };
  expect(await allResources()).toContain(resource);
});

describe("a provider whose arguments are not known", () => {
  const unknown = () => pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;

  test("leaves the Output form unknown", async () => {
    const provider = new Provider("eu", { domain: "eu.example.com", clientSecret: unknown() });
    expect(await isKnown(getUserOutput({ userId: USER_ID }, { provider }))).toBe(false);
    expect(calls).toEqual([]);
  });

  test("does not make results secret when it is known", async () => {
    const provider = new Provider("eu", { domain: "eu.example.com", clientSecret: "hush" });
    expect(await settled(getUserOutput({ userId: USER_ID }, { provider }))).toEqual({
      value: answer,
      secret: false,
    });
  });
});

test("a provider of another package is refused", async () => {
  const provider = new (class extends pulumi.ProviderResource {})("other", "other");
  const refusal = "The provider of a data source must be a Provider of pulumi-identity.";
  await expect(getUser({ userId: USER_ID }, { provider })).rejects.toThrow(refusal);
  expect(() => getUserOutput({ userId: USER_ID }, { provider })).toThrow(refusal);
});
