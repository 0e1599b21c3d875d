import { type Today } from "../../../provider/access/change";
import { type Edge, holderId, isOfGroup, roleKey, roleOfKey } from "../../../provider/access/edge";
import { type Members, type MembersOf } from "../../../provider/access/people";
import { type RemovedCredential } from "../../../provider/review/credential";
import { type RolePermissions } from "../kinds/effects";
import { type DirectHolders } from "../../../provider/service/roles";
import { type ProfileNames } from "../../pending";
import { type Rules } from "../../rules/judge";
import { type UncheckedIds } from "../../rules/organizations";
import { type SignInsOfUser } from "../../tenant/reader";
import { type Answer, type Answers, valuesIn } from "../../tenant/questions";

interface NamedGroup {
  id: string;
  name: string | undefined;
}

export interface SamplePermission {
  resourceServer: string;
  name: string;
  /** Roles that give it, with an empty id for a direct grant; undefined if the form is unknown. */
  sources: { id: string; name: string }[] | undefined;
}

/** A tenant's answers to a review. */
export interface TenantAnswers {
  /** Its host name, and others under which state may know it. */
  hosts: readonly string[];
  /** The reason why the tenant couldn't be asked. */
  notConfigured: string | undefined;
  /** By the role's key: the groups that have it there. */
  groups: Answers<readonly NamedGroup[]>;
  /** By id, names of roles and organizations, and of groups without any of these roles. */
  names: ReadonlyMap<string, string>;
  /** Reasons why some names could not be read. */
  unnamed: readonly NotRead[];
  /** Groups of the change that the tenant doesn't have. */
  absentGroups: ReadonlySet<string>;
  /** By sample user. */
  permissions: Answers<readonly SamplePermission[]>;
  /** All users' device credentials, by id. Undefined if the list isn't complete, or none is removed. */
  credentials: ReadonlyMap<string, RemovedCredential> | undefined;
  /** By user: what each is signed in with whom the change signs out. */
  signIns: ReadonlyMap<string, SignInsOfUser>;
  /** With this tenant's ids in place of names; undefined if there are none. */
  rules: Answer<Rules> | undefined;
  /** Roles and organizations that the rules name by ids that may not be the tenant's. */
  uncheckedIds: readonly UncheckedIds[];
  /** All organizations, if the rules compare a changing role across them. */
  organizations: Answer<readonly string[]> | undefined;
  /** Names of profiles, if some are created. */
  profiles: Answer<ProfileNames> | undefined;
  /** Members of groups that gain or lose a role, and of some that have it. */
  members: Answers<Members>;
  /** Who has the changing roles, and those in conflict with them, directly. */
  direct: Answers<DirectHolders>;
  /** Permissions of the changing roles, by id. */
  rolePermissions: Answers<readonly RolePermissions["permissions"][number][]>;
}

export interface NotRead {
  what:
    | "names of roles"
    | "names of organizations"
    | "names of groups"
    | "members of groups"
    | "permissions of roles"
    | "owners of device credentials";
  reason: string;
}

/** The answers of a tenant that nothing was asked of. */
export function noAnswers(hosts: readonly string[] = []): TenantAnswers {
  return {
    hosts,
    notConfigured: undefined,
    groups: new Map(),
    names: new Map(),
    unnamed: [],
    absentGroups: new Set(),
    permissions: new Map(),
    credentials: undefined,
    signIns: new Map(),
    profiles: undefined,
    rules: undefined,
    uncheckedIds: [],
    organizations: undefined,
    members: new Map(),
    direct: new Map(),
    rolePermissions: new Map(),
  };
}

/** True if a resource is on the tenant that answered; for some, the preview doesn't name the tenant. */
export function isAsked({ hosts }: Pick<TenantAnswers, "hosts">, host: string | undefined): boolean {
  return host !== undefined && hosts.includes(host);
}

/** Undefined if nobody asked, or there was no answer. */
export function answered<Value>(answers: Answers<Value>, id: string): Value | undefined {
  return answers.get(id)?.value;
}

export function valuesOf<Value>(answers: Answers<readonly Value[]>): Value[] {
  return [...valuesIn(answers).values()].flat();
}

type IdLookup = (id: string) => ReadonlySet<string> | undefined;

function idsIn<Value>(answers: Answers<Value>, idsOf: (value: Value) => Iterable<string>): IdLookup {
  const sets = new Map([...valuesIn(answers)].map(([id, value]) => [id, new Set(idsOf(value))]));
  return (id) => sets.get(id);
}

export function todayIn(answers: Pick<TenantAnswers, "hosts" | "groups" | "direct">): Today {
  const groupsOf = idsIn(answers.groups, (groups) => groups.map(({ id }) => id));
  const peopleOf = idsIn(answers.direct, ({ people }) => people);
  return {
    groups: (host, at) => (isAsked(answers, host) ? groupsOf(roleKey(at)) : undefined),
    has: (edge) => {
      if (!isAsked(answers, edge.tenant)) return undefined;
      const key = roleKey(edge);
      const holdersOf = isOfGroup(edge) ? groupsOf : peopleOf;
      // Of very many people, only a part was read.
      const isPart = !isOfGroup(edge) && answered(answers.direct, key)?.isMore === true;
      const isThere = holdersOf(key)?.has(holderId(edge.holder));
      return isThere === false && isPart ? undefined : isThere;
    },
  };
}

/** Returns a group's known members: none if it wasn't read, and only some if it has too many. */
export function membersIn({ members }: Pick<TenantAnswers, "members">): IdLookup {
  return idsIn(members, ({ people }) => people);
}

export function membersOf({ members }: Pick<TenantAnswers, "members">): MembersOf {
  return (group) => answered(members, group);
}

/** Returns the groups that have a role today, as far as they were read. */
export function groupsWith(role: string, { groups }: Pick<TenantAnswers, "groups">): Edge[] {
  return (answered(groups, role) ?? []).map(({ id }) => ({ ...roleOfKey(role), holder: { group: id } }));
}

/** Returns who has the roles today that were asked for, in a group or directly. */
export function edgesToday({ groups, direct }: Pick<TenantAnswers, "groups" | "direct">): Edge[] {
  return [
    ...[...groups.keys()].flatMap((role) => groupsWith(role, { groups })),
    ...[...direct.keys()].flatMap((role) =>
      (answered(direct, role)?.people ?? []).map((user) => ({ ...roleOfKey(role), holder: { user } })),
    ),
  ];
}
