import * as z from "../../zod";
import { CONNECTION_PROFILE_ID, idOrAdvice } from "../../service/ids";
import { always, PROFILE_FIELDS, shapeOf } from "../../service/profile-fields";
import { isObject } from "../../service/record";

/** The inputs: the profile's settings, and two that control how it's handled and are never sent. */
export const schema = z
  .strictObject({
    ...shapeOf(PROFILE_FIELDS),
    adopt: idOrAdvice(CONNECTION_PROFILE_ID, "getConnectionProfiles").optional(),
    deleteOnDestroy: z.boolean().optional(),
  })
  .check(
    always(({ value, issues }) => {
      if (!isObject(value) || value["name"] !== undefined || value["adopt"] !== undefined) return;
      const message =
        "is required, unless adopt has the id of an existing profile, which then keeps its name";
      issues.push({ code: "custom", path: ["name"], message, input: undefined });
    }),
  );
export type ProfileInputs = z.infer<typeof schema>;
