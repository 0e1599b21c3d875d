/*
 * The catalogue of kinds: what anybody has to know of a kind of resource, as plain data. A name is that of
 * the class, the last part of the type tokens and, uncapitalized, the export of runtime.ts.
 */

export interface Kind {
  /** A resource of this kind, in messages: `the assignment`. */
  noun: string;
  /** The objects that its resources manage on a tenant. */
  manages: Managed;
  /** True for grants that count in an organization only. */
  isInOrganization?: true;
}

const ROWS = {
  ConnectionProfile: { noun: "connection profile", manages: "profiles" },
  RoleGroupAssignment: { noun: "assignment", manages: "grants" },
  OrganizationRoleGroupAssignment: { noun: "assignment", manages: "grants", isInOrganization: true },
  DeviceCredentialRemoval: { noun: "removal", manages: "credentials" },
  UserSignOut: { noun: "sign-out", manages: "sign-ins" },
} as const;

export type KindName = keyof typeof ROWS;

export type Managed = (typeof ROWS)[KindName]["manages"];

export const KINDS: Readonly<Record<KindName, Kind>> = ROWS;

export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

/** The kind that manages these, in the tenant itself or in an organization. */
export function kindOf(managed: Managed, { isInOrganization = false } = {}): KindName {
  return KIND_NAMES.find((name) => {
    const { manages, isInOrganization: isIn = false } = KINDS[name];
    return manages === managed && isIn === isInOrganization;
  }) as KindName;
}

/** The type token of the SDK's dynamic provider, for programs in TypeScript. */
export function dynamicToken(name: string): string {
  return `pulumi-nodejs:dynamic/identity:${name}`;
}

/** The type token of the plugin, for all languages. */
export function pluginToken(name: string): string {
  return `identity:index:${name}`;
}

const BY_TOKEN: ReadonlyMap<string, KindName> = new Map(
  KIND_NAMES.flatMap((name) =>
    [dynamicToken(name), pluginToken(name)].map((token) => [token, name] as const),
  ),
);

/** Undefined for a resource of another package. */
export function kindOfType(type: string): KindName | undefined {
  return BY_TOKEN.get(type);
}
