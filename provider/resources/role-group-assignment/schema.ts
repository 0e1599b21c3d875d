import { GROUP_ID, idOrAdvice, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";
import { untilProblem } from "../../access/until";

export const schema = z.strictObject({
  roleId: idOrAdvice(ROLE_ID, "getRole"),
  groupIds: z
    .array(idOrAdvice(GROUP_ID, "getGroup"))
    // zod's own length check also runs on values that aren't lists, and fails on some of them.
    .refine(
      ({ length }) => length > 0,
      "must name at least one group; to take the role from all groups, remove the resource",
    ),
  exclusive: z.boolean().default(false),
  deleteOnDestroy: z.boolean().optional(),
  until: z
    .string()
    .superRefine((until, context) => {
      const problem = untilProblem(until);
      if (problem !== undefined) context.addIssue(problem);
    })
    .optional(),
  /** `check` derives it from `until`: only state has it, never a program. */
  ended: z.boolean().optional(),
});

/** `organizationId`: in an organization, where the role counts. */
export type AssignmentInputs = z.infer<typeof schema> & { organizationId?: string | undefined };
