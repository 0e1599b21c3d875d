import * as assert from "node:assert/strict";
import { before, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { SupportAccess } from "./support-access";

type Inputs = Record<string, unknown>;

const asked: string[] = [];
const created: Inputs[] = [];

before(() =>
  pulumi.runtime.setMocks({
    // Resources are not created, and the tenant is not asked: both are answered here.
    newResource: ({ name, type, inputs }: { name: string; type: string; inputs: Inputs }) => {
      if (type.endsWith(":RoleGroupAssignment")) created.push(inputs);
      return { id: `${name}-id`, state: inputs };
    },
    call: ({ token, inputs }: { token: string; inputs: Inputs }) => {
      asked.push(`${token} ${String(inputs.userId)}`);
      if (token === "identity:index:getUser")
        return { multifactor: inputs.userId === "auth0|protected" ? ["guardian"] : [] };
      return { permissions: [{ permissionName: "read:tickets" }], total: 1 };
    },
  }),
);

const groupIds = ["grp_5BmRd9aSj2WqTgFx7cUkEn"];
const roleId = "rol_4hNkVx8QmTz2bRcW";
const limitedRoleId = "rol_9sJdYp3LfGe7uXaK";

void test("the lead has a second factor: the groups get the role", async () => {
  const leadId = "auth0|protected";
  const access = new SupportAccess("support", { leadId, roleId, limitedRoleId, groupIds });
  assert.deepEqual(await valueOf(access.permissions), ["read:tickets"]);
  assert.equal(created.at(-1)?.roleId, roleId);
  assert.deepEqual(asked, [
    `identity:index:getUser ${leadId}`,
    `identity:index:getUserPermissions ${leadId}`,
  ]);
});

void test("the lead has none: they get the limited one", async () => {
  const leadId = "auth0|unprotected";
  const access = new SupportAccess("limited", { leadId, roleId, limitedRoleId, groupIds });
  await valueOf(access.permissions);
  assert.equal(created.at(-1)?.roleId, limitedRoleId);
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
