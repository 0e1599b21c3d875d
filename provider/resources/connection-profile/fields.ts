import * as z from "../../zod";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import { PROFILE_FIELDS, type Settings, shapeOf } from "../../service/profile-fields";

/** The inputs: the settings of the profile, and two that say how it is handled and are never sent. */
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
