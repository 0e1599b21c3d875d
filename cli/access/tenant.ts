import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import {
  concernsOneQuestion,
  NotFoundError,
  shortReason,
  UnexpectedAnswerError,
} from "../../provider/http/errors";
import {
  listRoles,
  readEffectiveRoles,
  readRoleGroups,
  readSourceGroups,
  type RoleRecord,
  titleOfRole,
} from "../../provider/service/roles";
import { readGroupName, readGroupRoles } from "../../provider/service/groups";
import { ROLE_ID } from "../../provider/service/ids";
import { listUserPermissions, type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { count } from "../../provider/review/sentence";
import { CommandError } from "../errors";
import { checkRoleGroups } from "../gone-in-bulk";
import { type Progress } from "../terminal";
import { compare } from "../../provider/review/step";
import { readablePart } from "../../provider/http/pages";
import { type Named } from "../../provider/service/record";
import { type Filter, type TenantRoles } from "./roles";
import { type UserAccess, type UserRole } from "./user";

/**
 * Reads one list of roles, plus one list for each role or, if groups are named, for each group. `claimed`:
 * roles in the states.
 */
export async function readHolders(
  client: IdentityClient,
  { roles: wanted, groups }: Filter,
  claimed: readonly string[],
  progress: Progress,
): Promise<TenantRoles & { listed: readonly RoleRecord[]; isWhole: boolean }> {
  progress.show("Reading the roles …");
  const quote = quoting(client);
  const gaps = new Gaps(client);
  const listed = await gaps.readable(listRoles(client));
  const isWhole = gaps.isEmpty;
  const roles = listed.map(quotingRole(client));
  const known = new Set(roles.map(({ id }) => id));
  // If the list is incomplete, the other roles may exist anyway.
  const others = isWhole ? [] : [...new Set([...wanted, ...claimed])].filter((id) => !known.has(id));
  if (wanted.length === 0 && groups.length > 0) {
    const found = await readRolesOfGroups(client, groups, gaps, progress);
    return { roles: [...roles, ...others.map((id) => ({ id }))], listed, isWhole, ...found, ...gaps.told() };
  }
  const all = [...known, ...others];
  const asked = wanted.length === 0 ? all : wanted.filter((id) => all.includes(id));
  const what = `Reading the groups of ${count(asked.length, "role")}`;
  const found = await each(asked, what, progress, async (id) =>
    (await whileThere(gaps.readable(readRoleGroups(client, id), id), undefined))?.map(quote),
  );
  checkRoleGroups(
    client.tenant,
    asked.filter((id) => known.has(id)).map((id) => found.get(id)),
  );
  return {
    roles: [...roles, ...others.filter((id) => found.get(id) !== undefined).map((id) => ({ id }))],
    listed,
    isWhole,
    groups: new Map([...found].map(([id, held = []]) => [id, held])),
    names: new Map(),
    gone: new Set(),
    ...gaps.told(),
  };
}

/** Collects the lists that the tenant returned only in part. */
class Gaps {
  readonly #incomplete: string[] = [];
  readonly #inPart = new Set<string>();

  constructor(private readonly client: IdentityClient) {}

  get isEmpty(): boolean {
    return this.#incomplete.length === 0;
  }

  /** Reads as much of a list as the tenant returns. `of`: the role or group with this list. */
  async readable<Item>(reading: Promise<Item[]>, of?: string): Promise<Item[]> {
    const { items, incomplete } = await readablePart(reading);
    if (incomplete !== undefined) {
      this.#incomplete.push(this.client.border.clean(incomplete.message));
      if (of !== undefined) this.#inPart.add(of);
    }
    return items;
  }

  told(): Pick<TenantRoles, "incomplete" | "inPart"> {
    return { incomplete: this.#incomplete.sort(compare), inPart: this.#inPart };
  }
}

/** By group, because a group has a few roles, while a tenant has hundreds. */
async function readRolesOfGroups(
  client: IdentityClient,
  ids: readonly string[],
  gaps: Gaps,
  progress: Progress,
): Promise<Pick<TenantRoles, "groups" | "names" | "gone">> {
  const names = new Map<string, string>();
  const gone = new Set<string>();
  const rolesOf = await each(
    ids,
    `Reading the roles of ${count(ids.length, "group")}`,
    progress,
    async (id) => {
      const [roles, name] = await Promise.all([
        whileThere(gaps.readable(readGroupRoles(client, id), id), undefined),
        readGroupName(client, id).catch(unlessRefused),
      ]);
      if (name !== undefined) names.set(id, client.border.quote(name));
      if (roles === undefined) gone.add(id);
      return roles ?? [];
    },
  );
  const groups = new Map<string, Named[]>();
  for (const [id, roles] of rolesOf)
    for (const role of roles)
      groups.set(role.id, [...(groups.get(role.id) ?? []), { id, name: names.get(id) }]);
  return { groups, names, gone };
}

export async function readUserAccess(
  client: IdentityClient,
  id: string,
  progress: Progress,
): Promise<UserAccess> {
  progress.show("Reading what the user may do …");
  const quote = quoting(client);
  const gaps = new Gaps(client);
  const permissions = (await gaps.readable(permissionsOf(client, id))).map((record) =>
    toPermission(record, client.border),
  );
  const named = new Map<string, Named>();
  for (const { sources } of permissions)
    for (const source of sources ?? []) if (source.kind === "role") named.set(source.id, source);
  const effective = await readEffectiveRoles(client, id).catch(reasonOf);
  const known = new Map((typeof effective === "string" ? [] : effective).map((role) => [role.id, role]));
  let unread = typeof effective === "string" ? effective : undefined;
  const ids = [...new Set([...known.keys(), ...named.keys()])];
  const roles = await each(
    ids,
    `Reading ${count(ids.length, "role")} of the user`,
    progress,
    async (role) => {
      const candidates = async () =>
        (await whileThere(gaps.readable(readRoleGroups(client, role), role), [])).map(quote);
      const found = known.get(role);
      const name = (found && quotingRole(client)(found).name) ?? named.get(role)?.name;
      const sources = found?.sources;
      if (typeof effective === "string")
        return { id: role, name, isDirect: undefined, groups: await candidates() };
      // Only the list of permissions names this role, so it comes from elsewhere.
      if (sources === undefined) return { id: role, name, isDirect: undefined, groups: [] };
      const isKnown = sources.every((source) => source === "direct" || source === "groups");
      const isDirect = isKnown ? sources.includes("direct") : undefined;
      if (!sources.includes("groups")) return { id: role, name, isDirect, groups: [] };
      const through = await readSourceGroups(client, id, role).catch(reasonOf);
      if (typeof through !== "string") return { id: role, name, isDirect, groups: through.map(quote) };
      unread ??= through;
      return { id: role, name, isDirect, groups: await candidates() };
    },
  );
  return {
    id,
    permissions,
    roles: [...roles.values()] satisfies UserRole[],
    unread,
    allRoles: typeof effective !== "string",
    incomplete: gaps.told().incomplete,
  };
}

async function permissionsOf(client: IdentityClient, id: string): Promise<PermissionRecord[]> {
  try {
    return await listUserPermissions(client, id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new CommandError(`The user ${id} is not on the tenant ${client.tenant}: check --user.`);
  }
}

/** A tenant's text may repeat a secret. */
function quoting({ border }: IdentityClient): (one: Named) => Named {
  return ({ id, name }) => ({ id, name: name ? border.quote(name) : undefined });
}

function quotingRole({ border }: IdentityClient): (role: RoleRecord) => Named {
  return (role) => ({ id: role.id, name: titleOfRole(role, (name) => border.quote(name)) });
}

function toPermission(record: PermissionRecord, border: Border): UserAccess["permissions"][number] {
  const sources = sourcesOf(record)?.map(({ id, name, type }) => {
    const isRole = /^(role)?$/i.test(type) && ROLE_ID.safeParse(id).success;
    return {
      kind: id === "" ? ("direct" as const) : isRole ? ("role" as const) : ("other" as const),
      id: isRole ? id : border.quote(id),
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

async function each<Value>(
  ids: readonly string[],
  what: string,
  progress: Progress,
  read: (id: string) => Promise<Value>,
): Promise<Map<string, Value>> {
  let done = 0;
  progress.show(`${what} …`);
  const found = ids.map(async (id): Promise<[string, Value]> => {
    const value = await read(id);
    progress.show(`${what} … ${++done}`);
    return [id, value];
  });
  return new Map(await Promise.all(found));
}

/** Objects deleted during the read have nothing any more. */
async function whileThere<Value, Nothing>(
  reading: Promise<Value>,
  nothing: Nothing,
): Promise<Value | Nothing> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NotFoundError) return nothing;
    throw error;
  }
}

/** A name is worth a request, but not an error. */
function unlessRefused(error: unknown): undefined {
  if (concernsOneQuestion(error)) return undefined;
  throw error;
}

/** Returns why a list wasn't readable: not every tenant has it, and not every client may read it. */
function reasonOf(error: unknown): string {
  if (error instanceof NotFoundError) return "404: the tenant does not know this list";
  if (concernsOneQuestion(error) || error instanceof UnexpectedAnswerError) return shortReason(error);
  throw error;
}
