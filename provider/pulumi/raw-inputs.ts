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

/** A list as the set that it stands for: sorted, without repetition. One that does not hold texts stays as it is. */
export function sortedSet<T>(items: readonly T[]): T[] {
  // Sorting would turn the others into texts, which can fail.
  if (!items.every((item) => typeof item === "string")) return [...items];
  // Two unknown values may turn out to be different ones.
  return items.filter((item, index) => isUnknown(item) || items.indexOf(item) === index).sort();
}

/** No setting of the service comes near this; deeper values would overflow the stack of whatever walks through them. */
const MOST_LEVELS = 100;

/** What state can't hold, by the name of the input: the rule that its value breaks. */
export function unrecordable(inputs: RawInputs): [name: string, rule: string][] {
  return Object.entries(inputs).flatMap(([name, value]): [string, string][] => {
    const rule = brokenRule(value, MOST_LEVELS);
    return rule === undefined ? [] : [[name, rule]];
  });
}

function brokenRule(value: unknown, levels: number): string | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "must hold no number that is not finite";
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return `must not be nested deeper than ${MOST_LEVELS} levels`;
  for (const child of Object.values(value)) {
    const rule = brokenRule(child, levels - 1);
    if (rule !== undefined) return rule;
  }
  return undefined;
}

/** The inputs that state can hold. */
export function recordable(inputs: RawInputs): RawInputs {
  const others = new Set(unrecordable(inputs).map(([name]) => name));
  return others.size === 0
    ? inputs
    : Object.fromEntries(Object.entries(inputs).filter(([name]) => !others.has(name)));
}

/** JavaScript programs write null for "not set": without such values of objects, at any depth. JSON has no negative zero. */
export function withoutNulls<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item)) as T;
  if (typeof value !== "object" || value === null) return value === 0 ? (0 as T) : value;
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
