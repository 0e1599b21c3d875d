import * as z from "../zod";

/** A broken rule in the JSON of a review and of an audit. */
export const breachFields = {
  organization: z
    .string()
    .optional()
    .describe(
      "Id of the organization in which the roles count. Left out: in the tenant itself, or as `contexts` say.",
    ),
  contexts: z
    .array(z.string().nullable())
    .optional()
    .describe(
      "If a rule compares organizations: the id of the organization in which each of the roles counts, in their order. Null: in the tenant itself. Left out: all count in one place.",
    ),
  rule: z
    .enum(["allow", "conflict", "end", "direct", "require", "exception"])
    .describe(
      "Require: none of the groups keeps the role. Exception: `rulesLine` is of one that lets nothing pass, or not any more.",
    ),
  rulesLine: z
    .number()
    .int()
    .nullable()
    .describe("Line of the rule in the file. Null: its default closes the role."),
  roles: z.array(z.string()),
  groups: z.array(z.string()),
  people: z
    .object({ count: z.number().int(), ids: z.array(z.string()).optional() })
    .optional()
    .describe(
      "People with two roles, not both through one group, or with a forbidden one directly. Left out: the breach is one group's.",
    ),
  direct: z
    .array(z.string())
    .optional()
    .describe("Those of the roles that the people have directly. Left out: none."),
  until: z
    .string()
    .optional()
    .describe("End of the grant, or of the exception. Left out: no end, or the breach isn't about it."),
  exception: z
    .object({
      line: z.number().int().describe("Its line in the file of the rule."),
      reason: z.string(),
      owner: z.string(),
      until: z.string().describe("Its last day, or its end."),
    })
    .optional()
    .describe("The exception that lets the breach pass, so that nothing fails. Left out: none does."),
} as const;
