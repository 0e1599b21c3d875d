import { type IdentityClient } from "../../provider/http/client";
import {
  IncompleteListError,
  InsufficientScopeError,
  NotFoundError,
  shortReason,
} from "../../provider/http/errors";
import { DEVICE_CREDENTIAL_TYPES, listCredentialIds } from "../../provider/service/device-credentials";
import {
  type GroupRecord,
  groupsNamed,
  listGroups,
  type Members,
  readGroupName,
  readGroupRoles,
  readMembers,
} from "../../provider/service/groups";
import {
  type DirectHolders,
  type EffectiveRole,
  listRolePermissions,
  listRoles,
  readEffectiveRoles,
  readRoleGroups,
  readRoleUsers,
  readSourceGroups,
  type RoleGroupRecord,
  type RoleRecord,
} from "../../provider/service/roles";
import { listUserPermissions, type PermissionRecord } from "../../provider/service/users";
import { type Asked, Questions } from "./questions";

/** If a group has more, the answer says so. */
export const MOST_PEOPLE = 1_000;

export const NOT_THERE = "404: not on the tenant";
/** Another call has just named the group, so it may have members all the same. */
const NO_MEMBERS = "404: the tenant doesn't list its members";
const NO_USERS = "404: the tenant doesn't list who has it directly";
const NO_SUCH_LIST = "404: the tenant does not know this list";

/** Called with each answer of several; what it throws ends the questions. */
type OnAnswer<Value> = (id: string, answer: Asked<Value>) => void;

/** Shows a person how many of several are done; call the result after each. */
export interface Counting {
  counting: (what: string, all: number) => () => void;
}

interface Call<Value> {
  read: (id: string, signal: AbortSignal | undefined) => Promise<Value>;
  /** The reason if it's answered 404. */
  missing?: string;
  /** The official client has the call, the source document doesn't: not every tenant knows it. */
  isNewer?: boolean;
  /** Only informs: if the first is refused for want of a scope, the others aren't sent. */
  isFirstAlone?: boolean;
}

/**
 * Reads who has what on a tenant: each question is asked once, whatever asks, and an answer is either whole
 * or says why not. Texts are as the tenant wrote them, so quote what leaves the process.
 */
export class TenantReader {
  readonly #questions: Questions;
  readonly #asked = new Map<string, Promise<Asked<unknown>>>();
  /** By call: the refusal that holds for all ids. */
  readonly #refused = new Map<string, Asked<never>>();

  /** `longestSilenceMs`: drops all questions if nothing is answered for so long. */
  constructor(
    private readonly client: IdentityClient,
    private readonly progress?: Counting,
    longestSilenceMs?: number,
  ) {
    this.#questions = new Questions(longestSilenceMs);
  }

  /** All roles, those of organizations too. */
  roles(): Promise<Asked<RoleRecord[]>> {
    return this.#one("roles", "", { read: (_, signal) => listRoles(this.client, signal) });
  }

  /** All groups of the directory. */
  groups(): Promise<Asked<GroupRecord[]>> {
    return this.#one("groups", "", { read: (_, signal) => listGroups(this.client, {}, signal) });
  }

  /** By role: the groups that have it. */
  groupsOfRoles(
    roles: readonly string[],
    onAnswer?: OnAnswer<RoleGroupRecord[]>,
  ): Promise<Map<string, Asked<RoleGroupRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => readRoleGroups(this.client, id, signal);
    return this.#each("groupsOfRoles", roles, { what: "groups of roles", read }, onAnswer);
  }

  /** By group: the roles that it has. A group has a few roles, while a tenant has hundreds. */
  rolesOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<RoleRecord[]>,
  ): Promise<Map<string, Asked<RoleRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => readGroupRoles(this.client, id, signal);
    return this.#each("rolesOfGroups", groups, { what: "roles of groups", read }, onAnswer);
  }

  /** By role: the people who have it directly, up to {@link MOST_PEOPLE}. */
  usersOfRoles(
    roles: readonly string[],
    onAnswer?: OnAnswer<DirectHolders>,
  ): Promise<Map<string, Asked<DirectHolders>>> {
    const read = (id: string, signal?: AbortSignal) => readRoleUsers(this.client, id, MOST_PEOPLE, signal);
    return this.#each(
      "usersOfRoles",
      roles,
      { what: "who has roles directly:", read, missing: NO_USERS, isFirstAlone: true },
      onAnswer,
    );
  }

  /** By group: its members, up to {@link MOST_PEOPLE}. */
  membersOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<Members>,
  ): Promise<Map<string, Asked<Members>>> {
    const read = (id: string, signal?: AbortSignal) => readMembers(this.client, id, MOST_PEOPLE, signal);
    return this.#each(
      "membersOfGroups",
      groups,
      { what: "members of groups", read, missing: NO_MEMBERS, isFirstAlone: true },
      onAnswer,
    );
  }

  /** By group: its name. */
  namesOfGroups(
    groups: readonly string[],
    onAnswer?: OnAnswer<string | undefined>,
  ): Promise<Map<string, Asked<string | undefined>>> {
    const read = (id: string, signal?: AbortSignal) => readGroupName(this.client, id, signal);
    return this.#each(
      "namesOfGroups",
      groups,
      { what: "names of groups", read, isFirstAlone: true },
      onAnswer,
    );
  }

  /** By name: the groups of exactly this name, one in each connection. */
  groupsNamed(
    names: readonly string[],
    onAnswer?: OnAnswer<GroupRecord[]>,
  ): Promise<Map<string, Asked<GroupRecord[]>>> {
    const read = (name: string, signal?: AbortSignal) => groupsNamed(this.client, name, signal);
    return this.#each("groupsNamed", names, { what: "groups by name", read }, onAnswer);
  }

  /** By role: what it allows. */
  permissionsOfRoles(roles: readonly string[]): Promise<Map<string, Asked<PermissionRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => listRolePermissions(this.client, id, signal);
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
  ): Promise<Map<string, Asked<PermissionRecord[]>>> {
    const read = (id: string, signal?: AbortSignal) => listUserPermissions(this.client, id, signal);
    return this.#each("permissionsOfUsers", users, { what: "permissions of users", read }, onAnswer);
  }

  /** The roles that a user has outside of organizations, with where they come from. */
  rolesOfUser(user: string): Promise<Asked<EffectiveRole[]>> {
    const read = (id: string, signal?: AbortSignal) => readEffectiveRoles(this.client, id, signal);
    return this.#one("rolesOfUser", user, { read, missing: NO_SUCH_LIST, isNewer: true });
  }

  /** The groups through which a user has a role. */
  groupsBehind(user: string, role: string): Promise<Asked<RoleGroupRecord[]>> {
    const read = (_: string, signal?: AbortSignal) => readSourceGroups(this.client, user, role, signal);
    const call = { read, missing: NO_SUCH_LIST, isNewer: true } as const;
    return this.#one("groupsBehind", JSON.stringify([user, role]), call);
  }

  /** By type: the ids of all users' device credentials. */
  credentials(): Promise<Map<string, Asked<string[]>>> {
    const read = (type: string, signal?: AbortSignal) =>
      listCredentialIds(this.client, type as (typeof DEVICE_CREDENTIAL_TYPES)[number], signal);
    return this.#each("credentials", DEVICE_CREDENTIAL_TYPES, { what: "lists of device credentials", read });
  }

  /** Drops what is still being asked. */
  end(): void {
    this.#questions.end();
  }

  async #each<Value>(
    name: string,
    ids: readonly string[],
    call: Call<Value> & { what: string },
    onAnswer?: OnAnswer<Value>,
  ): Promise<Map<string, Asked<Value>>> {
    const all = new Set(ids);
    const [first, ...others] = all;
    if (first === undefined) return new Map();
    const answered = this.progress?.counting(`Reading ${call.what}`, all.size);
    const ask = async (id: string) => {
      const answer = await this.#one(name, id, call);
      answered?.();
      onAnswer?.(id, answer);
      return [id, answer] as const;
    };
    if (!call.isFirstAlone) return new Map(await Promise.all([first, ...others].map(ask)));
    return new Map([await ask(first), ...(await Promise.all(others.map(ask)))]);
  }

  #one<Value>(name: string, id: string, call: Call<Value>): Promise<Asked<Value>> {
    const key = `${name} ${id}`;
    const known = this.#asked.get(key) as Promise<Asked<Value>> | undefined;
    if (known !== undefined) return known;
    const refused = this.#refused.get(name);
    if (refused !== undefined) return Promise.resolve(refused);
    const asking = this.#send(name, id, call);
    this.#asked.set(key, asking);
    return asking;
  }

  async #send<Value>(
    name: string,
    id: string,
    { read, missing = NOT_THERE, isNewer = false, isFirstAlone = false }: Call<Value>,
  ): Promise<Asked<Value>> {
    const answer = await this.#questions.ask({
      ask: (signal) => read(id, signal),
      reasonOf: (error) => (error instanceof NotFoundError ? missing : shortReason(error)),
      isNewer,
    });
    if (isFirstAlone && "error" in answer && answer.error instanceof InsufficientScopeError)
      this.#refused.set(name, answer);
    return answer;
  }
}

/** The value. Throws the error of a question without an answer. */
export function valueOf<Value>(answer: Asked<Value>): Value {
  if ("value" in answer) return answer.value;
  throw answer.error;
}

/** As much of a list as the tenant returned, and why the rest is missing: to show, not to decide. */
export function partOf<Item>(answer: Asked<Item[]>): { items: Item[]; incomplete?: IncompleteListError } {
  if ("value" in answer) return { items: answer.value };
  if (!(answer.error instanceof IncompleteListError)) throw answer.error;
  return { items: answer.error.part as Item[], incomplete: answer.error };
}
