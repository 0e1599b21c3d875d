import { holderId } from "../../../provider/access/edge";
import {
  type Effects,
  type HoldersOf,
  type Note,
  type NotReviewable,
  type RolePermissions,
} from "../../../provider/review/effects";
import { compare, hiddenIn, type Step } from "../../../provider/review/step";
import { type Members } from "../../../provider/service/groups";
import { type DirectHolders } from "../../../provider/service/roles";
import { type ProfileNames } from "../../pending";
import { type Rules } from "../../rules/judge";
import { type Answer } from "../../tenant/questions";
import { id as idPart, say, type Sentence, some, word } from "../../../provider/review/sentence";

/* The tenant's answers, and what the review derives from them. */

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

export interface Tenant {
  /** Its host name, and others under which state may know it. */
  hosts: readonly string[];
  /** The reason why the tenant couldn't be asked. */
  notConfigured: string | undefined;
  groups: ReadonlyMap<string, Answer<readonly NamedGroup[]>>;
  /** By id, names of roles, and of groups without any of these roles. */
  names: ReadonlyMap<string, string>;
  /** Reasons why some names could not be read. */
  unnamed: readonly NotRead[];
  permissions: ReadonlyMap<string, Answer<readonly SamplePermission[]>>;
  /** All users' credentials; undefined if the list isn't complete, or none is removed. */
  credentials: ReadonlySet<string> | undefined;
  /** With this tenant's ids in place of names; undefined if there are none. */
  rules: Answer<Rules> | undefined;
  /** Roles that the rules name by ids that may not be the tenant's, and why nobody knows. */
  uncheckedIds: { ids: readonly string[]; reason: string } | undefined;
  /** Names of profiles, if some are created. */
  profiles: Answer<ProfileNames> | undefined;
  /** Roles in conflict with those that change. */
  beside: readonly string[];
  /** Members of groups that gain or lose a role, and of some that have it. */
  members: ReadonlyMap<string, Answer<Members>>;
  /** Who has the changing roles, and those in conflict with them, directly. */
  direct: ReadonlyMap<string, Answer<DirectHolders>>;
  /** Permissions of the changing roles. */
  rolePermissions: ReadonlyMap<string, Answer<readonly RolePermissions["permissions"][number][]>>;
}

export interface NotRead {
  what: "names of roles" | "names of groups" | "members of groups" | "permissions of roles";
  reason: string;
}

export interface RoleOfTenant {
  tenant: string | undefined;
  role: string;
  groups: readonly string[];
}

/** True if a resource is on the tenant that answered; for some, the preview doesn't name the tenant. */
function isAsked(tenant: Tenant, name: string | undefined): boolean {
  return name !== undefined && tenant.hosts.includes(name);
}

export function holdersIn(tenant: Tenant): HoldersOf {
  const sets = new Map<string, ReadonlySet<string>>();
  for (const [role, answer] of tenant.groups)
    if ("value" in answer) sets.set(role, new Set(answer.value.map((group) => group.id)));
  return (name, role) => (isAsked(tenant, name) ? sets.get(role) : undefined);
}

/** Returns the people who have a role directly, as far as they were read. */
export function directIn({
  direct,
}: Pick<Tenant, "direct">): (role: string) => ReadonlySet<string> | undefined {
  const sets = new Map<string, ReadonlySet<string>>();
  for (const [role, answer] of direct) if ("value" in answer) sets.set(role, new Set(answer.value.people));
  return (role) => sets.get(role);
}

/** Returns removals of credentials that don't exist: the id may have a typo. */
export function missingCredentials(removals: Effects["removals"], tenant: Tenant): Note[] {
  const { credentials } = tenant;
  if (credentials === undefined) return [];
  return removals
    .filter((one) => isAsked(tenant, one.tenant) && !credentials.has(one.id))
    .map(({ name, tenant: host, id }) => ({
      name,
      tenant: host,
      reason: say`${idPart(id)} isn't on the tenant: if its id has a typo, the lost device keeps its access`,
    }));
}

/** Returns the credentials that a change removes. */
export function credentialsIn(steps: readonly Step[]): string[] {
  const made = steps.filter(({ kind, op }) => kind === "DeviceCredentialRemoval" && op !== "same");
  return made.flatMap(({ after }) => {
    const id = after?.inputs["deviceCredentialId"];
    return typeof id === "string" && hiddenIn(id) === undefined ? [id] : [];
  });
}

export function rolesIn(steps: readonly Step[]): RoleOfTenant[] {
  const sides = steps.filter(({ op }) => op !== "same").flatMap(({ before, after }) => [before, after]);
  return sides.flatMap((side) => {
    const role = side?.inputs["roleId"];
    if (typeof role !== "string" || hiddenIn(role) !== undefined) return [];
    const groups = side?.inputs["groupIds"];
    const told = (Array.isArray(groups) ? groups : []).filter(
      (group): group is string => typeof group === "string" && hiddenIn(group) === undefined,
    );
    return [{ tenant: side?.tenant, role, groups: told }];
  });
}

export function shownNames(
  tenant: Tenant,
  { access, unknown }: Pick<Effects, "access" | "unknown">,
  others: readonly string[] = [],
): Record<string, string> {
  const sources = valuesOf(tenant.permissions).flatMap((permission) => permission.sources ?? []);
  const names = new Map([
    ...tenant.names,
    ...[...valuesOf(tenant.groups), ...sources].map(({ id, name = "" }) => [id, name] as const),
  ]);
  const rows = access
    .filter((one) => isAsked(tenant, one.tenant))
    .flatMap(({ role, holder }) => [role, holderId(holder)]);
  const parts = unknown.flatMap(({ reason }) => reason.parts);
  const inReasons = parts.flatMap((part) => (typeof part === "object" && "id" in part ? [part.id] : []));
  const named = distinct([...rows, ...inReasons, ...others]).map((id) => [id, names.get(id) ?? ""] as const);
  return Object.fromEntries(named.filter(([, name]) => name !== ""));
}

/** Returns the permissions of a review's roles: from the tenant's list, or else from sample users. */
export function permissionsIn(tenant: Tenant, { access }: Pick<Effects, "access">): RolePermissions[] {
  const here = access.filter((row) => isAsked(tenant, row.tenant));
  const roles = distinct(here.map(({ role }) => role));
  const sampled = new Map(roles.map((role) => [role, new Map<string, Permission>()]));
  for (const { resourceServer, name, sources = [] } of valuesOf(tenant.permissions))
    for (const { id } of sources) sampled.get(id)?.set(`${resourceServer} ${name}`, { resourceServer, name });
  return roles.flatMap((role): RolePermissions[] => {
    const listed = tenant.rolePermissions.get(role);
    if (listed !== undefined && "value" in listed)
      return [{ role, from: "role", permissions: sortedPermissions(listed.value) }];
    const found = [...(sampled.get(role)?.values() ?? [])];
    return tenant.permissions.size === 0
      ? []
      : [{ role, from: "sample", permissions: sortedPermissions(found) }];
  });
}

type Permission = RolePermissions["permissions"][number];

function sortedPermissions(permissions: readonly Permission[]): Permission[] {
  const key = ({ resourceServer, name }: Permission) => `${resourceServer} ${name}`;
  return [...permissions].sort((one, other) => compare(key(one), key(other)));
}

export function valuesOf<Value>(answers: ReadonlyMap<string, Answer<readonly Value[]>>): Value[] {
  return [...answers.values()].flatMap((answer) => ("value" in answer ? answer.value : []));
}

export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compare);
}

export function answersOf(
  roles: readonly RoleOfTenant[],
  tenant: Tenant,
): { unknown: NotReviewable[]; notes: Note[] } {
  if (roles.length === 0) return { unknown: [], notes: [] };
  if (tenant.notConfigured !== undefined)
    return { unknown: [refused(say`who has the roles today`, tenant.notConfigured)], notes: [] };
  const asked = distinct(roles.filter((one) => isAsked(tenant, one.tenant)).map(({ role }) => role));
  const unread = new Map<string, string[]>();
  for (const role of asked) {
    const answer = tenant.groups.get(role);
    if (answer !== undefined && "reason" in answer)
      unread.set(answer.reason, [...(unread.get(answer.reason) ?? []), role]);
  }
  const isAnswered = asked.some((role) => "value" in (tenant.groups.get(role) ?? {}));
  return {
    unknown: [
      ...[...unread].map(([reason, ids]) => refused(say`who has ${some(ids)} today`, reason)),
      ...(asked.length === 0 ? [] : [...tenant.permissions].flatMap(ofSampleUser)),
    ],
    notes: [...(isAnswered ? readingNotes(tenant) : []), ...elsewhere(roles, tenant)],
  };
}

function readingNotes({ hosts, unnamed }: Tenant): Note[] {
  return [
    note(say`${hosts[0] ?? ""} was asked who has these roles today`),
    ...unnamed.map(({ what, reason }) => note(say`${word(what)} are not shown (${reason})`)),
  ];
}

function ofSampleUser([user, answer]: [string, Answer<readonly SamplePermission[]>]): NotReviewable[] {
  if ("reason" in answer) return [refused(say`what the sample user ${user} may do`, answer.reason)];
  if (answer.value.every(({ sources }) => sources !== undefined)) return [];
  const what = say`through which roles the sample user ${user} may do something`;
  return [notReviewable(say`${what}: this release doesn't know the form in which the tenant tells it`)];
}

/** Notes roles that could not be read, because the client is of another tenant. */
function elsewhere(roles: readonly RoleOfTenant[], tenant: Tenant): Note[] {
  const others = roles.filter((role) => !isAsked(tenant, role.tenant));
  return distinct(others.map((role) => role.tenant ?? "")).map((name) =>
    note(
      name === ""
        ? say`nothing was read where the preview doesn't tell the tenant: set identity:domain in the stack's configuration`
        : say`nothing was read of ${name}: the client is one of ${tenant.hosts[0] ?? ""}`,
    ),
  );
}

function refused(what: Sentence, reason: string): NotReviewable {
  return notReviewable(say`${what} could not be read (${reason})`);
}

function notReviewable(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: [] };
}

function note(reason: Sentence): Note {
  return { name: undefined, reason };
}
