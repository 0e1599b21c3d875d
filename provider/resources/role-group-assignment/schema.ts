import { GROUP_ID, ROLE_ID } from "../../service/ids";
import * as z from "../../zod";
import { endOfUntil, UNTIL_RULE } from "../../access/until";

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
    .refine((until) => endOfUntil(until) !== undefined, UNTIL_RULE)
    .optional(),
  /** `check` derives it from `until`: only state has it, never a program. */
  ended: z.boolean().optional(),
});

export type AssignmentInputs = z.infer<typeof schema>;

/** If somebody gives a name in place of an id, the message says how to find the id. */
function idOrAdvice(rule: z.ZodType<string>, find: string): z.ZodType<string> {
  return z.string().check(({ value, issues }) => {
    const { error } = rule.safeParse(value);
    if (error === undefined) return;
    const isName = !/^([a-z]{3}_|urn:)/.test(value);
    const advice = isName ? `. ${find}({ name }) finds it by the name` : "";
    for (const { message } of error.issues)
      issues.push({ code: "custom", message: message + advice, input: value });
  });
}
