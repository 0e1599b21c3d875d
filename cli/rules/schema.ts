import * as z from "../../provider/zod";
import {
  type CASE,
  DEFAULTS,
  DIRECT,
  EXCEPTED,
  type EXCEPTION,
  MOST_DAYS,
  type ORGANIZATIONS,
  type RULES,
  type TESTS,
} from "./file";

const name = z.string().min(1);
const role = z.union([
  name,
  z.strictObject({ role: name, organization: name }).describe("A role in one organization."),
]);
const roles = z.array(role).min(2);

const allow = z
  .record(name, z.union([z.literal("*"), z.array(name)]))
  .optional()
  .describe('The groups that may have a role; "*" is any group.');
const end = z
  .record(name, z.number().int().min(1).max(MOST_DAYS))
  .optional()
  .describe("Roles that are only given with an end, and how many days ahead that may be.");
const direct = z
  .record(name, z.enum(DIRECT))
  .optional()
  .describe(
    "Whether people may have a role directly, without a group; `default` is for roles that are not named. Default: allow.",
  );
const byDefault = z
  .enum(DEFAULTS)
  .optional()
  .describe(
    "Whether a role that `allow` does not name is free for any group, or closed to all. Default: free.",
  );

const required = z
  .record(name, z.array(name).min(1))
  .optional()
  .describe("Groups of which at least one must keep the role.");
const ruleName = z.enum(EXCEPTED);
const exceptions = z
  .array(
    z
      .strictObject({
        rule: ruleName.optional().describe("The rule that it lets break. Left out: any about these roles."),
        role: role.optional(),
        roles: roles.optional().describe("In place of a role: all roles of a conflict that the holder has."),
        group: name.optional(),
        user: name.optional().describe("In place of a group: id of a user."),
        reason: z.string().optional().describe("Why. Without it, the exception doesn't count."),
        owner: z.string().optional().describe("Who answers for it. Without, it doesn't count."),
        until: z
          .string()
          .optional()
          .describe(
            'Its last day, as in "2026-12-31", or a time, within 366 days. Without it, it doesn\'t count.',
          ),
      } satisfies Record<(typeof EXCEPTION)[number], z.ZodType>)
      .describe("Lets one group or one user have these roles, and nobody else."),
  )
  .optional()
  .describe("Breaches that pass until their day.");
const tests = z
  .array(
    z.strictObject({
      group: name.optional().describe("The group that has the roles."),
      user: z
        .strictObject({ groups: z.array(name).describe("Empty: the user has the roles directly.") })
        .optional()
        .describe("In place of a group: somebody in several, each of which has a role."),
      has: z.array(role).min(1),
      days: z
        .number()
        .int()
        .min(1)
        .max(MOST_DAYS)
        .optional()
        .describe("Days until the grants end. Left out: they don't."),
      breaks: z.array(ruleName).min(1).optional().describe("All rules that this breaks."),
      ok: z.literal(true).optional().describe("In place of `breaks`: it breaks none."),
    } satisfies Record<(typeof CASE)[number], z.ZodType>),
  )
  .optional()
  .describe("Cases that `pulumi-identity rules` tries, without a tenant.");

/**
 * Rules as editors check them. The build makes `rules.schema.json` of it; the command reads the file by
 * itself, because its messages name lines.
 */
const rules = {
  $schema: z.string().optional(),
  default: byDefault,
  allow,
  conflicts: z
    .array(
      z.union([
        roles,
        z.strictObject({
          roles,
          anyContext: z
            .boolean()
            .optional()
            .describe(
              "True: also if one role is in an organization, and the other in another one or in the tenant. Default: false.",
            ),
        }),
      ]),
    )
    .optional()
    .describe("Sets of roles of which no group, and nobody who can be asked for, may have two."),
  end,
  direct,
  require: required,
  exceptions,
  tests,
  organizations: z
    .record(
      name,
      z.strictObject({
        default: byDefault,
        allow,
        conflicts: z.array(z.array(name).min(2)).optional(),
        end,
        direct,
        require: required,
        exceptions,
      } satisfies Record<(typeof RULES)[number], z.ZodType>),
    )
    .optional()
    .describe("Rules of single organizations, by their names or ids. They win over those of all."),
} as const satisfies Record<
  (typeof RULES)[number] | "$schema" | typeof ORGANIZATIONS | typeof TESTS,
  z.ZodType
>;

export const rulesSchema = z
  .strictObject(rules)
  .describe(
    "Who may have which role, for `review --rules` and `access --rules`. Roles and groups are given by name or by id.",
  );
