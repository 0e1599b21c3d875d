import { createHash } from "node:crypto";

/**
 * Stacks of the fleet. Never change it while there is state: customers would move to other stacks, so that one stack
 * makes their profiles again while another one deletes them.
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
}

export function stackName(shard: number): string {
  return `shard-${String(shard).padStart(2, "0")}`;
}

/** Depends on the customer alone, so that nobody moves when others come and go. */
export function shardOf(customerId: string): number {
  return createHash("sha256").update(customerId).digest().readUInt32BE() % SHARDS;
}

/** All shards. One without customers is applied too: it may have had some. */
export function shardsOf(customers: Customer[]): Shard[] {
  return Array.from({ length: SHARDS }, (_, shard) => ({
    shard,
    customers: customers.filter(({ id }) => shardOf(id) === shard),
  }));
}

/** Reads a list of customers: `[{ "id": "customer-001", "adminGroup": "grp_…" }, …]`. */
export function parseCustomers(text: string): Customer[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("It must be a list of customers.");
  const seen = new Set<string>();
  return list.map((entry: Partial<Customer> | null, index) => {
    const { id, adminGroup } = entry ?? {};
    if (typeof id !== "string" || id === "") throw new Error(`Entry ${index + 1} has no id.`);
    if (seen.has(id)) throw new Error(`Customer ${id} is listed twice.`);
    seen.add(id);
    return { id, ...(adminGroup !== undefined && { adminGroup }) };
  });
}
