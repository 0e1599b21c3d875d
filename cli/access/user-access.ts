import { type Border } from "../../provider/border";
import { NotFoundError, UnexpectedAnswerError } from "../../provider/http/errors";
import { ROLE_ID } from "../../provider/service/ids";
import { type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { CommandError } from "../errors";
import { type StackTenant } from "../stack-client";
import { type Answer } from "../tenant/questions";
import { goingOn } from "../tenant/reader";
import { Gaps, quoting, quotingRole } from "./gaps";
import { type UserAccess, type UserRole } from "./user";

export async function readUserAccess(tenant: StackTenant, id: string): Promise<UserAccess> {
  const { client, reader, progress } = tenant;
  progress.show("Reading what the user may do …");
  const quote = quoting(client);
  const gaps = new Gaps(client);
  const answers = await reader.permissionsOfUsers([id], (_, answer) => {
    if (answer.error instanceof NotFoundError)
      throw new CommandError(`The user ${id} is not on the tenant ${client.tenant}: check --user.`);
  });
  const permissions = [...answers.values()]
    .flatMap((answer) => gaps.readable(answer))
    .map((record) => toPermission(record, client.border));
  const sources = permissions.flatMap((permission) => permission.sources ?? []);
  const named = new Map(sources.filter(({ kind }) => kind === "role").map((role) => [role.id, role]));
  const effective = ifListed(await reader.rolesOfUser(id));
  const known = new Map((effective.value ?? []).map((role) => [role.id, role]));
  let unread = effective.reason;
  const ids = [...new Set([...known.keys(), ...named.keys()])];
  const shown = progress.counting("Reading roles of the user", ids.length);
  const candidates = async (role: string) => {
    const groups = await reader.groupsOfRoles([role]);
    return [...groups.values()].flatMap((answer) => gaps.ifThere(answer, role) ?? []).map(quote);
  };
  const throughGroups = async (role: string) => {
    const { value, reason } = ifListed(await reader.groupsBehind(id, role));
    unread ??= reason;
    return value?.map(quote) ?? candidates(role);
  };
  const roleOf = async (role: string): Promise<UserRole> => {
    const { sources: ways, ...record } = known.get(role) ?? { id: role, sources: ELSEWHERE };
    const name = quotingRole(client)(record).name ?? named.get(role)?.name;
    if (effective.value === undefined)
      return { id: role, name, isDirect: undefined, groups: await candidates(role) };
    const isKnown = ways.every((way) => way === "direct" || way === "groups");
    return {
      id: role,
      name,
      isDirect: isKnown ? ways.includes("direct") : undefined,
      groups: ways.includes("groups") ? await throughGroups(role) : [],
    };
  };
  const roles = await Promise.all(
    ids.map(async (role) => {
      const found = await roleOf(role);
      shown();
      return found;
    }),
  );
  return {
    id,
    permissions,
    roles,
    unread,
    allRoles: effective.value !== undefined,
    incomplete: gaps.told().incomplete,
  };
}

/** The sources of a role that only the list of permissions names. */
const ELSEWHERE: readonly string[] = ["elsewhere"];

type Permission = UserAccess["permissions"][number];

function toPermission(record: PermissionRecord, border: Border): Permission {
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

function sourceKind(id: string, type: string): NonNullable<Permission["sources"]>[number]["kind"] {
  if (id === "") return "direct";
  return /^(role)?$/i.test(type) && ROLE_ID.safeParse(id).success ? "role" : "other";
}

/** The list, or why it isn't readable: not every tenant has it, and not every client may read it. */
function ifListed<Item>(answer: Answer<Item[]>): Answer<Item[]> {
  return answer.error instanceof UnexpectedAnswerError ? answer : goingOn(answer);
}
