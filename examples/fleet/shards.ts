import { createHash } from "node:crypto";

/**
 * Stacks of the fleet. Never change it while there is state: profiles and groups would move to other stacks,
 * so that one stack makes them again while another one, maybe later, takes them away.
 */
export const SHARDS = 12;

export interface Customer {
  /** Names the customer's profile on the tenant, so no other profile may have this name. */
  id: string;
  /** Group of the customer that gets the role of administrators. */
  adminGroup?: string;
}

/** What one stack is to hold. */
export interface Shard {
  shard: number;
  customers: Customer[];
  /** Groups that get the role of administrators. */
  groups: string[];
}

export function stackName(shard: number): string {
  return `shard-${String(shard).padStart(2, "0")}`;
}

/**
 * Where a thing belongs, by its own id: that of the customer for the profile, that of the group for the role.
 * Nobody moves when others come and go, and a group stays where it is when its customer gets another id, or
 * when it passes to another customer. Were it in the stack of the customer, the new stack could give it the
 * role before the old one takes that away.
 */
export function shardOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt32BE() % SHARDS;
}

/** All shards. One without customers is applied too: it may have had some. */
export function shardsOf(customers: Customer[]): Shard[] {
  const groups = customers.flatMap(({ adminGroup }) => adminGroup ?? []);
  return Array.from({ length: SHARDS }, (_, shard) => ({
    shard,
    customers: customers.filter(({ id }) => shardOf(id) === shard),
    groups: groups.filter((group) => shardOf(group) === shard),
  }));
}

/** Two stacks that give a role to one group take it from each other. Called before anything is applied. */
export function refuseTwice(shards: Shard[]): void {
  const places = new Map<string, number>();
  for (const { shard, groups } of shards)
    for (const group of groups) {
      const other = places.get(group);
      if (other !== undefined)
        throw new Error(
          other === shard
            ? `Group ${group} is listed twice in ${stackName(shard)}.`
            : `Group ${group} is in ${stackName(other)} and in ${stackName(shard)}: one stack must give it the role.`,
        );
      places.set(group, shard);
    }
}

/** Reads a list of customers: `[{ "id": "customer-001", "adminGroup": "grp_…" }, …]`. */
export function parseCustomers(text: string): Customer[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("It must be a list of customers.");
  const seen = new Set<string>();
  const customersOf = new Map<string, string>();
  return list.map((entry: Partial<Customer> | null, index) => {
    const { id, adminGroup } = entry ?? {};
    if (typeof id !== "string" || id === "") throw new Error(`Entry ${index + 1} has no id.`);
    if (seen.has(id)) throw new Error(`Customer ${id} is listed twice.`);
    seen.add(id);
    if (adminGroup !== undefined) {
      const other = customersOf.get(adminGroup);
      if (other !== undefined)
        throw new Error(`Customers ${other} and ${id} have the same group: ${adminGroup}.`);
      customersOf.set(adminGroup, id);
    }
    return { id, ...(adminGroup !== undefined && { adminGroup }) };
  });
}
