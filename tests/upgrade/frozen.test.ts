import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as runtime from "../../provider/runtime";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { readFixture, RELEASES, SITUATIONS } from "./fixtures";

/*
 * Names that state of earlier releases refers to. Lines may be added here; changing or removing one leaves
 * somebody with state that can't be refreshed or destroyed any more.
 */

const TEXTS = {
  ConnectionProfile: "exports.handler=()=>require('pulumi-identity/runtime').connectionProfile",
  DeviceCredentialRemoval: "exports.handler=()=>require('pulumi-identity/runtime').deviceCredentialRemoval",
  RoleGroupAssignment: "exports.handler=()=>require('pulumi-identity/runtime').roleGroupAssignment",
};

/** Not in the fixtures yet. */
const NEW_TEXTS = {
  OrganizationRoleGroupAssignment:
    "exports.handler=()=>require('pulumi-identity/runtime').organizationRoleGroupAssignment",
};

/** Properties in state by type token, with the releases that write them, unless all do. */
const PROPERTIES: Record<string, string[]> = {
  "pulumi-nodejs:dynamic/identity:ConnectionProfile": [
    "__provider",
    // Not in the draft
    "__readOnly",
    "__secretInputs",
    "adopt",
    "adopted",
    "connectionConfig",
    "connectionNamePrefixTemplate",
    "deleteOnDestroy",
    "enabledFeatures",
    // After the draft only where the profile has values of others
    "managedFields",
    "name",
    "organization",
    "strategyOverrides",
    "tenant",
    "unconfirmed",
    // In the draft only
    "unsure",
  ],
  "pulumi-nodejs:dynamic/identity:DeviceCredentialRemoval": [
    "__provider",
    "__secretInputs",
    "deviceCredentialId",
    "tenant",
  ],
  "pulumi-nodejs:dynamic/identity:RoleGroupAssignment": [
    "__provider",
    "__secretInputs",
    // Not in the draft
    "ended",
    "exclusive",
    "groupIds",
    // Not in the draft
    "handedOver",
    "roleId",
    "tenant",
    "unconfirmed",
    // In the draft only
    "unsure",
    // Not in the draft
    "until",
  ],
};

const resources = RELEASES.flatMap((release) =>
  SITUATIONS.flatMap((situation) => readFixture(release, situation).stack.deployment.resources),
).filter(({ type }) => type.includes("dynamic"));

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

test.each(Object.entries({ ...TEXTS, ...NEW_TEXTS }))("the text of %s in state", (kind, text) => {
  expect(providerText(kind)).toBe(text);
});

test("every release has written these types and texts, and no others", () => {
  for (const release of RELEASES) {
    const written = readFixture(release, "settled").stack.deployment.resources.filter(({ type }) =>
      type.includes("dynamic"),
    );
    const pairs = new Set(written.map(({ type, outputs }) => `${type} ${String(outputs?.["__provider"])}`));
    expect([...pairs].sort()).toEqual(
      Object.entries(TEXTS).map(([kind, text]) => `pulumi-nodejs:dynamic/identity:${kind} ${text}`),
    );
  }
});

test("the releases have written these properties, and no others", () => {
  const written = Object.fromEntries(
    Object.keys(PROPERTIES).map((type) => {
      const all = resources.filter((resource) => resource.type === type);
      const names = all.flatMap(({ inputs, outputs }) => [
        ...Object.keys(inputs ?? {}),
        ...Object.keys(outputs ?? {}),
      ]);
      return [type, [...new Set(names)].sort()];
    }),
  );
  expect(written).toEqual(PROPERTIES);
});

test("every release in the changelog has its fixtures", () => {
  const changelog = readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8");
  const releases = [...changelog.matchAll(/^## \[(\d.*?)\]/gm)].map(([, release]) => release);
  expect(releases.length).toBeGreaterThan(0);
  expect(RELEASES).toEqual(expect.arrayContaining(releases));
});
