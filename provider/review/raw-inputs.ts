import { MOST_LEVELS } from "../http/shape";
import { UNKNOWN_VALUE } from "../seen";

/** Inputs by name, as a program or the engine sends them: any value can be unknown, at any depth. */
export type RawInputs = Record<string, unknown>;

/**
 * Returns a list or an object with its children as `change` makes them, without members that it makes
 * undefined. If nothing changes, it's the value itself: most need no change, and copies cost the most.
 */
export function withChildren<T extends object>(
  value: T,
  change: (child: unknown, key: string) => unknown,
): T {
  const before = value as RawInputs;
  const entries = Object.keys(before).map((key) => [key, change(before[key], key)] as const);
  const isSame = entries.every(([key, child]) => child !== undefined && Object.is(child, before[key]));
  // The SDK's decoder lets a key `__proto__` become the prototype, and its encoder sends what that holds.
  if (isSame && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)) return value;
  if (Array.isArray(value)) return entries.map(([, child]) => child) as T;
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined)) as T;
}

/** Returns a list as a set: sorted, without repetition. A list with anything but texts stays as it is. */
export function sortedSet<T>(items: readonly T[]): T[] {
  // Sorting would turn other values into texts, which can fail.
  if (!items.every((item) => typeof item === "string")) return [...items];
  const known = new Set(items.filter((item) => item !== UNKNOWN_VALUE));
  // Two unknown values may turn out to be different ones.
  return [...known, ...items.filter((item) => item === UNKNOWN_VALUE)].sort();
}

/** Returns the inputs that state can't store, each with the rule that its value breaks. */
export function unrecordable(inputs: RawInputs): [name: string, rule: string][] {
  return Object.entries(inputs).flatMap(([name, value]): [string, string][] => {
    const excess = excessOf(value);
    if (excess === "depth") return [[name, `must not be nested deeper than ${MOST_LEVELS} levels`]];
    return excess === undefined ? [] : [[name, "must hold no number that is not finite"]];
  });
}

/** Returns what state can't store of a value; its depth first. */
function excessOf(value: unknown, levels = MOST_LEVELS): "depth" | "number" | undefined {
  if (typeof value === "number" && !Number.isFinite(value)) return "number";
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return "depth";
  let excess: "number" | undefined;
  for (const child of Object.values(value)) {
    const found = excessOf(child, levels - 1);
    if (found === "depth") return found;
    excess ??= found;
  }
  return excess;
}

export function recordable(inputs: RawInputs): RawInputs {
  return withChildren(inputs, (value) => (excessOf(value) === undefined ? value : undefined));
}

/** Removes nulls, with which JavaScript programs say "not set", at any depth. JSON has no negative zero. */
export function withoutNulls<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value === 0 ? (0 as T) : value;
  const isList = Array.isArray(value);
  return withChildren(value, (child) => (child === null && !isList ? undefined : withoutNulls(child)));
}

/**
 * Returns JSON in which equal values are equal texts: objects lose their order on the way through the engine.
 */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}

/**
 * Returns the name of a place among inputs for messages: `strategyOverrides.okta.enabledFeatures[0]`.
 * Unambiguous.
 */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the inputs";
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (/[.[\]]|^$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}

/*
 * Values that Pulumi doesn't treat as plain, wherever they stand in a resource's inputs. Files that must not
 * load the SDK use this copy; a test compares it with the SDK.
 */

/** The engine's own markers, one for each type. */
const UNKNOWNS: ReadonlySet<string> = new Set([
  UNKNOWN_VALUE,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** An object with this key is a secret, an output, a resource, or an asset whose file the engine reads. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

export function isReservedText(text: string): boolean {
  return UNKNOWNS.has(text);
}

/** True if a key would change its object's meaning, or get lost. The SDK marks its own with `__pulumi…`. */
export function isReservedKey(key: string): boolean {
  return key === SIGNATURE_KEY || key.startsWith("__");
}
