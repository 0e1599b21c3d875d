import * as pulumi from "@pulumi/pulumi";
import { formatSets, type SetPath } from "../sets";
import { knownValue } from "./dependencies";

/**
 * Returns the text of the sets among a resource's inputs (see ../sets.ts); undefined without any. Leaves out
 * inputs that a preview doesn't know, in whole or in part. `sets`: only called if there may be some.
 */
export function givenSets(
  sets: () => readonly SetPath[],
  inputs: pulumi.Inputs,
): string | undefined | Promise<string | undefined> {
  const composed = Object.entries(inputs).filter(([, value]) => typeof value === "object" && value !== null);
  if (composed.length === 0) return undefined;
  const paths = sets();
  const given = composed.filter(([name]) => paths.some(([first]) => first === name));
  if (given.every(([, value]) => isPlain(value))) return formatSets(paths, Object.fromEntries(given));
  return knownOf(given).then((known) => formatSets(paths, known));
}

async function knownOf(values: [name: string, value: unknown][]): Promise<Record<string, unknown>> {
  const known = values.map(async ([name, value]): Promise<[string, unknown]> => {
    // A rejection fails the input itself.
    return [name, await knownValue(pulumi.output(value)).catch(() => undefined)];
  });
  return Object.fromEntries(await Promise.all(known));
}

/** True if a value holds no Output, promise or resource. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  const isLiteral = Object.getPrototypeOf(value) === Object.prototype;
  return isLiteral && Object.values(value).every(isPlain);
}
