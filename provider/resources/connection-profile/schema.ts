import * as z from "../../zod";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import { PROFILE_FIELDS, shapeOf } from "../../service/profile-fields";

/** The inputs: the profile's settings, and two that control how it's handled and are never sent. */
export const schema = z.strictObject({
  ...shapeOf(PROFILE_FIELDS),
  adopt: CONNECTION_PROFILE_ID.optional(),
  deleteOnDestroy: z.boolean().optional(),
});
export type ProfileInputs = z.infer<typeof schema>;
