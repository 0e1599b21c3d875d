import { type Today } from "../../../provider/access/change";
import { type Answers } from "../../tenant/questions";
import { isAsked, type TenantAnswers, todayIn } from "./answers";

/**
 * Merges the answers of stacks on one tenant, in the order of the stacks: with different settings they ask as
 * different clients, and each knows only its own answers.
 */
export function mergedAnswers(
  all: readonly (TenantAnswers | undefined)[],
): (own: TenantAnswers | undefined) => TenantAnswers | undefined {
  const merged: TenantAnswers[] = [];
  for (const answers of new Set(all.filter((one) => one !== undefined))) {
    const same = merged.filter((before) => isSame(before, answers));
    const others = merged.filter((before) => !same.includes(before));
    merged.splice(0, merged.length, ...others, [...same, answers].reduce(both));
  }
  return (own) => own && merged.find((answers) => isSame(answers, own));
}

/** Returns the one name of a tenant that state may know by a former one. */
export type HostOf = (host: string | undefined) => string | undefined;

export function hostIn(all: readonly (TenantAnswers | undefined)[]): HostOf {
  return (host) => answersOn(all, host)?.hosts[0] ?? host;
}

/** Returns the answers of the tenant with this name. */
export function answersOn(
  all: readonly (TenantAnswers | undefined)[],
  host: string | undefined,
): TenantAnswers | undefined {
  return all.find((answers) => answers !== undefined && isAsked(answers, host));
}

function isSame({ hosts }: TenantAnswers, { hosts: others }: TenantAnswers): boolean {
  return hosts.some((host) => others.includes(host));
}

function both(one: TenantAnswers, other: TenantAnswers): TenantAnswers {
  const rules = [one.rules, other.rules].filter((answer) => answer !== undefined);
  const organizations = [one.organizations, other.organizations].filter((answer) => answer !== undefined);
  return {
    hosts: [...new Set([...one.hosts, ...other.hosts])],
    notConfigured: one.notConfigured ?? other.notConfigured,
    groups: answersOfBoth(one.groups, other.groups),
    names: new Map([...other.names, ...one.names]),
    unnamed: [...one.unnamed, ...other.unnamed],
    permissions: answersOfBoth(one.permissions, other.permissions),
    credentials: one.credentials ?? other.credentials,
    profiles: one.profiles ?? other.profiles,
    rules: rules.find(({ reason }) => reason === undefined) ?? rules[0],
    uncheckedIds: other.uncheckedIds.length === 0 ? [] : one.uncheckedIds,
    organizations: organizations.find(({ reason }) => reason === undefined) ?? organizations[0],
    members: answersOfBoth(one.members, other.members),
    direct: answersOfBoth(one.direct, other.direct),
    rolePermissions: answersOfBoth(one.rolePermissions, other.rolePermissions),
  };
}

function answersOfBoth<Value>(one: Answers<Value>, other: Answers<Value>): Answers<Value> {
  const better = [...one].filter(([id, { reason }]) => reason === undefined || !other.has(id));
  return new Map([...other, ...better]);
}

/** Returns what is on any of these tenants today. */
export function todayOn(all: readonly TenantAnswers[]): Today {
  const each = all.map((answers) => ({ answers, today: todayIn(answers) }));
  const on = (host: string | undefined) => each.find(({ answers }) => isAsked(answers, host))?.today;
  return { groups: (host, at) => on(host)?.groups(host, at), has: (edge) => on(edge.tenant)?.has(edge) };
}
