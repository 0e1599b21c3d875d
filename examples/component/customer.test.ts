import * as assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { Customer } from "./customer";

type Inputs = Record<string, unknown>;

/**
 * Inputs of what was created last, by kind. Nothing is created: neither the Pulumi CLI nor a tenant is
 * needed.
 */
const created = new Map<string, Inputs>();

before(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }: { name: string; type: string; inputs: Inputs }) => {
      created.set(type.replace(/.*:/, ""), inputs);
      return { id: `${name}-id`, state: inputs };
    },
    call: ({ inputs }: { inputs: Inputs }) => inputs,
  }),
);

const roleId = "rol_4hNkVx8QmTz2bRcW";
const groupIds = ["grp_5BmRd9aSj2WqTgFx7cUkEn"];

void test("a customer gets a profile, and its groups the role", async () => {
  const { profileId, groupIds: given } = new Customer("example", { roleId, groupIds });
  assert.deepEqual(await valueOf(pulumi.all([profileId, given])), ["example-id", groupIds]);
  const profile = created.get("ConnectionProfile");
  assert.deepEqual([profile?.name, profile?.enabledFeatures], ["example", ["scim"]]);
  assert.equal(created.get("RoleGroupAssignment")?.roleId, roleId);
});

void test("a customer without directory sync gets a profile without it", async () => {
  await valueOf(new Customer("by-hand", { roleId, groupIds, scim: false }).groupIds);
  assert.deepEqual(created.get("ConnectionProfile")?.enabledFeatures, []);
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
