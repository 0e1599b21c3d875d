import * as pulumi from "@pulumi/pulumi";
import { type Named } from "../../service/record";
import { knownValue, secretNamesIn } from "./dependencies";
import { ProgramMemory } from "./program-run";

/**
 * By tenant and id: the names by which the program has found objects. Resources send them to the handlers,
 * which print them, and nothing else depends on them.
 */
const FOUND = new ProgramMemory("names/1", () => new Map<unknown, Map<string, string>>());

/** `tenant`: as in `tenantKey`. */
export function noteFound(tenant: unknown, { id, name }: Named): void {
  const names = FOUND.recall();
  if (names === undefined || !name) return;
  const ofTenant = names.get(tenant) ?? new Map<string, string>();
  names.set(tenant, ofTenant.set(id, name));
}

/** Returns the names of the ids among these inputs that aren't secret; undefined if there are none. */
export async function foundNames(
  tenant: unknown,
  inputs: Readonly<Record<string, unknown>>,
): Promise<Record<string, string> | undefined> {
  const names = FOUND.recall()?.get(tenant);
  if (names === undefined) return undefined;
  const secret = new Set(await secretNamesIn(inputs));
  const shown = Object.entries(inputs).filter(([name]) => !secret.has(name));
  const values = await Promise.all(shown.map(([, value]) => knownValue(pulumi.output(value))));
  const found = values.flat().flatMap((id) => {
    const name = typeof id === "string" ? names.get(id) : undefined;
    return name === undefined ? [] : [[id as string, name]];
  });
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Record<string, string>);
}
