import { type Named } from "../../provider/service/record";
import { type AccessJson } from "./model";
import { list, say, type Sentence, tail } from "../../provider/sentence";
import { Assignment } from "../../provider/resources/role-group-assignment/assignment";
import { type Listed, type ListedElsewhere, plan } from "../../provider/resources/role-group-assignment/plan";
import { type AccessRole, type StateAssignment, claimJsonOf, type Claims } from "./claims";
import { anyOf, compare, unlessEmpty } from "../lists";
import { byName, namedThing, sortedGroups } from "./roles";
import { type OrganizationsOfUser } from "./user-organizations";

type AccessUser = NonNullable<AccessJson["user"]>;

/** As in JSON, but sentences keep strangers' names apart. */
export type End = Omit<AccessUser["ends"][number], "reason"> & { reason: Sentence };

export interface UserAccess {
  id: string;
  permissions: AccessUser["permissions"];
  roles: readonly UserRole[];
  /** The reason why the groups behind the user's roles aren't known. */
  unread: string | undefined;
  /** True if `roles` are all of the user's, not only those with a permission. */
  allRoles: boolean;
  organizations: OrganizationsOfUser & { unread: readonly UnreadOrganization[] };
  /** Lists that could not be read whole, with reasons. */
  incomplete: readonly string[];
}

/** An organization in which the user's roles, or the groups behind them, aren't known. */
export type UnreadOrganization = NonNullable<AccessUser["unreadOrganizations"]>[number];

/** `organization`: undefined in the tenant itself. */
export interface UserRole extends Named, Pick<AccessRole, "organization" | "role"> {
  isDirect: boolean | undefined;
  /** The groups that give the user the role; if that isn't known, all groups with the role. */
  groups: readonly Named[];
}

type LeavingJson = NonNullable<AccessUser["leaving"]>;
export type LeavingStep = Omit<LeavingJson["steps"][number], "text"> & { text: Sentence };
export type Leaving = Omit<LeavingJson, "steps"> & { steps: LeavingStep[] };

export type UserAnswer = Omit<AccessUser, "ends" | "leaving"> & {
  ends: End[];
  leaving?: Leaving | undefined;
};

export function userOf(access: UserAccess, claims: Claims): { roles: AccessRole[]; user: UserAnswer } {
  const roles = access.roles
    .map(({ id, name, isDirect, groups, organization, role }): AccessRole => ({
      id,
      name: name ?? null,
      organization,
      role,
      exists: true,
      direct: isDirect ?? null,
      groups: sortedGroups(groups.map((group) => claims.has(id, group))),
      secret: [],
    }))
    .sort(byName);
  const gaps: UserGaps = {
    unread: access.unread ?? null,
    unreadOrganizations: unlessEmpty(access.organizations.unread),
  };
  const permissions = [...access.permissions].sort(
    (one, other) => compare(one.resourceServer, other.resourceServer) || compare(one.name, other.name),
  );
  const ends = roles.flatMap((role) => {
    const listing = (group: string) => claims.listing(role.id, group);
    const assignments = new Set(role.groups.flatMap(({ id }) => listing(id)));
    return [...assignments].map((assignment): End => {
      const elsewhere = { of: (group: string) => listedBeside(assignment, listing(group)) };
      const { ends: isEnd, reason } = endFor(role, assignment, isUnread(role, gaps), elsewhere);
      const lost = permissions.filter(
        ({ sources }) =>
          isEnd === true && sources?.every((source) => source.kind === "role" && source.id === role.id),
      );
      const again = isEnd === true ? stacksBeside(role, assignment, listing) : [];
      return {
        by: claimJsonOf(assignment),
        role: role.id,
        ends: isEnd,
        permissions: lost.map(({ resourceServer, name }) => ({ resourceServer, name })),
        reason: tail`the next up of ${list(again)} after a refresh would give it again`.or(reason),
      };
    });
  });
  return {
    roles,
    user: {
      id: access.id,
      unread: gaps.unread,
      allRoles: access.allRoles,
      unreadOrganizations: gaps.unreadOrganizations,
      notMemberOf: unlessEmpty(access.organizations.notMemberOf),
      permissions,
      ends,
    },
  };
}

type UserGaps = Pick<AccessUser, "unread" | "unreadOrganizations">;

/** True if the groups behind a role of the user aren't known. */
export function isUnread(
  { organization }: Pick<AccessRole, "organization">,
  { unread, unreadOrganizations = [] }: UserGaps,
): boolean {
  if (organization === undefined) return unread !== null;
  return unreadOrganizations.some(({ id }) => id === organization.id);
}

/** Returns what a run that destroys an assignment knows of the others. */
function listedBeside(assignment: StateAssignment, others: readonly StateAssignment[]): Listed {
  const isListed = others.some(
    (other) =>
      other !== assignment && other.stack === assignment.stack && !other.resource.isEnding && !other.expired,
  );
  return isListed ? { listed: "yes", isSure: true } : { listed: "no" };
}

/** Returns other stacks that list a group of the user. A destroy doesn't know their programs. */
function stacksBeside(
  { groups }: AccessRole,
  assignment: StateAssignment,
  listing: (group: string) => readonly StateAssignment[],
): string[] {
  const others = groups.flatMap(({ id }) => listing(id)).filter(({ expired }) => !expired);
  const stacks = others.map(({ stack }) => stack);
  return [...new Set(stacks)].filter((stack) => stack !== assignment.stack);
}

/** Decides if the user loses the role with an assignment, with the reason if not. */
function endFor(
  { direct, groups }: AccessRole,
  assignment: StateAssignment,
  hasGap: boolean,
  elsewhere: ListedElsewhere,
): Pick<End, "ends" | "reason"> {
  const { granted, resource } = assignment;
  const isRevoked = new Assignment(resource.outputs).isRevokedOnDestroy;
  const revoked = new Set(plan(granted, [], elsewhere).revoke);
  const left = groups.filter(({ id }) => !revoked.has(id)).map(namedThing);
  // The first that is so counts.
  const [end = { ends: true, reason: say`` }] = anyOf<Pick<End, "ends" | "reason">>(
    [resource.retainOnDelete, keeps(say`retainOnDelete is true: its groups keep the role`)],
    [isRevoked === false, keeps(say`deleteOnDestroy is false: its groups keep the role`)],
    [isRevoked !== true, { ends: null, reason: say`its deleteOnDestroy is secret` }],
    [direct === true, keeps(say`also given to the user directly`)],
    [hasGap || direct === null, { ends: null, reason: say`the groups behind the role are unknown` }],
    [left.length, keeps(say`still through ${list(left)}`)],
  );
  return end;
}

function keeps(reason: Sentence): { ends: false; reason: Sentence } {
  return { ends: false, reason };
}
