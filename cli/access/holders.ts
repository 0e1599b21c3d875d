import { type IdentityClient } from "../../provider/http/client";
import { concernsOneQuestion, NotFoundError } from "../../provider/http/errors";
import { type RoleRecord, titleOfRole } from "../../provider/service/roles";
import { compare } from "../../provider/review/step";
import { type Named } from "../../provider/service/record";
import { checkRoleGroups } from "../gone-in-bulk";
import { type StackTenant } from "../stack-client";
import { type Asked } from "../tenant/questions";
import { partOf } from "../tenant/reader";
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
  /** What states list. */
  claimed: readonly { role: string; group: string }[];
  /** What rules allow. */
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
  const inStates = [...claimed.map(({ role }) => role), ...open];
  // If the list is incomplete, the other roles may exist anyway.
  const others = isWhole ? [] : [...new Set([...wanted, ...inStates])].filter((id) => !known.has(id));
  if (wanted.length === 0 && groups.length > 0) {
    const found = await readRolesOfGroups(tenant, groups, gaps);
    return { roles: [...roles, ...others.map((id) => ({ id }))], ...found, ...gaps.told() };
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
    roles: [...roles, ...others.filter((id) => found.has(id)).map((id) => ({ id }))],
    groups: new Map(asked.map((id) => [id, found.get(id) ?? []])),
    names: new Map(),
    gone: new Set(),
    ...gaps.told(),
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
  readable<Item>(answer: Asked<Item[]>, of?: string): Item[] {
    const { items, incomplete } = partOf(answer);
    if (incomplete !== undefined) {
      this.#incomplete.push(this.client.border.clean(incomplete.message));
      if (of !== undefined) this.#inPart.add(of);
    }
    return items;
  }

  /** The same, but undefined if the object of the list was deleted meanwhile. */
  ifThere<Item>(answer: Asked<Item[]>, of: string): Item[] | undefined {
    if ("error" in answer && answer.error instanceof NotFoundError) return undefined;
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
      if ("error" in answer && !concernsOneQuestion(answer.error)) throw answer.error;
      if ("value" in answer && answer.value !== undefined) names.set(id, client.border.quote(answer.value));
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
