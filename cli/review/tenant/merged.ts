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
  for (const answers of new Set(all.filter((answers) => answers !== undefined))) {
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

function both(first: TenantAnswers, second: TenantAnswers): TenantAnswers {
  // One that was not asked has checked no ids.
  const [judge = first.rules === undefined ? second : first] = [first, second]
    .filter(({ rules }) => rules?.value !== undefined)
    .sort((one, other) => one.uncheckedIds.length - other.uncheckedIds.length);
  return {
    hosts: [...new Set([...first.hosts, ...second.hosts])],
    notConfigured: first.notConfigured ?? second.notConfigured,
    groups: answersOfBoth(first.groups, second.groups),
    names: new Map([...second.names, ...first.names]),
    unnamed: [...first.unnamed, ...second.unnamed],
    absentGroups: new Set([...first.absentGroups, ...second.absentGroups]),
    permissions: answersOfBoth(first.permissions, second.permissions),
    credentials: first.credentials ?? second.credentials,
    signIns: new Map([...second.signIns, ...first.signIns]),
    profiles: first.profiles ?? second.profiles,
    rules: judge.rules,
    uncheckedIds: judge.uncheckedIds,
    organizations:
      second.organizations?.value === undefined
        ? (first.organizations ?? second.organizations)
        : second.organizations,
    members: answersOfBoth(first.members, second.members),
    direct: answersOfBoth(first.direct, second.direct),
    rolePermissions: answersOfBoth(first.rolePermissions, second.rolePermissions),
  };
}

function answersOfBoth<Value>(first: Answers<Value>, second: Answers<Value>): Answers<Value> {
  const better = [...first].filter(([id, { reason }]) => reason === undefined || !second.has(id));
  return new Map([...second, ...better]);
}

/** Returns what is on any of these tenants today. */
export function todayOn(all: readonly TenantAnswers[]): Today {
  const each = all.map((answers) => ({ answers, today: todayIn(answers) }));
  const on = (host: string | undefined) => each.find(({ answers }) => isAsked(answers, host))?.today;
  return { groups: (host, at) => on(host)?.groups(host, at), has: (edge) => on(edge.tenant)?.has(edge) };
}
