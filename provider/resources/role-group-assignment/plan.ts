import { isDeepStrictEqual } from "node:util";
import { edgeKey, type RoleAt, roleKey } from "../../access/edge";
import { holdsUnknown, type RawInputs } from "../../review/raw-inputs";
import { type Hidden, switchIn, textIn, textsIn } from "../../review/step";

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

/** Plans a step to groups of which some may be unknown. */
export function foresee(granted: Granted, listed: unknown, others: Others): Foreseen {
  const { grant, revoke, handOver } = plan(granted, textsIn(listed), others);
  // A leaving group may turn out to be an unknown one that is listed.
  const lost = holdsUnknown(listed) ? [] : revoke.filter((group) => others.lists(group) === false);
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

/** Returns nothing for no outputs. */
export function grantedBy(outputs: RawInputs = {}): Granted {
  return { groups: textsIn(outputs["groupIds"]), unconfirmed: textsIn(outputs["unconfirmed"]) };
}

/** True if `check` has emptied the list because `until` has passed. */
export function hasEnded({ until, groupIds }: RawInputs): boolean {
  return until !== undefined && isDeepStrictEqual(groupIds, []);
}

/** True if destroying it takes the role from its groups; with a hidden switch it may go either way. */
export function isRevokedOnDestroy(values: RawInputs): boolean | Hidden {
  return switchIn(values["deleteOnDestroy"], true);
}

/**
 * Returns the role of an assignment, and where it counts; undefined if one of both isn't known.
 * `isInOrganization`: by default, whether there is an organization.
 */
export function roleIn(
  { organizationId, roleId }: RawInputs,
  isInOrganization = organizationId !== undefined,
): RoleAt | undefined {
  const [role, organization] = [textIn(roleId), textIn(organizationId)];
  if (role === undefined || (organization !== undefined) !== isInOrganization) return undefined;
  return { organization, role };
}

/** The same for inputs that are known. */
export function roleOfInputs({ organizationId: organization, roleId: role }: RoleInputs): RoleAt {
  return { organization, role };
}

interface RoleInputs {
  organizationId?: string | undefined;
  roleId: string;
}

/** Returns the inputs that name a role, and where it counts. */
export function inputsOfRole({ organization, role }: RoleAt): RoleInputs {
  return { organizationId: organization, roleId: role };
}

/** A group's role: the key of a loss in the limit on revocations, and of a want in the ledger. */
export function groupKey({ organization, role }: RoleAt, group: string): string {
  return edgeKey({ organization, role, holder: { group } });
}

/** A key that every assignment of a role wants, so that they find each other. */
export function anyOf(at: RoleAt): string {
  return `${roleKey(at)} any`;
}

/** A key that an exclusive assignment wants as well. */
export function aloneOf(at: RoleAt): string {
  return `${roleKey(at)} alone`;
}

export function minus(groups: readonly string[], excluded: readonly string[]): string[] {
  const gone = new Set(excluded);
  return groups.filter((group) => !gone.has(group));
}
