import { getRoleGroups } from "pulumi-identity";
import { ADMIN_ROLE } from "./program";
import { type Shard, shardOf, stackName } from "./shards";

/**
 * Lines for groups that should have the role and don't. State can't tell: what one stack has given, another
 * one, or a person, may have taken away, and to each of them all looks as it should.
 */
export async function losses(shards: Shard[]): Promise<string[]> {
  const wanted = shards.flatMap(({ groups }) => groups);
  if (wanted.length === 0) return [];
  const { groups } = await getRoleGroups({ roleId: ADMIN_ROLE });
  const held = new Set(groups.map(({ id }) => id));
  const lost = wanted.filter((group) => !held.has(group));
  if (lost.length === 0) return [];
  const stacks = [...new Set(lost.map((group) => stackName(shardOf(group))))].sort();
  return [
    ...lost.map((group) => `${stackName(shardOf(group))}: ${group} has lost the role`),
    `To give it back: npm run fleet -- customers.json --refresh ${stacks.join(" ")}`,
  ];
}
