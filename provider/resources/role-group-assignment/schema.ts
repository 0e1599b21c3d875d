import { GROUP_ID, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";

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
});
export type Inputs = z.infer<typeof schema>;
