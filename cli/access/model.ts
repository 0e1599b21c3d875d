/**
 * Who has which role, and why, as JSON, version 1. Members may be added; what is there keeps its meaning. The
 * command itself imports types only.
 *
 * @module pulumi-identity/access
 */

import * as z from "../../provider/zod";
import { breachFields } from "../../provider/review/breach-fields";

const nullableName = z.string().nullable().describe("Null where the tenant tells none.");

const claim = z.object({
  stack: z.string().describe("Project and stack, such as access/prod."),
  resource: z.string().describe("Name of the assignment in the program."),
  line: z
    .object({ file: z.string(), line: z.number().int() })
    .nullable()
    .describe("Where the program declares it. Null: the state doesn't tell."),
  until: z
    .string()
    .nullable()
    .describe("When the assignment ends: a day, or an instant. Null: it has no end."),
  expired: z.boolean().describe("Whether that is over: the next run takes the role away."),
  soon: z.boolean().describe("Whether that is within 14 days."),
  unconfirmed: z.boolean().describe("Whether the outcome of its last change of this group is unknown."),
  ending: z.boolean().describe("Whether the next run deletes it, since it is replaced."),
  secret: z.boolean().describe("Whether the program keeps its groups secret."),
});

const group = z.object({
  id: z.string(),
  name: nullableName,
  status: z
    .enum(["managed", "unmanaged", "drift", "unknown"])
    .describe(
      "Unmanaged: given by hand, no state knows it. Drift: claimed, and not there. Unknown: an assignment whose groups " +
        "are secret may have given it.",
    ),
  by: z.array(claim).describe("The assignments that say so; if unknown, those that may have given it."),
});

const role = z.object({
  id: z.string(),
  name: nullableName,
  exists: z.boolean().describe("Whether it is on the tenant."),
  direct: z
    .boolean()
    .nullable()
    .optional()
    .describe(
      "Whether the user has it directly, without a group. Null: can't be told. Left out: of no user.",
    ),
  groups: z.array(group).describe("Of a user: those through which the user has the role, or may have it."),
  secret: z
    .array(claim)
    .describe("Assignments whose groups are secret, so that some of these may not be there on the tenant."),
});

const permission = z.object({ resourceServer: z.string(), name: z.string() });

/**
 * Schema of what `pulumi-identity access --format json` writes.
 *
 * @example A rule of one's own on who has access
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { accessSchema } from "pulumi-identity/access";
 *
 * const { roles } = accessSchema.parse(JSON.parse(readFileSync("access.json", "utf8")));
 * for (const { name, groups } of roles)
 *   if (name === "admin" && groups.length > 3) throw new Error("More than 3 groups are admins.");
 * ```
 */
export const accessSchema = z.object({
  version: z.literal(1),
  made: z.string().describe("When the tenant was asked, as in 2026-11-22T10:02:00.000Z."),
  tenant: z.string().describe("Its host name."),
  complete: z
    .boolean()
    .describe(
      "False where something could not be told: a list could not be read whole, a status is unknown, people could not be compared for rules, or a null says so.",
    ),
  incomplete: z
    .array(z.string())
    .describe(
      "Lists of the tenant that could not be read whole, and why. What they leave out is neither shown nor counted.",
    ),
  stacks: z.array(
    z.object({
      stack: z.string(),
      assignments: z.number().int().describe("Those on this tenant."),
      elsewhere: z.number().int().describe("Assignments on other tenants, which don't count here."),
    }),
  ),
  counts: z.object({
    roles: z.number().int(),
    grants: z.number().int().describe("Groups that have a role: all but those of status drift."),
    managed: z.number().int(),
    unmanaged: z.number().int(),
    drift: z.number().int(),
    unknown: z.number().int(),
    expired: z
      .number()
      .int()
      .describe("Those of them that groups only have because of assignments that should have ended by now."),
  }),
  roles: z.array(role),
  rules: z
    .object({
      file: z.string(),
      gaps: z.array(z.string()).describe("Why some people could not be compared for conflicts."),
      breaches: z.array(
        z.object({
          ...breachFields,
          by: z
            .array(claim.pick({ stack: true, resource: true, line: true }))
            .describe("The assignments that give the roles. Empty: somebody gave them by hand."),
          reason: z.string(),
        }),
      ),
    })
    .optional()
    .describe("What breaks the rules today. Left out: without --rules."),
  user: z
    .object({
      id: z.string(),
      unread: z
        .string()
        .nullable()
        .describe(
          "Why it can't be told through which groups the user has the roles; then any of them may be it.",
        ),
      allRoles: z
        .boolean()
        .describe("Whether all roles of the user are listed. False: only those that give a permission."),
      permissions: z.array(
        permission.extend({
          sources: z
            .array(
              z.object({
                kind: z.enum(["role", "direct", "other"]),
                id: z.string(),
                name: z.string(),
                type: z.string().describe("In the service's words."),
              }),
            )
            .nullable()
            .describe("Null: told in a form that is not known."),
        }),
      ),
      ends: z
        .array(
          z.object({
            by: claim,
            role: z.string(),
            ends: z.boolean().nullable().describe("Whether the user loses the role. Null: can't be told."),
            permissions: z.array(permission).describe("Those that the user loses with the role."),
            reason: z.string().describe("Why the user keeps the role, or why it can't be told; or empty."),
          }),
        )
        .describe("What would end for the user if an assignment was destroyed."),
    })
    .nullable()
    .describe("With --user."),
});

/** Who has which role, and why: what {@link accessSchema} accepts. */
export type AccessJson = z.infer<typeof accessSchema>;
