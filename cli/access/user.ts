import { type Named } from "../../provider/service/record";
import { type AccessJson } from "./model";
import { list, say, type Sentence } from "../../provider/sentence";
import { compare } from "../../provider/review/step";
import { isRevokedOnDestroy, plan } from "../../provider/resources/role-group-assignment/plan";
import { type AccessRole, type StateAssignment, claimJsonOf, type Claims } from "./claims";
import { anyOf } from "../lists";
import { byName, sortedGroups } from "./roles";
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
export interface UnreadOrganization extends Named {
  reason: string;
  /** True if only the groups aren't. */
  allRoles: boolean;
}

export interface UserRole extends Named {
  /** Undefined: in the tenant itself. */
  organization?: Named;
  role?: Named;
  isDirect: boolean | undefined;
  /** The groups that give the user the role; if that isn't known, all groups with the role. */
  groups: readonly Named[];
}

export type UserAnswer = Omit<AccessUser, "ends"> & { ends: End[] };

export function userOf(access: UserAccess, claims: Claims): { roles: AccessRole[]; user: UserAnswer } {
  const roles = access.roles
    .map(({ id, name, isDirect, groups, organization, role }): AccessRole => ({
      id,
      name: name ?? null,
      ...(organization && { organization: jsonOfNamed(organization) }),
      ...(role && { role: jsonOfNamed(role) }),
      exists: true,
      direct: isDirect ?? null,
      groups: sortedGroups(groups.map((group) => claims.has(id, group))),
      secret: [],
    }))
    .sort(byName);
  const { unread: unreadOrganizations, notMemberOf } = access.organizations;
  const isUnread = ({ organization }: AccessRole) =>
    organization === undefined
      ? access.unread !== undefined
      : unreadOrganizations.some(({ id }) => id === organization.id);
  const permissions = [...access.permissions].sort(
    (one, other) => compare(one.resourceServer, other.resourceServer) || compare(one.name, other.name),
  );
  const ends = roles.flatMap((role) => {
    const listing = (group: string) => claims.listing(role.id, group);
    const assignments = new Set(role.groups.flatMap(({ id }) => listing(id)));
    return [...assignments].map((assignment): End => {
      const lists = (group: string) => listing(group).some((other) => isBeside(other, assignment));
      const { ends: isEnd, reason } = endFor(role, assignment, isUnread(role), lists);
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
        reason:
          again.length === 0
            ? reason
            : say`the next up of ${list(again)} after a refresh would give it again`,
      };
    });
  });
  return {
    roles,
    user: {
      id: access.id,
      unread: access.unread ?? null,
      allRoles: access.allRoles,
      ...(unreadOrganizations.length > 0 && {
        unreadOrganizations: unreadOrganizations.map((organization) => ({
          ...organization,
          ...jsonOfNamed(organization),
        })),
      }),
      ...(notMemberOf.length > 0 && { notMemberOf: notMemberOf.map(jsonOfNamed) }),
      permissions,
      ends,
    },
  };
}

function jsonOfNamed({ id, name }: Named): { id: string; name: string | null } {
  return { id, name: name ?? null };
}

/** True if a run that destroys an assignment knows of the other one. */
function isBeside(other: StateAssignment, assignment: StateAssignment): boolean {
  return (
    other !== assignment && other.stack === assignment.stack && !other.resource.isEnding && !other.expired
  );
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
  isUnread: boolean,
  lists: (group: string) => boolean,
): Pick<End, "ends" | "reason"> {
  const { granted, resource } = assignment;
  const isRevoked = isRevokedOnDestroy(resource.outputs);
  const revoked = new Set(plan(granted, [], { lists }).revoke);
  const left = groups.filter(({ id }) => !revoked.has(id)).map(({ id, name }) => name ?? id);
  // The first that is so counts.
  const [end = { ends: true, reason: say`` }] = anyOf<Pick<End, "ends" | "reason">>(
    [resource.retainOnDelete, keeps(say`retainOnDelete is true: its groups keep the role`)],
    [isRevoked === false, keeps(say`deleteOnDestroy is false: its groups keep the role`)],
    [isRevoked !== true, { ends: null, reason: say`its deleteOnDestroy is secret` }],
    [direct === true, keeps(say`also given to the user directly`)],
    [isUnread || direct === null, { ends: null, reason: say`the groups behind the role are unknown` }],
    [left.length, keeps(say`still through ${list(left)}`)],
  );
  return end;
}

function keeps(reason: Sentence): { ends: false; reason: Sentence } {
  return { ends: false, reason };
}
