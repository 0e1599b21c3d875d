import { isDeepStrictEqual } from "node:util";
import { type RawInputs, sortedSet, withoutNulls } from "../../review/raw-inputs";
import { mapEntries, type Member, PROFILE_FIELDS, type ProfileField } from "../../service/profile-fields";
import { isEmpty, isObject, type JsonObject, own } from "../../service/record";

/*
 * Decides if two values of a profile are the same, by the table of its fields:
 * - An empty setting is not set: the service writes that as null, as the empty value, or not at all.
 * - Inside a setting an empty value is a value, and only null is none.
 * - A list's order means nothing if the table calls it a set. Elsewhere it counts.
 */

export function isSame(name: string, one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  const field = own<ProfileField>(PROFILE_FIELDS, name);
  const setting = (value: unknown) => (isEmpty(withoutNulls(value)) ? undefined : value);
  return isSameValue(setting(one), setting(other), field);
}

/** A place within a setting at which two values differ, with each of them there. */
export interface ValueDifference {
  path: string[];
  one: unknown;
  other: unknown;
}

export function differences(name: string, one: unknown, other: unknown): ValueDifference[] {
  const field = own<ProfileField>(PROFILE_FIELDS, name);
  return differing(written(one, field), written(other, field), [name]);
}

function differing(one: unknown, other: unknown, path: string[]): ValueDifference[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other)) return [{ path, one, other }];
  const keys = [...new Set([...Object.keys(other), ...Object.keys(one)])].sort();
  return keys.flatMap((key) => differing(own(one, key), own(other, key), [...path, key]));
}

/** Sorts the sets among inputs, so that equal values are written alike; values may be unknown. */
export function normalize(inputs: RawInputs): RawInputs {
  return sortedSetsIn(PROFILE_FIELDS, inputs) as RawInputs;
}

/** Returns `observed` in the form of `wanted` where both mean the same: Pulumi would show that as changes. */
export function suppressEquivalent(observed: JsonObject, wanted: JsonObject): JsonObject {
  return inOtherWords(observed, wanted, (name, value, other) => {
    const field = own<ProfileField>(PROFILE_FIELDS, name);
    if (isSame(name, value, other)) return other;
    const { entries } = field ?? {};
    if (entries === undefined) return membersInOtherWords(value, other, field);
    return inOtherWords(value, other, (_strategy, override, otherOverride) =>
      inOtherWords(override, otherOverride, (key, inner, otherInner) =>
        valueInOtherWords(inner, otherInner, own(entries, key)),
      ),
    );
  }) as JsonObject;
}

function valueInOtherWords(value: unknown, other: unknown, field: Member | undefined): unknown {
  return isSameValue(value, other, field) ? other : membersInOtherWords(value, other, field);
}

function membersInOtherWords(value: unknown, other: unknown, field: Member | undefined): unknown {
  const { members } = field ?? {};
  if (members === undefined) return value;
  return inOtherWords(value, other, (key, inner, otherInner) => {
    const member = own(members, key);
    return member === undefined ? inner : valueInOtherWords(inner, otherInner, member);
  });
}

function isSameValue(one: unknown, other: unknown, field: Known | undefined): boolean {
  return isDeepStrictEqual(written(one, field), written(other, field));
}

/** Returns the one form of values that mean the same. */
function written(value: unknown, field: Known | undefined): unknown {
  return sortedSets(withoutNulls(value ?? undefined), field);
}

type Known = Member & Pick<ProfileField, "entries">;

function sortedSets(value: unknown, field: Known | undefined): unknown {
  const { empty, entries, members } = field ?? {};
  if (Array.isArray(empty) && Array.isArray(value)) return sortedSet(value);
  if (members !== undefined) return sortedSetsIn(members, value);
  if (entries === undefined) return value;
  return mapEntries(value, (key, entry) => [key, sortedSetsIn(entries, entry)]);
}

function sortedSetsIn(fields: Record<string, Member>, value: unknown): unknown {
  return mapEntries(value, (name, inner) => [name, sortedSets(inner, own(fields, name))]);
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
