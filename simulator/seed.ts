import { createPublicKey } from "node:crypto";
import { z } from "zod";
import { parseInput } from "./input";
import { seedOf } from "./records";
import { type Behaviour, type BehaviourInput, type SeedInput } from "./types";
import { CLIENT_ID, CLIENT_SECRET, ALL_SCOPES } from "./default-seed";

const PREFIX_TEMPLATE = /^(?!-)(?!.*--)(?:[a-zA-Z0-9-]|{org_id}|{org_name})*$/;

/** A group id as the service writes it. */
export const groupIdSchema = text(
  z
    .string()
    .min(18)
    .max(26)
    .regex(/^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/),
);

const enabledFeatures = z.array(z.enum(["directory_sync", "scim", "universal_logout"]));
/** Nothing is configurable here yet: the service accepts only an empty object. */
const connectionConfig = z.strictObject({});
/*
 * Newer than the source document: checks the fields known from the official client, and accepts more.
 */
const seconds = z.int().min(1).nullish();
const scimScope = z.enum(["get:users", "post:users", "put:users", "patch:users", "delete:users"]);
const provisioning = z.looseObject({
  scim: z
    .looseObject({
      tokens: z.looseObject({
        scopes: z.array(scimScope),
        default_expiry: seconds,
        max_allowed_expiry: seconds,
      }),
    })
    .optional(),
});
const crossAppAccess = z.enum(["enabled", "disabled"]);
const crossAppAccessResourceApp = z.looseObject({
  status: z.looseObject({
    default_value: crossAppAccess,
    allowed_values: z.array(crossAppAccess).min(2).optional(),
  }),
});
const override = z.strictObject({
  enabled_features: enabledFeatures.optional(),
  connection_config: connectionConfig.optional(),
  cross_app_access_resource_app: crossAppAccessResourceApp.optional(),
  provisioning: provisioning.optional(),
});
const participation = z.enum(["none", "optional", "required"]);

/** Body of a connection profile's update; every field is optional. */
export const profileUpdateSchema = z.strictObject({
  name: text(z.string().min(1).max(50)).optional(),
  organization: z
    .strictObject({
      show_as_button: participation.optional(),
      assign_membership_on_login: participation.optional(),
    })
    .optional(),
  connection_name_prefix_template: text(z.string().max(15).regex(PREFIX_TEMPLATE)).optional(),
  enabled_features: enabledFeatures.optional(),
  connection_config: connectionConfig.optional(),
  strategy_overrides: z
    .strictObject({
      pingfederate: override.optional(),
      ad: override.optional(),
      adfs: override.optional(),
      waad: override.optional(),
      "google-apps": override.optional(),
      okta: override.optional(),
      oidc: override.optional(),
      samlp: override.optional(),
    })
    .optional(),
  provisioning: provisioning.optional(),
  cross_app_access_resource_app: crossAppAccessResourceApp.optional(),
});

/** Body of a connection profile's creation. */
export const profileCreateSchema = profileUpdateSchema.required({ name: true });

const id = z.string().min(1);
const organizationId = text(z.string().regex(/^org_[A-Za-z0-9]{1,64}$/));

/**
 * Applies a text's rules only to texts: zod reads the `length` of anything that has one, and throws if it
 * isn't comparable.
 */
function text(rules: z.ZodString): z.ZodPipe<z.ZodString, z.ZodString> {
  return z.string().pipe(rules);
}

/** The tenant's behaviour with all switches at their defaults. */
const DEFAULT_BEHAVIOUR = {
  token_path: "both",
  audience: "both",
  nested_patch: "replace",
  null_in_patch: "clear",
  profile_name_conflict: "conflict",
  delete_unknown_profile: 404,
  delete_unknown_device_credential: 404,
  assign_assigned_group: "ok",
  remove_absent_group: "ok",
  max_groups_per_call: null,
  max_page_size: null,
  numbered_lists: "numbers",
  totals: "all_pages",
  max_numbered_entries: null,
  cursor_lists: "cursor",
  empty_lists: "envelope",
  refused_groups: {},
  profile_values: "as_sent",
  profile_reads: "whole",
  read_lag: 0,
  revoke_refresh_token_grant: null,
  user_sessions: "served",
} as const;

const status204or404 = z.union([z.literal(404), z.literal(204)]);

/**
 * A switch of {@link behaviourSchema}. Its default is metadata, so that an omitted switch keeps its value.
 */
function described<T extends z.ZodType>(
  name: keyof typeof DEFAULT_BEHAVIOUR,
  schema: T,
  description: string,
) {
  return schema.meta({ description, default: DEFAULT_BEHAVIOUR[name] }).optional();
}

/** One switch for each thing that the service's documents leave open. */
export const behaviourSchema = z.strictObject({
  token_path: described(
    "token_path",
    z.enum(["both", "with_slash", "without_slash"]),
    "The path of the token endpoint: /oauth/token/, /oauth/token, or both. The other one answers 404.",
  ),
  audience: described(
    "audience",
    z.enum(["both", "relative", "absolute"]),
    "The audience of tokens: /api/v2/ (relative), <tenant URL>/api/v2/ (absolute), or either.",
  ),
  nested_patch: described(
    "nested_patch",
    z.enum(["replace", "merge"]),
    "A PATCH replaces organization, strategy_overrides and other objects, or merges into them.",
  ),
  null_in_patch: described(
    "null_in_patch",
    z.enum(["clear", "keep", "reject"]),
    "Null in the PATCH or POST of a connection profile clears the field, counts as not sent, or is answered 400. A null name is always answered 400.",
  ),
  profile_name_conflict: described(
    "profile_name_conflict",
    z.enum(["conflict", "allow"]),
    "A second connection profile of the same name, created or renamed, is answered 409, or allowed.",
  ),
  delete_unknown_profile: described(
    "delete_unknown_profile",
    status204or404,
    "Status for the DELETE of a connection profile that doesn't exist.",
  ),
  delete_unknown_device_credential: described(
    "delete_unknown_device_credential",
    status204or404,
    "Status for the DELETE of a device credential that doesn't exist.",
  ),
  assign_assigned_group: described(
    "assign_assigned_group",
    z.enum(["ok", "error"]),
    "Assigning a group that already has the role is answered 204, or refused with 400, in an organization with 409: nothing changes.",
  ),
  remove_absent_group: described(
    "remove_absent_group",
    z.enum(["ok", "error"]),
    "Removing a group that doesn't have the role is answered 204, or refused with 404: nothing changes.",
  ),
  max_groups_per_call: described(
    "max_groups_per_call",
    z.number().int().min(1).nullable(),
    "Most groups in one assignment or removal; more are answered 400. null: no limit.",
  ),
  max_page_size: described(
    "max_page_size",
    z.number().int().min(1).nullable(),
    "Most entries on a page of a list, even if a request asks for more. null: no limit.",
  ),
  numbered_lists: described(
    "numbered_lists",
    z.enum(["numbers", "cursor"]),
    "Lists of roles, permissions and device credentials have page numbers, or ignore them and answer {roles, next}, which from and take continue.",
  ),
  totals: described(
    "totals",
    z.enum(["all_pages", "first_page", "none"]),
    "With include_totals, a numbered list has the total on each page, or total: 0 on later pages, or is a plain array without a total.",
  ),
  max_numbered_entries: described(
    "max_numbered_entries",
    z.number().int().min(1).nullable(),
    "Most entries of a numbered list; a page beyond them is answered 400. The service is known for 1000. null: no limit.",
  ),
  cursor_lists: described(
    "cursor_lists",
    z.enum(["cursor", "numbers", "total"]),
    "Lists with a cursor show that there is more by next; or by a total, with further pages by page and per_page; or by a total without further pages.",
  ),
  empty_lists: described(
    "empty_lists",
    z.enum(["envelope", "plain"]),
    "An empty list is {groups: []}, or [] without its envelope.",
  ),
  refused_groups: described(
    "refused_groups",
    z.record(groupIdSchema, z.number().int().min(400).max(499)),
    "Groups by id, each with the status for any assignment or removal that names it: nothing changes.",
  ),
  profile_values: described(
    "profile_values",
    z.enum(["as_sent", "tidied", "completed"]),
    'Profiles store values as sent; tidied, with a trimmed name, a template in lower case, sorted lists, URLs that end with a slash, and without "none" in organization; or completed, with "none" for missing members of organization.',
  ),
  profile_reads: described(
    "profile_reads",
    z.enum(["whole", "without_none"]),
    'Reads of profiles show all that the answers to writes do, or leave out "none" in organization.',
  ),
  read_lag: described(
    "read_lag",
    z.number().int().min(0),
    "After each write, this many reads still show the tenant as it was before.",
  ),
  revoke_refresh_token_grant: described(
    "revoke_refresh_token_grant",
    z.boolean().nullable(),
    "If true, deleting a refresh token deletes all of that user and client. null: false, and the tenant's settings don't say so.",
  ),
  user_sessions: described(
    "user_sessions",
    z.enum(["served", "not_served", "not_entitled"]),
    "Calls for users' sessions and refresh tokens are served, answered 404 as unknown, or 403 as not in the tenant's plan.",
  ),
});

/** Returns every switch: its last given value, or else its default. */
export function behaviourOf(...given: (BehaviourInput | undefined)[]): Behaviour {
  const switched = given.flatMap((input) =>
    Object.entries(parseInput("The behaviour", behaviourSchema, input ?? {})),
  );
  const set = switched.filter(([, value]) => value !== undefined);
  return { ...DEFAULT_BEHAVIOUR, ...Object.fromEntries(set) };
}

const scope = z.string().describe("Scopes, separated by spaces.");

function isPublicKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

const clientSchema = z.strictObject({
  client_id: id,
  client_secret: z.string().min(1).optional(),
  public_key: z
    .string()
    .refine(isPublicKey, { error: "This is no PEM of an RSA public key." })
    .optional()
    .describe("PEM of the RSA public key that checks the client's assertions (private_key_jwt)."),
  scope: scope.describe(
    "Scopes granted, separated by spaces. Empty: the client is not granted the API at all.",
  ),
  subject: z.string().optional().describe("Subject of its tokens. Default: <client_id>@clients."),
});

const permissionSchema = z.looseObject({
  resource_server_identifier: z.string(),
  permission_name: z.string(),
  sources: z
    .array(z.looseObject({ source_id: z.string(), source_name: z.string(), source_type: z.string() }))
    .optional(),
});

function unique<T>(items: readonly T[], key: (item: T) => string | undefined): boolean {
  const keys = items.map(key).filter((value) => value !== undefined);
  return new Set(keys).size === keys.length;
}

type Lists = readonly (readonly string[] | undefined)[];

const distinct = { error: "Two records have the same identifier." };

/** All records of a tenant, in the service's own names. Omitted lists are empty, except `clients`. */
export const seedSchema = z
  .strictObject({
    clients: z
      .array(clientSchema)
      .min(1)
      .refine((clients) => unique(clients, (client) => client.client_id), distinct)
      .default([{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }])
      .describe("Clients that can ask for tokens. Default: one with all scopes."),
    tokens: z
      .array(
        z.strictObject({
          access_token: id,
          scope,
          subject: z.string().optional().describe("The token's subject, e.g. a user id. Default: none."),
          expires_in: z
            .number()
            .optional()
            .describe("Seconds from now; negative: expired. Default: never expires."),
        }),
      )
      .default([])
      .describe("Bearer tokens that are valid from the start."),
    users: z
      .array(
        z.looseObject({
          user_id: id,
          identities: z.array(z.looseObject({ connection: z.string(), provider: z.string() })).optional(),
          permissions: z
            .array(permissionSchema)
            .optional()
            .describe("Listed by GET /users/{id}/permissions."),
          roles: z.array(id).optional().describe("Roles that the user has directly."),
          groups: z.array(groupIdSchema).optional().describe("Groups that the user is in."),
        }),
      )
      .refine((users) => unique(users, (user) => user.user_id), distinct)
      .default([])
      .describe("Users, with any fields of the service. Answers leave out missing fields."),
    groups: z
      .array(
        z.looseObject({
          id: groupIdSchema,
          name: z.string().optional(),
          connection_id: z.string().optional(),
          external_id: z.string().optional(),
        }),
      )
      .refine((groups) => unique(groups, (group) => group.id), distinct)
      .default([]),
    roles: z
      .array(
        z.looseObject({
          id,
          name: z.string().optional(),
          type: z
            .enum(["tenant", "organization"])
            .optional()
            .describe("Newer tenants have it, and list roles of both types."),
          owner_id: z
            .string()
            .optional()
            .describe(
              "Organization that a role of type organization belongs to; auth0: a System Role, for all.",
            ),
          groups: z.array(groupIdSchema).optional().describe("Groups that have the role."),
          permissions: z
            .array(permissionSchema)
            .optional()
            .describe("Listed by GET /roles/{id}/permissions. Default: from the users with the role."),
        }),
      )
      .refine((roles) => unique(roles, (role) => role.id), distinct)
      .default([]),
    organizations: z
      .array(
        z.looseObject({
          id: organizationId,
          name: z.string().min(1),
          display_name: z.string().optional(),
          groups: z.array(groupIdSchema).optional().describe("Groups in the organization."),
          members: z
            .array(id)
            .optional()
            .describe(
              "Users who are members. Default: those in its groups, as if they had signed in, and those with a role there.",
            ),
          roles: z
            .array(
              z.strictObject({
                id,
                groups: z
                  .array(groupIdSchema)
                  .optional()
                  .describe("Groups of the organization that have the role in it."),
                members: z.array(id).optional().describe("Users who have it directly in the organization."),
              }),
            )
            .refine((roles) => unique(roles, (role) => role.id), distinct)
            .optional()
            .describe("Who has which role in the organization: the tenant's roles, or its own."),
        }),
      )
      .refine((organizations) => unique(organizations, (one) => one.id), distinct)
      .refine((organizations) => unique(organizations, (one) => one.name), distinct)
      .default([])
      .describe("Organizations: business customers, in which groups have roles of their own."),
    connection_profiles: z
      .array(profileCreateSchema.extend({ id: id.optional().describe("Default: generated.") }))
      .refine((profiles) => unique(profiles, (profile) => profile.id), distinct)
      .default([]),
    device_credentials: z
      .array(
        z.looseObject({
          id,
          type: z.enum(["public_key", "refresh_token", "rotating_refresh_token"]),
          user_id: z.string().optional(),
          client_id: z.string().optional(),
        }),
      )
      .refine((credentials) => unique(credentials, (credential) => credential.id), distinct)
      .default([]),
    sessions: z
      .array(z.looseObject({ id, user_id: id }))
      .refine((sessions) => unique(sessions, (session) => session.id), distinct)
      .default([]),
    refresh_tokens: z
      .array(z.looseObject({ id, user_id: id, client_id: id }))
      .refine((tokens) => unique(tokens, (token) => token.id), distinct)
      .default([])
      .describe("Refresh tokens of newer tenants, apart from the device credentials."),
    behaviour: behaviourSchema
      .optional()
      .describe("Behaviour switches. Default: those the simulator was started with."),
  })
  .check((context) => {
    const { groups, organizations, roles, users } = context.value;
    const check = (kind: "role" | "group", all: readonly { id: string }[], path: string, lists: Lists) => {
      const known = new Set(all.map((record) => record.id));
      lists.forEach((ids = [], index) => {
        for (const unknown of ids.filter((one) => !known.has(one)))
          context.issues.push({
            code: "custom",
            input: unknown,
            path: [path, index, `${kind}s`],
            message: `The ${kind} ${unknown} is not among the seed's ${kind}s.`,
          });
      });
    };
    check(
      "group",
      groups,
      "roles",
      roles.map((role) => role.groups),
    );
    check(
      "group",
      groups,
      "users",
      users.map((user) => user.groups),
    );
    check(
      "role",
      roles,
      "users",
      users.map((user) => user.roles),
    );
    check(
      "group",
      groups,
      "organizations",
      organizations.map((one) => one.groups),
    );
    check(
      "role",
      roles,
      "organizations",
      organizations.map((one) => one.roles?.map((role) => role.id)),
    );
    for (const [index, { groups: own = [], roles: given = [] }] of organizations.entries())
      for (const group of given.flatMap((role) => role.groups ?? []).filter((one) => !own.includes(one)))
        context.issues.push({
          code: "custom",
          input: group,
          path: ["organizations", index, "roles"],
          message: `The group ${group} is not among the organization's groups.`,
        });
  }) satisfies z.ZodType<unknown, SeedInput>;

/** The same, or an answer of `GET /_simulator/state`. */
export const seedOrStateSchema = z.preprocess(seedOf, seedSchema);
