import { managedIn } from "../../../cli/adopt/contents";

const TYPE = "pulumi-nodejs:dynamic/identity:";
const tenant = "tenant.example.com";
const resource = (kind: string, name: string, id: string, outputs: object = {}, more: object = {}) => ({
  urn: `urn:pulumi:test::project::${TYPE}${kind}::${name}`,
  type: TYPE + kind,
  id,
  outputs: { tenant, ...outputs },
  ...more,
});
const managed = (...resources: object[]) =>
  managedIn(
    [{ file: "state.json", text: JSON.stringify({ version: 3, deployment: { resources } }) }],
    [tenant],
  );
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

test("profiles and assignments of the tenant count, and nothing else", () => {
  expect(
    managed(
      { urn: "urn:pulumi:test::project::pulumi:pulumi:Stack::project-test", type: "pulumi:pulumi:Stack" },
      resource("ConnectionProfile", "a::b", "cop_1"),
      resource("ConnectionProfile", "elsewhere", "cop_2", { tenant: "other.example.com" }),
      resource("ConnectionProfile", "read", "cop_3", {}, { external: true }),
      resource("ConnectionProfile", "going", "cop_4", {}, { delete: true }),
      resource("DeviceCredentialRemoval", "lost", "dcr_1"),
      { urn: "urn:pulumi:test::project::other:index:Thing::thing", type: "other:index:Thing", id: "cop_5" },
      resource("RoleGroupAssignment", "r", "rol_1", {
        groupIds: ["grp_1"],
        unconfirmed: ["grp_3"],
        exclusive: true,
      }),
    ),
  ).toEqual({
    profiles: new Set(["cop_1", "cop_4"]),
    assignments: [{ name: "r", roleId: "rol_1", groups: ["grp_1", "grp_3"], exclusive: true }],
    names: new Set(["a::b", "elsewhere", "going", "lost", "r"]),
  });
});

test.each([
  ["encrypted", { ...secret, ciphertext: "v1:abc" }, undefined],
  ["in clear", { ...secret, plaintext: '["grp_1"]' }, ["grp_1"]],
  ["encrypted one by one", ["grp_1", { ...secret, ciphertext: "v1:abc" }], undefined],
  ["in clear one by one", ["grp_1", { ...secret, plaintext: '"grp_2"' }], ["grp_1", "grp_2"]],
])("secret groups that are %s", (_, groupIds, groups) => {
  expect(managed(resource("RoleGroupAssignment", "r", "rol_1", { groupIds })).assignments).toEqual([
    { name: "r", roleId: "rol_1", groups, exclusive: false },
  ]);
});

test("several states add up", () => {
  const files = ["a", "b"].map((name) => ({
    file: name,
    text: JSON.stringify({ deployment: { resources: [resource("ConnectionProfile", name, `cop_${name}`)] } }),
  }));
  expect(managedIn(files, [tenant]).profiles).toEqual(new Set(["cop_a", "cop_b"]));
});

test.each([
  ["{", "state.json is not JSON."],
  ["[]", "state.json is JSON, but not the output of `pulumi stack export`."],
  ['{"steps": []}', "state.json is JSON, but not the output of `pulumi stack export`."],
  ['{"deployment": {"resources": [1]}}', "state.json is no complete output of `pulumi stack export`."],
])("%j is refused", (text, message) => {
  expect(() => managedIn([{ file: "state.json", text }], [tenant])).toThrow(
    `${message} Write it by: pulumi stack export > state.json. Then: --unmanaged --state state.json.`,
  );
});
