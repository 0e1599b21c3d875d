import { type HoldersOf } from "../../../provider/review/effects";
import { type Answer } from "../../tenant/questions";
import { holdersIn, isAsked, type TenantAnswers } from "./answers";

/**
 * Merges the answers of stacks on one tenant, in the order of the stacks: with different settings they ask as
 * different clients, and each knows only its own answers.
 */
export function mergedTenants(
  tenants: readonly (TenantAnswers | undefined)[],
): (tenant: TenantAnswers | undefined) => TenantAnswers | undefined {
  const merged: TenantAnswers[] = [];
  for (const tenant of new Set(tenants.filter((answers) => answers !== undefined))) {
    const same = merged.filter((before) => isSame(before, tenant));
    const others = merged.filter((before) => !same.includes(before));
    merged.splice(0, merged.length, ...others, [...same, tenant].reduce(both));
  }
  return (tenant) => tenant && merged.find((answers) => isSame(answers, tenant));
}

/** Returns the one name of a tenant that state may know by a former one. */
export type HostOf = (host: string | undefined) => string | undefined;

export function hostIn(tenants: readonly (TenantAnswers | undefined)[]): HostOf {
  return (host) => answersOn(tenants, host)?.hosts[0] ?? host;
}

/** Returns the answers of the tenant with this name. */
export function answersOn(
  tenants: readonly (TenantAnswers | undefined)[],
  host: string | undefined,
): TenantAnswers | undefined {
  return tenants.find((tenant) => tenant !== undefined && isAsked(tenant, host));
}

function isSame({ hosts }: TenantAnswers, { hosts: others }: TenantAnswers): boolean {
  return hosts.some((host) => others.includes(host));
}

function both(one: TenantAnswers, other: TenantAnswers): TenantAnswers {
  const rules = [one.rules, other.rules].filter((answer) => answer !== undefined);
  return {
    hosts: [...new Set([...one.hosts, ...other.hosts])],
    notConfigured: one.notConfigured ?? other.notConfigured,
    groups: answersOfBoth(one.groups, other.groups),
    names: new Map([...other.names, ...one.names]),
    unnamed: [...one.unnamed, ...other.unnamed],
    permissions: answersOfBoth(one.permissions, other.permissions),
    credentials: one.credentials ?? other.credentials,
    profiles: one.profiles ?? other.profiles,
    rules: rules.find((answer) => "value" in answer) ?? rules[0],
    uncheckedIds: one.uncheckedIds && other.uncheckedIds,
    members: answersOfBoth(one.members, other.members),
    direct: answersOfBoth(one.direct, other.direct),
    rolePermissions: answersOfBoth(one.rolePermissions, other.rolePermissions),
  };
}

function answersOfBoth<Value>(
  one: ReadonlyMap<string, Answer<Value>>,
  other: ReadonlyMap<string, Answer<Value>>,
): Map<string, Answer<Value>> {
  const answers = new Map([...other, ...one]);
  for (const [id, answer] of other) if ("reason" in (answers.get(id) ?? answer)) answers.set(id, answer);
  return answers;
}

/** Returns the groups that have a role on any of these tenants. */
export function holdersOn(tenants: readonly TenantAnswers[]): HoldersOf {
  const each = tenants.map((tenant) => ({ tenant, holders: holdersIn(tenant) }));
  return (host, role) => each.find(({ tenant }) => isAsked(tenant, host))?.holders(host, role);
}
