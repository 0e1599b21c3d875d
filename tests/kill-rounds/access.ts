import { type SeedInput, type SimulatorState } from "../../simulator";
import { CLIENT_ID, CLIENT_SECRET, ALL_SCOPES } from "../../simulator/default-seed";
import { type WayName } from "../../testkit/ways";
import { type RecoveryPage } from "./recovery-page";

/** The contents of a program with 20 resources. */
export interface Access {
  /** Features by the profile's name, which is also the resource's name, unless `renamed`. */
  profiles: Record<string, ("scim" | "universal_logout")[]>;
  /** New names of profiles. */
  renamed: Record<string, string>;
  assignments: Record<string, { role: string; groups: string[] }>;
  removals: string[];
}

const id = (prefix: string, length: number, n: number) => prefix + String.fromCharCode(65 + n).repeat(length);
const GROUPS = Array.from({ length: 8 }, (_, n) => id("grp_", 22, n));
const ROLES = Array.from({ length: 4 }, (_, n) => id("rol_", 16, n));
const CREDENTIALS = Array.from({ length: 4 }, (_, n) => id("dcr_", 16, n));

/** Not the stack's, so no run may touch them. */
const STRANGER_PROFILES = ["somebody-elses", "another-one"];
const [STRANGER_GROUP = "", ...OWN_GROUPS] = GROUPS;
const [r0 = "", r1 = "", r2 = "", r3 = ""] = ROLES;
const [g0 = "", g1 = "", g2 = "", g3 = "", g4 = "", g5 = "", g6 = ""] = OWN_GROUPS;

/** Somebody else's token. */
export const OUTSIDER = "token-of-somebody-else";

export const TENANT: SeedInput = {
  tokens: [{ access_token: OUTSIDER, scope: ALL_SCOPES }],
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }],
  groups: GROUPS.map((group) => ({ id: group })),
  roles: ROLES.map((role) => ({ id: role, groups: [STRANGER_GROUP] })),
  connection_profiles: STRANGER_PROFILES.map((name) => ({ name })),
  device_credentials: CREDENTIALS.map((credential) => ({ id: credential, type: "refresh_token" })),
};

const names = Array.from({ length: 12 }, (_, n) => `profile-${n}`);

/** 12 profiles, 5 assignments of three roles, 3 removals. */
export const FIRST: Access = {
  profiles: Object.fromEntries(names.map((name) => [name, ["scim"]])),
  renamed: {},
  assignments: {
    agents: { role: r0, groups: [g0, g1] },
    leads: { role: r0, groups: [g2] },
    billing: { role: r1, groups: [g0, g3, g4] },
    audit: { role: r2, groups: [g5] },
    admins: { role: r2, groups: [g6] },
  },
  removals: CREDENTIALS.slice(0, 3),
};

/** Everything that can happen to a resource: new, changed, renamed, moved, replaced, removed, unchanged. */
export const SECOND: Access = {
  profiles: {
    ...Object.fromEntries(names.slice(4).map((name) => [name, ["scim"]])),
    "profile-4": ["scim", "universal_logout"],
    "profile-5": [],
    "profile-6": ["universal_logout"],
    "new-0": ["scim"],
    "new-1": [],
    "new-2": ["universal_logout"],
    "new-3": ["scim"],
  },
  renamed: { "profile-7": "profile-seven", "profile-8": "profile-eight" },
  assignments: {
    agents: { role: r0, groups: [g0] },
    leads: { role: r0, groups: [g1, g2, g3] },
    billing: { role: r1, groups: [g4, g5] },
    audit: { role: r3, groups: [g5] },
    admins: { role: r2, groups: [g6, g0] },
  },
  removals: CREDENTIALS.slice(1),
};

/** Returns the program's text; `adopted`: ids by the resource's name; `page`: shows how to adopt. */
export function programOf(
  access: Access,
  door: WayName,
  adopted: Readonly<Record<string, string>> = {},
  page?: RecoveryPage,
): string {
  const profiles = Object.entries(access.profiles).map(([resource, enabledFeatures]) => {
    const args = {
      name: access.renamed[resource] ?? resource,
      ...(enabledFeatures.length > 0 && { enabledFeatures }),
    };
    return { kind: "ConnectionProfile", resource, args, adopt: adopted[resource] };
  });
  const assignments = Object.entries(access.assignments).map(([resource, { role, groups }]) => ({
    kind: "RoleGroupAssignment",
    resource,
    args: { roleId: role, groupIds: groups },
    adopt: undefined,
  }));
  const removals = access.removals.map((credential) => ({
    kind: "DeviceCredentialRemoval",
    resource: credential,
    args: { deviceCredentialId: credential },
    adopt: undefined,
  }));
  const all = [...profiles, ...assignments, ...removals];
  if (door === "YAML") {
    const resources = all.map(({ kind, resource, args, adopt }) => {
      const properties = { ...args, ...(adopt !== undefined && { adopt, deleteOnDestroy: true }) };
      return [resource, { type: `identity:${kind}`, properties }] as const;
    });
    return `resources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
  }
  const from = door === "the classes" ? "pulumi-identity" : "pulumi-identity/plugin";
  return [
    `const { ConnectionProfile, RoleGroupAssignment, DeviceCredentialRemoval } = require("${from}");`,
    ...all.map(({ kind, resource, args, adopt }) =>
      adopt === undefined || page === undefined
        ? `new ${kind}(${JSON.stringify(resource)}, ${JSON.stringify(args)});`
        : adopting(page.take("adopt"), resource, args, adopt),
    ),
  ].join("\n");
}

/** The page's own block, with another profile in it. */
function adopting(block: string, resource: string, args: { name?: string }, id: string): string {
  const [, example = "", , rest = ""] =
    /(new \S+\("enterprise", \{)(\s+name: "enterprise",)([^]*)/.exec(block) ?? [];
  const ours = Object.entries(args).map(([key, value]) => `\n  ${key}: ${JSON.stringify(value)},`);
  return (example.replace('"enterprise"', JSON.stringify(resource)) + ours.join("") + rest).replace(
    /"cop_\w+"/,
    JSON.stringify(id),
  );
}

/** Returns the wanted contents of a tenant, in a comparable form; undefined: nothing of the stack. */
export function wantedTenant(access: Access | undefined, removed: readonly string[]) {
  const { profiles = {}, renamed = {}, assignments = {} } = access ?? {};
  return {
    profiles: [
      ...STRANGER_PROFILES.map((name) => ({ name, features: [] as string[] })),
      ...Object.entries(profiles).map(([resource, features]) => ({
        name: renamed[resource] ?? resource,
        features: [...features].map(String).sort(),
      })),
    ].sort(byName),
    roles: Object.fromEntries(
      ROLES.map((role) => {
        const own = Object.values(assignments).filter((assignment) => assignment.role === role);
        return [role, [STRANGER_GROUP, ...own.flatMap(({ groups }) => groups)].sort()];
      }),
    ),
    credentials: CREDENTIALS.filter((credential) => !removed.includes(credential)),
  };
}

/** Returns a tenant's actual contents in the same form. */
export function actualTenant(state: SimulatorState): ReturnType<typeof wantedTenant> {
  return {
    profiles: state.connection_profiles
      .map(({ name, enabled_features: features }) => ({ name, features: [...(features ?? [])].sort() }))
      .sort(byName),
    roles: Object.fromEntries(state.roles.map(({ id: role, groups }) => [String(role), [...groups].sort()])),
    credentials: state.device_credentials.map((credential) => credential.id).sort(),
  };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
