import { holderId } from "../../../provider/access/edge";
import { groupedBy } from "../../../provider/access/grants";
import { type Effects, type PermissionHolder, type RolePermissions } from "../kinds/effects";
import { answered, isAsked, type TenantAnswers, valuesOf } from "./answers";
import { compare, distinct } from "../../lists";

/** Returns the names of what a review shows, by id. `others`: further ids. */
export function shownNames(
  answers: TenantAnswers,
  {
    access,
    permissions,
    signOuts,
    unknown,
  }: Pick<Effects, "access" | "permissions" | "signOuts" | "unknown">,
  others: readonly string[] = [],
): Record<string, string> {
  const sources = valuesOf(answers.permissions).flatMap((permission) => permission.sources ?? []);
  const names = new Map([
    ...answers.names,
    ...[...valuesOf(answers.groups), ...sources].map(({ id, name = "" }) => [id, name] as const),
  ]);
  const inRows = access
    .filter((row) => isAsked(answers, row.tenant))
    .flatMap(({ organization, role, holder }) => [organization ?? role, role, holderId(holder)]);
  const permitted = permissions
    .filter((row) => isAsked(answers, row.tenant))
    .flatMap(({ holder }) => rolesOfHolder(holder));
  const leaving = signOuts.filter((row) => isAsked(answers, row.tenant)).map(({ user }) => user);
  const parts = unknown.flatMap(({ reason }) => reason.parts);
  const inReasons = parts.flatMap((part) => (typeof part === "object" && "id" in part ? [part.id] : []));
  const named = distinct([...inRows, ...permitted, ...leaving, ...inReasons, ...others]).map(
    (id) => [id, names.get(id) ?? ""] as const,
  );
  return Object.fromEntries(named.filter(([, name]) => name !== ""));
}

/** Returns the role that has a permission; nothing for a user, and for a role yet to be made. */
export function rolesOfHolder(holder: PermissionHolder): string[] {
  return "role" in holder ? [holder.role] : [];
}

type PermissionOfRole = RolePermissions["permissions"][number];

/** Returns the permissions of a review's roles: from the tenant's list, or else from sample users. */
export function permissionsIn(
  answers: TenantAnswers,
  { access }: Pick<Effects, "access">,
): RolePermissions[] {
  const roles = distinct(access.filter((row) => isAsked(answers, row.tenant)).map(({ role }) => role));
  const sampled = sampledPermissions(answers);
  return roles.flatMap((role): RolePermissions[] => {
    const listed = answered(answers.rolePermissions, role);
    if (listed !== undefined) return [{ role, from: "role", permissions: sortedPermissions(listed) }];
    if (answers.permissions.size === 0) return [];
    return [{ role, from: "sample", permissions: sortedPermissions(sampled(role)) }];
  });
}

/** Returns what sample users may do through a role, each permission once. */
function sampledPermissions(answers: TenantAnswers): (role: string) => PermissionOfRole[] {
  const all = valuesOf(answers.permissions).flatMap(({ resourceServer, name, sources = [] }) =>
    sources.map((source) => ({ role: source.id, permission: { resourceServer, name } })),
  );
  const byRole = groupedBy(all, ({ role }) => role);
  return (role) => {
    const ofRole = (byRole.get(role) ?? []).map(({ permission }) => permission);
    return [...new Map(ofRole.map((permission) => [keyOf(permission), permission])).values()];
  };
}

function keyOf({ resourceServer, name }: PermissionOfRole): string {
  return `${resourceServer} ${name}`;
}

function sortedPermissions(permissions: readonly PermissionOfRole[]): PermissionOfRole[] {
  return [...permissions].sort((one, other) => compare(keyOf(one), keyOf(other)));
}
