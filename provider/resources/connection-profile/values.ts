import { isDeepStrictEqual } from "node:util";
import { type RawInputs, sortedSet, withoutNulls } from "../../pulumi/raw-inputs";
import { fieldOf, mapEntries, PROFILE_FIELDS, type ProfileField } from "../../service/profile-fields";
import { isEmpty, isObject, type JsonObject } from "../../service/record";

/*
 * When two values of a profile are the same, by the table of its fields:
 * - A setting that is empty is not set: the service writes that as null, as the empty value, or not at all.
 * - Inside a setting an empty value is a value, and only null is none.
 * - The order of a list means nothing where the table calls the list a set. Elsewhere it does.
 */

export function isSame(name: string, one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const field = fieldOf(PROFILE_FIELDS, name);
  const setting = (value: unknown) => (isEmpty(withoutNulls(value)) ? undefined : value);
  return isSameValue(setting(one), setting(other), field);
}

/** Inputs with their sets in one order, so that the same is written the same; values may be unknown. */
export function normalize(inputs: RawInputs): RawInputs {
  return sortedSetsIn(PROFILE_FIELDS, inputs) as RawInputs;
}

/** `observed`, spelled as `wanted` wherever both are the same: Pulumi would show spellings as changes. */
export function suppressEquivalent(observed: JsonObject, wanted: JsonObject): JsonObject {
  return inOtherWords(observed, wanted, (name, value, other) => {
    if (isSame(name, value, other)) return other;
    const { entries } = fieldOf(PROFILE_FIELDS, name) ?? {};
    if (entries === undefined) return value;
    return inOtherWords(value, other, (_strategy, override, otherOverride) =>
      inOtherWords(override, otherOverride, (key, inner, otherInner) =>
        isSameValue(inner, otherInner, fieldOf(entries, key)) ? otherInner : inner,
      ),
    );
  }) as JsonObject;
}

function isSameValue(one: unknown, other: unknown, field: ProfileField | undefined): boolean {
  const written = (value: unknown) => sortedSets(withoutNulls(value ?? undefined), field);
  return isDeepStrictEqual(written(one), written(other));
}

function sortedSets(value: unknown, field: ProfileField | undefined): unknown {
  if (Array.isArray(field?.empty) && Array.isArray(value)) return sortedSet(value);
  const { entries } = field ?? {};
  if (entries === undefined) return value;
  return mapEntries(value, (key, entry) => [key, sortedSetsIn(entries, entry)]);
}

function sortedSetsIn(fields: Record<string, ProfileField>, value: unknown): unknown {
  return mapEntries(value, (name, inner) => [name, sortedSets(inner, fieldOf(fields, name))]);
}

function inOtherWords(
  observed: unknown,
  wanted: unknown,
  inWords: (key: string, observed: unknown, wanted: unknown) => unknown,
): unknown {
  if (!isObject(observed) || !isObject(wanted)) return observed;
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(observed)])];
  const entries = keys
    .map((key) => [key, inWords(key, own(observed, key), own(wanted, key))] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/*
 * Trees of JSON of which a program owns a part: the values that it writes, at any depth, and nothing beside
 * them. Which those are is recorded as JSON Pointers (RFC 6901) of the leaves, e.g.
 * `/strategyOverrides/okta/enabledFeatures`; lists are leaves. A slash at the end says that the program wants
 * the value to be empty: what somebody else puts there is drift, but not the program's to remove. So that no
 * other pointer ends in one, a key that is an empty text is written as `~`, which no key is. Earlier releases
 * did not: what they wrote of such a key at the end of a pointer is read as that slash.
 */

const EMPTY_KEY = "~";

export function leafPointers(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const pointer = `/${key === "" ? EMPTY_KEY : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (isEmpty(child)) return [`${pointer}/`];
    return isObject(child) ? leafPointers(child).map((rest) => pointer + rest) : [pointer];
  });
}

export function pointsToEmpty(pointer: string): boolean {
  return pointer.endsWith("/");
}

export function keysOf(pointer: string): string[] {
  return pointer
    .slice(1, pointsToEmpty(pointer) ? -1 : undefined)
    .split("/")
    .map((key) => (key === EMPTY_KEY ? "" : key.replaceAll("~1", "/").replaceAll("~0", "~")));
}

/** Whether what a pointer names is still what it says; of a value, whether there is any. */
export function isStillThere(value: JsonObject, pointer: string): boolean {
  const found = valueAt(value, pointer) ?? undefined;
  return found !== undefined && isEmpty(found) === pointsToEmpty(pointer);
}

export function valueAt(value: JsonObject, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>(
    (parent, key) => (isObject(parent) ? own(parent, key) : undefined),
    value,
  );
}

/** The part of `value` that pointers name; what is missing there is left out. */
export function pick(value: JsonObject, pointers: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const pointer of pointers) {
    const found = valueAt(value, pointer) ?? undefined;
    // Keys that others have put into an object that was to be empty are theirs.
    if (found !== undefined) {
      putAt(result, keysOf(pointer), pointsToEmpty(pointer) && isObject(found) ? {} : found);
    }
  }
  return result;
}

/** What `pick` takes by the pointers of all leaves: all but null, which is not set. */
export function pickAll(value: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, child] of Object.entries(value)) {
    const part = isObject(child) && !isEmpty(child) ? pickAll(child) : child;
    const isNothing = part === null || part === undefined || (part !== child && isEmpty(part));
    if (!isNothing) define(result, key, part);
  }
  return result;
}

function putAt(target: JsonObject, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined) return;
  if (rest.length === 0) {
    if (!isObject(value) || !isObject(own(target, key))) define(target, key, value);
    return;
  }
  if (!isObject(own(target, key))) define(target, key, {});
  putAt(own(target, key) as JsonObject, rest, value);
}

/** `value` without what pointers name, nor the objects that are empty without it. */
export function omit(value: JsonObject, pointers: readonly string[]): JsonObject {
  return pointers.reduce((rest, pointer) => omitKeys(rest, keysOf(pointer)), value);
}

/** An object without what keys lead to, its others in their order; of a list, the whole list. */
export function omitKeys(value: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !Object.hasOwn(value, key)) return value;
  const { [key]: child, ...others } = value;
  if (rest.length === 0 || !isObject(child)) return others;
  const remaining = omitKeys(child, rest);
  return isEmpty(remaining) ? others : { ...value, [key]: remaining };
}

/** `base` with the values of `patch` over it, key by key. */
export function merge(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) return patch;
  const merged = mapEntries(patch, (key, value) => [key, merge(own(base, key), value)]);
  return { ...base, ...(merged as JsonObject) };
}

export function own(value: JsonObject, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function define(target: JsonObject, key: string, value: unknown): void {
  if (!(key in Object.prototype)) target[key] = value;
  // Assignment would call the setter of `__proto__`, and fails where prototypes are frozen.
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
