import { type BehaviourInput, type SeedInput } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID } from "../../simulator/default-seed";

/* The contents of every world: few enough that resources meet. */

const BASE58 = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const id = (prefix: string, length: number, n: number) => {
  const letter = (place: number) => BASE58[Math.floor(n / BASE58.length ** place) % BASE58.length] ?? "";
  return prefix + letter(1) + letter(0).repeat(length - 1);
};
const ids = (prefix: string, length: number, count: number) =>
  Array.from({ length: count }, (_, n) => id(prefix, length, n));

export const ROLES = ids("rol_", 16, 3);
/** The first organization's own role. */
export const OWN_ROLE = id("rol_", 16, 3);
export const GROUPS = ids("grp_", 22, 6);
/** More groups than fit into one call, together with any other. */
export const CROWD = ids("grp_", 18, 52);
/** Somebody else's profiles, which programs adopt. */
export const PROFILES = ids("cop_", 22, 2);
export const CREDENTIALS = ids("dcr_", 16, 3);
/** Two organizations, with groups in common, and some outside of each. */
export const ORGANIZATIONS = ids("org_", 16, 2).map((organization, n) => ({
  id: organization,
  name: `customer-${n}`,
  groups: GROUPS.slice(2 * n, 2 * n + 4),
}));
/** People, with places of their groups, and of roles that they have directly; `in`: in each organization. */
const MEMBERSHIPS: readonly { groups: number[]; roles: number[]; in?: number[][] }[] = [
  { groups: [0, 1], roles: [] },
  { groups: [1, 2], roles: [0], in: [[1], []] },
  { groups: [0], roles: [] },
  { groups: [3, 4, 5], roles: [2], in: [[], [0]] },
  { groups: [], roles: [1, 2], in: [[0], [0, 1]] },
];
export const PEOPLE = MEMBERSHIPS.map(({ groups, roles }, n) => ({
  user_id: `auth0|person${n}`,
  groups: groups.map((place) => GROUPS[place] ?? ""),
  roles: roles.map((place) => ROLES[place] ?? ""),
}));
const directlyIn = (organization: number, role: string) =>
  PEOPLE.filter((_, n) => MEMBERSHIPS[n]?.in?.[organization]?.some((place) => ROLES[place] === role)).map(
    ({ user_id: user }) => user,
  );
export const TEAM = "acme:index:Team";
export const CREW = "acme:index:Crew";

/** The explicit provider. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** The moment of a run this many days before or after the judged one. */
export function momentIn(days: number): number {
  return NOW + days * DAY_MS;
}
const NOW = Date.now();

/** An end date this many days after that moment. */
function endIn(days: number): string {
  return new Date(momentIn(days)).toISOString();
}

/**
 * End dates of assignments: long past, between two of a world's runs, before a run held to its review, and
 * far away.
 */
export const ENDS = [
  "2020-02-29",
  ...[-2.5, -1.5, -0.5, -0.5, -0.5, -0.5, 0.5, 0.5].map(endIn),
  "2199-12-31",
];

export const EU = "eu";
export const OUTSIDER = "token-of-somebody-else";

export type TenantName = "main" | "eu";

export function seedOf(foreign: readonly Edge[], behaviour: BehaviourInput, secret: string): SeedInput {
  const holding = (role: string) => foreign.filter((edge) => edge.role === role).map(({ group }) => group);
  return {
    // Each world has its own secret, so that nothing from another one reaches this tenant.
    clients: [{ client_id: CLIENT_ID, client_secret: secret, scope: ALL_SCOPES }],
    tokens: [{ access_token: OUTSIDER, scope: ALL_SCOPES }],
    users: PEOPLE,
    groups: [...GROUPS, ...CROWD].map((group) => ({ id: group })),
    roles: [
      ...ROLES.map((role) => ({ id: role, groups: holding(role) })),
      { id: OWN_ROLE, type: "organization", owner_id: ORGANIZATIONS[0]?.id },
    ],
    organizations: ORGANIZATIONS.map((organization, n) => ({
      ...organization,
      roles: [...ROLES, ...(n === 0 ? [OWN_ROLE] : [])].map((role) => ({
        id: role,
        groups: holding(`${organization.id}/${role}`),
        members: directlyIn(n, role),
      })),
    })),
    connection_profiles: PROFILES.map((profile, n) => ({
      id: profile,
      name: `foreign-${n}`,
      enabled_features: ["scim"],
      organization: { show_as_button: "none" },
    })),
    device_credentials: CREDENTIALS.map((credential) => ({ id: credential, type: "refresh_token" })),
    behaviour,
  };
}

export interface Edge {
  /** `rol_…`; in an organization `org_…/rol_…`. */
  role: string;
  group: string;
}
