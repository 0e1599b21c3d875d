import * as pulumi from "@pulumi/pulumi";

/** Inputs by name, as they come from a program or the engine: any value can be unknown, at any depth. */
export type RawInputs = Record<string, unknown>;

/**
 * During a preview, and in `diff` at times during an update, a value that is not known yet arrives as this string,
 * also in place of a whole list or object.
 */
export function isUnknown(value: unknown): boolean {
  return value === pulumi.runtime.unknownValue;
}

/** True when the value is unknown or holds an unknown at any depth. */
export function holdsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}

/** A list as the set that it stands for: sorted, without repetition. */
export function sortedSet<T>(items: readonly T[]): T[] {
  // Two unknown values may turn out to be different ones.
  return items.filter((item, index) => isUnknown(item) || items.indexOf(item) === index).sort();
}

/** JavaScript programs write null for "not set": without such values of objects, at any depth. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null && child !== undefined)
      .map(([key, child]) => [key, withoutNulls<unknown>(child)]),
  ) as T;
}

/** JSON in which equal values are equal texts: objects have no order on their way through the engine. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}
