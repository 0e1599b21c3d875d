import * as z from "../../provider/zod";
import { DEFAULTS, DIRECT, MOST_DAYS, type ORGANIZATIONS, type RULES } from "./file";

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
  organizations: z
    .record(
      name,
      z.strictObject({
        default: byDefault,
        allow,
        conflicts: z.array(z.array(name).min(2)).optional(),
        end,
        direct,
      }),
    )
    .optional()
    .describe("Rules of single organizations, by their names or ids. They win over those of all."),
} as const satisfies Record<(typeof RULES)[number] | "$schema" | typeof ORGANIZATIONS, z.ZodType>;

export const rulesSchema = z
  .strictObject(rules)
  .describe(
    "Who may have which role, for `review --rules` and `access --rules`. Roles and groups are given by name or by id.",
  );
