import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { readList } from "../http/pages";
import { GROUP_ID } from "./ids";

const ROLE_GROUPS = "/roles/{id}/groups";

/** The source document shows nothing of a group but its id, so that whatever else there is must not fail a read. */
export const roleGroupRecord = z.looseObject({ id: GROUP_ID, name: z.string().optional().catch(undefined) });
export type RoleGroupRecord = z.infer<typeof roleGroupRecord>;

/** All groups that are assigned to a role. */
export function readRoleGroups(
  client: IdentityClient,
  roleId: string,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  const scopes = ["read:group_roles"];
  const list = { path: ROLE_GROUPS, ids: { id: roleId }, entries: "groups", record: roleGroupRecord, scopes };
  return readList(client, list, signal);
}

/** Their ids. */
export async function listRoleGroups(
  client: IdentityClient,
  roleId: string,
  signal?: AbortSignal,
): Promise<string[]> {
  return (await readRoleGroups(client, roleId, signal)).map(({ id }) => id);
}

/** Section 4.3: gives the role to groups. */
export function assignRoleGroups(
  client: IdentityClient,
  roleId: string,
  groups: readonly string[],
): Promise<void> {
  return client.send({
    method: "POST",
    path: ROLE_GROUPS,
    ids: { id: roleId },
    body: { groups },
    scopes: ["create:group_roles"],
  });
}

/** Takes the role from groups. */
export function removeRoleGroups(
  client: IdentityClient,
  roleId: string,
  groups: readonly string[],
): Promise<void> {
  return client.send({
    method: "DELETE",
    path: ROLE_GROUPS,
    ids: { id: roleId },
    body: { groups },
    scopes: ["delete:group_roles"],
  });
}
