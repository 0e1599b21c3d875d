import { type RawInputs } from "../../review/raw-inputs";
import { roleKey } from "../../access/edge";
import { isPast } from "../../access/until";
import { hashOf } from "../../pulumi/hosts-file";
import { formatListing, type Listing } from "./listing";

/** An assignment as the program declares it; values that a preview can't know yet are undefined. */
export interface ProgramAssignment {
  /** True if its role counts in an organization: one of the tenant is never the same, known or not. */
  isInOrganization: boolean;
  /** True if the engine replaces the program's groups, or their end, by those in state. */
  ignoresGroups: boolean;
  until: unknown;
  role: RoleOfProgram | undefined;
  groupIds: readonly string[] | undefined;
}

export interface RoleOfProgram {
  /** Equal for assignments on one tenant, as far as the program can know. */
  tenant: unknown;
  isInOrganization: boolean;
  /** The key of the role; undefined if it isn't known. */
  role: string | undefined;
}

/** Returns an assignment as its constructor sees it: neither role nor groups are settled. */
export function declaredAssignment(
  props: RawInputs,
  ignoreChanges: readonly string[] = [],
): ProgramAssignment {
  return {
    isInOrganization: "organizationId" in props,
    ignoresGroups: ignoreChanges.some((path) => /^(\*$|groupIds|until)/.test(path)),
    until: props["until"],
    role: undefined,
    groupIds: undefined,
  };
}

/** Returns the role of an assignment, by what is known of its inputs. The provider names what is no id. */
export function roleOfProgram(
  { isInOrganization }: ProgramAssignment,
  tenant: unknown,
  { roleId, organizationId }: RawInputs,
): RoleOfProgram {
  const [role, organization] = [roleId, organizationId].map((id) =>
    typeof id === "string" ? id : undefined,
  );
  const isKnown = role !== undefined && (organization !== undefined || !isInOrganization);
  return { tenant, isInOrganization, role: isKnown ? roleKey({ organization, role }) : undefined };
}

/** Returns the ids in a list of groups; undefined if it isn't known. The provider names what is no id. */
export function groupIdsIn(list: unknown): string[] | undefined {
  return Array.isArray(list) ? list.filter((id) => typeof id === "string") : undefined;
}

/**
 * Returns the groups listed by all assignments of one role, for the handlers (see listing.ts). `ofAllRoles`:
 * with the listings of all other roles.
 */
export function programListing(
  all: readonly ProgramAssignment[],
  of: RoleOfProgram,
  { ofAllRoles, moment }: { ofAllRoles: boolean; moment: number },
): string {
  const others = ofAllRoles ? listingsOfOthers(all, of, moment) : undefined;
  const role = of.role === undefined ? {} : { role: hashOf(of.role) };
  return formatListing({ ...role, ...listingOf(all, of, moment), ...(others && { others }) });
}

function listingsOfOthers(
  all: readonly ProgramAssignment[],
  { tenant, isInOrganization, role: own }: RoleOfProgram,
  moment: number,
): Map<string, Listing> {
  const keys = all.flatMap(({ role }) =>
    role?.tenant === tenant && role?.isInOrganization === isInOrganization ? (role.role ?? []) : [],
  );
  const others = new Set(keys.filter((key) => key !== own));
  return new Map(
    [...others].map((key) => [hashOf(key), listingOf(all, { tenant, isInOrganization, role: key }, moment)]),
  );
}

function listingOf(
  all: readonly ProgramAssignment[],
  { tenant, isInOrganization, role: key }: RoleOfProgram,
  moment: number,
): Listing {
  const ofRole = all.filter(
    ({ role, isInOrganization: isInOne }) =>
      isInOne === isInOrganization &&
      (role === undefined || (role.tenant === tenant && (role.role === undefined || role.role === key))),
  );
  const lists = ofRole.map((one) => groupsOf(one, moment));
  return {
    listed: new Set(lists.flatMap((groups) => groups ?? []).map(hashOf)),
    isComplete: key !== undefined && !lists.includes(undefined),
  };
}

/** Returns the groups that an assignment lists, none after its end; undefined if they aren't known. */
function groupsOf(
  { role, groupIds, until, ignoresGroups }: ProgramAssignment,
  moment: number,
): readonly string[] | undefined {
  // Only the handlers see the groups that the engine puts in their place.
  if (role?.role === undefined || ignoresGroups) return undefined;
  return typeof until === "string" && isPast(until, moment) ? [] : groupIds;
}
