import { roleKey, roleOfKey } from "../../provider/access/edge";
import { type IdentityClient } from "../../provider/http/client";
import {
  concernsOneQuestion,
  IncompleteListError,
  InsufficientScopeError,
  NotFoundError,
  shortReason,
} from "../../provider/http/errors";
import { PER_PAGE } from "../../provider/http/page";
import { connectionProfileRecord, connectionProfiles } from "../../provider/service/connection-profiles";
import {
  type CredentialType,
  DEVICE_CREDENTIAL_TYPES,
  type DeviceCredentialRecord,
  listAllCredentials,
  listDeviceCredentials,
} from "../../provider/service/device-credentials";
import {
  type GroupRecord,
  listGroups,
  type GroupMembers,
  readGroupName,
  readGroupPage,
  readGroupRoles,
  readMembers,
  readSomeGroups,
} from "../../provider/service/groups";
import { isGroupId } from "../../provider/service/ids";
import {
  listOrganizationGroups,
  listOrganizationRoles,
  listOrganizations,
  listSystemRoles,
  listUserOrganizations,
  findOrganizations,
  type OrganizationRecord,
  readMemberRoles,
  readMemberSourceGroups,
  readOrganizationGroupRoles,
  readOrganizationName,
  readOrganizationRoleMembers,
  readSomeOrganizations,
} from "../../provider/service/organizations";
import { readGroupsOf } from "../../provider/service/role-groups";
import {
  type DirectHolders,
  type EffectiveRole,
  isAssignableIn,
  listRolePermissions,
  listRoles,
  readRole,
  readEffectiveRoles,
  readRoleUsers,
  readSourceGroups,
  type RoleGroupRecord,
  type RoleRecord,
} from "../../provider/service/roles";
import {
  readRefreshTokens,
  readSessions,
  type RefreshTokenRecord,
  type SessionRecord,
} from "../../provider/service/sign-ins";
import { revocationDeletesGrant } from "../../provider/service/tenant-settings";
import {
  listUserPermissions,
  type PermissionRecord,
  readUser,
  type UserRecord,
} from "../../provider/service/users";
import { type ProfileNames } from "../pending";
import { DeniedListError } from "./denied-list-error";
import { type Answer, isNotFound, mapped, Questions, valuesIn } from "./questions";

/** If a group has more, the answer says so. */
export const MOST_PEOPLE = 1_000;

/** Each of them costs requests; rules and `--organization` can name those that count. */
export const MOST_ORGANIZATIONS = 100;

export const NOT_THERE = "404: not on the tenant";
/** Another call has just named the group, so it may have members all the same. */
const NO_MEMBERS = "404: the tenant doesn't list its members";
const NO_USERS = "404: the tenant doesn't list who has it directly";
const NO_MEMBER = "404: not a member, or the tenant does not know this list";
const NO_HOLDERS = "404: the tenant lists the role, and doesn't list who has it";
const NO_ROLES = "404: the tenant knows the group, and doesn't list its roles";
const NO_SUCH_LIST = "404: the tenant does not know this list";

/**
 * Up to this many roles, a look at the list of groups would make a run more than 3 % longer if the list turns
 * out to be the longer side.
 */
const FEW_ROLES = 33;

/** Up to this many names are cheap to ask for one by one. */
const FEW_NAMES = 3;

/** What commands show of a user's account. */
const ACCOUNT: readonly string[] = ["user_id", "name", "email", "blocked", "identities"];

/** The most pages of ten profiles that are read to compare names. */
const MOST_PROFILE_PAGES = 100;

/** Called with each answer of several; what it throws ends the questions. */
type OnAnswer<Value> = (id: string, answer: Answer<Value>) => void;

/** Shows a person how many of several are done; call the result after each. */
export interface Counting {
  counting: (what: string, all: number) => () => void;
}

interface QuestionById<Value> {
  read: (id: string, signal: AbortSignal | undefined) => Promise<Value>;
  /** The reason if it's answered 404. */
  missing?: string;
  /** After a 404: what denies its list although the tenant has it, and the reason. */
  denied?: (id: string) => Promise<DeniedList | undefined>;
  /** The official client has the call, the source document doesn't: not every tenant knows it. */
  isNewer?: boolean;
  /** Only informs: the first goes alone, and if a scope is missing, the others aren't sent. */
  isFirstAlone?: boolean;
  /** There is another way to the answer, or a review can do without it. */
  isSpare?: boolean;
}

interface DeniedList {
  error: DeniedListError;
  reason: string;
}

/** What a user is signed in with. */
export interface SignInsOfUser {
  user: Answer<UserRecord>;
  sessions: Answer<{ items: SessionRecord[]; isMore: boolean }>;
  refreshTokens: Answer<{ items: RefreshTokenRecord[]; isMore: boolean }>;
  deviceCredentials: Answer<DeviceCredentialRecord[]>;
}

/** How to ask who has some roles. */
export interface Holders {
  /**
   * What states and rules name. The list of groups may lack these groups, and somebody wants to know of each
   * for sure.
   */
  named?: readonly { role: string; group: string }[];
  /** Roles to ask about one by one in any case. */
  alone?: readonly string[];
  onAnswer?: OnAnswer<RoleGroupRecord[]>;
}

/** A tenant that a command asks. */
export interface OpenTenant {
  client: IdentityClient;
  reader: TenantReader;
}

/**
 * Reads who has what on a tenant: each question is asked once, whatever asks, and an answer is either whole
 * or says why not. Texts are as the tenant wrote them, so quote what leaves the process.
 */
export class TenantReader {
  readonly #questions: Questions;
  readonly #asked = new Map<string, Promise<Answer<unknown>>>();
  /** By call: the one that went alone. */
  readonly #firsts = new Map<string, Promise<Answer<unknown>>>();
  /** By call: the refusal that holds for all ids. */
  readonly #refused = new Map<string, Answer<never>>();
  /** Names of groups, from any list of the directory's groups. Undefined until one is read. */
  #listedNames: Map<string, string | undefined> | undefined;

  /** `longestSilenceMs`: drops all questions if nothing is answered for so long. */
  constructor(
    private readonly client: IdentityClient,
    private readonly progress?: Counting,
    longestSilenceMs?: number,
  ) {
    this.#questions = new Questions(longestSilenceMs);
  }

  /** All roles, those of organizations too. */
  roles(): Promise<Answer<RoleRecord[]>> {
    return this.#one("roles", "", { read: (_, signal) => listRoles(this.client, signal) });
  }

  /** All groups of the directory. */
  groups(): Promise<Answer<GroupRecord[]>> {
    return this.#one("groups", "", {
      read: async (_, signal) => this.#noted(await listGroups(this.client, {}, signal)),
    });
  }

  /**
   * By role: the groups that have it, asked by role or by group, whichever is fewer. By group only if the
   * lists of roles and groups are whole, and every group answers; otherwise by role after all.
   */
  async holdersOfRoles(
    roles: readonly string[],
    { named = [], alone = [], onAnswer }: Holders = {},
  ): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
    const others = new Set(roles);
    for (const role of alone) others.delete(role);
    // A group's list has its roles in the tenant alone.
    const isInTenant = (key: string) => roleOfKey(key).organization === undefined;
    for (const key of roles) if (!isInTenant(key)) others.delete(key);
    const byGroup = await this.#byGroup(
      [...others],
      named.filter(({ role }) => isInTenant(role)),
    );
    const left = [...new Set(roles)].filter((role) => !byGroup.has(role));
    const byRole = await this.groupsOfRoles(left, onAnswer);
    for (const [role, answer] of byGroup) onAnswer?.(role, answer);
    return new Map([...byRole, ...byGroup]);
  }

  /** By the role's key: the groups that have it, in the tenant or in an organization. */
  groupsOfRoles(
    roles: readonly string[],
    onAnswer?: OnAnswer<RoleGroupRecord[]>,
  ): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
    const read = (key: string, signal?: AbortSignal) => readGroupsOf(this.client, roleOfKey(key), signal);
    const denied = async (key: string) => ((await this.#isThere(key)) ? deniedHolders(key) : undefined);
    return this.#each("groupsOfRoles", roles, { what: "groups of roles", read, denied }, onAnswer);
  }

  /** By group: the roles that it has. A group has a few roles, while a tenant has hundreds. */
  rolesOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<RoleRecord[]>,
  ): Promise<Map<string, Answer<RoleRecord[]>>> {
    const denied = async (id: string) => ((await this.#isKnownGroup(id)) ? deniedRoles(id) : undefined);
    return this.#each("rolesOfGroups", groups, { ...this.#rolesOfGroup, denied }, onAnswer);
  }

  readonly #rolesOfGroup: QuestionById<RoleRecord[]> & { what: string } = {
    what: "roles of groups",
    read: (id, signal) => readGroupRoles(this.client, id, signal),
  };

  /**
   * By the role's key: the groups that have it in an organization, asked by role or by group, whichever is
   * fewer; roles that its groups have beside these, too. `alone`: roles to ask about one by one in any case.
   */
  async holdersInOrganization(
    organization: string,
    keys: readonly string[],
    alone: readonly string[],
  ): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
    const oneByOne = new Set(alone);
    const others = keys.filter((key) => !oneByOne.has(key));
    const byGroup = await this.#byGroupIn(organization, others);
    const byRole = await this.groupsOfRoles(byGroup === undefined ? keys : alone);
    return new Map([...(byGroup ?? []), ...(await this.#withoutLeft(organization, byRole))]);
  }

  /** Without groups that have left the organization: a role's own list may still have them. */
  async #withoutLeft(
    organization: string,
    answers: Map<string, Answer<RoleGroupRecord[]>>,
  ): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
    if ([...valuesIn(answers).values()].flat().length === 0) return answers;
    const listed = await this.#groupsOfOrganization(organization);
    if (listed.value === undefined) return answers;
    const ids = new Set(listed.value.map(({ id }) => id));
    return mapped(answers, (groups) => groups.filter(({ id }) => ids.has(id)));
  }

  #groupsOfOrganization(organization: string): Promise<Answer<RoleGroupRecord[]>> {
    return this.#one("groupsOfOrganization", organization, {
      read: (_, signal) => listOrganizationGroups(this.client, organization, signal),
      isSpare: true,
    });
  }

  /** Undefined if the organization's groups aren't the shorter side, or don't all answer. */
  async #byGroupIn(
    organization: string,
    keys: readonly string[],
  ): Promise<Map<string, Answer<RoleGroupRecord[]>> | undefined> {
    if (keys.length <= FEW_NAMES) return undefined;
    const listed = await this.#groupsOfOrganization(organization);
    if (listed.value === undefined || listed.value.length >= keys.length) return undefined;
    const read = (key: string, signal?: AbortSignal) => {
      const [own = "", group = ""] = key.split("/");
      return readOrganizationGroupRoles(this.client, own, group, signal);
    };
    const call = { what: "roles of groups in organizations", read, isSpare: true };
    const groups = new Map(listed.value.map((group) => [`${organization}/${group.id}`, group]));
    const answers = await this.#each("rolesOfOrganizationGroups", [...groups.keys()], call);
    const found = new Map(keys.map((key) => [key, [] as RoleGroupRecord[]]));
    for (const [key, answer] of answers) {
      if (answer.value === undefined) return undefined;
      for (const { id } of answer.value) {
        const role = roleKey({ organization, role: id });
        const group = groups.get(key);
        if (group !== undefined) found.set(role, [...(found.get(role) ?? []), group]);
      }
    }
    return new Map([...found].map(([key, value]) => [key, { value }]));
  }

  /** By the role's key: the people who have it directly, up to {@link MOST_PEOPLE}. */
  async usersOfRoles(
    roles: readonly string[],
    onAnswer?: OnAnswer<DirectHolders>,
  ): Promise<Map<string, Answer<DirectHolders>>> {
    const read = (key: string, signal?: AbortSignal) => {
      const { organization, role } = roleOfKey(key);
      return organization === undefined
        ? readRoleUsers(this.client, role, MOST_PEOPLE, signal)
        : readOrganizationRoleMembers(this.client, { organization, role }, MOST_PEOPLE, signal);
    };
    const call = { what: "who has roles directly:", read, missing: NO_USERS, isFirstAlone: true };
    const isInOrganization = (key: string) => roleOfKey(key).organization !== undefined;
    const [there, here] = [roles.filter(isInOrganization), roles.filter((key) => !isInOrganization(key))];
    // Another scope: one refusal says nothing of the other.
    const [inTenant, inOrganizations] = await Promise.all([
      this.#each("usersOfRoles", here, call, onAnswer),
      this.#each("membersOfOrganizations", there, call, onAnswer),
    ]);
    return new Map([...inTenant, ...inOrganizations]);
  }

  /** By group: its members, up to {@link MOST_PEOPLE}. */
  membersOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<GroupMembers>,
  ): Promise<Map<string, Answer<GroupMembers>>> {
    const read = (id: string, signal?: AbortSignal) => readMembers(this.client, id, MOST_PEOPLE, signal);
    return this.#each(
      "membersOfGroups",
      groups,
      { what: "members of groups", read, missing: NO_MEMBERS, isFirstAlone: true },
      onAnswer,
    );
  }

  /** By group: its name. */
  async namesOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<string | undefined>,
  ): Promise<Map<string, Answer<string | undefined>>> {
    await this.#listNames(groups);
    for (const id of groups) {
      const key = `namesOfGroups ${id}`;
      if (this.#listedNames?.has(id) && !this.#asked.has(key))
        this.#asked.set(key, Promise.resolve({ value: this.#listedNames.get(id) }));
    }
    const read = (id: string, signal?: AbortSignal) => readGroupName(this.client, id, signal);
    return this.#each(
      "namesOfGroups",
      groups,
      { what: "names of groups", read, isFirstAlone: true },
      onAnswer,
    );
  }

  /** All organizations. */
  organizations(): Promise<Answer<OrganizationRecord[]>> {
    return this.#one("organizations", "", { read: (_, signal) => listOrganizations(this.client, signal) });
  }

  /** All organizations if there are at most this many; `isMore`: there are more. */
  someOrganizations(most: number): Promise<Answer<{ items: OrganizationRecord[]; isMore: boolean }>> {
    return this.#one("someOrganizations", String(most), {
      read: (_, signal) => readSomeOrganizations(this.client, most, signal),
      missing: NO_SUCH_LIST,
      isSpare: true,
    });
  }

  /** By name: what the tenant finds by it, which may be others. */
  organizationsNamed(names: readonly string[]): Promise<Map<string, Answer<OrganizationRecord[]>>> {
    const read = async (name: string, signal?: AbortSignal) =>
      (await findOrganizations(this.client, name, signal)).items;
    return this.#each("organizationsNamed", names, { what: "organizations by name", read });
  }

  /** By organization: its name. */
  namesOfOrganizations(organizations: readonly string[]): Promise<Map<string, Answer<string | undefined>>> {
    const read = (id: string, signal?: AbortSignal) => readOrganizationName(this.client, id, signal);
    return this.#each("namesOfOrganizations", organizations, {
      what: "names of organizations",
      read,
      isFirstAlone: true,
    });
  }

  /** By organization: the roles that can only be assigned in organizations, its own and the service's. */
  async rolesOfOrganizations(organizations: readonly string[]): Promise<Map<string, Answer<RoleRecord[]>>> {
    if (organizations.length === 0) return new Map();
    const [own, system] = await Promise.all([this.ownRolesOf(organizations), this.systemRoles()]);
    const withSystem = (answer: Answer<RoleRecord[]>) => {
      if (answer.value === undefined || system.value === undefined)
        return answer.value === undefined ? answer : system;
      return { value: [...answer.value, ...system.value] };
    };
    return new Map([...own].map(([id, answer]) => [id, withSystem(answer)]));
  }

  /** The System Roles, which can be assigned in any organization. */
  systemRoles(): Promise<Answer<RoleRecord[]>> {
    return this.#one("systemRoles", "", {
      read: (_, signal) => listSystemRoles(this.client, signal),
      isSpare: true,
    });
  }

  /** By organization: its own roles. */
  ownRolesOf(organizations: readonly string[]): Promise<Map<string, Answer<RoleRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => listOrganizationRoles(this.client, id, signal);
    return this.#each("rolesOfOrganizations", organizations, {
      what: "roles of organizations",
      read,
      isFirstAlone: true,
    });
  }

  /**
   * By name: what the tenant finds by it, and if nothing has exactly this name, some others, among which may
   * be the one that is meant. How the tenant compares isn't documented, so compare again.
   */
  groupsNamed(
    names: readonly string[],
    onAnswer?: OnAnswer<GroupRecord[]>,
  ): Promise<Map<string, Answer<GroupRecord[]>>> {
    const read = async (name: string, signal?: AbortSignal) => {
      const found = await listGroups(this.client, { name }, signal);
      if (found.some((group) => group.name === name)) return found;
      return [...found, ...((await this.#someGroups()).value ?? [])];
    };
    return this.#each("groupsNamed", names, { what: "groups by name", read }, onAnswer);
  }

  /** By role: what it allows. */
  permissionsOfRoles(roles: readonly string[]): Promise<Map<string, Answer<PermissionRecord[]>>> {
    const read = (key: string, signal?: AbortSignal) =>
      listRolePermissions(this.client, roleOfKey(key).role, signal);
    return this.#each("permissionsOfRoles", roles, {
      what: "permissions of roles",
      read,
      isFirstAlone: true,
    });
  }

  /** By user: what they may do, directly and through roles. */
  permissionsOfUsers(
    users: readonly string[],
    onAnswer?: OnAnswer<PermissionRecord[]>,
  ): Promise<Map<string, Answer<PermissionRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => listUserPermissions(this.client, id, signal);
    return this.#each("permissionsOfUsers", users, { what: "permissions of users", read }, onAnswer);
  }

  /** The roles that a user has outside of organizations, with where they come from. */
  rolesOfUser(user: string): Promise<Answer<EffectiveRole[]>> {
    const read = (id: string, signal?: AbortSignal) => readEffectiveRoles(this.client, id, signal);
    return this.#one("rolesOfUser", user, { read, missing: NO_SUCH_LIST, isNewer: true });
  }

  /** The organizations that a user is a member of. */
  organizationsOfUser(user: string): Promise<Answer<OrganizationRecord[]>> {
    const read = (id: string, signal?: AbortSignal) => listUserOrganizations(this.client, id, signal);
    return this.#one("organizationsOfUser", user, { read, missing: NO_SUCH_LIST, isNewer: true });
  }

  /** By organization: the roles that a user has there, with where they come from. */
  rolesOfMember(
    user: string,
    organizations: readonly string[],
  ): Promise<Map<string, Answer<EffectiveRole[]>>> {
    const read = (organization: string, signal?: AbortSignal) =>
      readMemberRoles(this.client, { organization, user }, signal);
    const call = {
      what: "roles in organizations",
      read,
      missing: NO_MEMBER,
      isNewer: true,
      isFirstAlone: true,
    };
    return this.#each(`rolesOfMember ${user}`, organizations, call);
  }

  /** The groups through which a user has a role, in the tenant or in an organization. */
  groupsBehind(user: string, key: string): Promise<Answer<RoleGroupRecord[]>> {
    const { organization, role } = roleOfKey(key);
    const read = (_: string, signal?: AbortSignal) =>
      organization === undefined
        ? readSourceGroups(this.client, user, role, signal)
        : readMemberSourceGroups(this.client, { organization, user }, role, signal);
    const call = { read, missing: NO_SUCH_LIST, isNewer: true } as const;
    return this.#one("groupsBehind", JSON.stringify([user, key]), call);
  }

  /** A user's account: whether it is blocked, and what it signs in with. */
  account(user: string): Promise<Answer<UserRecord>> {
    const read = (id: string) => readUser(this.client, id, { fields: ACCOUNT });
    return this.#one("account", user, { read });
  }

  /** A user's sessions, up to {@link MOST_PEOPLE}. */
  sessionsOf(user: string): Promise<Answer<{ items: SessionRecord[]; isMore: boolean }>> {
    const read = (id: string, signal?: AbortSignal) => readSessions(this.client, id, MOST_PEOPLE, signal);
    return this.#one("sessionsOf", user, { read, missing: NO_SUCH_LIST, isNewer: true });
  }

  /** A user's refresh tokens, up to {@link MOST_PEOPLE}; device credentials of older tenants aren't here. */
  refreshTokensOf(user: string): Promise<Answer<{ items: RefreshTokenRecord[]; isMore: boolean }>> {
    const read = (id: string, signal?: AbortSignal) =>
      readRefreshTokens(this.client, id, MOST_PEOPLE, signal);
    return this.#one("refreshTokensOf", user, { read, missing: NO_SUCH_LIST, isNewer: true });
  }

  /** By type: a user's device credentials. */
  credentialsOf(user: string): Promise<Map<string, Answer<DeviceCredentialRecord[]>>> {
    const read = (type: string, signal?: AbortSignal) =>
      listDeviceCredentials(this.client, user, type as CredentialType, signal);
    return this.#each(`credentialsOf ${user}`, DEVICE_CREDENTIAL_TYPES, {
      what: "lists of the user's device credentials",
      read,
      missing: NO_SUCH_LIST,
    });
  }

  /** Names of the profiles. Each page is a question, so that a long list isn't taken for silence. */
  async profileNames(): Promise<Answer<ProfileNames>> {
    const { page } = connectionProfiles(this.client, connectionProfileRecord);
    const read = (at: string, signal?: AbortSignal) => page(at === "" ? undefined : at, signal);
    const profiles: { id: string; name: string }[] = [];
    let from = "";
    for (let pages = 0; pages < MOST_PROFILE_PAGES; pages++) {
      const answer = await this.#one("profiles", from, { read, missing: NO_SUCH_LIST, isSpare: true });
      if (answer.value === undefined) return answer;
      const { items, next = "" } = answer.value;
      profiles.push(...items.map(({ id, name }) => ({ id, name })));
      if (next === "" || next === from) return { value: { profiles, isMore: false } };
      from = next;
    }
    return { value: { profiles, isMore: true } };
  }

  /** By user: who that is, and what they are signed in with. */
  async signInsOf(users: readonly string[]): Promise<Map<string, SignInsOfUser>> {
    const all = [...new Set(users)];
    return new Map(await Promise.all(all.map(async (id) => [id, await this.#signInsOf(id)] as const)));
  }

  async #signInsOf(id: string): Promise<SignInsOfUser> {
    const [user, sessions, refreshTokens, lists] = await Promise.all([
      this.account(id),
      this.sessionsOf(id),
      this.refreshTokensOf(id),
      this.credentialsOf(id),
    ]);
    const unread = [...lists.values()].find(({ reason }) => reason !== undefined);
    const deviceCredentials = unread ?? { value: [...valuesIn(lists).values()].flat() };
    return { user, sessions, refreshTokens, deviceCredentials };
  }

  /** By type: all users' device credentials. */
  credentials(): Promise<Map<string, Answer<DeviceCredentialRecord[]>>> {
    const read = (type: string, signal?: AbortSignal) =>
      listAllCredentials(this.client, type as CredentialType, signal);
    return this.#each("credentials", DEVICE_CREDENTIAL_TYPES, { what: "lists of device credentials", read });
  }

  /** True if deleting one refresh token ends all of that user and application. */
  deletesGrants(): Promise<Answer<boolean | undefined>> {
    const read = (_: string, signal?: AbortSignal) => revocationDeletesGrant(this.client, signal);
    return this.#one("deletesGrants", "", { read, missing: NO_SUCH_LIST, isSpare: true });
  }

  /** Drops what is still being asked. */
  end(): void {
    this.#questions.end();
  }

  /** By role: the groups that have it, from the roles of each group. Lacks the roles to ask by role. */
  async #byGroup(
    roles: readonly string[],
    named: NonNullable<Holders["named"]>,
  ): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
    const none = new Map<string, Answer<RoleGroupRecord[]>>();
    const toRead = await this.#listedAmong(roles);
    if (toRead.length <= FEW_ROLES) return none;
    const groups = await this.#groupsUpTo(toRead.length - 1 - Math.ceil(toRead.length / PER_PAGE));
    // None at all would be strange, and nothing would show if the client may ask.
    if (groups === undefined || groups.length === 0) return none;
    const listedIds = new Set(groups.map(({ id }) => id));
    const others = new Set(named.map(({ group }) => group).filter((group) => !listedIds.has(group)));
    if (listedIds.size + others.size >= toRead.length) return none;
    const ofOthers = await this.#rolesOfAll([...others].filter(isGroupId), { mayBeGone: true });
    if (ofOthers === undefined) return none;
    // Somebody says that such a group has these roles, and only the roles' own lists can deny it.
    const open = rolesOf(named, (group) => others.has(group) && !ofOthers.has(group));
    const found = new Map(toRead.filter((role) => !open.has(role)).map((role) => [role, [] as string[]]));
    if (listedIds.size >= found.size) return none;
    const ofListed = await this.#rolesOfAll([...listedIds], { mayBeGone: false });
    if (ofListed === undefined) return none;
    for (const [group, its] of [...ofListed, ...ofOthers])
      for (const { id } of its) found.get(id)?.push(group);
    const names = await this.namesOfGroups([...new Set([...found.values()].flat())]);
    return new Map(
      [...found].map(([role, all]) => [
        role,
        { value: all.map((id) => ({ id, name: names.get(id)?.value })) },
      ]),
    );
  }

  /** The listed roles that nobody has asked about. No group's answer tells if another role exists. */
  async #listedAmong(roles: readonly string[]): Promise<string[]> {
    if (roles.length <= FEW_ROLES) return [];
    const listed = await this.roles();
    const known = new Set(listed.value?.map(({ id }) => id));
    return roles.filter((role) => known.has(role) && !this.#asked.has(`groupsOfRoles ${role}`));
  }

  /** True if the tenant has the role, in the place where it counts. */
  async #isThere(key: string): Promise<boolean> {
    const { organization, role } = roleOfKey(key);
    const listed = await this.#rolesWith(role);
    if (organization === undefined) return listed.some(({ id }) => id === role);
    const [names, own] = await Promise.all([
      this.namesOfOrganizations([organization]),
      this.rolesOfOrganizations([organization]),
    ]);
    if (isNotFound(names.get(organization))) return false;
    return assignableIn(organization, listed, itemsIn(own.get(organization))).includes(role);
  }

  /** The listed roles, and this one if it's among those that a list leaves out. */
  async #rolesWith(id: string): Promise<readonly RoleRecord[]> {
    const answer = await this.roles();
    const listed = itemsIn(answer);
    const isPart = answer.error instanceof IncompleteListError;
    if (!isPart || listed.some((role) => role.id === id)) return listed;
    const alone = await this.#one("role", id, { read: (_, signal) => readRole(this.client, id, signal) });
    // Where it can't be read either, it may be there.
    return isNotFound(alone) ? listed : [...listed, alone.value ?? { id }];
  }

  async #isKnownGroup(id: string): Promise<boolean> {
    return !isNotFound((await this.namesOfGroups([id])).get(id));
  }

  /** Undefined if there are more, or not all can be read. */
  async #groupsUpTo(most: number): Promise<GroupRecord[] | undefined> {
    const all = this.#asked.get("groups ") as Promise<Answer<GroupRecord[]>> | undefined;
    if (all !== undefined) {
      const { value = [], reason } = await all;
      return reason === undefined && value.length <= most ? value : undefined;
    }
    const answer = await this.#one("someGroups", String(most), {
      read: async (_, signal) => {
        const some = await readSomeGroups(this.client, most, signal);
        this.#noted(some.items);
        return some;
      },
      isSpare: true,
    });
    if (answer.value?.isMore !== false) return undefined;
    this.#asked.set("groups ", Promise.resolve({ value: answer.value.items }));
    return answer.value.items;
  }

  /** The roles of each of these groups. Undefined if one doesn't answer. `mayBeGone`: unless it is gone. */
  async #rolesOfAll(
    groups: readonly string[],
    { mayBeGone }: { mayBeGone: boolean },
  ): Promise<Map<string, RoleRecord[]> | undefined> {
    const call = { ...this.#rolesOfGroup, isSpare: true };
    const isLost = ({ error }: Answer<unknown>) =>
      error !== undefined && !(mayBeGone && error instanceof NotFoundError);
    const [first] = groups;
    // If the tenant doesn't answer one, it answers none.
    if (first !== undefined && isLost(await this.#one("rolesOfGroups", first, call))) return undefined;
    const answers = await this.#each("rolesOfGroups", groups, call);
    if ([...answers.values()].some(isLost)) return undefined;
    return valuesIn(answers);
  }

  /** The list's first page. */
  #someGroups(): Promise<Answer<GroupRecord[]>> {
    return this.#one("groupPage", "", {
      read: async (_, signal) => this.#noted((await readGroupPage(this.client, {}, signal)).items),
      isSpare: true,
    });
  }

  /** Reads some groups if that may save requests. */
  async #listNames(groups: readonly string[]): Promise<void> {
    const unknown = new Set(groups.filter((id) => !this.#asked.has(`namesOfGroups ${id}`)));
    if (this.#listedNames !== undefined || unknown.size <= FEW_NAMES) return;
    const answer = await this.#someGroups();
    this.#noteRefusal("namesOfGroups", answer);
  }

  #noted(groups: GroupRecord[]): GroupRecord[] {
    this.#listedNames ??= new Map();
    for (const { id, name } of groups) this.#listedNames.set(id, name ?? undefined);
    return groups;
  }

  async #each<Value>(
    name: string,
    ids: readonly string[],
    call: QuestionById<Value> & { what: string },
    onAnswer?: OnAnswer<Value>,
  ): Promise<Map<string, Answer<Value>>> {
    const all = new Set(ids);
    if (all.size === 0) return new Map();
    const answered = this.progress?.counting(`Reading ${call.what}`, all.size);
    const ask = async (id: string) => {
      const answer = await this.#one(name, id, call);
      answered?.();
      onAnswer?.(id, answer);
      return [id, answer] as const;
    };
    return new Map(await Promise.all([...all].map(ask)));
  }

  #one<Value>(name: string, id: string, call: QuestionById<Value>): Promise<Answer<Value>> {
    const key = `${name} ${id}`;
    const known = this.#asked.get(key) as Promise<Answer<Value>> | undefined;
    if (known !== undefined) return known;
    const first = this.#firsts.get(name);
    const asking = this.#ask(name, id, call, first);
    if (call.isFirstAlone === true && first === undefined) this.#firsts.set(name, asking);
    this.#asked.set(key, asking);
    return asking;
  }

  async #ask<Value>(
    name: string,
    id: string,
    {
      read,
      missing = NOT_THERE,
      denied,
      isNewer = false,
      isFirstAlone = false,
      isSpare = false,
    }: QuestionById<Value>,
    first: Promise<unknown> | undefined,
  ): Promise<Answer<Value>> {
    if (first !== undefined) await first;
    const refused = this.#refused.get(name);
    if (refused !== undefined) return refused;
    const answer = await this.#questions.ask({
      ask: (signal) => read(id, signal),
      reasonOf: (error) => (error instanceof NotFoundError ? missing : shortReason(error)),
      isNewer,
      isSpare,
    });
    if (isFirstAlone) this.#noteRefusal(name, answer);
    return (isNotFound(answer) ? await denied?.(id) : undefined) ?? answer;
  }

  #noteRefusal(name: string, { reason, error }: Answer<unknown>): void {
    if (error instanceof InsufficientScopeError) this.#refused.set(name, { reason: reason ?? "", error });
  }
}

function deniedHolders(key: string): DeniedList {
  const { organization, role } = roleOfKey(key);
  const path = `/roles/${role}/groups`;
  const list = organization === undefined ? path : `/organizations/${organization}${path}`;
  return { error: new DeniedListError(`GET ${list}`, "role"), reason: NO_HOLDERS };
}

function deniedRoles(group: string): DeniedList {
  return { error: new DeniedListError(`GET /groups/${group}/roles`, "group"), reason: NO_ROLES };
}

/** Ids of the roles that can be assigned in an organization. `listed`: the tenant's; `others`: only there. */
export function assignableIn(
  organization: string,
  listed: readonly RoleRecord[],
  others: readonly RoleRecord[] = [],
): string[] {
  // The tenant's list may have the roles of other organizations, too.
  const here = listed.filter((role) => isAssignableIn(organization, role));
  return [...new Set([...here, ...others].map(({ id }) => id))];
}

/** As many entries as were read. */
function itemsIn<Item>({ value = [], error }: Partial<Answer<Item[]>> = {}): readonly Item[] {
  return error instanceof IncompleteListError ? (error.part as Item[]) : value;
}

function rolesOf(named: NonNullable<Holders["named"]>, isOf: (group: string) => boolean): Set<string> {
  return new Set(named.filter(({ group }) => isOf(group)).map(({ role }) => role));
}

/** The value. Throws the error of a question without an answer. */
export function valueOf<Value>({ value, reason, error }: Answer<Value>): Value {
  if (reason === undefined) return value;
  throw error;
}

/** As much of a list as the tenant returned, and why the rest is missing: to show, not to decide. */
export function partOf<Item>(answer: Answer<Item[]>): { items: Item[]; incomplete?: IncompleteListError } {
  const { error } = answer;
  if (!(error instanceof IncompleteListError)) return { items: valueOf(answer) };
  return { items: error.part as Item[], incomplete: error };
}

/** The answer, for a command that goes on without it. Throws an error that concerns all questions. */
export function goingOn<Value>(answer: Answer<Value>): Answer<Value> {
  if (!concernsOneQuestion(answer.error)) valueOf(answer);
  return answer;
}
