import { type Effects, type RolePermissions } from "./effects";
import { compare, SECRET, type Side, type Step, UNKNOWN } from "./preview";

/*
 * What `--read` has learned of the tenant, and what the review takes from it. What asks is in ask.ts: it loads the client,
 * and is itself loaded only by those who ask.
 */

export type Answer<Value> = { value: Value } | { reason: string };

export interface Group {
  id: string;
  name: string | undefined;
}

export interface SamplePermission {
  resourceServer: string;
  name: string;
  /** Roles that the user has it from, and an empty id for a direct grant; undefined: not told in a way that is known. */
  sources: { id: string; name: string }[] | undefined;
}

export interface Tenant {
  /** Its host name, and those under which state may know it. */
  names: readonly string[];
  /** Why nobody could be asked. */
  notConfigured: string | undefined;
  /** The groups of each role that the review names. */
  groups: ReadonlyMap<string, Answer<readonly Group[]>>;
  /** By id of the sample user. */
  permissions: ReadonlyMap<string, Answer<readonly SamplePermission[]>>;
}

export interface RoleOfTenant {
  tenant: string | undefined;
  role: string;
}

/** The groups that have a role today; undefined where that was not asked, or not answered. */
export type Holders = (tenant: string | undefined, role: string) => ReadonlySet<string> | undefined;

export const NOT_ASKED: Holders = () => undefined;

/** Whether a resource is on the tenant that was asked; of some, the preview does not tell where they are. */
export function isAsked(tenant: Tenant, name: string | undefined): boolean {
  return name !== undefined && tenant.names.includes(name);
}

export function holdersIn(tenant: Tenant): Holders {
  const sets = new Map<string, ReadonlySet<string>>();
  for (const [role, answer] of tenant.groups)
    if ("value" in answer) sets.set(role, new Set(answer.value.map((group) => group.id)));
  return (name, role) => (isAsked(tenant, name) ? sets.get(role) : undefined);
}

/** The roles of a preview's assignments, as far as it tells them. */
export function rolesIn(steps: readonly Step[]): RoleOfTenant[] {
  const sides = steps
    .filter(({ kind }) => kind === "RoleGroupAssignment")
    .flatMap(({ before, after }) => [before, after]);
  return sides.flatMap((side) => {
    const role = roleOf(side);
    return role === undefined ? [] : [{ tenant: side?.tenant, role }];
  });
}

/** Undefined for what is unknown or secret. */
function roleOf(side: Side | undefined): string | undefined {
  const role = side?.inputs["roleId"];
  return typeof role === "string" && role !== UNKNOWN && role !== SECRET ? role : undefined;
}

/** Names of the groups and roles that a review shows. */
export function namesIn(tenant: Tenant, { access, unknown }: Effects): Record<string, string> {
  const sources = valuesOf(tenant.permissions).flatMap((permission) => permission.sources ?? []);
  const names = new Map([...valuesOf(tenant.groups), ...sources].map(({ id, name = "" }) => [id, name]));
  const rows = access
    .filter((one) => isAsked(tenant, one.tenant))
    .flatMap(({ role, group }) => [role, group]);
  const parts = unknown.flatMap(({ reason }) => reason.parts);
  const others = parts.flatMap((part) => (typeof part === "object" && "id" in part ? [part.id] : []));
  const named = distinct([...rows, ...others]).map((id) => [id, names.get(id) ?? ""] as const);
  return Object.fromEntries(named.filter(([, name]) => name !== ""));
}

/** What the roles of a review allow, as sample users have it; of a role that none of them has, nothing. */
export function permissionsIn(tenant: Tenant, { access }: Effects): RolePermissions[] {
  if (tenant.permissions.size === 0) return [];
  const byRole = new Map<string, Map<string, { resourceServer: string; name: string }>>();
  for (const { tenant: name, role } of access) if (isAsked(tenant, name)) byRole.set(role, new Map());
  for (const { resourceServer, name, sources = [] } of valuesOf(tenant.permissions))
    for (const { id } of sources) byRole.get(id)?.set(`${resourceServer} ${name}`, { resourceServer, name });
  return [...byRole].map(([role, permissions]) => {
    const sorted = [...permissions].sort(([one], [other]) => compare(one, other));
    return { role, permissions: sorted.map(([, permission]) => permission) };
  });
}

function valuesOf<Value>(answers: ReadonlyMap<string, Answer<readonly Value[]>>): Value[] {
  return [...answers.values()].flatMap((answer) => ("value" in answer ? answer.value : []));
}

export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compare);
}
