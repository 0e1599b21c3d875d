import { roleOfKey } from "../../provider/access/edge";
import { type RoleRecord } from "../../provider/service/roles";
import { type Named } from "../../provider/service/record";
import { checkRoleGroups } from "../gone-in-bulk";
import { type StackTenant } from "../stack-client";
import { goingOn } from "../tenant/reader";
import { Gaps, quoting, quotingRole } from "./gaps";
import { readOrganizations } from "./organizations";
import { type Filter, type TenantRoles } from "./roles";

/** The tenant's roles, or the part of them that it lists. */
export interface ListedRoles {
  roles: readonly RoleRecord[];
  isWhole: boolean;
  gaps: Gaps;
}

export async function readListedRoles({ client, reader, progress }: StackTenant): Promise<ListedRoles> {
  progress.show("Reading the roles …");
  const gaps = new Gaps(client);
  const roles = gaps.readable(await reader.roles());
  return { roles, isWhole: gaps.isEmpty, gaps };
}

interface NamedHolders {
  /** Listed in states. */
  claimed: readonly { role: string; group: string }[];
  /** Allowed by rules. */
  ruled: readonly { role: string; group: string }[];
  /** Roles of assignments that hide groups. */
  open: readonly string[];
  /** Those to ask, by their ids. */
  organizations: readonly string[];
}

/**
 * Reads who has the listed roles: one list for each role or each group, whichever is fewer; if groups are
 * named, one for each of them.
 */
export async function readHolders(
  tenant: StackTenant,
  { roles: listed, isWhole, gaps }: ListedRoles,
  { roles: wanted, groups }: Filter,
  { claimed, ruled, open, organizations }: NamedHolders,
): Promise<TenantRoles> {
  const { client, reader } = tenant;
  const roles = listed.map(quotingRole(client));
  const known = new Set(roles.map(({ id }) => id));
  const inStates = [...new Set([...claimed.map(({ role }) => role), ...open])];
  const toRead = { listed, claimed: inStates.filter(isInOrganization), wanted };
  const there = await readOrganizations(tenant, organizations, toRead, gaps);
  // If the list is incomplete, the other roles may exist anyway.
  const others = isWhole
    ? []
    : [...new Set([...wanted, ...inStates])].filter((id) => !known.has(id) && !isInOrganization(id));
  if (wanted.length === 0 && groups.length > 0) {
    const found = await readRolesOfGroups(tenant, groups, gaps);
    return {
      ...found,
      roles: [...roles, ...there.roles, ...others.map((id) => ({ id }))],
      groups: new Map([...found.groups, ...there.groups]),
      names: new Map([...found.names, ...there.names]),
      ...gaps.told(),
    };
  }
  const all = [...known, ...others];
  const asked = wanted.length === 0 ? all : wanted.filter((id) => all.includes(id));
  const found = new Map<string, Named[]>();
  await reader.holdersOfRoles(asked, {
    named: [...claimed, ...ruled],
    alone: open,
    onAnswer: (id, answer) => {
      const held = gaps.ifThere(answer, id);
      if (held !== undefined) found.set(id, held.map(quoting(client)));
    },
  });
  checkRoleGroups(
    client.tenant,
    asked.filter((id) => known.has(id)).map((id) => found.get(id)),
  );
  return {
    roles: [...roles, ...there.roles, ...others.filter((id) => found.has(id)).map((id) => ({ id }))],
    groups: new Map([...asked.map((id) => [id, found.get(id) ?? []] as const), ...there.groups]),
    names: there.names,
    gone: new Set(),
    ...gaps.told(),
  };
}

function isInOrganization(key: string): boolean {
  return roleOfKey(key).organization !== undefined;
}

async function readRolesOfGroups(
  { client, reader }: StackTenant,
  ids: readonly string[],
  gaps: Gaps,
): Promise<Pick<TenantRoles, "groups" | "names" | "gone">> {
  const names = new Map<string, string>();
  const gone = new Set<string>();
  const rolesOf = new Map<string, RoleRecord[]>();
  await Promise.all([
    reader.rolesOfGroups(ids, (id, answer) => {
      const roles = gaps.ifThere(answer, id);
      if (roles === undefined) gone.add(id);
      else rolesOf.set(id, roles);
    }),
    reader.namesOfGroups(ids, (id, answer) => {
      // A name is worth a request, but not an error.
      const { value: name } = goingOn(answer);
      if (name !== undefined) names.set(id, client.border.quote(name));
    }),
  ]);
  const groups = new Map<string, Named[]>();
  for (const id of ids)
    for (const role of rolesOf.get(id) ?? [])
      groups.set(role.id, [...(groups.get(role.id) ?? []), { id, name: names.get(id) }]);
  return { groups, names, gone };
}
