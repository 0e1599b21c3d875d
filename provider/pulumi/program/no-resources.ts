import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { MOST_LEVELS } from "../../http/shape";
import { pathText } from "../../review/raw-inputs";

/** Refuses a resource among plain values: people forget the `.id`, and Pulumi's types don't always notice. */
export function refuseResources(what: string, values: unknown): void {
  const path = resourceIn(values, []);
  if (path === undefined) return;
  throw new InvalidInputError(
    `${what}: ${pathText(path)} is a resource. Give it a value of the resource, such as its id: add .id.`,
  );
}

function resourceIn(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | undefined {
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return undefined;
  if (pulumi.Resource.isInstance(value)) return path;
  if (path.length > MOST_LEVELS) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = resourceIn(child, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
