import { type IdentityClient } from "../http/client";
import { readList } from "../http/pages";
import { roleRecord, type RoleRecord } from "./roles";

/** All roles that a group has. */
export function readGroupRoles(client: IdentityClient, groupId: string): Promise<RoleRecord[]> {
  return readList(client, {
    path: "/groups/{id}/roles",
    ids: { id: groupId },
    entries: "roles",
    record: roleRecord,
    scopes: ["read:group_roles"],
  });
}
