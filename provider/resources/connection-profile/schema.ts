import * as z from "../../zod";
import { CONNECTION_PROFILE_ID, idOrAdvice } from "../../service/ids";
import { PROFILE_FIELDS, shapeOf } from "../../service/profile-fields";

/** The inputs: the profile's settings, and two that control how it's handled and are never sent. */
export const schema = z.strictObject({
  ...shapeOf(PROFILE_FIELDS),
  adopt: idOrAdvice(CONNECTION_PROFILE_ID, "getConnectionProfiles").optional(),
  deleteOnDestroy: z.boolean().optional(),
});
export type ProfileInputs = z.infer<typeof schema>;
