/**
 * The review as JSON, version 1. Members may be added; what is there keeps its meaning. The command itself
 * imports types only, so that it starts without zod.
 *
 * @module pulumi-identity/review
 */

import * as z from "../zod";
import { breachFields } from "./breach-fields";
import { CATEGORIES } from "./effects";

const place = z.object({ file: z.string(), line: z.number().int() });
const tenant = z
  .string()
  .nullable()
  .describe("Host name of the tenant; null where the preview doesn't tell it.");
const name = z.string().describe("Name of the resource in the program.");
const line = place.nullable().describe("Where the program declares the resource.");
const changeJson = z.object({
  path: z.string().describe("The field, such as organization.show_as_button."),
  before: z.unknown().optional().describe("Left out: not set."),
  after: z.unknown().optional().describe("Left out: not set."),
  isSet: z.literal(true).optional().describe("The list stands for a set: its order means nothing."),
});

const settings = z.record(z.string(), z.unknown());
const unless = z.string().describe("Why it may not come to that. Left out: it is certain.");
const category = z.enum(CATEGORIES);
const people = z
  .object({
    count: z.number().int().describe("Members of the group, 1000 at most."),
    more: z.boolean().describe("Whether it has more of them."),
    same: z
      .object({ count: z.number().int(), through: z.array(z.string()) })
      .describe("Those who keep a lost role, or have a gained one already, through these groups."),
    notCompared: z.number().int().describe("Other groups with the role whose members are not known."),
    ids: z.array(z.string()).optional().describe("Ids of the members. Left out: without --people."),
  })
  .describe("Who is in a group that gains or loses a role. Left out: not asked, or not answered.");

/**
 * Schema of what `pulumi-identity review --json review.json` writes for one stack; for several, it is a list
 * of these.
 *
 * @example A rule of one's own on a review
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { reviewSchema } from "pulumi-identity/review";
 *
 * const review = reviewSchema.parse(JSON.parse(readFileSync("review.json", "utf8")));
 * if (review.counts.loses > 20) throw new Error("More than 20 groups lose a role.");
 * ```
 */
export const reviewSchema = z.object({
  version: z.literal(1),
  kind: z.enum(["preview", "drift"]),
  made: z.string().describe("When the review was made, as in 2026-11-22T10:02:00.000Z."),
  unknownAccepted: z
    .boolean()
    .describe("Whether a run that is held to the review may do what it calls unknown: --accept-unknown."),
  environmentTenant: z
    .string()
    .nullable()
    .describe("Host name in IDENTITY_DOMAIN when the review was made: what null stands for elsewhere."),
  stack: z.string().nullable().describe("Project and stack, such as access/prod."),
  tenants: z.array(z.string()),
  complete: z.boolean().describe("False if the preview failed, or if a part of it can't be reviewed."),
  failed: z.boolean(),
  errors: z.array(z.object({ name: name.nullable(), message: z.string() })),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  counts: z.object({
    gains: z.number().int(),
    loses: z.number().int(),
    keeps: z.number().int(),
    removals: z.number().int(),
    created: z.number().int(),
    changed: z.number().int(),
    adopted: z.number().int(),
    deleted: z.number().int(),
    unknown: z.number().int(),
    others: z.number().int().describe("Changes of resources that are not of this package."),
  }),
  categories: z.array(category).describe("What --fail-on would find."),
  access: z.array(
    z.object({
      tenant,
      role: z.string(),
      group: z.string(),
      effect: z.enum(["gains", "loses", "keeps"]),
      unless: unless.optional(),
      until: z.string().optional().describe("When what it gains or keeps ends. Left out: no end."),
      untilBefore: z.string().optional().describe("When what it keeps would have ended. Left out: no end."),
      by: z.array(z.object({ name, op: z.string(), line, reason: z.string() })),
      people: people.optional(),
    }),
  ),
  profiles: z.array(
    z.object({
      tenant,
      op: z.enum(["create", "update", "adopt", "delete", "gone"]),
      id: z.string().nullable().describe("Null for a profile that is to be made."),
      name,
      line,
      reason: z.string(),
      unless: unless.optional(),
      changes: z.array(changeJson),
      wanted: settings
        .optional()
        .describe("The settings that the program gives, by their names there. Left out: nothing is written."),
      had: settings
        .optional()
        .describe(
          "What it has, as state records it; in an adoption, as the tenant holds it. Left out: not known.",
        ),
    }),
  ),
  removals: z.array(z.object({ tenant, id: z.string(), name, line })),
  names: z.record(z.string(), z.string()).describe("Names of ids, as far as --read has found them."),
  roles: z
    .array(
      z.object({
        role: z.string(),
        from: z
          .enum(["role", "sample"])
          .optional()
          .describe("Whether the tenant lists them of the role, or --sample-user has them through it."),
        permissions: z.array(z.object({ resourceServer: z.string(), name: z.string() })),
      }),
    )
    .describe("What the roles of the tenant that --read asks allow."),
  unknown: z.array(
    z.object({
      name: name.nullable(),
      tenant: tenant.optional(),
      id: z.string().nullable().optional().describe("Id of the resource. Left out: it has none yet."),
      roles: z
        .array(z.string())
        .optional()
        .describe("The roles of an assignment, before and after. Left out: one of them doesn't show."),
      line,
      reason: z.string(),
      categories: z.array(category),
    }),
  ),
  notes: z
    .array(z.object({ name: name.nullable(), tenant: tenant.optional(), reason: z.string() }))
    .describe("What sends nothing, and how later runs differ."),
  rules: z
    .object({
      file: z.string(),
      breaches: z.array(
        z.object({
          ...breachFields,
          tenant,
          isNew: z.boolean().describe("Whether the change breaks the rule. False: it was broken before."),
          by: z
            .array(z.object({ stack: z.string().nullable(), name, line }))
            .describe("The assignments that give the roles. Empty: somebody gave them by hand."),
          reason: z.string(),
        }),
      ),
    })
    .optional()
    .describe("What breaks the rules after the change. Left out: without --rules."),
  after: z
    .array(
      z.object({
        tenant,
        role: z.string(),
        groups: z.array(
          z.object({
            id: z.string(),
            until: z.string().optional().describe("When the grant ends. Left out: no end."),
          }),
        ),
      }),
    )
    .describe(
      "The groups that the program's assignments give each of their roles after the change, those that stay " +
        "as they are among them. What is secret or not known yet is missing.",
    ),
  removed: z
    .array(z.object({ tenant, id: z.string() }))
    .describe("Device credentials that are removed after the change, those of earlier runs among them."),
});

/** A review: what {@link reviewSchema} accepts. */
export type ReviewJson = z.infer<typeof reviewSchema>;
