import { type RawInputs } from "../../pulumi/raw-inputs";
import { type Hidden, switchIn } from "../../pulumi/step";
import { emptyValue, PROFILE_SETTINGS } from "../../service/profile-fields";
import { type JsonObject } from "../../service/record";
import {
  isSame,
  isStillThere,
  keysOf,
  leafPointers,
  merge,
  omit,
  pick,
  pickAll,
  pointsToEmpty,
  valueAt,
} from "./values";

/*
 * What a change of a profile does: said in previews, done by the handlers, and told by the review
 * (review.ts). Nothing else knows it.
 */

export interface PatchInput {
  /** Its settings, as far as they are known. */
  live: JsonObject;
  /** Whether they were read just now. */
  isFresh: boolean;
  /** Pointers of what the program owned before. */
  owned: readonly string[];
  wanted: JsonObject;
}

/** What an adoption or update sends: each setting whole, with what others have put into it. */
export function patchOf({ live, wanted, owned, isFresh }: PatchInput): JsonObject {
  const target = settingsToBe({ live, wanted, owned });
  // State may be out of date about values that the program did not own before: they are always sent.
  const added = isFresh ? [] : leafPointers(wanted).filter((pointer) => !owned.includes(pointer));
  const changed = PROFILE_SETTINGS.filter(
    (name) => !isSame(name, live[name], target[name]) || added.some((pointer) => keysOf(pointer)[0] === name),
  );
  return Object.fromEntries(changed.map((name) => [name, target[name] ?? emptyValue(name)]));
}

export function settingsToBe({ live, wanted, owned }: Omit<PatchInput, "isFresh">): JsonObject {
  return merge(omit(live, removedBy(wanted, owned, live)), wanted) as JsonObject;
}

/** What the program owned and no longer sets. A value owned as empty belongs to whoever has set it since. */
export function removedBy(wanted: JsonObject, owned: readonly string[], live: JsonObject): string[] {
  return owned.filter(
    (pointer) =>
      valueAt(wanted, pointer) === undefined && (!pointsToEmpty(pointer) || isStillThere(live, pointer)),
  );
}

export function settingsIn(values: RawInputs): JsonObject {
  return Object.fromEntries(
    PROFILE_SETTINGS.filter((name) => name in values).map((name) => [name, values[name]]),
  );
}

export function ownedIn(outputs: RawInputs): JsonObject {
  const isRecorded = Array.isArray(outputs["managedFields"]);
  return isRecorded ? pick(outputs, managedFields(outputs)) : pickAll(settingsIn(outputs));
}

/** Pointers of what the program owns: where nothing is recorded, all settings. */
export function managedFields(outputs: RawInputs): string[] {
  const recorded = outputs["managedFields"];
  return Array.isArray(recorded) ? (recorded as string[]) : leafPointers(settingsIn(outputs));
}

export function isAdopted(outputs: RawInputs): boolean {
  return outputs["adopted"] === true;
}

/** Whether the outcome of the last change is unknown. Release 0.1.0 has another name for it. */
export function isUnconfirmed(outputs: RawInputs): boolean {
  return outputs["unconfirmed"] === true || outputs["unsure"] === true;
}

/** Whether destroying the resource deletes the profile; a switch that does not show may be either. */
export function isDeletedOnDestroy(values: RawInputs): boolean | Hidden {
  return switchIn(values["deleteOnDestroy"], !isAdopted(values));
}
