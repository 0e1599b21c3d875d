import * as z from "../../zod";
import { type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import {
  fieldOf,
  mapEntries,
  PROFILE_FIELDS,
  type ProfileField,
  type Settings,
  shapeOf,
} from "../../service/profile-fields";

/** The inputs of the resource: the settings of the profile, and two that say how it is handled and are never sent. */
export const FIELDS = {
  ...PROFILE_FIELDS,
  adopt: { schema: CONNECTION_PROFILE_ID.optional() },
  deleteOnDestroy: { schema: z.boolean().optional() },
} as const;

export const schema = z.strictObject(shapeOf(FIELDS));
export type Inputs = z.infer<typeof schema>;

export function settingsOf({
  adopt: _adopt,
  deleteOnDestroy: _deleteOnDestroy,
  ...settings
}: Inputs): Settings {
  return settings;
}

/** Inputs with their sets in one order. */
export function normalize(inputs: RawInputs): RawInputs {
  return mapEntries(inputs, (name, value) => [
    name,
    sortedSets(value, fieldOf(PROFILE_FIELDS, name)),
  ]) as RawInputs;
}

function sortedSets(value: unknown, field: ProfileField | undefined): unknown {
  if (Array.isArray(field?.empty) && Array.isArray(value)) return sortedSet(value);
  const { entries } = field ?? {};
  if (entries === undefined) return value;
  return mapEntries(value, (key, entry) => [
    key,
    mapEntries(entry, (name, inner) => [name, sortedSets(inner, fieldOf(entries, name))]),
  ]);
}
