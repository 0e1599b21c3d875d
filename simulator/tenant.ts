import { type z } from "zod";
import { ApiError, validate } from "./errors";
import { parseInput } from "./input";
import { behaviourOf, profileCreateSchema, profileUpdateSchema, seedOrStateSchema } from "./seed";
import {
  type Behaviour,
  type BehaviourInput,
  type Client,
  type ConnectionProfile,
  type DeviceCredential,
  type RefreshToken,
  type Session,
  type FixedToken,
  type Group,
  type Membership,
  type Organization,
  type Permission,
  type ProfileFields,
  type Role,
  type SeedInput,
  type SimulatorState,
  type TenantState,
  type User,
} from "./types";

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

interface Entry<T> {
  place: number;
  value: T;
}

/** A part of a list, with the cursor to continue from if there is more. */
export interface Page<T> {
  items: T[];
  next?: string;
  /** Entries of the whole list. */
  total: number;
}

/** A list read by cursor: entries keep their place if others are removed between two pages. */
class Ordered<T> {
  readonly #entries = new Map<string, Entry<T>>();
  /** All entries, until one is added or removed: a long list is read page by page. */
  #all: Entry<T>[] | undefined;
  #last = 0;

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: T): void {
    this.#entries.set(key, { place: this.#entries.get(key)?.place ?? ++this.#last, value });
    this.#all = undefined;
  }

  delete(key: string): boolean {
    this.#all = undefined;
    return this.#entries.delete(key);
  }

  values(): T[] {
    return [...this.#entries.values()].map((entry) => entry.value);
  }

  /** Returns up to `take` values after the cursor, and the cursor to continue from if there are more. */
  page(from: string | undefined, take: number, isWanted?: (value: T) => boolean): Page<T> {
    const after = from === undefined ? 0 : placeOf(from);
    const every = (this.#all ??= [...this.#entries.values()]);
    const all = isWanted === undefined ? every : every.filter(({ value }) => isWanted(value));
    const start = firstBehind(after, all);
    const items = all.slice(start, start + take);
    const more = all.length > start + take;
    return {
      items: items.map((entry) => entry.value),
      total: all.length,
      ...(more ? { next: Buffer.from(`after:${items.at(-1)!.place}`).toString("base64url") } : {}),
    };
  }
}

function ordered(ids: readonly string[] = []): Ordered<string> {
  const list = new Ordered<string>();
  for (const id of ids) list.set(id, id);
  return list;
}

/** Finds the first entry after a place, in a list sorted by place. */
function firstBehind(place: number, all: readonly Entry<unknown>[]): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.place ?? Infinity) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

function placeOf(cursor: string): number {
  const place = /^after:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (place === undefined)
    throw new ApiError(
      400,
      "Query validation error: 'Invalid cursor' on property from.",
      "invalid_query_string",
    );
  return Number(place);
}

/** The service's own roles, for any organization: listed only by their owner. */
const SYSTEM_OWNER = "auth0";
const NO_ORGANIZATION = "No organization found by that id or name.";

/** Documented limits of role groups. */
const MAX_ROLES_PER_GROUP = 10;
const MAX_ROLES_ON_GROUPS = 100;

interface RoleOfTenant {
  role: Role;
  permissions: Permission[] | undefined;
  groups: Ordered<string>;
}

interface OrganizationOfTenant {
  organization: Organization;
  groups: Ordered<string>;
  /** By the id of the role. */
  roles: Map<string, RoleInOrganization>;
  /** Undefined: those of its groups, and those who have a role there. */
  members: readonly string[] | undefined;
}

interface RoleInOrganization {
  groups: Ordered<string>;
  members: Ordered<string>;
}

/** The records of one tenant and the rules among them; nothing about HTTP. */
export class Tenant {
  readonly clients: ReadonlyMap<string, Client>;
  readonly tokens: readonly FixedToken[];
  readonly behaviour: Behaviour;
  readonly #users: Map<string, { user: User; permissions: Permission[]; membership: Membership }>;
  readonly #groups = new Ordered<Group>();
  readonly #roles: Map<string, RoleOfTenant>;
  readonly #organizations = new Ordered<OrganizationOfTenant>();
  readonly #profiles = new Ordered<ConnectionProfile>();
  /** Includes deleted profiles, because ids are never reused. */
  readonly #profileIds = new Set<string>();
  readonly #credentials: Map<string, DeviceCredential>;
  readonly #sessions = new Ordered<Session>();
  readonly #refreshTokens = new Ordered<RefreshToken>();
  /** The same start in every tenant, so that repeated runs get the same ids. */
  #random = 0x5eed;

  /**
   * @param seed The records; throws an InvalidInputError that names every problem.
   * @param behaviour Switches for the case that the seed sets none.
   */
  constructor(seed: SeedInput | SimulatorState, behaviour?: BehaviourInput) {
    const records = parseInput("The seed", seedOrStateSchema, seed);
    this.behaviour = behaviourOf(behaviour, records.behaviour);
    this.clients = new Map(records.clients.map((client) => [client.client_id, client]));
    this.tokens = records.tokens;
    this.#users = new Map(
      records.users.map(({ permissions = [], roles, groups, ...user }) => {
        const membership = { ...(roles && { roles }), ...(groups && { groups }) };
        return [user.user_id, { user, permissions, membership }];
      }),
    );
    for (const group of records.groups) this.#groups.set(group.id, group);
    this.#roles = new Map(
      records.roles.map(({ groups = [], permissions, ...role }) => {
        return [role.id, { role, permissions, groups: ordered(groups) }];
      }),
    );
    for (const { groups, roles = [], members, ...organization } of records.organizations)
      this.#organizations.set(organization.id, {
        organization,
        members,
        groups: ordered(groups),
        roles: new Map(
          roles.map((role) => [role.id, { groups: ordered(role.groups), members: ordered(role.members) }]),
        ),
      });
    this.#credentials = new Map(records.device_credentials.map((credential) => [credential.id, credential]));
    for (const session of records.sessions) this.#sessions.set(session.id, session);
    for (const token of records.refresh_tokens) this.#refreshTokens.set(token.id, token);
    for (const { id: given, ...fields } of records.connection_profiles) this.#addProfile(fields, given);
  }

  state(): TenantState {
    return structuredClone({
      clients: [...this.clients.values()],
      users: [...this.#users.values()].map(({ user, permissions, membership }) => ({
        ...user,
        permissions,
        ...membership,
      })),
      groups: this.#groups.values(),
      roles: [...this.#roles.values()].map(({ role, permissions, groups }) => ({
        ...role,
        ...(permissions && { permissions }),
        groups: groups.values(),
      })),
      organizations: this.#organizations.values().map(({ organization, groups, roles, members }) => ({
        ...organization,
        ...(members && { members: [...members] }),
        groups: groups.values(),
        roles: [...roles].map(([id, role]) => ({
          id,
          groups: role.groups.values(),
          members: role.members.values(),
        })),
      })),
      connection_profiles: this.#profiles.values(),
      device_credentials: [...this.#credentials.values()],
      sessions: this.#sessions.values(),
      refresh_tokens: this.#refreshTokens.values(),
      behaviour: this.behaviour,
    });
  }

  user(userId: string): User {
    return this.#user(userId).user;
  }

  permissions(userId: string): Permission[] {
    return this.#user(userId).permissions;
  }

  /** Roles whose names contain the filter, in any case. A role without a type is the tenant's. */
  roles({ name_filter: filter = "", type, owner_id: owner }: RoleFilter): Role[] {
    if (type === "organization" && owner === undefined)
      throw new ApiError(
        400,
        "Query validation error: 'owner_id is required with type \"organization\"'.",
        "invalid_query_string",
      );
    const roles = [...this.#roles.values()].map(({ role }) => role);
    return roles.filter(
      (role) =>
        holds(role.name ?? "", filter) &&
        (type === undefined || (role.type ?? "tenant") === type) &&
        (owner === undefined ? role.owner_id !== SYSTEM_OWNER : role.owner_id === owner),
    );
  }

  role(roleId: string): Role {
    return this.#role(roleId).role;
  }

  /** It's undocumented how `search` compares: here it matches part of a name or external id, in any case. */
  groups(filter: GroupFilter, from: string | undefined, take: number): Page<Group> {
    const { search = "" } = filter;
    return this.#groups.page(
      from,
      take,
      (group) =>
        (filter.name === undefined || group.name === filter.name) &&
        (filter.connection_id === undefined || group.connection_id === filter.connection_id) &&
        (filter.external_id === undefined || group.external_id === filter.external_id) &&
        [group.name, group.external_id].some((text = "") => holds(text, search)),
    );
  }

  group(groupId: string): Group {
    const group = this.#groups.get(groupId);
    if (group === undefined) throw new ApiError(404, "The group does not exist.");
    return group;
  }

  groupRoles(groupId: string, from: string | undefined, take: number): Page<Role> {
    const { id } = this.group(groupId);
    return pageOf(
      [...this.#roles.values()].filter(({ groups }) => groups.has(id)).map(({ role }) => role),
      from,
      take,
    );
  }

  groupMembers(groupId: string, from: string | undefined, take: number): Page<object> {
    const { id } = this.group(groupId);
    const members = [...this.#users.values()].filter(({ membership }) => membership.groups?.includes(id));
    return pageOf(
      members.map(({ user }) => ({ id: user.user_id, member_type: "user" })),
      from,
      take,
    );
  }

  /** Returns the users who have the role directly; those of its groups are not among them. */
  roleUsers(roleId: string, from: string | undefined, take: number): Page<object> {
    const { role } = this.#role(roleId);
    const users = [...this.#users.values()].filter(({ membership }) => membership.roles?.includes(role.id));
    const shown = ["user_id", "email", "name", "picture"] as const;
    return pageOf(
      users.map(({ user }) =>
        Object.fromEntries(shown.filter((key) => key in user).map((key) => [key, user[key]])),
      ),
      from,
      take,
    );
  }

  /** Returns the permissions from the seed, or else those that users have through the role. */
  rolePermissions(roleId: string): Permission[] {
    const { permissions } = this.#role(roleId);
    if (permissions !== undefined) return permissions;
    const all = [...this.#users.values()].flatMap((user) => user.permissions);
    const ofRole = all.filter(({ sources }) => sources?.some(({ source_id }) => source_id === roleId));
    const distinct = ofRole.map(({ sources: _, ...permission }): [string, Permission] => [
      `${permission.resource_server_identifier} ${permission.permission_name}`,
      permission,
    ]);
    return [...new Map(distinct).values()];
  }

  /** Returns a user's roles, direct or through groups. */
  effectiveRoles(userId: string, from: string | undefined, take: number): Page<object> {
    const { roles: direct = [] } = this.#user(userId).membership;
    const all = [...this.#roles.values()].map(({ role, groups }) => ({
      ...role,
      sources: [
        ...(direct.includes(role.id) ? ["direct"] : []),
        ...(this.#groupsOf(userId).some((group) => groups.has(group)) ? ["groups"] : []),
      ],
    }));
    return pageOf(
      all.filter(({ sources }) => sources.length > 0),
      from,
      take,
    );
  }

  /** Returns a user's groups that have the role. */
  roleSourceGroups(userId: string, roleId: string, from: string | undefined, take: number): Page<Group> {
    const { groups } = this.#role(roleId);
    return pageOf(
      this.#groupsOf(userId)
        .filter((group) => groups.has(group))
        .map((group) => this.group(group)),
      from,
      take,
    );
  }

  roleGroups(roleId: string, from: string | undefined, take: number): Page<Group> {
    return this.#groupPage(this.#role(roleId).groups, from, take);
  }

  /** All or nothing: a refused call assigns none of its groups. */
  assignGroups(roleId: string, groups: readonly string[]): void {
    const assigned = this.#role(roleId).groups;
    this.#checkNumber(groups);
    this.#checkRefused(groups);
    for (const group of groups) {
      if (!this.#groups.has(group)) throw new ApiError(404, `The group ${group} does not exist.`);
      if (assigned.has(group)) {
        if (this.behaviour.assign_assigned_group === "error")
          throw new ApiError(400, `The group ${group} already has the role.`);
      } else if (this.#rolesOf(group) >= MAX_ROLES_PER_GROUP) {
        // The answer to a limit is undocumented; of the known codes, this one says that the tenant isn't
        // entitled to more.
        throw limitReached(`The group ${group} already has ${MAX_ROLES_PER_GROUP} roles`);
      }
    }
    const rolesInUse = [...this.#roles.values()].filter((role) => role.groups.values().length > 0).length;
    if (assigned.values().length === 0 && rolesInUse >= MAX_ROLES_ON_GROUPS)
      throw limitReached(`${MAX_ROLES_ON_GROUPS} roles are already assigned to groups`);
    for (const group of groups) assigned.set(group, group);
  }

  /** All or nothing, like {@link assignGroups}. */
  removeGroups(roleId: string, groups: readonly string[]): void {
    const assigned = this.#role(roleId).groups;
    this.#checkNumber(groups);
    this.#checkRefused(groups);
    const absent = groups.find((group) => !assigned.has(group));
    if (absent !== undefined && this.behaviour.remove_absent_group === "error")
      throw new ApiError(404, `The group ${absent} does not have the role.`);
    for (const group of groups) assigned.delete(group);
  }

  organizations(from: string | undefined, take: number): Page<Organization> {
    const { items, ...rest } = this.#organizations.page(from, take);
    return { items: items.map(({ organization }) => organization), ...rest };
  }

  organization(organizationId: string): Organization {
    return this.#organization(organizationId).organization;
  }

  organizationNamed(name: string): Organization {
    const found = this.#organizations.values().find(({ organization }) => organization.name === name);
    if (found === undefined) throw new ApiError(404, NO_ORGANIZATION);
    return found.organization;
  }

  organizationGroups(organizationId: string, from: string | undefined, take: number): Page<Group> {
    return this.#groupPage(this.#organization(organizationId).groups, from, take);
  }

  organizationRoleGroups({ id, role }: InOrganization, from: string | undefined, take: number): Page<Group> {
    return this.#groupPage(this.#roleIn(id, role).groups, from, take);
  }

  /** Returns the users who have the role directly in the organization. */
  organizationRoleMembers(
    { id, role }: InOrganization,
    from: string | undefined,
    take: number,
  ): Page<object> {
    const { items, ...rest } = this.#roleIn(id, role).members.page(from, take);
    return { items: items.map((user_id) => ({ user_id })), ...rest };
  }

  userOrganizations(userId: string): Organization[] {
    const { user } = this.#user(userId);
    const all = this.#organizations.values().filter((one) => this.#isMember(one, user.user_id));
    return all.map(({ organization }) => organization);
  }

  /** Returns a member's roles in the organization, direct or through its groups. */
  memberRoles({ id, user }: OfMember, from: string | undefined, take: number): Page<object> {
    const { roles } = this.#organizationOf(id, user);
    const all = [...roles].map(([role, { members, groups }]) => ({
      ...this.role(role),
      sources: [
        ...(members.has(user) ? ["direct"] : []),
        ...(this.#groupsOf(user).some((group) => groups.has(group)) ? ["groups"] : []),
      ],
    }));
    return pageOf(
      all.filter(({ sources }) => sources.length > 0),
      from,
      take,
    );
  }

  /** Returns a member's groups that have the role in the organization. */
  memberSourceGroups(
    { id, user }: OfMember,
    roleId: string,
    from: string | undefined,
    take: number,
  ): Page<Group> {
    this.#organizationOf(id, user);
    const { groups } = this.#roleIn(id, roleId);
    return pageOf(
      this.#groupsOf(user)
        .filter((group) => groups.has(group))
        .map((group) => this.group(group)),
      from,
      take,
    );
  }

  organizationGroupRoles(
    organizationId: string,
    groupId: string,
    from: string | undefined,
    take: number,
  ): Page<Role> {
    const { groups, roles } = this.#organization(organizationId);
    this.#checkGroupIn(groups, groupId);
    const having = [...roles].filter(([, role]) => role.groups.has(groupId));
    return pageOf(
      having.map(([id]) => this.role(id)),
      from,
      take,
    );
  }

  /** All or nothing. The roles of the tenant and of the organization can be assigned in it. */
  assignOrganizationRoles(organizationId: string, groupId: string, roles: readonly string[]): void {
    const organization = this.#organization(organizationId);
    this.#checkRefused([groupId]);
    this.#checkGroupIn(organization.groups, groupId);
    for (const id of roles) {
      const { type, owner_id: owner } = this.role(id);
      if (type === "organization" && owner !== organizationId && owner !== SYSTEM_OWNER)
        throw new ApiError(400, `The role ${id} belongs to another organization.`);
      if (organization.roles.get(id)?.groups.has(groupId) === true) {
        if (this.behaviour.assign_assigned_group === "error")
          throw new ApiError(409, `The group ${groupId} already has the role ${id}.`);
        continue;
      }
      const had = [...organization.roles.values()].filter((role) => role.groups.has(groupId)).length;
      if (had >= MAX_ROLES_PER_GROUP)
        throw limitReached(
          `The group ${groupId} already has ${MAX_ROLES_PER_GROUP} roles in the organization`,
        );
    }
    for (const id of roles) {
      const role = organization.roles.get(id) ?? { groups: ordered(), members: ordered() };
      role.groups.set(groupId, groupId);
      organization.roles.set(id, role);
    }
  }

  removeOrganizationRoles(organizationId: string, groupId: string, roles: readonly string[]): void {
    const organization = this.#organization(organizationId);
    this.#checkRefused([groupId]);
    this.#checkGroupIn(organization.groups, groupId);
    const absent = roles.find((id) => organization.roles.get(id)?.groups.has(groupId) !== true);
    if (absent !== undefined && this.behaviour.remove_absent_group === "error")
      throw new ApiError(404, `The group ${groupId} does not have the role ${absent}.`);
    for (const id of roles) organization.roles.get(id)?.groups.delete(groupId);
  }

  profiles(from: string | undefined, take: number): Page<ConnectionProfile> {
    const { items, ...page } = this.#profiles.page(from, take);
    return { ...page, items: items.map((profile) => READ[this.behaviour.profile_reads](profile)) };
  }

  profile(profileId: string): ConnectionProfile {
    return READ[this.behaviour.profile_reads](this.#profile(profileId));
  }

  #profile(profileId: string): ConnectionProfile {
    const profile = this.#profiles.get(profileId);
    if (profile === undefined) throw new ApiError(404, "The connection profile does not exist.");
    return profile;
  }

  createProfile(body: unknown): ConnectionProfile {
    const { fields } = this.#checkedProfile(profileCreateSchema, body);
    this.#checkName(fields.name);
    return this.#addProfile(STORED[this.behaviour.profile_values](fields) as typeof fields);
  }

  updateProfile(profileId: string, body: unknown): ConnectionProfile {
    const { fields, nulls } = this.#checkedProfile(profileUpdateSchema, body);
    const old = this.#profile(profileId);
    if (fields.name !== undefined) this.#checkName(fields.name, profileId);
    const stored = STORED[this.behaviour.profile_values](fields);
    const updated = structuredClone(
      this.behaviour.nested_patch === "merge" ? merge(old, stored) : { ...old, ...stored },
    ) as ConnectionProfile;
    if (this.behaviour.null_in_patch === "clear") for (const path of nulls) unset(updated, path);
    const profile = complete(profileId, updated);
    this.#profiles.set(profileId, profile);
    return profile;
  }

  deleteProfile(profileId: string): void {
    if (!this.#profiles.delete(profileId) && this.behaviour.delete_unknown_profile === 404)
      throw new ApiError(404, "The connection profile does not exist.");
  }

  deviceCredentials(
    filter: Partial<Pick<DeviceCredential, "type" | "user_id" | "client_id">>,
  ): DeviceCredential[] {
    return [...this.#credentials.values()].filter(
      (credential) =>
        (filter.user_id === undefined || credential.user_id === filter.user_id) &&
        (filter.client_id === undefined || credential.client_id === filter.client_id) &&
        // Without a type the service omits the rotating tokens.
        (filter.type === undefined
          ? credential.type !== "rotating_refresh_token"
          : credential.type === filter.type),
    );
  }

  /** Of the many settings of a tenant, those that matter here. */
  settings(): object {
    const { revoke_refresh_token_grant: flag } = this.behaviour;
    return { flags: flag === null ? {} : { revoke_refresh_token_grant: flag } };
  }

  deleteDeviceCredential(credentialId: string): void {
    const deleted = this.#credentials.get(credentialId);
    const grant = this.behaviour.revoke_refresh_token_grant === true ? grantOf(deleted) : undefined;
    for (const other of grant === undefined ? [] : [...this.#credentials.values()])
      if (other.id !== credentialId && grantOf(other) === grant) this.#credentials.delete(other.id);
    if (!this.#credentials.delete(credentialId) && this.behaviour.delete_unknown_device_credential === 404)
      throw new ApiError(404, "The device credential does not exist.");
  }

  sessions(userId: string, from: string | undefined, take: number): Page<Session> {
    return this.#sessions.page(from, take, this.#isOf(userId));
  }

  refreshTokens(userId: string, from: string | undefined, take: number): Page<RefreshToken> {
    return this.#refreshTokens.page(from, take, this.#isOf(userId));
  }

  deleteSessions(userId: string): void {
    const isOwn = this.#isOf(userId);
    for (const session of this.#sessions.values().filter(isOwn)) this.#sessions.delete(session.id);
  }

  /** Without a client: those of all clients. */
  deleteRefreshTokens(userId: string, client?: string): void {
    const isOwn = this.#isOf(userId);
    for (const token of this.#refreshTokens.values().filter(isOwn))
      if (client === undefined || token.client_id === client) this.#refreshTokens.delete(token.id);
  }

  #isOf(userId: string): (owned: { user_id: string }) => boolean {
    this.#checkSessionsServed();
    const { user_id: id } = this.#user(userId).user;
    return ({ user_id }) => user_id === id;
  }

  #checkSessionsServed(): void {
    if (this.behaviour.user_sessions === "not_served") throw new ApiError(404, "Not Found");
    if (this.behaviour.user_sessions === "not_entitled")
      throw new ApiError(
        403,
        "The plan of this tenant doesn't include this feature.",
        "insufficient_entitlement",
      );
  }

  #groupsOf(userId: string): string[] {
    return this.#user(userId).membership.groups ?? [];
  }

  #user(userId: string): { user: User; permissions: Permission[]; membership: Membership } {
    const found = this.#users.get(userId);
    if (found === undefined) throw new ApiError(404, "The user does not exist.", "inexistent_user");
    return found;
  }

  #role(roleId: string): RoleOfTenant {
    const found = this.#roles.get(roleId);
    if (found === undefined) throw new ApiError(404, "The role does not exist.");
    return found;
  }

  #organization(organizationId: string): OrganizationOfTenant {
    const found = this.#organizations.get(organizationId);
    if (found === undefined) throw new ApiError(404, NO_ORGANIZATION);
    return found;
  }

  /** The organization, for a user who is a member. */
  #organizationOf(organizationId: string, userId: string): OrganizationOfTenant {
    const found = this.#organization(organizationId);
    if (!this.#isMember(found, this.#user(userId).user.user_id))
      throw new ApiError(404, "The user is not a member of the organization.");
    return found;
  }

  #isMember({ members, groups, roles }: OrganizationOfTenant, userId: string): boolean {
    if (members !== undefined) return members.includes(userId);
    return (
      this.#groupsOf(userId).some((group) => groups.has(group)) ||
      [...roles.values()].some((role) => role.members.has(userId))
    );
  }

  #roleIn(organizationId: string, roleId: string): RoleInOrganization {
    const { roles } = this.#organization(organizationId);
    return roles.get(this.role(roleId).id) ?? { groups: ordered(), members: ordered() };
  }

  #checkGroupIn(groups: Ordered<string>, groupId: string): void {
    if (!groups.has(groupId)) throw new ApiError(404, `The group ${groupId} is not in the organization.`);
  }

  #groupPage(groups: Ordered<string>, from: string | undefined, take: number): Page<Group> {
    const { items, ...rest } = groups.page(from, take);
    return { items: items.map((group) => this.#groups.get(group)!), ...rest };
  }

  #rolesOf(group: string): number {
    return [...this.#roles.values()].filter((role) => role.groups.has(group)).length;
  }

  #checkNumber(groups: readonly string[]): void {
    const most = this.behaviour.max_groups_per_call;
    if (most !== null && groups.length > most)
      throw new ApiError(
        400,
        `Payload validation error: 'Array is too long (${groups.length}), maximum ${most}' on property groups.`,
        "invalid_body",
      );
  }

  #checkRefused(groups: readonly string[]): void {
    for (const group of groups) {
      const status = this.behaviour.refused_groups[group];
      if (status !== undefined) throw new ApiError(status, "One of the groups can't be used.");
    }
  }

  /** Returns the fields that are set, and the paths of nulls. */
  #checkedProfile<T extends z.ZodType>(schema: T, body: unknown): { fields: z.output<T>; nulls: string[][] } {
    if (this.behaviour.null_in_patch === "reject")
      return { fields: validate(schema, body, "body"), nulls: [] };
    const nulls: string[][] = [];
    return { fields: validate(schema, withoutNulls(body, [], nulls), "body"), nulls };
  }

  #checkName(name: string, profileId?: string): void {
    if (this.behaviour.profile_name_conflict === "allow") return;
    if (this.#profiles.values().some((profile) => profile.name === name && profile.id !== profileId))
      throw new ApiError(409, "A connection profile with the same name already exists.");
  }

  #addProfile(fields: ProfileFields & { name: string }, given?: string): ConnectionProfile {
    let profileId = given ?? this.#newId("cop_", 22);
    while (given === undefined && this.#profileIds.has(profileId)) profileId = this.#newId("cop_", 22);
    this.#profileIds.add(profileId);
    const profile = complete(profileId, fields);
    this.#profiles.set(profileId, profile);
    return profile;
  }

  #newId(prefix: string, length: number): string {
    return (
      prefix + Array.from({ length }, () => BASE58[Math.floor(this.#nextRandom() * BASE58.length)]).join("")
    );
  }

  /** Mulberry32: a small generator, good enough for realistic ids. */
  #nextRandom(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Undefined if it isn't a refresh token of a user and a client. */
function grantOf(credential: DeviceCredential | undefined): string | undefined {
  const { type = "public_key", user_id: user, client_id: client } = credential ?? {};
  return type === "public_key" || user === undefined || client === undefined
    ? undefined
    : JSON.stringify([user, client]);
}

/** The filter of a list of roles. */
interface RoleFilter {
  name_filter?: string | undefined;
  type?: "tenant" | "organization" | undefined;
  owner_id?: string | undefined;
}

/** Ids of an organization and of a role in it. */
interface InOrganization {
  id: string;
  role: string;
}

interface OfMember {
  id: string;
  user: string;
}

/** The filter of a list of groups. */
interface GroupFilter {
  name?: string | undefined;
  connection_id?: string | undefined;
  external_id?: string | undefined;
  search?: string | undefined;
}

function holds(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

/** Returns a page of a list that nobody changes during the read. */
export function pageOf<T>(all: readonly T[], from: string | undefined, take: number): Page<T> {
  const ordered = new Ordered<T>();
  for (const [index, value] of all.entries()) ordered.set(String(index), value);
  return ordered.page(from, take);
}

function limitReached(what: string): ApiError {
  return new ApiError(403, `${what}, which is the limit.`, "insufficient_entitlement");
}

/** Returns a record as answered: with every key of the document, even unset ones. */
function complete(
  profileId: string,
  fields: Partial<Omit<ConnectionProfile, "id">> & { name: string },
): ConnectionProfile {
  const { name, provisioning, cross_app_access_resource_app } = fields;
  return structuredClone({
    id: profileId,
    name,
    organization: fields.organization ?? null,
    connection_name_prefix_template: fields.connection_name_prefix_template ?? null,
    enabled_features: fields.enabled_features ?? null,
    connection_config: fields.connection_config ?? {},
    strategy_overrides: fields.strategy_overrides ?? null,
    // Newer than the recordings, which don't show them: present only once they are set.
    ...(provisioning ? { provisioning } : {}),
    ...(cross_app_access_resource_app ? { cross_app_access_resource_app } : {}),
  });
}

/** Turns a request's fields into those that the profile stores. */
const STORED: Record<Behaviour["profile_values"], (fields: Partial<ProfileFields>) => object> = {
  as_sent: (fields) => fields,
  tidied: ({ organization, name, connection_name_prefix_template: template, ...fields }) => ({
    ...(tidied(fields) as object),
    ...(name !== undefined && { name: name.trim() }),
    ...(template !== undefined && { connection_name_prefix_template: template?.toLowerCase() }),
    ...(organization !== undefined && { organization: withoutNone(organization) }),
  }),
  completed: ({ organization, ...fields }) => ({
    ...fields,
    ...(organization && {
      organization: { show_as_button: "none", assign_membership_on_login: "none", ...organization },
    }),
  }),
};

/** Turns a stored profile into the one that a read shows. */
const READ: Record<Behaviour["profile_reads"], (profile: ConnectionProfile) => ConnectionProfile> = {
  whole: (profile) => profile,
  without_none: ({ organization, ...fields }) => ({
    ...fields,
    organization: organization && withoutNone(organization),
  }),
};

function withoutNone(organization: ConnectionProfile["organization"]): object {
  return Object.fromEntries(Object.entries(organization ?? {}).filter(([, value]) => value !== "none"));
}

function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied).sort();
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tidied(inner)]));
  return typeof value === "string" && /^https?:\/\/[^/]+$/.test(value) ? `${value}/` : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function merge(old: unknown, patch: unknown): unknown {
  if (!isObject(old) || !isObject(patch)) return patch;
  return {
    ...old,
    ...Object.fromEntries(Object.entries(patch).map(([key, value]) => [key, merge(old[key], value)])),
  };
}

/** Keys below which null is a value (a token that never expires). */
const NULL_IS_A_VALUE = new Set(["provisioning", "cross_app_access_resource_app"]);

function withoutNulls(value: unknown, path: string[], nulls: string[][]): unknown {
  if (!isObject(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, child] of Object.entries(value)) {
    const childPath = [...path, key];
    if (child === null && childPath.join() !== "name") nulls.push(childPath);
    else kept.push([key, NULL_IS_A_VALUE.has(key) ? child : withoutNulls(child, childPath, nulls)]);
  }
  return Object.fromEntries(kept);
}

function unset(record: object, path: readonly string[]): void {
  let at: unknown = record;
  for (const key of path.slice(0, -1)) at = isObject(at) ? at[key] : undefined;
  if (isObject(at)) delete at[path.at(-1)!];
}
