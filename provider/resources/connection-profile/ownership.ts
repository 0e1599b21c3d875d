import { isDeepStrictEqual } from "node:util";

type Json = unknown;
type JsonObject = Record<string, unknown>;

/**
 * A program owns the values that it writes, at any depth, and nothing beside them. Which those are is recorded as JSON
 * Pointers (RFC 6901) of the leaves, e.g. `/strategyOverrides/okta/enabledFeatures`; lists are leaves. An empty object is
 * named with a slash at the end: it is owned that the object is there, and nothing in it.
 */
export function leaves(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const pointer = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!isObject(child)) return [pointer];
    if (Object.keys(child).length === 0) return [`${pointer}/`];
    return leaves(child).map((rest) => pointer + rest);
  });
}

/** The part of `value` that is owned; what is missing there is left out. */
export function owned(value: JsonObject, pointers: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const pointer of pointers) {
    const keys = keysOf(pointer);
    const found = at(value, pointer);
    const missing = found === undefined || found === null;
    if (missing && keys.at(-1) !== "") continue;
    let target = result;
    for (const key of keys.slice(0, -1)) {
      if (!Object.hasOwn(target, key) || !isObject(target[key])) define(target, key, {});
      target = Object.getOwnPropertyDescriptor(target, key)?.value as JsonObject;
    }
    if (!missing) define(target, keys.at(-1) as string, found);
  }
  return result;
}

/**
 * `held` as the tenant has it, written the way `wanted` writes it wherever both mean the same: lists that hold the same
 * in another order, and a missing value where an empty one is wanted.
 */
export function alike(held: Json, wanted: Json): Json {
  if (isHollow(held) && isHollow(wanted)) return wanted;
  if (Array.isArray(held) && Array.isArray(wanted)) {
    return isDeepStrictEqual(sorted(held), sorted(wanted)) ? wanted : held;
  }
  if (isObject(held) && isObject(wanted)) {
    const result: JsonObject = {};
    for (const key of new Set([...Object.keys(wanted), ...Object.keys(held)])) {
      const value = alike(held[key], wanted[key]);
      if (value !== undefined) define(result, key, value);
    }
    return result;
  }
  return held;
}

/** `base` with the values of `patch` over it, key by key. */
export function overlaid(base: Json, patch: Json): Json {
  if (!isObject(base) || !isObject(patch)) return patch;
  const result: JsonObject = { ...base };
  for (const [key, value] of Object.entries(patch)) define(result, key, overlaid(base[key], value));
  return result;
}

/** `value` without what the pointers name, nor the objects that are empty without it. */
export function pruned(value: JsonObject, pointers: readonly string[]): JsonObject {
  return pointers.reduce((rest, pointer) => without(rest, keysOf(pointer)), value);
}

function without(value: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !Object.hasOwn(value, key)) return value;
  const { [key]: child, ...others } = value;
  if (rest.length === 0 || !isObject(child)) return others;
  const remaining = without(child, rest);
  if (Object.keys(remaining).length > 0) define(others, key, remaining);
  return others;
}

/** The value that a pointer names; undefined where there is none. */
export function at(value: JsonObject, pointer: string): Json {
  return keysOf(pointer).reduce<Json>(
    (parent, key) => (isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined),
    value,
  );
}

/** The keys that lead to what a pointer names. */
export function keysOf(pointer: string): string[] {
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The service fills in null, {} and [] where nothing was set. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

/** Empty at every depth. */
function isHollow(value: Json): boolean {
  return isObject(value) ? Object.values(value).every(isHollow) : isEmpty(value);
}

function sorted(list: readonly unknown[]): unknown[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Assignment would call the setter of a key such as `__proto__`. */
function define(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
