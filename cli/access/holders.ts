import { roleOfKey } from "../../provider/access/edge";
import { groupedBy } from "../../provider/access/grants";
import { type RoleRecord } from "../../provider/service/roles";
import { type Named } from "../../provider/service/record";
import { checkRoleGroups } from "../gone-in-bulk";
import { anyOf, optional } from "../lists";
import { type StackTenant } from "../stack-client";
import { valuesIn } from "../tenant/questions";
import { goingOn } from "../tenant/reader";
import { type Read } from "./decisions";
import { Gaps, namesById, quoting, quotingRole } from "./gaps";
import { readOrganizations } from "./organizations";
import { type Filter, isAskedFor, type TenantRoles } from "./roles";

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
  /** Named by rules. */
  ruled: readonly { role: string; group: string }[];
  /** Roles of assignments, and of those that hide groups. */
  inStates: readonly string[];
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
  { roles: only, groups }: Filter,
  { claimed, ruled, inStates, open, organizations }: NamedHolders,
): Promise<TenantRoles & Pick<Read, "places">> {
  const { client, reader } = tenant;
  const roles = listed.map(quotingRole(client));
  const known = new Set(roles.map(({ id }) => id));
  const inTenant = [...new Set([...only, ...inStates])].filter((id) => !isInOrganization(id));
  // If the list is incomplete, the other roles may exist anyway.
  const others = inTenant.filter((id) => !isWhole && !known.has(id));
  const toRead = {
    listed: [...listed, ...others.map((id) => ({ id }))],
    isWhole,
    claimed: [...new Set(inStates)].filter(isInOrganization),
    only,
  };
  const there = await readOrganizations(tenant, organizations, toRead, gaps);
  const places = new Set([...anyOf([isWhole, undefined]), ...there.whole]);
  if (only.length === 0 && groups.length > 0) {
    const ofGroups = await readRolesOfGroups(tenant, groups, gaps);
    return {
      roles: [...roles, ...there.roles, ...others.map((id) => ({ id }))],
      groups: new Map([...ofGroups.groups, ...there.groups]),
      names: new Map([...ofGroups.names, ...there.names]),
      gone: ofGroups.gone,
      incomplete: gaps.incomplete,
      inPart: gaps.inPart,
      places,
    };
  }
  const asked = [...known, ...others].filter((id) => isAskedFor(id, only));
  const found = new Map<string, Named[]>();
  const answers = await reader.holdersOfRoles(asked, {
    named: [...claimed, ...ruled],
    alone: open,
    onAnswer: (id, answer) => {
      const groupsWithIt = gaps.ifThere(answer, id);
      if (groupsWithIt !== undefined) found.set(id, groupsWithIt.map(quoting(client)));
    },
  });
  checkRoleGroups(
    client.tenant,
    asked.filter((id) => known.has(id)).flatMap((id) => optional(answers.get(id))),
  );
  return {
    roles: [...roles, ...there.roles, ...others.filter((id) => found.has(id)).map((id) => ({ id }))],
    groups: new Map([...asked.map((id) => [id, found.get(id) ?? []] as const), ...there.groups]),
    names: there.names,
    gone: new Set(),
    incomplete: gaps.incomplete,
    inPart: gaps.inPart,
    places,
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
  const rolesOf = new Map<string, RoleRecord[] | undefined>();
  const [nameOf] = await Promise.all([
    // A name is worth a request, but not an error.
    reader.namesOfGroups(ids, (_, answer) => goingOn(answer)),
    reader.rolesOfGroups(ids, (id, answer) => rolesOf.set(id, gaps.ifThere(answer, id))),
  ]);
  const names = namesById(
    [...valuesIn(nameOf)].map(([id, name]) => ({ id, name })),
    client,
  );
  const byRole = groupedBy(
    ids.flatMap((id) =>
      (rolesOf.get(id) ?? []).map((role) => ({ role: role.id, group: { id, name: names.get(id) } })),
    ),
    ({ role }) => role,
  );
  return {
    groups: new Map([...byRole].map(([role, all]) => [role, all.map(({ group }) => group)])),
    names,
    gone: new Set(ids.filter((id) => rolesOf.get(id) === undefined)),
  };
}
