import { type Border } from "../../provider/border";
import { concernsOneQuestion, NotFoundError, UnexpectedAnswerError } from "../../provider/http/errors";
import { ROLE_ID } from "../../provider/service/ids";
import { type Named } from "../../provider/service/record";
import { type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { CommandError } from "../errors";
import { type StackTenant } from "../stack-client";
import { type Asked } from "../tenant/questions";
import { Gaps, quoting, quotingRole } from "./holders";
import { type UserAccess, type UserRole } from "./user";

export async function readUserAccess(tenant: StackTenant, id: string): Promise<UserAccess> {
  const { client, reader, progress } = tenant;
  progress.show("Reading what the user may do …");
  const quote = quoting(client);
  const gaps = new Gaps(client);
  const answers = await reader.permissionsOfUsers([id], (_, answer) => {
    if ("error" in answer && answer.error instanceof NotFoundError)
      throw new CommandError(`The user ${id} is not on the tenant ${client.tenant}: check --user.`);
  });
  const permissions = [...answers.values()]
    .flatMap((answer) => gaps.readable(answer))
    .map((record) => toPermission(record, client.border));
  const named = new Map<string, Named>();
  for (const { sources } of permissions)
    for (const source of sources ?? []) if (source.kind === "role") named.set(source.id, source);
  const effective = readable(await reader.rolesOfUser(id));
  const known = new Map((typeof effective === "string" ? [] : effective).map((role) => [role.id, role]));
  let unread = typeof effective === "string" ? effective : undefined;
  const ids = [...new Set([...known.keys(), ...named.keys()])];
  const shown = progress.counting("Reading roles of the user", ids.length);
  const roleOf = async (role: string): Promise<UserRole> => {
    const candidates = async () => {
      const groups = await reader.groupsOfRoles([role]);
      return [...groups.values()].flatMap((answer) => gaps.ifThere(answer, role) ?? []).map(quote);
    };
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
    const through = readable(await reader.groupsBehind(id, role));
    if (typeof through !== "string") return { id: role, name, isDirect, groups: through.map(quote) };
    unread ??= through;
    return { id: role, name, isDirect, groups: await candidates() };
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
    allRoles: typeof effective !== "string",
    incomplete: gaps.told().incomplete,
  };
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

/** The list, or why it isn't readable: not every tenant has it, and not every client may read it. */
function readable<Item>(answer: Asked<Item[]>): Item[] | string {
  if ("value" in answer) return answer.value;
  const { reason, error } = answer;
  if (concernsOneQuestion(error) || error instanceof UnexpectedAnswerError) return reason;
  throw error;
}
