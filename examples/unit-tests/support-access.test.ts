import assert from "node:assert/strict";
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
      if (token === "identity:index:getUser") return { blocked: inputs.userId === "auth0|blocked" };
      return { permissions: [{ permissionName: "read:tickets" }], total: 1 };
    },
  }),
);

const groupIds = ["grp_5BmRd9aSj2WqTgFx7cUkEn"];
const roleId = "rol_4hNkVx8QmTz2bRcW";

void test("the groups of an active lead have the role", async () => {
  const access = new SupportAccess("support", { leadId: "auth0|lead", roleId, groupIds });
  assert.deepEqual(await valueOf(access.permissions), ["read:tickets"]);
  assert.deepEqual(created.at(-1)?.groupIds, groupIds);
  assert.deepEqual(asked, [
    "identity:index:getUser auth0|lead",
    "identity:index:getUserPermissions auth0|lead",
  ]);
});

void test("the groups of a blocked lead do not", async () => {
  const access = new SupportAccess("blocked", { leadId: "auth0|blocked", roleId, groupIds });
  await valueOf(access.permissions);
  assert.deepEqual(created.at(-1)?.groupIds, []);
});

function valueOf<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
