import { type IdentityClient } from "../../provider/http/client";
import { nearest, onlyDifference } from "../../provider/near-names";
import { isGroupId, ORGANIZATION_ID, ROLE_ID } from "../../provider/service/ids";
import { type Named } from "../../provider/service/record";
import { isOfOrganization, type RoleRecord } from "../../provider/service/roles";
import { CommandError } from "../errors";
import { isNotFound } from "./questions";
import { type OpenTenant, valueOf } from "./reader";

/** A role, or a group: a name of a group is unique only within its connection. */
type NamedObject = Named & { connection_id?: string | null | undefined };

/**
 * Finds the only one with exactly this name. `known`: what the tenant listed, or found by the name. `what`:
 * `role of tenant.example.com`.
 */
export function idOfName(
  name: string,
  what: string,
  known: readonly NamedObject[],
): { id: string } | { problem: string } {
  const found = known.filter((object) => object.name === name);
  const [only] = found;
  const quoted = JSON.stringify(name);
  if (only === undefined) return { problem: `no ${what} is called ${quoted}${meant(name, known)}` };
  if (found.length === 1) return { id: only.id };
  return { problem: `more than one ${what} is called ${quoted}: write an id, ${idsText(found)}` };
}

function idsText(objects: readonly NamedObject[]): string {
  const isOfConnections = objects.some(({ connection_id: connection }) => connection != null);
  const ids = objects.map(({ id, connection_id: connection }) =>
    isOfConnections ? `${id} (${connection == null ? "no connection" : `connection ${connection}`})` : id,
  );
  return ids.join(", ");
}

function meant(name: string, objects: readonly NamedObject[]): string {
  const names = objects.flatMap((object) => object.name ?? []);
  for (const known of names) {
    const difference = onlyDifference(name, known);
    if (difference === undefined) continue;
    // Names that differ in Unicode form look the same.
    const alike = idsText(objects.filter((object) => object.name === known));
    const advice = difference === "case" ? "" : `: write its id, ${alike}`;
    return `. ${JSON.stringify(known)} differs only in ${difference}${advice}`;
  }
  const [near] = nearest(name, names, 1, 3);
  return near === undefined ? "" : `. Did you mean ${JSON.stringify(near)}?`;
}

/** Returns the ids that `--role` names, by name or by id; only what may be a name needs the list of roles. */
export async function idsOfRoles(
  { client, reader }: OpenTenant,
  texts: readonly string[],
): Promise<string[]> {
  if (texts.every((text) => isRoleId(text))) return [...texts];
  // A part of the list could lack another role of the same name.
  const listed = valueOf(await reader.roles());
  const own = listed.filter((role) => !isOfOrganization(role));
  return texts.map((text) =>
    isRoleId(text, listed)
      ? text
      : checkedId(client, "--role", idOfName(text, `role of ${client.tenant}`, own)),
  );
}

/** Returns the ids that `--group` names; a request for each name. */
export async function idsOfGroups(
  { client, reader }: OpenTenant,
  texts: readonly string[],
): Promise<string[]> {
  const answers = await reader.groupsNamed(texts.filter((text) => !isGroupId(text)));
  return texts.map((text) => {
    const answer = answers.get(text);
    if (answer === undefined) return text;
    return checkedId(client, "--group", idOfName(text, `group of ${client.tenant}`, valueOf(answer)));
  });
}

/** In place of an organization's name. */
export const ALL_ORGANIZATIONS = "all";

/** Returns the ids that `--organization` names, by name or by id; a request for each. */
export async function idsOfOrganizations(
  { client, reader }: OpenTenant,
  texts: readonly string[],
): Promise<string[]> {
  if (texts.includes(ALL_ORGANIZATIONS)) return valueOf(await reader.organizations()).map(({ id }) => id);
  const [named, known] = await Promise.all([
    reader.organizationsNamed(texts.filter((text) => !isOrganizationId(text))),
    reader.namesOfOrganizations(texts.filter(isOrganizationId)),
  ]);
  const what = `organization of ${client.tenant}`;
  return texts.map((text) => {
    const answer = named.get(text);
    const found = isNotFound(known.get(text)) ? { problem: `no ${what} has the id ${text}` } : { id: text };
    return checkedId(client, "--organization", answer ? idOfName(text, what, valueOf(answer)) : found);
  });
}

export function isOrganizationId(text: unknown): text is string {
  return ORGANIZATION_ID.safeParse(text).success;
}

/**
 * True for the id of a listed role, and for any id with the usual prefix: others may be names. Nobody can
 * give a role the name of another one's id, and so take its place.
 */
export function isRoleId(text: string, listed: readonly RoleRecord[] = []): boolean {
  const isUsual = text.startsWith("rol_") && ROLE_ID.safeParse(text).success;
  return isUsual || listed.some(({ id }) => id === text);
}

function checkedId(client: IdentityClient, option: string, found: ReturnType<typeof idOfName>): string {
  if ("id" in found) return found.id;
  throw new CommandError(
    client.border.clean(`${option}: ${found.problem}${found.problem.endsWith("?") ? "" : "."}`),
  );
}
