import { GROUP_ID, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";
import { endOfUntil, UNTIL_RULE } from "./until";

export const schema = z.strictObject({
  roleId: ROLE_ID,
  groupIds: z
    .array(GROUP_ID)
    // zod's own check of a length also runs on what is no list, and fails on some of it.
    .refine(
      ({ length }) => length > 0,
      "must name at least one group; to take the role from all groups, remove the resource",
    ),
  exclusive: z.boolean(),
  deleteOnDestroy: z.boolean().optional(),
  until: z
    .string()
    .refine((until) => endOfUntil(until) !== undefined, UNTIL_RULE)
    .optional(),
});

/** `ended` is what `check` makes of `until`: state has it, and no program. */
export type Inputs = z.infer<typeof schema> & { ended?: true };
