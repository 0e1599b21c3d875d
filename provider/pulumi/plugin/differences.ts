import { isDeepStrictEqual } from "node:util";
import { type RawInputs } from "../../review/raw-inputs";
import { UNKNOWN_VALUE } from "../../seen";
import { isObject } from "../../service/record";
import { isHidden } from "../hidden-inputs";

export type Difference = "add" | "delete" | "update";

/**
 * Returns what differs between two versions of inputs, by its path, e.g. `groupIds[1]`. Lists of distinct
 * texts are compared as sets: Pulumi compares by position, and would show every group behind a removed one
 * as changed.
 */
export function differences(before: RawInputs, after: RawInputs): Map<string, Difference> {
  return new Map(
    namesOf(before, after)
      .filter((name) => !isHidden(name))
      .flatMap((name) => between(name, before[name], after[name])),
  );
}

function between(path: string, before: unknown, after: unknown): [path: string, Difference][] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [[path, "add"]];
  if (after === undefined) return [[path, "delete"]];
  if (isSet(before) && isSet(after)) return betweenSets(path, before, after);
  if (isObject(before) && isObject(after))
    return namesOf(before, after).flatMap((name) => between(joined(path, name), before[name], after[name]));
  return [[path, "update"]];
}

/** If an item leaves and another takes its place, that is one update. */
function betweenSets(
  path: string,
  before: readonly string[],
  after: readonly string[],
): [string, Difference][] {
  const [had, has] = [new Set(before), new Set(after)];
  const gone = new Set(before.flatMap((item, i) => (has.has(item) ? [] : [i])));
  const come = new Set(after.flatMap((item, i) => (had.has(item) ? [] : [i])));
  if (gone.size + come.size === 0) return [[path, "update"]];
  const places = [...new Set([...gone, ...come])].sort((one, other) => one - other);
  return places.map((i) => [`${path}[${i}]`, !come.has(i) ? "delete" : gone.has(i) ? "update" : "add"]);
}

function isSet(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "string" && item !== UNKNOWN_VALUE) &&
    new Set(value).size === value.length
  );
}

function namesOf(before: object, after: object): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
}

/** `connectionConfig.a`, or `connectionConfig["a.b"]`. */
function joined(path: string, name: string): string {
  return /^\w+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
