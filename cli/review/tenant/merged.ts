import { type Answer } from "../../tenant/questions";
import { type Tenant } from "./tenant";

/**
 * Merges the answers of stacks on one tenant, in the order of the stacks: with different settings they ask as
 * different clients, and each knows only its own answers.
 */
export function mergedTenants(tenants: readonly (Tenant | undefined)[]): (Tenant | undefined)[] {
  const merged: Tenant[] = [];
  for (const tenant of new Set(tenants))
    if (tenant !== undefined) {
      const same = merged.filter((one) => isSame(one, tenant));
      const others = merged.filter((one) => !same.includes(one));
      merged.splice(0, merged.length, ...others, [...same, tenant].reduce(both));
    }
  return tenants.map((tenant) => tenant && merged.find((one) => isSame(one, tenant)));
}

function isSame({ hosts }: Tenant, { hosts: others }: Tenant): boolean {
  return hosts.some((host) => others.includes(host));
}

function both(one: Tenant, other: Tenant): Tenant {
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
    beside: [...new Set([...one.beside, ...other.beside])],
    members: answersOfBoth(one.members, other.members),
    direct: answersOfBoth(one.direct, other.direct),
    rolePermissions: answersOfBoth(one.rolePermissions, other.rolePermissions),
  };
}

function answersOfBoth<Value>(
  one: ReadonlyMap<string, Answer<Value>>,
  other: ReadonlyMap<string, Answer<Value>>,
): Map<string, Answer<Value>> {
  const found = new Map([...other, ...one]);
  for (const [id, answer] of other) if ("reason" in (found.get(id) ?? answer)) found.set(id, answer);
  return found;
}
