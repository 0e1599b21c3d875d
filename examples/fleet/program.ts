import { type PulumiFn } from "@pulumi/pulumi/automation";
import { ConnectionProfile, getConnectionProfiles, RoleGroupAssignment } from "pulumi-identity";
import { type Shard } from "./shards";

export const ADMIN_ROLE = "rol_4hNkVx8QmTz2bRcW";

/**
 * The program of one shard.
 *
 * @param interrupted Names of profiles that a run which was killed was creating. They may be on the tenant.
 */
export function program({ customers, groups }: Shard, interrupted: string[]): PulumiFn {
  return async () => {
    const made = interrupted.length === 0 ? new Map<string, string>() : await profilesNamed(interrupted);
    for (const { id } of customers) {
      // With deleteOnDestroy an adopted profile is the stack's own, like one that it has created.
      const args = { name: id, enabledFeatures: ["scim" as const], deleteOnDestroy: true };
      new ConnectionProfile(id, { ...args, adopt: made.get(id) });
    }
    if (groups.length > 0) new RoleGroupAssignment("admins", { roleId: ADMIN_ROLE, groupIds: groups });
  };
}

/** Ids by name. One look at the tenant's list serves all names. */
async function profilesNamed(names: string[]): Promise<Map<string, string>> {
  const { connectionProfiles } = await getConnectionProfiles();
  return new Map(
    connectionProfiles.filter(({ name }) => names.includes(name)).map(({ name, id }) => [name, id]),
  );
}
