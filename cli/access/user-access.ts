import { roleKey } from "../../provider/access/edge";
import { type Border } from "../../provider/border";
import { ROLE_ID } from "../../provider/service/ids";
import { type Named } from "../../provider/service/record";
import { type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { CommandError } from "../errors";
import { optional } from "../lists";
import { type StackTenant } from "../stack-client";
import { isRoleId } from "../tenant/names";
import { isNotFound } from "../tenant/questions";
import { goingOn } from "../tenant/reader";
import { Gaps, ifListed, quoting, quotingRole } from "./gaps";
import { type UnreadOrganization, type UserAccess, type UserRole } from "./user";
import { organizationsOfUser, type OrganizationsOfUser } from "./user-organizations";

export interface UserRequest {
  id: string;
  /** Organizations by name or id, or `all`. */
  organization: readonly string[];
  /** Keys of the roles that states know. */
  keys: readonly string[];
}

export async function readUserAccess(
  tenant: StackTenant,
  { id, organization, keys }: UserRequest,
): Promise<UserAccess> {
  const { client, reader, progress } = tenant;
  progress.show("Reading what the user may do …");
  const gaps = new Gaps(client);
  const answers = await reader.permissionsOfUsers([id], (_, answer) => {
    if (isNotFound(answer))
      throw new CommandError(`The user ${id} is not on the tenant ${client.tenant}: check --user.`);
  });
  const permissions = [...answers.values()]
    .flatMap((answer) => gaps.readable(answer))
    .map((record) => toPermission(record, client.border));
  const { roles, unread, allRoles } = await rolesInTenant(tenant, id, permissions, gaps);
  const asked = await organizationsOfUser(tenant, { user: id, named: organization, keys });
  const there = await rolesInOrganizations(tenant, id, asked);
  return {
    id,
    permissions,
    roles: [...roles, ...there.roles],
    unread,
    allRoles,
    organizations: { ...asked, unread: there.unread },
    incomplete: gaps.incomplete,
  };
}

async function rolesInTenant(
  tenant: StackTenant,
  id: string,
  permissions: readonly PermissionOfUser[],
  gaps: Gaps,
): Promise<Pick<UserAccess, "roles" | "unread" | "allRoles">> {
  const { client, reader, progress } = tenant;
  const sources = permissions.flatMap((permission) => permission.sources ?? []);
  const named = new Map(sources.filter(({ kind }) => kind === "role").map((role) => [role.id, role]));
  const effective = ifListed(await reader.rolesOfUser(id));
  const known = new Map((effective.value ?? []).map((role) => [role.id, role]));
  let unread = effective.reason;
  const ids = [...new Set([...known.keys(), ...named.keys()])];
  const shown = progress.counting("Reading roles of the user", ids.length);
  const candidates = async (role: string) => {
    const groups = await reader.groupsOfRoles([role]);
    return [...groups.values()].flatMap((answer) => gaps.ifThere(answer, role) ?? []).map(quoting(client));
  };
  const roleOf = async (role: string): Promise<UserRole> => {
    const { sources: from, ...record } = known.get(role) ?? { id: role, sources: ELSEWHERE };
    const name = quotingRole(client)(record).name ?? named.get(role)?.name;
    if (effective.value === undefined)
      return { id: role, name, isDirect: undefined, groups: await candidates(role) };
    const { reason, groups, isDirect } = await waysTo(tenant, { user: id, key: role, from });
    unread ??= reason;
    return { id: role, name, isDirect, groups: groups ?? (await candidates(role)) };
  };
  const roles = await Promise.all(
    ids.map(async (role) => {
      const found = await roleOf(role);
      shown();
      return found;
    }),
  );
  return { roles, unread, allRoles: effective.value !== undefined };
}

async function rolesInOrganizations(
  tenant: StackTenant,
  user: string,
  { ids, names }: OrganizationsOfUser,
): Promise<{ roles: UserRole[]; unread: UnreadOrganization[] }> {
  const { client, reader } = tenant;
  const { border } = client;
  const answers = await reader.rolesOfMember(user, ids);
  const organizations = await Promise.all(
    [...answers].map(async ([id, found]) => {
      const answer = ifListed(found);
      const organization = { id, name: names.get(id) ?? null };
      const reasons = new Set(optional(answer.reason));
      const roles = await Promise.all(
        (answer.value ?? []).map(async ({ id: role, name: given, sources: from }): Promise<UserRole> => {
          const key = roleKey({ organization: id, role });
          const { reason, groups, isDirect } = await waysTo(tenant, { user, key, from });
          for (const why of optional(reason)) reasons.add(why);
          const { name = null } = quoting(client)({ id: role, name: given });
          return {
            id: key,
            name: `${name ?? role} in ${organization.name ?? id}`,
            organization,
            role: { id: role, name },
            isDirect,
            groups: groups ?? (await groupsThere(tenant, key)),
          };
        }),
      );
      const unread = [...reasons].map((reason) => ({
        ...organization,
        reason: border.quote(reason),
        allRoles: answer.value !== undefined,
      }));
      return { roles, unread: unread.slice(0, 1) };
    }),
  );
  return {
    roles: organizations.flatMap(({ roles }) => roles),
    unread: organizations.flatMap(({ unread }) => unread),
  };
}

/** All groups with a role in an organization; none if that can't be read either. */
async function groupsThere({ client, reader }: StackTenant, key: string): Promise<Named[]> {
  const answers = await reader.groupsOfRoles([key]);
  return [...answers.values()].flatMap((answer) => goingOn(answer).value ?? []).map(quoting(client));
}

/** How a user has a role. Without groups: those behind it can't be read. */
async function waysTo(
  { client, reader }: StackTenant,
  { user, key, from }: { user: string; key: string; from: readonly string[] },
): Promise<{ isDirect: boolean | undefined; groups: Named[] | undefined; reason?: string | undefined }> {
  const isKnown = from.every((way) => way === "direct" || way === "groups");
  const isDirect = isKnown ? from.includes("direct") : undefined;
  if (!from.includes("groups")) return { isDirect, groups: [] };
  const { value, reason } = ifListed(await reader.groupsBehind(user, key));
  return { isDirect, groups: value?.map(quoting(client)), reason };
}

/** The sources of a role that only the list of permissions names. */
const ELSEWHERE: readonly string[] = ["elsewhere"];

type PermissionOfUser = UserAccess["permissions"][number];

function toPermission(record: PermissionRecord, border: Border): PermissionOfUser {
  const sources = sourcesOf(record)?.map(({ id, name, type }) => {
    const kind = sourceKind(id, type);
    return {
      kind,
      id: kind === "role" ? id : border.quote(id),
      name: border.quote(name),
      type: border.quote(type),
    };
  });
  return {
    resourceServer: border.quote(record.resource_server_identifier ?? ""),
    name: border.quote(record.permission_name ?? ""),
    sources: sources ?? null,
  };
}

function sourceKind(id: string, type: string): NonNullable<PermissionOfUser["sources"]>[number]["kind"] {
  if (id === "") return "direct";
  // Without a type, only the usual prefix tells.
  const isRole = type === "" ? isRoleId(id) : /^role$/i.test(type) && ROLE_ID.safeParse(id).success;
  return isRole ? "role" : "other";
}
