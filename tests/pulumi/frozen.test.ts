import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as runtime from "../../provider/runtime";
import { KIND_NAMES, type KindName } from "../../provider/kinds";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { type Fault, type SeedInput } from "../../simulator";
import { ADMINS, BILLING, PHONE, SUPPORT, USER_ID, VIEWER } from "../../simulator/default-seed";
import { groupsUrl } from "../../testkit/assignments";
import {
  assignment,
  Engine,
  failed,
  organizationAssignment,
  profile,
  removal,
  type Resource,
  secret,
  signOut,
} from "../../testkit/engine";
import { expectGolden } from "../../testkit/golden";
import { type Values } from "../../testkit/hosts/host";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";

/*
 * What state holds. Once a release has written it, lines may be added here; changing or removing one leaves
 * somebody with state that can't be refreshed or destroyed any more.
 */

const TEXTS: Record<KindName, string> = {
  ConnectionProfile: "exports.handler=()=>require('pulumi-identity/runtime').connectionProfile",
  DeviceCredentialRemoval: "exports.handler=()=>require('pulumi-identity/runtime').deviceCredentialRemoval",
  OrganizationRoleGroupAssignment:
    "exports.handler=()=>require('pulumi-identity/runtime').organizationRoleGroupAssignment",
  RoleGroupAssignment: "exports.handler=()=>require('pulumi-identity/runtime').roleGroupAssignment",
  UserSignOut: "exports.handler=()=>require('pulumi-identity/runtime').userSignOut",
};

test("pulumi-identity/runtime exports these names", () => {
  expect(Object.keys(runtime).sort()).toEqual([
    "connectionProfile",
    "deviceCredentialRemoval",
    "organizationRoleGroupAssignment",
    "roleGroupAssignment",
    "userSignOut",
  ]);
});

test("the package exports it by that path", () => {
  const { name, exports } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
    name: string;
    exports: Record<string, { default: string }>;
  };
  expect([name, exports["./runtime"]?.default]).toEqual(["pulumi-identity", "./dist/provider/runtime.js"]);
});

test.each(KIND_NAMES)("the text of %s in state", (kind) => {
  expect(providerText(kind)).toBe(TEXTS[kind]);
});

const tenant = useTenant();
catchLines();

const ADOPTED = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const ORGANIZATION = "org_5vJmTq8XbRz3kWcY";
const role = (...groupIds: string[]) => ({ roleId: VIEWER, groupIds: groupIds.sort() });

interface Scene {
  seed?: SeedInput;
  made: Resource;
  /** What has happened since. */
  since?: (engine: Engine, url: string) => unknown;
}

const refreshedAfter =
  (method: string, body: Values, groups?: string): Scene["since"] =>
  async (engine, url) => {
    await tenant.outside(method, groups ?? url, body);
    await engine.refresh();
  };
const failing =
  (p: Resource, ...faults: Fault[]): Scene["since"] =>
  async (engine) => {
    tenant.fail(...faults);
    await failed(engine.up({ p }));
  };
/** No look after a failure gets an answer. */
const UNREAD: Fault = { method: "GET", times: 20, action: { status: 500 } };

const SCENES: Record<string, Record<string, Scene>> = {
  ConnectionProfile: {
    "made, and shown in another form": {
      seed: { behaviour: { profile_values: "tidied" } },
      made: profile({
        name: "enterprise ",
        organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
        connectionNamePrefixTemplate: "con-{org_id}",
        enabledFeatures: ["scim", "universal_logout"],
        connectionConfig: {},
        crossAppAccessResourceApp: {
          status: { defaultValue: "disabled", allowedValues: ["disabled", "enabled"] },
        },
        provisioning: {
          googleWorkspace: { syncUsers: true },
          scim: { tokens: { scopes: ["get:users"], defaultExpiry: 60, maxAllowedExpiry: 120 } },
        },
        strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
        deleteOnDestroy: false,
      }),
    },
    "found different by a refresh": {
      made: profile({ name: "enterprise", enabledFeatures: ["scim"] }),
      since: refreshedAfter("PATCH", { enabled_features: [] }),
    },
    "adopted, with the name of others": {
      seed: { connection_profiles: [{ id: ADOPTED, name: "theirs" }] },
      made: profile({ adopt: ADOPTED, enabledFeatures: ["scim"] }),
    },
    "whether its last change was done is not known": {
      made: profile({ name: "enterprise" }),
      since: failing(profile({ name: "company" }), { method: "PATCH", action: { drop: "after" } }, UNREAD),
    },
    "with a secret": { made: profile({ name: secret("enterprise") }) },
  },
  DeviceCredentialRemoval: { made: { made: removal(PHONE) } },
  OrganizationRoleGroupAssignment: {
    made: {
      seed: { organizations: [{ id: ORGANIZATION, name: "acme", groups: [ADMINS] }] },
      made: organizationAssignment({ organizationId: ORGANIZATION, ...role(ADMINS) }),
    },
  },
  UserSignOut: {
    made: { made: signOut(USER_ID) },
    "of one client": { made: signOut(USER_ID, { clientId: "mobileApp" }) },
    "a part of it failed": {
      made: signOut("auth0|gone"),
      since: async (engine, url) => {
        const refusal: Fault = { method: "DELETE", path: "*/sessions", action: { status: 400 } };
        await failing(signOut(USER_ID), refusal)?.(engine, url);
      },
    },
  },
  RoleGroupAssignment: {
    made: {
      made: assignment({ ...role(ADMINS, BILLING), until: "2100-01-01T00:00:00Z", deleteOnDestroy: false }),
    },
    "its end has passed": { made: assignment({ ...role(ADMINS), exclusive: true, until: "2020-02-29" }) },
    "exclusive, and others found by a refresh": {
      made: assignment({ ...role(ADMINS), exclusive: true }),
      since: refreshedAfter("POST", { groups: [SUPPORT] }, groupsUrl(VIEWER)),
    },
    "exclusive, and the others are not gone": {
      made: assignment(role(ADMINS)),
      since: async (engine, url) => {
        await tenant.outside("POST", groupsUrl(VIEWER), { groups: [SUPPORT] });
        const refusal: Fault = { method: "DELETE", action: { status: 403 } };
        await failing(assignment({ ...role(ADMINS, BILLING), exclusive: true }), refusal)?.(engine, url);
      },
    },
    "whether its last change was done is not known": {
      made: assignment(role(ADMINS)),
      since: failing(
        assignment(role(ADMINS, BILLING, SUPPORT)),
        { method: "POST", path: "*/groups", action: { status: 400, part: 1 } },
        { method: "POST", path: "*/groups", times: 10, action: { status: 400 } },
        UNREAD,
      ),
    },
  },
};

test.each(Object.entries(SCENES))("the state of %s", async (kind, scenes) => {
  const states: Values = {};
  for (const [title, { seed, made, since }] of Object.entries(scenes)) {
    tenant.seed(seed);
    const engine = new Engine(tenant, { startHost: inProcess, isNextAtOnce: true });
    await engine.up({ p: made });
    tenant.sent();
    await since?.(engine, `/connection-profiles/${engine.resource("p").id}`);
    const { id, outputs } = engine.resource("p");
    states[title] = { id, ...outputs };
  }
  const text = JSON.stringify(states, undefined, 2)
    .replace(/"__written": \d+/g, '"__written": "(seconds)"')
    .replaceAll(tenant.host, "(host)");
  expectGolden(join(__dirname, "golden", `${kind}.json`), `${text}\n`);
});
