import * as assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { program } from "./onboard";

type Inputs = Record<string, unknown>;

/**
 * Inputs of what was created, in order. Nothing is created: neither the Pulumi CLI nor a tenant is needed.
 */
const created: Inputs[] = [];

before(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }: { name: string; inputs: Inputs }) => {
      created.push(inputs);
      return { id: `${name}-id`, state: inputs };
    },
    call: ({ inputs }: { inputs: Inputs }) => inputs,
  }),
);

void test("a customer gets a profile, and then its groups the role", async () => {
  const customer = {
    name: "example",
    roleId: "rol_4hNkVx8QmTz2bRcW",
    groupIds: ["grp_5BmRd9aSj2WqTgFx7cUkEn"],
  };
  const { profileId, groupIds } = program(customer);
  const values = await new Promise((resolve) => pulumi.all([profileId, groupIds]).apply(resolve));
  assert.deepEqual(values, ["example-id", customer.groupIds]);
  assert.deepEqual([created[0]?.name, created[1]?.roleId], ["example", customer.roleId]);
});
