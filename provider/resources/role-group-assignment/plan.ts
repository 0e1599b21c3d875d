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

/** Says if another assignment of the program lists a group. */
export type Listed =
  | {
      listed: "yes";
      /** False if only a check says so, and no listing of the program: the order of registration decides. */
      isSure: boolean;
      /** Its name, once it was checked. */
      by?: string | undefined;
    }
  /** `unknown` while the groups of one aren't known. */
  | { listed: "no" | "unknown"; by?: undefined };

/** The other assignments of a role in the program. */
export interface ListedElsewhere {
  of(group: string): Listed;
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
  elsewhere: ListedElsewhere,
  live = granted.groups,
): RolePlan {
  const had = minus(granted.groups, granted.unconfirmed);
  const leaving = minus(live, listed);
  const handOver = leaving.filter((group) => elsewhere.of(group).listed === "yes");
  return { grant: minus(listed, had), revoke: minus(leaving, handOver), handOver };
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

/** Plans a step to groups of which some may be unknown. `hiddenGroups`: why not all of them show. */
export function foresee(
  granted: Granted,
  { groups, hiddenGroups }: { groups: readonly string[]; hiddenGroups: Hidden | undefined },
  elsewhere: ListedElsewhere,
): Foreseen {
  const { grant, revoke, handOver } = plan(granted, groups, elsewhere);
  const isCertain = (group: string) => {
    const answer = elsewhere.of(group);
    return answer.listed === "yes" ? answer.isSure : answer.listed === "no";
  };
  // A leaving group may turn out to be an unknown one that is listed.
  const lost = hiddenGroups === UNKNOWN ? [] : revoke.filter(isCertain);
  const kept = handOver.filter(isCertain);
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
