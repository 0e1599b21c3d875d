/*
 * Who has which role, and why, as JSON, version 1. Later releases can add members, but never change the
 * meaning of one. The build makes access.schema.json and the types of `pulumi-identity/access` of it. The
 * command itself imports only types, except to read the file of `--compare`.
 */

import * as z from "../../provider/zod";
import { breachFields } from "../../provider/review/breach-fields";

const nullableName = z.string().nullable().describe("Null if the tenant has none.");

const claim = z.object({
  stack: z.string().describe("Project and stack, such as access/prod."),
  resource: z.string().describe("Name of the assignment in the program."),
  line: z
    .object({ file: z.string(), line: z.number().int() })
    .nullable()
    .describe("Its place in the program. Null: not in state."),
  until: z.string().nullable().describe("End of the assignment: a day, or a time. Null: it has no end."),
  expired: z.boolean().describe("True after the end: the next run takes the role away."),
  soon: z.boolean().describe("True if the end is within 14 days."),
  untilSecret: z.boolean().optional().describe("True if its end is secret. Left out: it isn't."),
  unconfirmed: z.boolean().describe("True if the outcome of its last change of this group is unknown."),
  ending: z.boolean().describe("True if the next run deletes it, since it is replaced."),
  secret: z.boolean().describe("True if the program keeps its groups secret."),
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
  by: z
    .array(claim)
    .describe("The assignments that claim the grant. If unknown, the assignments that may have given it."),
});

const permission = z.object({ resourceServer: z.string(), name: z.string() });

const people = z.object({
  count: z.number().int().describe("1000 at most."),
  more: z.boolean().describe("True if there are more."),
  ids: z.array(z.string()).optional().describe("Left out: without --people."),
});

const named = z.object({ id: z.string(), name: nullableName });

const role = z.object({
  id: z.string().describe("Of a role in an organization: both ids, as in org_…/rol_…."),
  name: nullableName,
  organization: named
    .optional()
    .describe("The organization in which groups and people have the role. Left out: in the tenant itself."),
  role: named.optional().describe("In an organization: the role alone. Left out: in the tenant itself."),
  exists: z.boolean().describe("True if it is on the tenant."),
  direct: z
    .boolean()
    .nullable()
    .optional()
    .describe("True if the user has it directly, without a group. Null: unknown. Left out: without --user."),
  people: people
    .nullable()
    .optional()
    .describe(
      "People who have it directly, without a group. Null: unknown, `unreadPeople` says why. Left out: not asked, as with --no-direct, --group or --user.",
    ),
  permissions: z
    .array(permission)
    .nullable()
    .optional()
    .describe("What the role allows. Null: unknown. Left out: without --permissions."),
  groups: z.array(group).describe("With --user: the groups that give the user the role, or may give it."),
  incomplete: z
    .boolean()
    .optional()
    .describe(
      "True if the groups are not all that have it: `incomplete` of the answer says why. Left out: they are.",
    ),
  secret: z
    .array(claim)
    .describe("Assignments whose groups are secret. Some of these groups may lack the role on the tenant."),
});

const time = z.string().nullable().describe("Null: never, or unknown.");

function upTo<Item extends z.ZodType>(item: Item) {
  return z
    .object({ items: z.array(item), more: z.boolean().describe("True if there are more, or may be.") })
    .nullable()
    .describe("Null: not read.");
}

const leaving = z.object({
  gone: z.boolean().describe("True if the tenant has no such user: deleted, or the id is mistyped."),
  left: z
    .boolean()
    .nullable()
    .describe(
      "False: no role, no permission given directly, no session, refresh token or device credential. Null: none that was read, and not all could be.",
    ),
  blocked: z.boolean().nullable().describe("True if the account is blocked on the tenant. Null: unknown."),
  connections: z.array(z.string()).describe("What the account signs in with, as far as is known."),
  sessions: upTo(z.object({ id: z.string(), lastUsed: time })),
  refreshTokens: upTo(z.object({ id: z.string(), client: nullableName, lastExchanged: time })),
  deviceCredentials: upTo(
    z.object({
      id: z.string(),
      type: z.string().describe("public_key, refresh_token or rotating_refresh_token."),
      device: nullableName,
      client: nullableName,
      lastUsed: time,
    }),
  ),
  unread: z.array(z.string()).describe("What could not be read of these, and why."),
  groups: z
    .array(
      named.extend({
        roles: z.array(z.string()).describe("What the user has through the group, by the ids of `roles`."),
        others: z
          .object({ count: z.number().int(), more: z.boolean() })
          .nullable()
          .describe("The other members, who would lose the roles if the group did. Null: unknown."),
      }),
    )
    .describe("The groups behind the user's roles."),
  steps: z
    .array(
      z.object({
        where: z
          .enum(["account", "directory", "tenant", "program"])
          .describe(
            "Where it is done. Directory: where the group's members come from. Tenant: the dashboard, or a program that was not read.",
          ),
        text: z.string(),
        by: z
          .array(claim.pick({ stack: true, resource: true, line: true }))
          .describe("The lines of the program that it is about."),
        write: z
          .object({ typescript: z.string(), yaml: z.string() })
          .optional()
          .describe("The line to write. Left out: there is nothing to add."),
      }),
    )
    .describe("How to take what is left, in this order."),
});

const numbers = people.omit({ ids: true });

const change = z.object({
  kind: z
    .enum(["gained", "lost", "end", "unmanaged", "managed"])
    .describe(
      "Unmanaged: a program gave it, and now it is given by hand. Managed: the other way round. End: it ends on another day, or now has an end, or none.",
    ),
  tenant: z
    .string()
    .optional()
    .describe(
      "With --by-name: the other tenant, whose ids these are, since this one lacks the role or the group. Left out: this tenant.",
    ),
  role: z.string(),
  roleName: nullableName,
  group: z.string().optional(),
  groupName: nullableName.optional(),
  user: z.string().optional().describe("In place of a group: a person who has, or had, the role directly."),
  people: z
    .object({ before: numbers, now: numbers })
    .optional()
    .describe(
      "In place of a group: how many people have the role directly, where their ids can't be compared.",
    ),
  before: z
    .array(claim)
    .describe("What gave it, by the earlier file. Empty: nothing did, or it was given by hand."),
  by: z.array(claim).describe("What gives it today; of a lost grant: what claims it and isn't there."),
  decision: z
    .object({
      decision: z.enum(["confirm", "revoke"]),
      reviewer: z.string(),
      note: z.string(),
      void: z.boolean().describe("True if it was made before this change, and so isn't valid any more."),
    })
    .nullable()
    .optional()
    .describe("The decision on this grant. Null: nobody has decided. Left out: without --decisions."),
});

export const accessSchema = z.object({
  version: z.literal(1),
  made: z.string().describe("Time of the reads, as in 2026-11-22T10:02:00.000Z."),
  tenant: z.string().describe("Its host name."),
  complete: z
    .boolean()
    .describe(
      "False if a list could not be read whole, a status is unknown, people could not be compared for rules, or some organizations weren't asked. Then some values are null.",
    ),
  incomplete: z
    .array(z.string())
    .describe(
      "Lists of the tenant that could not be read whole, and why. The rest is neither shown nor counted.",
    ),
  unreadPeople: z
    .array(z.string())
    .optional()
    .describe("Why it is unknown who has some roles directly. Left out: nothing is."),
  members: z
    .array(z.object({ id: z.string(), people: people.nullable().describe("Null: unknown.") }))
    .optional()
    .describe(
      "Members of the groups, by the group's id. Left out: without --people, or in formats that don't show them.",
    ),
  unreadDetails: z
    .array(z.string())
    .optional()
    .describe("Why permissions of some roles, or members of some groups, are unknown. Left out: nothing is."),
  organizations: z
    .array(z.string())
    .optional()
    .describe(
      "Ids of the organizations that were asked who has roles there: those of assignments in the states, of the rules, and of --organization; all, if a rule holds in each. With --user: if the user is a member.",
    ),
  otherOrganizations: z
    .object({
      count: z.number().int().nullable().describe("Null: unknown, `reason` says why."),
      more: z.boolean().describe("True if there are more, or may be."),
      reason: z.string().optional(),
    })
    .optional()
    .describe(
      "Organizations that weren't asked, so `complete` is false; with --user, only those of which the user is a member count. Left out: there are no others.",
    ),
  covers: z
    .object({
      roles: z.array(named).describe("Only these, in the tenant and in organizations: --role. Empty: all."),
      groups: z.array(named).describe("Only these: --group. Empty: all."),
      people: z
        .enum(["no", "numbers", "ids"])
        .describe("How much was asked of people who have a role directly."),
      tenant: z
        .boolean()
        .describe("True if the tenant has listed all of its roles, so one that isn't listed isn't there."),
      organizations: z
        .array(named)
        .describe("Those of which all roles are known, so nobody has one there that isn't listed."),
    })
    .optional()
    .describe("What the answer is about, for `--compare`. Left out: with --user."),
  stacks: z.array(
    z.object({
      stack: z.string(),
      assignments: z.number().int().describe("Assignments on this tenant."),
      elsewhere: z.number().int().describe("Assignments on other tenants, which don't count here."),
      pending: z
        .array(z.string())
        .optional()
        .describe(
          "Assignments that a killed run left pending: what they gave looks as if given by hand. Left out: none.",
        ),
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
      .describe("Managed grants that remain only because no run has revoked them since their end."),
  }),
  roles: z.array(role),
  rules: z
    .object({
      file: z.string(),
      gaps: z.array(z.string()).describe("Why not everything could be judged by the rules."),
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
    .describe("Breaches of the rules today. Left out: without --rules."),
  decisions: z
    .object({
      file: z.string(),
      counts: z.object({
        confirmed: z.number().int(),
        revoked: z.number().int().describe("To be revoked, and gone."),
        otherTenants: z.number().int().describe("Rows of other tenants, which don't count here."),
      }),
      findings: z.array(
        z.object({
          kind: z
            .enum(["standing", "void", "new", "undecided", "unread"])
            .describe(
              "Standing: to be revoked, and still there or claimed. Void: granted by another resource, or for longer, than " +
                "was confirmed. New: not in the file. Unread: whether the grant of a row is there was not asked, or not read.",
            ),
          role: z.string(),
          group: z.string().optional(),
          user: z.string().optional().describe("In place of a group: a person who has the role directly."),
          reason: z.string(),
        }),
      ),
      decided: z
        .array(
          z.object({
            role: z.string(),
            group: z.string().optional(),
            user: z.string().optional(),
            decision: z.enum(["confirm", "revoke"]),
            reviewer: z.string(),
            note: z.string(),
          }),
        )
        .describe("Decisions that are valid today."),
      unread: z
        .array(z.record(z.string(), z.string()))
        .optional()
        .describe(
          "Rows of the file about grants that were not asked for, or not read, by the names of its columns. Left out: none.",
        ),
    })
    .optional()
    .describe("What a sign-off leaves open. Left out: without --decisions."),
  ends: z
    .object({
      within: z.string().describe("As asked for, such as 14d or 36h."),
      assignments: z
        .array(
          z.object({
            ...claim.pick({ stack: true, resource: true, line: true }).shape,
            until: z.string(),
            role: z.string().describe("The `id` of one of the roles."),
            groups: z
              .array(z.string())
              .describe("Groups that lose the role then, since nothing else gives it."),
            secretGroups: z.boolean().describe("True if some of its groups are secret."),
            secondsLeft: z
              .number()
              .int()
              .describe("Negative: it has ended, and its groups still have the role."),
            change: z
              .object({ file: z.string(), line: z.number().int(), text: z.string() })
              .nullable()
              .describe("What sets the end in the program. Null: not found near the line of the assignment."),
          }),
        )
        .describe("The next to end comes first."),
      secret: z
        .array(claim.pick({ stack: true, resource: true, line: true }))
        .describe("Assignments whose end is secret: it is unknown if that comes in time."),
    })
    .optional()
    .describe("Grants that end in time, or have ended and are still there. Left out: without --ends-within."),
  compared: z
    .object({
      file: z.string(),
      made: z.string().describe("Time of its reads."),
      tenant: z.string().describe("Its tenant. With --by-name, another one."),
      byName: z.boolean().describe("True if roles, groups and organizations were matched by their names."),
      counts: z.object({
        gained: z.number().int(),
        lost: z.number().int(),
        end: z.number().int(),
        unmanaged: z.number().int(),
        managed: z.number().int(),
      }),
      changes: z.array(change),
      gaps: z
        .array(
          z.object({
            tenant: z.string().optional().describe("With --by-name: the other tenant, if these are its ids."),
            role: z.string().optional(),
            roleName: nullableName.optional(),
            group: z.string().optional(),
            groupName: nullableName.optional(),
            user: z.string().optional(),
            reason: z.string(),
          }),
        )
        .describe(
          "What could not be compared, and why: one of the two answers didn't ask for it, or couldn't read it.",
        ),
    })
    .optional()
    .describe("What changed since an earlier answer. Left out: without --compare."),
  user: z
    .object({
      id: z.string(),
      unread: z
        .string()
        .nullable()
        .describe(
          "Why the groups behind the user's roles are unknown. Then the roles list all of their groups.",
        ),
      allRoles: z
        .boolean()
        .describe(
          "True if all roles of the user in the tenant itself are listed. False: only roles that give a permission.",
        ),
      unreadOrganizations: z
        .array(
          named.extend({
            reason: z.string(),
            allRoles: z
              .boolean()
              .describe(
                "True if only the groups behind the roles are unknown: then all groups of a role are listed.",
              ),
          }),
        )
        .optional()
        .describe(
          "Organizations in which the user's roles are unknown, so `complete` is false. Left out: none.",
        ),
      notMemberOf: z
        .array(named)
        .optional()
        .describe("Organizations from --organization of which the user is no member. Left out: none."),
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
            .describe("Null: in an unknown form."),
        }),
      ),
      ends: z
        .array(
          z.object({
            by: claim,
            role: z.string(),
            ends: z.boolean().nullable().describe("True if the user loses the role. Null: unknown."),
            permissions: z.array(permission).describe("The permissions that the user loses with the role."),
            reason: z.string().describe("Why the user keeps the role, or why that is unknown; or empty."),
          }),
        )
        .describe("The user's losses if an assignment was destroyed."),
      leaving: leaving.optional().describe("Left out: without --leave."),
    })
    .nullable()
    .describe("With --user."),
});

export type AccessJson = z.infer<typeof accessSchema>;
