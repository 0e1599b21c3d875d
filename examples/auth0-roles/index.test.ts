import * as assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";

type Inputs = Record<string, unknown>;

const created: { type: string; inputs: Inputs }[] = [];
const asked: string[] = [];

before(() =>
  pulumi.runtime.setMocks({
    // Neither the Pulumi CLI, nor a plugin, nor a tenant is needed: they are answered for here.
    newResource: ({ name, type, inputs }: { name: string; type: string; inputs: Inputs }) => {
      created.push({ type: type.replace(/.*:/, ""), inputs });
      return { id: `rol_made_for_${name}`, state: inputs };
    },
    call: ({ token, inputs }: { token: string; inputs: Inputs }) => {
      const name = String(inputs.name);
      asked.push(name);
      return { id: token.startsWith("auth0:") ? `rol_called_${name}` : `grp_called_${name}` };
    },
  }),
);

void test("groups get the role that is made, and the one that is found by its name", async () => {
  const { groups } = await import("./index.js");
  assert.deepEqual(await valueOf(pulumi.all(groups)), {
    "support-agent": ["grp_called_support-desk"],
    billing: ["grp_called_billing-team"],
  });
  assert.deepEqual(asked.sort(), ["billing", "billing-team", "support-desk"]);
  assert.equal(created.find(({ type }) => type === "Role")?.inputs.name, "support-agent");
  const assignments = created.filter(({ type }) => type === "RoleGroupAssignment");
  assert.deepEqual(assignments.map(({ inputs }) => inputs.roleId).sort(), [
    "rol_called_billing",
    "rol_made_for_support",
  ]);
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
