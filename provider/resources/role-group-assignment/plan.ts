import { type Hidden, UNKNOWN } from "../../seen";

/*
 * Plans a change to an assignment in one place: the handler sends it, the preview prints it, and the review
 * runs it over every step.
 */

/** An assignment's grants on the tenant, according to its outputs. */
export interface Granted {
  groups: readonly string[];
  /** The subset of `groups` for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
  /** True within a minute of the last write. */
  isJustWritten?: boolean;
}

/** The other assignments of the role in the program. */
export interface Others {
  /** True if one of them lists a group; `unknown` while the groups of one aren't known. */
  lists(group: string): boolean | "unknown";
  /** True if the program's listing has a group, whether or not its assignment has been checked already. */
  isInListing?(group: string): boolean;
  /** True if this run has taken the role from a group that several assignments may have given it. */
  hasLost?(group: string): boolean;
}

export interface RolePlan {
  grant: string[];
  revoke: string[];
  /** Another assignment lists them, so they keep the role. */
  handOver: string[];
}

/**
 * Plans the step from the granted to the listed groups of a role. `live`: the groups it may take the role
 * from; for an exclusive assignment, all that have the role on the tenant.
 */
export function plan(
  granted: Granted,
  listed: readonly string[],
  others: Others,
  live = granted.groups,
): RolePlan {
  const had = new Set(minus(granted.groups, granted.unconfirmed));
  const leaving = minus(live, listed);
  const handOver = leaving.filter((group) => others.lists(group) === true);
  return {
    grant: listed.filter((group) => !had.has(group) || others.hasLost?.(group) === true),
    revoke: minus(leaving, handOver),
    handOver,
  };
}

/** A plan as a preview can say it. */
export interface Foreseen {
  certain: RolePlan;
  maybe: {
    /** They lose the role unless an assignment that isn't known yet lists them. */
    revoke: string[];
    /** Another assignment lists them, but no listing says so: it depends on the order of registration. */
    handOver: string[];
  };
}

interface Listing {
  groups: readonly string[];
  /** Why not all of its groups show. */
  hiddenGroups: Hidden | undefined;
}

/** Plans a step to groups of which some may be unknown. */
export function foresee(granted: Granted, { groups, hiddenGroups }: Listing, others: Others): Foreseen {
  const { grant, revoke, handOver } = plan(granted, groups, others);
  // A leaving group may turn out to be an unknown one that is listed.
  const lost = hiddenGroups === UNKNOWN ? [] : revoke.filter((group) => others.lists(group) === false);
  const kept = handOver.filter((group) => others.isInListing?.(group) === true);
  return {
    certain: { grant, revoke: lost, handOver: kept },
    maybe: { revoke: minus(revoke, lost), handOver: minus(handOver, kept) },
  };
}

/**
 * Compares an assignment with the groups that have its role on the tenant: which of its own do, and which
 * others that an exclusive one doesn't list. `unseen`: those of its own that the list lacks, though they were
 * granted less than a minute ago.
 */
export function settleRead(
  granted: Granted,
  assigned: readonly string[],
  isExclusive: boolean,
): Record<"groups" | "unseen" | "others", string[]> {
  const missing = minus(granted.groups, assigned);
  const unseen = granted.isJustWritten === true ? missing : [];
  const groups = [...minus(granted.groups, missing), ...unseen];
  return { groups, unseen, others: isExclusive ? minus(assigned, groups) : [] };
}

export function minus(groups: readonly string[], excluded: readonly string[]): string[] {
  const gone = new Set(excluded);
  return groups.filter((group) => !gone.has(group));
}
