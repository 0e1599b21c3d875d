import {
  getConnectionProfiles,
  getDeviceCredentials,
  getGroup,
  getOrganization,
  getRole,
  getRoleGroups,
  getUser,
  getUserPermissions,
} from "../../provider";
import {
  assignment,
  type Engine,
  organizationAssignment,
  profile,
  type Program,
  type Run,
  removal,
  signOut,
} from "../../testkit/engine";
import { type Fault, type SeedInput } from "../../simulator";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  PHONE,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";

/** A question of a program, asked with the settings of the cell. */
type Ask = () => Promise<unknown>;

/** Something that Pulumi does with the package. Every request is a place for a fault. */
export interface Operation {
  name: string;
  /** Default: the default seed. */
  seed?: SeedInput;
  /** The starting point, made by an `up` without faults. */
  given?: Program;
  /** Earlier faults: their requests are no places for the tested one. */
  base?: Fault[];
  /**
   * One operation for each kind of request meets all faults. Others meet the usual ones, and those that
   * read as others do little but wrong contents.
   */
  meets?: "all" | "contents";
  /** Only matching requests, and those for a token, are places for faults. Default: all. */
  places?: RegExp;
  /** The service's lists are empty, so no field of their entries can be wrong. */
  isEmpty?: true;
  /** The engine's part. */
  act?: (engine: Engine) => Promise<Run>;
  /** A data source in place of the engine. */
  ask?: Ask;
  /** A person's next step if it failed. Default: the same again. */
  next?: (engine: Engine) => Promise<Run>;
}

const PROFILE = {
  name: "enterprise",
  organization: { showAsButton: "optional", assignMembershipOnLogin: "none" },
  connectionNamePrefixTemplate: "ent-",
  enabledFeatures: ["scim"],
  connectionConfig: {},
  strategyOverrides: { oidc: { enabledFeatures: ["universal_logout"], connectionConfig: {} } },
};
const ADOPTED = "cop_2GjRf8mYd5LcVt7K9sPmZa";

const withProfiles = (...profiles: NonNullable<SeedInput["connection_profiles"]>): SeedInput => ({
  ...DEFAULT_SEED,
  connection_profiles: profiles,
});
const others = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `cop_Other${i + 1}BcDfGhJkMnPqRsTuV`, name: `other ${i}` }));
const toAdopt = withProfiles({
  id: ADOPTED,
  name: "partners",
  organization: { show_as_button: "none" },
  enabled_features: [],
});

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const manyGroups = Array.from(
  { length: 101 },
  (_, i) => `grp_${BASE58[Math.floor(i / 50)]}${BASE58[i % 50]}mRd9aSj2WqTgFx7c`,
);
const crowded: SeedInput = {
  ...DEFAULT_SEED,
  groups: [...(DEFAULT_SEED.groups ?? []), ...manyGroups.map((id) => ({ id, name: id.slice(4, 8) }))],
  roles: [{ id: AGENT, name: "support-agent", groups: manyGroups }],
};
const manyPermissions: SeedInput = {
  ...DEFAULT_SEED,
  users: (DEFAULT_SEED.users ?? []).map((user) => ({
    ...user,
    permissions: Array.from({ length: 101 }, (_, i) => ({
      resource_server_identifier: "https://tickets.example.com/",
      permission_name: `read:tickets-${String(i).padStart(3, "0")}`,
      resource_server_name: "Tickets",
      description: "Read tickets",
      sources: [{ source_id: AGENT, source_name: "support-agent", source_type: "ROLE" }],
    })),
  })),
};

/** Each write shows from the fourth read after it. */
const lagging: SeedInput = { ...DEFAULT_SEED, behaviour: { read_lag: 3 } };
const tidied: SeedInput = { ...DEFAULT_SEED, behaviour: { profile_values: "tidied" } };
/** Stored with a lower-case letter, and in another order. */
const UNTIDY = {
  ...PROFILE,
  connectionNamePrefixTemplate: "Ent-",
  enabledFeatures: ["universal_logout", "scim"],
};

const ORGANIZATION = "org_3KpVwTn8LbQz5RgX";
const IN_ORGANIZATION = {
  id: ORGANIZATION,
  name: "acme",
  groups: [ADMINS, BILLING, CONTRACTORS],
};
const withOrganization: SeedInput = { ...DEFAULT_SEED, organizations: [IN_ORGANIZATION] };
const heldByOthers: SeedInput = {
  ...DEFAULT_SEED,
  organizations: [{ ...IN_ORGANIZATION, roles: [{ id: AGENT, groups: [BILLING, CONTRACTORS] }] }],
};

const customers = (...groupIds: string[]) => ({
  a: organizationAssignment({ organizationId: ORGANIZATION, roleId: VIEWER, groupIds }),
});
const onlyAdmins = {
  a: organizationAssignment({
    organizationId: ORGANIZATION,
    roleId: AGENT,
    groupIds: [ADMINS],
    exclusive: true,
  }),
};
const viewers = (...groupIds: string[]) => ({ a: assignment({ roleId: VIEWER, groupIds }) });
const exclusive = { a: assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }) };
const profiles = (count: number): Program =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, profile({ ...PROFILE, name: `profile ${i}` })]),
  );

const up = (program: Program) => (engine: Engine) => engine.up(program);
const preview = (program: Program) => (engine: Engine) => engine.preview(program);
const refresh = (engine: Engine) => engine.refresh();
const destroy = (engine: Engine) => engine.destroy();

const POST_PROFILE = { method: "POST", path: "/api/v2/connection-profiles" };
const ROLE_GROUPS = `/api/v2/roles/${VIEWER}/groups`;
const ADMINS_THERE = `/api/v2/organizations/${ORGANIZATION}/groups/${ADMINS}/roles`;

const PROFILES: readonly Operation[] = [
  {
    name: "create a connection profile",
    meets: "all",
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "create a connection profile, whose answer is lost",
    base: [{ ...POST_PROFILE, action: { drop: "after" } }],
    places: /^GET /,
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "create a connection profile, whose request is lost",
    base: [{ ...POST_PROFILE, action: { drop: "before" } }],
    places: /profiles$/,
    isEmpty: true,
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "create a connection profile, whose answer is lost, where reads lag",
    seed: lagging,
    base: [{ ...POST_PROFILE, action: { drop: "after" } }],
    places: /profiles$/,
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "create a connection profile whose values are stored otherwise",
    seed: tidied,
    act: up({ p: profile(UNTIDY) }),
  },
  {
    name: "create a connection profile whose name is taken",
    seed: withProfiles({ id: ADOPTED, name: PROFILE.name }),
    places: /^GET /,
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "create a connection profile where names may repeat",
    seed: { ...DEFAULT_SEED, behaviour: { profile_name_conflict: "allow" } },
    places: /^POST /,
    act: up({ p: profile(PROFILE) }),
  },
  {
    name: "adopt a connection profile",
    seed: toAdopt,
    // Faults on the preview's look-ahead belong to the next operation.
    places: /^GET .*\(2\)$|^PATCH/,
    act: up({ p: profile({ ...PROFILE, adopt: ADOPTED }) }),
  },
  {
    name: "preview an adoption",
    seed: toAdopt,
    act: preview({ p: profile({ ...PROFILE, adopt: ADOPTED }) }),
  },
];

const PROFILE_CHANGES: readonly Operation[] = [
  {
    name: "refresh one connection profile",
    given: { p: profile(PROFILE) },
    act: refresh,
  },
  {
    name: "refresh several connection profiles",
    meets: "all",
    seed: withProfiles(...others(8)),
    given: profiles(5),
    act: refresh,
  },
  {
    name: "refresh a connection profile whose values are stored otherwise",
    seed: tidied,
    given: { p: profile(UNTIDY) },
    act: refresh,
  },
  {
    name: "change a text of a connection profile",
    given: { p: profile(PROFILE) },
    act: up({ p: profile({ ...PROFILE, name: "enterprise 2" }) }),
  },
  {
    name: "change an object of a connection profile",
    meets: "all",
    given: { p: profile(PROFILE) },
    act: up({ p: profile({ ...PROFILE, organization: { showAsButton: "none" } }) }),
  },
  {
    name: "change a connection profile, whose answer is lost",
    given: { p: profile(PROFILE) },
    base: [{ method: "PATCH", action: { drop: "after" } }],
    places: /^GET /,
    act: up({ p: profile({ ...PROFILE, name: "enterprise 2" }) }),
  },
  {
    name: "change a connection profile, whose answer is lost, where reads lag",
    seed: lagging,
    given: { p: profile(PROFILE) },
    base: [{ method: "PATCH", action: { drop: "after" } }],
    places: /^(GET|PATCH) /,
    act: up({ p: profile({ ...PROFILE, name: "enterprise 2" }) }),
  },
  {
    name: "change a connection profile, whose request is lost",
    given: { p: profile(PROFILE) },
    base: [{ method: "PATCH", action: { drop: "before" } }],
    act: up({ p: profile({ ...PROFILE, name: "enterprise 2" }) }),
  },
  {
    name: "delete a connection profile",
    meets: "all",
    given: { p: profile(PROFILE) },
    act: destroy,
  },
];

const ROLES: readonly Operation[] = [
  { name: "give a role to groups", act: up(viewers(ADMINS, BILLING)) },
  {
    name: "give a role to groups, whose request is lost",
    base: [{ method: "POST", path: ROLE_GROUPS, action: { drop: "before" } }],
    places: /groups$/,
    isEmpty: true,
    act: up(viewers(ADMINS, BILLING)),
  },
  {
    name: "give a role to groups, whose answer is lost, where reads lag",
    seed: lagging,
    base: [{ method: "POST", path: ROLE_GROUPS, action: { drop: "after" } }],
    places: /groups$/,
    isEmpty: true,
    act: up(viewers(ADMINS, BILLING)),
  },
  {
    name: "give a role to groups, of which one is refused",
    seed: { ...DEFAULT_SEED, behaviour: { refused_groups: { [BILLING]: 400 } } },
    act: up(viewers(ADMINS, BILLING)),
  },
  {
    name: "refresh an assignment",
    given: viewers(ADMINS, BILLING),
    act: refresh,
  },
  {
    name: "change the groups of a role",
    given: viewers(ADMINS, BILLING),
    act: up(viewers(BILLING, CONTRACTORS)),
  },
  {
    name: "change the groups of a role, whose first removal is lost",
    given: viewers(ADMINS, BILLING),
    base: [{ method: "DELETE", path: ROLE_GROUPS, times: 4, action: { drop: "before" } }],
    places: /^(GET|DELETE) /,
    act: up(viewers(BILLING)),
  },
  {
    name: "change the groups of a role, whose removal's answer is lost, where reads lag",
    seed: lagging,
    given: viewers(ADMINS, BILLING),
    base: [{ method: "DELETE", path: ROLE_GROUPS, action: { drop: "after" } }],
    places: /^(GET|DELETE) /,
    act: up(viewers(BILLING)),
  },
  {
    name: "take a role from groups",
    given: viewers(ADMINS, BILLING),
    act: destroy,
  },
];

const EXCLUSIVE_ROLES: readonly Operation[] = [
  {
    name: "give a role exclusively",
    seed: crowded,
    // Faults on the preview's look-ahead belong to the next operation.
    places: /^GET .*\(2\)$|^POST|^DELETE \S+$/,
    act: up(exclusive),
  },
  { name: "preview an exclusive assignment", seed: crowded, act: preview(exclusive) },
  {
    name: "preview an exclusive assignment, where groups are counted and numbered",
    seed: { ...crowded, behaviour: { cursor_lists: "numbers" } },
    act: preview(exclusive),
  },
  {
    name: "give a role exclusively, where the list of groups can't be read whole",
    seed: { ...crowded, behaviour: { cursor_lists: "total" } },
    act: up(exclusive),
  },
];

const ORGANIZATIONS: readonly Operation[] = [
  {
    name: "give a role in an organization",
    seed: withOrganization,
    act: up(customers(ADMINS, BILLING)),
  },
  {
    name: "give a role in an organization, whose request is lost",
    seed: withOrganization,
    base: [{ method: "POST", path: ADMINS_THERE, action: { drop: "before" } }],
    places: /(groups|roles)$/,
    isEmpty: true,
    act: up(customers(ADMINS)),
  },
  {
    name: "give a role in an organization, whose answer is lost, where reads lag",
    seed: { ...withOrganization, behaviour: { read_lag: 3 } },
    base: [{ method: "POST", path: ADMINS_THERE, action: { drop: "after" } }],
    places: /groups$/,
    isEmpty: true,
    act: up(customers(ADMINS)),
  },
  {
    name: "give a role in an organization to groups, of which one is outside of it",
    seed: withOrganization,
    places: /^(GET|POST) /,
    act: up(customers(ADMINS, SUPPORT)),
  },
  {
    name: "give a role in an organization exclusively",
    seed: heldByOthers,
    act: up(onlyAdmins),
  },
  {
    name: "refresh an assignment in an organization",
    seed: withOrganization,
    given: customers(ADMINS, BILLING),
    act: refresh,
  },
  {
    name: "change the groups of a role in an organization",
    seed: withOrganization,
    given: customers(ADMINS, BILLING),
    act: up(customers(BILLING, CONTRACTORS)),
  },
  {
    name: "change the groups of a role in an organization, whose removal's answer is lost, where reads lag",
    seed: { ...withOrganization, behaviour: { read_lag: 3 } },
    given: customers(ADMINS, BILLING),
    base: [{ method: "DELETE", path: ADMINS_THERE, action: { drop: "after" } }],
    places: /^(GET|DELETE) /,
    act: up(customers(BILLING)),
  },
  {
    name: "take a role in an organization",
    seed: withOrganization,
    given: customers(ADMINS),
    act: destroy,
  },
  {
    name: "getOrganization",
    meets: "contents",
    seed: withOrganization,
    ask: () => getOrganization({ name: "acme" }),
  },
  {
    name: "getRole, in an organization",
    meets: "contents",
    seed: withOrganization,
    ask: () => getRole({ name: "support-agent", organization: ORGANIZATION }),
  },
];

const REST: readonly Operation[] = [
  {
    name: "delete a device credential",
    act: up({ r: removal(PHONE) }),
  },
  {
    name: "sign a user out",
    // The third of three is treated as the second.
    places: /^(?!.*\(3\))/,
    act: up({ s: signOut(USER_ID) }),
  },
  {
    name: "sign a user out of one client",
    places: /revoke/,
    act: up({ s: signOut(USER_ID, { clientId: "mobileApp" }) }),
  },
  { name: "getUser", ask: () => getUser({ userId: USER_ID }) },
  {
    name: "getUserPermissions",
    meets: "contents",
    seed: manyPermissions,
    ask: () => getUserPermissions({ userId: USER_ID }),
  },
  {
    name: "getConnectionProfiles",
    seed: withProfiles(...others(12)),
    ask: () => getConnectionProfiles({}),
  },
  { name: "getRole", meets: "contents", ask: () => getRole({ name: "support-agent" }) },
  {
    name: "getRole, where the list of roles has cursors",
    meets: "contents",
    seed: { ...DEFAULT_SEED, behaviour: { numbered_lists: "cursor", max_page_size: 1 } },
    places: /(roles|next page)$/,
    ask: () => getRole({ name: "support-agent" }),
  },
  { name: "getGroup", meets: "contents", ask: () => getGroup({ name: "support-desk" }) },
  {
    name: "getRoleGroups",
    meets: "contents",
    seed: crowded,
    ask: () => getRoleGroups({ roleId: AGENT }),
  },
  {
    name: "getDeviceCredentials",
    meets: "contents",
    ask: () => getDeviceCredentials({ userId: USER_ID, type: "refresh_token" }),
  },
  {
    name: "getDeviceCredentials, where pages are short and nothing is counted",
    meets: "contents",
    seed: { ...DEFAULT_SEED, behaviour: { totals: "none", max_page_size: 1 } },
    ask: () => getDeviceCredentials({ userId: USER_ID, type: "refresh_token" }),
  },
];

/** Each is a test file, and takes about as long as the others. */
export const PARTS = {
  profiles: [...PROFILES, ...PROFILE_CHANGES],
  roles: [...ROLES, ...EXCLUSIVE_ROLES],
  rest: [...ORGANIZATIONS, ...REST],
} as const;
export type PartName = keyof typeof PARTS;

export const OPERATIONS: readonly Operation[] = Object.values(PARTS).flat();

/** These never send anything, so no fault can hit them. */
export const WITHOUT_REQUESTS: readonly Operation[] = [
  {
    name: "refresh a device credential removal",
    given: { r: removal(PHONE) },
    act: refresh,
  },
  { name: "refresh a sign-out", given: { s: signOut(USER_ID) }, act: refresh },
  { name: "destroy a sign-out", given: { s: signOut(USER_ID) }, act: destroy },
  {
    name: "destroy a device credential removal",
    given: { r: removal(PHONE) },
    act: destroy,
  },
];
