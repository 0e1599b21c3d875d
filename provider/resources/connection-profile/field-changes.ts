import { isDeepStrictEqual } from "node:util";
import { type FieldChange } from "../../pulumi/effects";
import { pathText } from "../../pulumi/input-problems";
import { hiddenIn, SECRET, type Step } from "../../pulumi/step";
import { isSet, isShared, mapEntries } from "../../service/profile-fields";
import { isObject, type JsonObject } from "../../service/record";
import { own } from "./json-tree";

/** Field by field, down to what is not an object on both sides. */
export function changesFrom(
  before: JsonObject,
  after: JsonObject,
  step: Pick<Step, "differs" | "isHalfDone">,
  path: readonly string[] = [],
): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [old, now] = [own(before, name), own(after, name)];
    const at = [...path, name];
    // Of an object that is a secret as a whole, others may have put keys into it.
    if (old === SECRET && isObject(now) && holdsKeys(now))
      return changesFrom(mapEntries(now, (key) => [key, SECRET]) as JsonObject, now, step, at);
    if (isTree(old) && isTree(now) && holdsKeys(old, now))
      return changesFrom((old ?? {}) as JsonObject, (now ?? {}) as JsonObject, step, at);
    const isEqual = isDeepStrictEqual(old, now) && (hiddenIn(now) === undefined || !mayDiffer(at[0], step));
    return isEqual ? [] : [fieldChange(at, old, now)];
  });
}

export function fieldChange(path: readonly string[], before: unknown, given: unknown): FieldChange {
  // What others have put into an object stays, and does not show where its values are secrets.
  const after = before === SECRET && given === undefined && isShared(path[0] ?? "") ? SECRET : given;
  return { path: pathText(path), before, after, ...(isSet(path) && { isSet: true }) };
}

/** Whether a secret may be another one than before: the engine compares the inputs, which may be older than the outputs. */
export function mayDiffer(
  name: string | undefined,
  { differs, isHalfDone }: Pick<Step, "differs" | "isHalfDone">,
): boolean {
  return isHalfDone || differs.includes(name ?? "");
}

function isTree(value: unknown): boolean {
  return isObject(value) || value === undefined;
}

/** An empty object has no fields to show. */
function holdsKeys(...values: unknown[]): boolean {
  return values.some((value) => isObject(value) && Object.keys(value).length > 0);
}
