import { type IdentityClient } from "../http/client";
import { LIFETIME_MS, ProfileReads } from "./connection-profile/bulk-reads";
import { listRoleGroups } from "../service/role-groups";

/** Reads that the resources of a process share. A write must forget what it changes. */
export class SharedReads {
  readonly profiles: ProfileReads;
  readonly #roleGroups = new Map<string, { groups: Promise<string[]>; until: number }>();

  constructor(private readonly client: IdentityClient) {
    this.profiles = new ProfileReads(client);
  }

  /** Ids of the groups of a role: one listing for all assignments of that role. */
  roleGroups(roleId: string): Promise<string[]> {
    const known = this.#roleGroups.get(roleId);
    if (known !== undefined && performance.now() < known.until) return known.groups;
    const groups = listRoleGroups(this.client, roleId);
    this.#roleGroups.set(roleId, { groups, until: performance.now() + LIFETIME_MS });
    groups.catch(() => {
      if (this.#roleGroups.get(roleId)?.groups === groups) this.#roleGroups.delete(roleId);
    });
    return groups;
  }

  forgetRole(roleId: string): void {
    this.#roleGroups.delete(roleId);
  }
}

const reads = new WeakMap<IdentityClient, SharedReads>();

/** The shared reads of a client, made on first use. */
export function readsOf(client: IdentityClient): SharedReads {
  let found = reads.get(client);
  if (found === undefined) {
    found = new SharedReads(client);
    reads.set(client, found);
  }
  return found;
}
