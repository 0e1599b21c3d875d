/*
 * The review as JSON, version 1. Later releases can add members, but never change the meaning of one. The
 * build makes review.schema.json and the types of `pulumi-identity/review` of it. The command itself imports
 * only types, so it starts without zod.
 */

import * as z from "../zod";
import { breachFields } from "./breach-fields";
import { CATEGORIES } from "./categories";

const place = z.object({ file: z.string(), line: z.number().int() });
const tenant = z.string().nullable().describe("Host name of the tenant. Null: not in the preview.");
const organization = z
  .string()
  .optional()
  .describe("Id of the organization in which the role counts. Left out: in the tenant itself.");
const name = z.string().describe("Name of the resource in the program.");
const line = place.nullable().describe("Its place in the program.");
const changeJson = z.object({
  path: z.string().describe("The field, such as organization.showAsButton."),
  before: z.unknown().optional().describe("Left out: not set."),
  after: z.unknown().optional().describe("Left out: not set."),
  isSet: z.literal(true).optional().describe("The order of the list means nothing."),
});

const settings = z.record(z.string(), z.unknown());
const unless = z.string().describe("Why this may not happen. Left out: it is certain.");
const category = z.enum(CATEGORIES);
const people = z
  .object({
    count: z.number().int().describe("Members of the group, 1000 at most."),
    more: z.boolean().describe("True if it has more."),
    same: z
      .object({ count: z.number().int(), through: z.array(z.string()) })
      .describe("People who keep a lost role, or have a gained one already, through these groups."),
    maybe: z
      .object({ count: z.number().int(), through: z.array(z.string()) })
      .optional()
      .describe(
        "Further people who may keep it, or may have it already, through these groups. Left out: none.",
      ),
    direct: z
      .number()
      .int()
      .nullable()
      .optional()
      .describe("Members who have the role directly. Null: unknown. Left out by older releases."),
    notCompared: z.number().int().describe("Other groups with the role whose members are unknown."),
    ids: z.array(z.string()).optional().describe("Ids of the members. Left out: without --people."),
  })
  .describe("Members of a group that gains or loses a role. Left out: not read.");

const effect = z.enum(["gains", "loses", "keeps"]);
const forgotten = z
  .literal(true)
  .optional()
  .describe(
    "It doesn't have today what it loses, so only state forgets it, and it doesn't count. Left out: it has it, or that is unknown.",
  );
const by = z.array(z.object({ name, op: z.string(), line, reason: z.string() }));

export const reviewSchema = z.object({
  version: z.literal(1),
  kind: z.enum(["preview", "drift"]),
  made: z.string().describe("Time of the review, as in 2026-11-22T10:02:00.000Z."),
  unknownAccepted: z
    .boolean()
    .describe("True with --accept-unknown: a run held to the review may make the changes listed as unknown."),
  environmentTenant: z
    .string()
    .nullable()
    .describe(
      "Host name in IDENTITY_DOMAIN at the time of the review: a null tenant elsewhere means this one.",
    ),
  stack: z.string().nullable().describe("Project and stack, such as access/prod."),
  tenants: z.array(z.string()),
  complete: z.boolean().describe("False if the preview failed, or part of it can't be reviewed."),
  failed: z.boolean(),
  errors: z.array(z.object({ name: name.nullable(), message: z.string() })),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  counts: z.object({
    gains: z.number().int(),
    loses: z.number().int(),
    keeps: z.number().int(),
    endsLater: z
      .number()
      .int()
      .optional()
      .describe("Kept grants that end later, or no longer end. Left out: none."),
    endsEarlier: z
      .number()
      .int()
      .optional()
      .describe("Kept grants that end earlier, or end now. Left out: none."),
    removals: z.number().int(),
    signOuts: z.number().int().optional().describe("Left out: none."),
    created: z.number().int(),
    changed: z.number().int(),
    adopted: z.number().int(),
    deleted: z.number().int(),
    unknown: z.number().int(),
    others: z.number().int().describe("Changes of other packages' resources."),
  }),
  categories: z.array(category).describe("The categories that --fail-on would find."),
  pending: z
    .array(z.object({ kind: z.string().describe("ConnectionProfile, for example."), name, line }))
    .optional()
    .describe(
      "Resources that an earlier run may have created: it ended before it heard of the outcome. Left out: the stack's state was not read.",
    ),
  access: z.array(
    z.object({
      tenant,
      organization,
      role: z.string(),
      group: z.string(),
      effect,
      forgotten,
      unless: unless.optional(),
      until: z.string().optional().describe("End of the grant that it gains or keeps. Left out: no end."),
      untilBefore: z
        .string()
        .optional()
        .describe("End of the kept grant before the change. Left out: no end."),
      ends: z
        .enum(["later", "earlier"])
        .optional()
        .describe("How the end of the kept grant moves. Left out: it stays, or `unknown` has it."),
      by,
      people: people.optional(),
    }),
  ),
  direct: z
    .array(
      z.object({
        tenant,
        organization,
        role: z.string(),
        user: z.string(),
        effect,
        forgotten,
        unless: unless.optional(),
        by,
        people: people.optional(),
      }),
    )
    .optional()
    .describe(
      "Users who gain or lose a role by the auth0 provider. A held run doesn't see these. Left out: none.",
    ),
  permissions: z
    .array(
      z.object({
        tenant,
        role: z.string().optional().describe("Left out: a user's, or a new role's."),
        user: z.string().optional().describe("Left out: a role's."),
        madeRole: z.string().optional().describe("Name of a role that the same run creates."),
        effect: z.enum(["gains", "loses"]),
        resourceServer: z.string().describe("Identifier of the API."),
        permission: z.string(),
        unless: unless.optional(),
        name,
        line,
        reason: z.string(),
        people: z
          .object({
            count: z.number().int(),
            more: z.boolean().describe("True if it may have more."),
            ids: z.array(z.string()).optional().describe("Left out: without --people."),
          })
          .optional()
          .describe("People who have the role. Left out: not read."),
      }),
    )
    .optional()
    .describe("Permissions that roles and users gain or lose by the auth0 provider. Left out: none."),
  profiles: z.array(
    z.object({
      tenant,
      op: z.enum(["create", "update", "adopt", "delete", "gone"]),
      id: z.string().nullable().describe("Null for a new profile."),
      name,
      line,
      reason: z.string(),
      unless: unless.optional(),
      changes: z.array(changeJson),
      wanted: settings.optional().describe("The program's settings. Left out: the step writes nothing."),
      had: settings
        .optional()
        .describe(
          "Its settings before the change, from state or, in an adoption, from the tenant. Left out: unknown.",
        ),
    }),
  ),
  removals: z.array(
    z.object({
      tenant,
      id: z.string(),
      name,
      line,
      credential: z
        .object({
          type: z.string().describe("In the service's words: refresh_token, for example."),
          device: z.string().optional().describe("The device's name, if it has one."),
          user: z.string().optional().describe("The user's id."),
          tokens: z.number().int().describe("Refresh tokens of that user and application, with this one."),
          endsAll: z.boolean().nullable().describe("True if all of these end with it. Null: unknown."),
        })
        .nullable()
        .optional()
        .describe("Null if the tenant has none of this id. Left out: not asked, or not all were listed."),
    }),
  ),
  signOuts: z
    .array(
      z.object({
        tenant,
        user: z.string().describe("Id of the user."),
        client: z.string().optional().describe("Id of the only client concerned. Left out: all clients."),
        rest: z
          .array(z.string())
          .optional()
          .describe(
            "The parts that an earlier run failed to end, if only these are left. Left out: all of it ends.",
          ),
        name,
        line,
        signedIn: z
          .object({
            exists: z.boolean().optional().describe("Left out: unknown."),
            sessions: z.number().int().optional(),
            refreshTokens: z.number().int().optional(),
            deviceCredentials: z.number().int().optional(),
            more: z.boolean().describe("True if a list was only counted in part: there are more."),
            unread: z.array(z.string()).describe("What could not be read, and why: its number is left out."),
          })
          .optional()
          .describe("What it ends, as far as the tenant says. Left out: not asked."),
      }),
    )
    .optional()
    .describe("Users who are signed out for good. Left out: none."),
  names: z.record(z.string(), z.string()).describe("Names by id, if --read found them."),
  roles: z
    .array(
      z.object({
        role: z.string(),
        from: z
          .enum(["role", "sample"])
          .optional()
          .describe("Role: from the tenant's list. Sample: from a user of --sample-user."),
        permissions: z.array(z.object({ resourceServer: z.string(), name: z.string() })),
      }),
    )
    .describe("Permissions of the roles, on the tenant that --read asks."),
  unknown: z.array(
    z.object({
      name: name.nullable(),
      tenant: tenant.optional(),
      id: z.string().nullable().optional().describe("Id of the resource. Left out: none yet."),
      roles: z
        .array(z.string())
        .optional()
        .describe(
          "The roles of an assignment, before and after; in an organization as org_…/rol_…. Left out: one of them is hidden.",
        ),
      line,
      reason: z.string(),
      categories: z.array(category),
    }),
  ),
  notes: z
    .array(z.object({ name: name.nullable(), tenant: tenant.optional(), reason: z.string() }))
    .describe("Changes that send nothing, and differences in later runs."),
  rules: z
    .object({
      file: z.string(),
      breaches: z.array(
        z.object({
          ...breachFields,
          tenant,
          isNew: z.boolean().describe("True if the change breaks the rule. False: it was broken before."),
          by: z
            .array(z.object({ stack: z.string().nullable(), name, line }))
            .describe("The assignments that give the roles. Empty: somebody gave them by hand."),
          reason: z.string(),
        }),
      ),
    })
    .optional()
    .describe("Breaches of the rules after the change. Left out: without --rules."),
  judgedBy: z
    .array(z.string())
    .optional()
    .describe("Verdicts of the rules in this change, and of the base branch's. Left out: without --rules."),
  after: z
    .array(
      z.object({
        tenant,
        organization,
        role: z.string(),
        groups: z.array(
          z.object({
            id: z.string(),
            until: z.string().optional().describe("End of the grant. Left out: no end."),
            earlier: z
              .array(z.string())
              .optional()
              .describe("Ends of other assignments that give it. Left out: none is earlier."),
          }),
        ),
      }),
    )
    .describe(
      "All groups that have each role through the program's assignments after the change, unchanged ones too. " +
        "Secret and unknown groups are missing.",
    ),
  removed: z
    .array(z.object({ tenant, id: z.string() }))
    .describe("Device credentials that are removed after the change, by this or earlier runs."),
});

export type ReviewJson = z.infer<typeof reviewSchema>;
