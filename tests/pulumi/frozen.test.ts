import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as runtime from "../../provider/runtime";
import { providerText } from "../../provider/pulumi/hidden-inputs";

/*
 * Names that state refers to. Once a release has written them, lines may be added here; changing or removing
 * one leaves somebody with state that can't be refreshed or destroyed any more.
 */

const TEXTS = {
  ConnectionProfile: "exports.handler=()=>require('pulumi-identity/runtime').connectionProfile",
  DeviceCredentialRemoval: "exports.handler=()=>require('pulumi-identity/runtime').deviceCredentialRemoval",
  OrganizationRoleGroupAssignment:
    "exports.handler=()=>require('pulumi-identity/runtime').organizationRoleGroupAssignment",
  RoleGroupAssignment: "exports.handler=()=>require('pulumi-identity/runtime').roleGroupAssignment",
};

test("pulumi-identity/runtime exports these names", () => {
  expect(Object.keys(runtime).sort()).toEqual([
    "connectionProfile",
    "deviceCredentialRemoval",
    "organizationRoleGroupAssignment",
    "roleGroupAssignment",
  ]);
});

test("the package exports it by that path", () => {
  const { name, exports } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
    name: string;
    exports: Record<string, { default: string }>;
  };
  expect([name, exports["./runtime"]?.default]).toEqual(["pulumi-identity", "./dist/provider/runtime.js"]);
});

test.each(Object.entries(TEXTS))("the text of %s in state", (kind, text) => {
  expect(providerText(kind)).toBe(text);
});
