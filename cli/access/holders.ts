import { organizationsOf, roleKey, roleOfKey } from "../../provider/access/edge";
import { type IdentityClient } from "../../provider/http/client";
import { NotFoundError } from "../../provider/http/errors";
import { type RoleRecord, titleOfRole } from "../../provider/service/roles";
import { compare } from "../../provider/review/step";
import { type Named } from "../../provider/service/record";
import { checkRoleGroups } from "../gone-in-bulk";
import { type Rules } from "../rules/judge";
import { type StackTenant } from "../stack-client";
import { optional } from "../lists";
import { type Answer, valuesIn } from "../tenant/questions";
import { goingOn, partOf } from "../tenant/reader";
import { type Filter, isRoleWanted, type TenantRoles } from "./roles";

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
}

/**
 * Reads who has the listed roles: one list for each role or each group, whichever is fewer; if groups are
 * named, one for each of them.
 */
export async function readHolders(
  tenant: StackTenant,
  { roles: listed, isWhole, gaps }: ListedRoles,
  { roles: wanted, groups }: Filter,
  { claimed, ruled, open }: NamedHolders,
): Promise<TenantRoles> {
  const { client, reader } = tenant;
  const roles = listed.map(quotingRole(client));
  const known = new Set(roles.map(({ id }) => id));
  const inStates = [...new Set([...claimed.map(({ role }) => role), ...open])];
  const keys = inStates.filter((key) => isInOrganization(key) && isRoleWanted(key, wanted));
  const there = await readInOrganizations(tenant, keys, listed, gaps);
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
    names: new Map(),
    gone: new Set(),
    ...gaps.told(),
  };
}

function isInOrganization(key: string): boolean {
  return roleOfKey(key).organization !== undefined;
}

/** Reads the groups of roles in organizations, by the keys of the roles. */
async function readInOrganizations(
  { client, reader }: StackTenant,
  keys: readonly string[],
  listed: readonly RoleRecord[],
  gaps: Gaps,
): Promise<Pick<TenantRoles, "roles" | "groups">> {
  if (keys.length === 0) return { roles: [], groups: new Map() };
  const organizations = organizationsOf(keys);
  const [answers, organizationNames, own] = await Promise.all([
    reader.groupsOfRoles(keys),
    reader.namesOfOrganizations(organizations),
    reader.rolesOfOrganizations(organizations),
  ]);
  const quote = quoting(client);
  const roles = [...listed, ...[...valuesIn(own).values()].flat()];
  const nameOf = new Map([
    ...roles.map(({ id, name }) => [id, name] as const),
    ...valuesIn(organizationNames),
  ]);
  const found = [...answers].flatMap(([key, answer]) =>
    optional(gaps.ifThere(answer, key)).map((groups) => ({ key, groups: groups.map(quote) })),
  );
  return {
    roles: found.map(({ key }) => {
      const { organization = "", role } = roleOfKey(key);
      const [name, where] = [role, organization].map((id) => client.border.quote(nameOf.get(id) ?? id));
      return { id: key, name: `${name} in ${where}` };
    }),
    groups: new Map(found.map(({ key, groups }) => [key, groups])),
  };
}

/**
 * Adds the roles that rules keep apart from those that were read, in the same organizations: somebody may
 * have given them by hand.
 */
export async function withConflicts(
  tenant: StackTenant,
  holders: TenantRoles,
  { roles: listed }: Pick<ListedRoles, "roles">,
  { conflicts }: Pick<Rules, "conflicts">,
): Promise<TenantRoles> {
  const read = [...holders.groups.keys()].map(roleOfKey);
  const organizations = new Set(read.flatMap(({ organization }) => organization ?? []));
  const roles = new Set(conflicts.flatMap((conflict) => conflict.roles));
  const keys = [...organizations].flatMap((organization) =>
    [...roles].map((role) => roleKey({ organization, role })),
  );
  const gaps = new Gaps(tenant.client);
  const unread = keys.filter((key) => !holders.groups.has(key));
  const found = await readInOrganizations(tenant, unread, listed, gaps);
  const { incomplete, inPart } = gaps.told();
  const isHeld = ({ id }: Named) => (found.groups.get(id) ?? []).length > 0;
  return {
    ...holders,
    roles: [...holders.roles, ...found.roles.filter(isHeld)],
    groups: new Map([...holders.groups, ...found.groups]),
    incomplete: [...holders.incomplete, ...incomplete],
    inPart: new Set([...holders.inPart, ...inPart]),
  };
}

/** Collects the lists that the tenant returned only in part. */
export class Gaps {
  readonly #incomplete: string[] = [];
  readonly #inPart = new Set<string>();

  constructor(private readonly client: IdentityClient) {}

  get isEmpty(): boolean {
    return this.#incomplete.length === 0;
  }

  /** Returns as much of a list as the tenant returned. `of`: the role or group with this list. */
  readable<Item>(answer: Answer<Item[]>, of?: string): Item[] {
    const { items, incomplete } = partOf(answer);
    if (incomplete !== undefined) {
      this.#incomplete.push(this.client.border.clean(incomplete.message));
      if (of !== undefined) this.#inPart.add(of);
    }
    return items;
  }

  /** The same, but undefined if the object of the list was deleted meanwhile. */
  ifThere<Item>(answer: Answer<Item[]>, of: string): Item[] | undefined {
    if (answer.error instanceof NotFoundError) return undefined;
    return this.readable(answer, of);
  }

  told(): Pick<TenantRoles, "incomplete" | "inPart"> {
    return { incomplete: this.#incomplete.sort(compare), inPart: this.#inPart };
  }
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

/** A tenant's text may repeat a secret. */
export function quoting({ border }: IdentityClient): (one: Named) => Named {
  return ({ id, name }) => ({ id, name: name ? border.quote(name) : undefined });
}

export function quotingRole({ border }: IdentityClient): (role: RoleRecord) => Named {
  return (role) => ({ id: role.id, name: titleOfRole(role, (name) => border.quote(name)) });
}
