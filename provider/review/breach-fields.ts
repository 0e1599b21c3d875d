import * as z from "../zod";

/** A broken rule in the JSON of a review and of an audit. */
export const breachFields = {
  rule: z.enum(["allow", "conflict", "end"]),
  rulesLine: z
    .number()
    .int()
    .nullable()
    .describe("Where the file has the rule. Null: its default closes the role."),
  roles: z.array(z.string()),
  groups: z.array(z.string()),
  people: z
    .object({ count: z.number().int(), ids: z.array(z.string()).optional() })
    .optional()
    .describe("Those who have two roles through two groups. Left out: one group has both."),
  until: z.string().optional().describe("When the grant ends. Left out: no end, or not what it breaks."),
} as const;
