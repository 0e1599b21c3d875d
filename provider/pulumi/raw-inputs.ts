import { isDeeperThan, MOST_LEVELS } from "../http/shape";
import { UNKNOWN } from "./reserved";

/** Inputs by name, as they come from a program or the engine: any value can be unknown, at any depth. */
export type RawInputs = Record<string, unknown>;

/**
 * During a preview, and in `diff` at times during an update, a value that is not known yet arrives as this string,
 * also in place of a whole list or object.
 */
export function isUnknown(value: unknown): boolean {
  return value === UNKNOWN;
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

/** What state can't hold, by the name of the input: the rule that its value breaks. */
export function unrecordable(inputs: RawInputs): [name: string, rule: string][] {
  return Object.entries(inputs).flatMap(([name, value]): [string, string][] => {
    const rule = brokenRule(value);
    return rule === undefined ? [] : [[name, rule]];
  });
}

function brokenRule(value: unknown): string | undefined {
  if (isDeeperThan(MOST_LEVELS, value)) return `must not be nested deeper than ${MOST_LEVELS} levels`;
  return holdsNonFinite(value) ? "must hold no number that is not finite" : undefined;
}

function holdsNonFinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsNonFinite);
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
