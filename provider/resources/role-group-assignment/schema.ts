import { GROUP_ID, idOrAdvice, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";
import { untilProblem } from "../../access/until";

/** The inputs wherever the role counts. */
export const fields = {
  roleId: idOrAdvice(ROLE_ID, "getRole"),
  groupIds: z.array(idOrAdvice(GROUP_ID, "getGroup")),
  exclusive: z.boolean().default(false),
  deleteOnDestroy: z.boolean().optional(),
  until: z
    .string()
    .superRefine((until, context) => {
      const problem = untilProblem(until);
      if (problem !== undefined) context.addIssue(problem);
    })
    .optional(),
} as const;

/** With `until`, only `check` knows: after the end, `ignoreChanges` keeps the list empty that state has. */
export function listsGroups(
  { groupIds: input, until }: { groupIds: readonly string[]; until?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (input.length > 0 || until !== undefined) return;
  const message = "must name at least one group; to take the role from all groups, remove the resource";
  context.addIssue({ code: "custom", path: ["groupIds"], input, message });
}

export const schema = z.strictObject(fields).superRefine(listsGroups);

/** `organizationId`: in an organization, where the role counts. */
export type AssignmentInputs = z.infer<typeof schema> & { organizationId?: string | undefined };
