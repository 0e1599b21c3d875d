import { type FastifyInstance, type FastifyRequest } from "fastify";
import { z } from "zod";
import { ApiError, validate } from "./errors";
import { type Grant } from "./auth";
import {
  boolean,
  cursorPage,
  cursorQueries,
  type CursorQuery,
  integer,
  type ListQueries,
  numberedPage,
  numberedQueries,
  type NumberedQuery,
} from "./lists";
import { groupIdSchema } from "./seed";
import { type Page, type Tenant } from "./tenant";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The token needs at least one of these. */
    scopes?: readonly string[];
    /** Takes from the device credentials' own bucket, if there is one. */
    deviceCredentialWrite?: boolean;
  }
  interface FastifyRequest {
    /** The rights of the request's bearer token. */
    grant: Grant;
  }
}

const selection = { fields: z.string().optional(), include_fields: boolean.optional() };

const userQuery = z.strictObject(selection);
const permissionsQuery = numberedQueries({});
const roleGroupsQuery = cursorQueries({});
const rolesQuery = numberedQueries({
  name_filter: z.string().optional(),
  type: z.enum(["tenant", "organization"]).optional(),
  owner_id: z.string().optional(),
});
const groupsQuery = cursorQueries({
  ...selection,
  // The official client always asks for totals. It's undocumented which lists with a cursor have one; these
  // don't.
  include_totals: boolean.optional(),
  name: z.string().optional(),
  connection_id: z.string().optional(),
  external_id: z.string().optional(),
  search: z.string().optional(),
});
const settingsQuery = z.strictObject(selection);
const membersQuery = cursorQueries(selection);
const organizationsQuery = cursorQueries({
  // As with groups.
  include_totals: boolean.optional(),
  sort: z.string().optional(),
});
const userOrganizationsQuery = numberedQueries({});
const sourceGroupsQuery = cursorQueries({ role_id: z.string() });
const profilesQuery = cursorQueries({}, integer(1, 10).default(5));
const deviceCredentialsQuery = numberedQueries({
  ...selection,
  user_id: z.string().optional(),
  client_id: z.string().optional(),
  type: z.enum(["public_key", "refresh_token", "rotating_refresh_token"]).optional(),
});
const revokeBody = z.strictObject({
  user_id: z.string().min(1),
  client_id: z.string().min(1).optional(),
});
const groupsBody = z.strictObject({ groups: z.array(groupIdSchema).pipe(z.array(z.string()).min(1)) });

const rolesBody = z.strictObject({ roles: z.array(z.string().min(1)).min(1) });

type WithId = { Params: { id: string } };
type WithGroup = { Params: { id: string; group: string } };
type WithRole = { Params: { id: string; role: string } };
type WithMember = { Params: { id: string; user: string } };

/** Looked up for each request, because a new seed replaces the tenant. */
interface Sides {
  /** The tenant as a read sees it, possibly outdated. */
  seen: (request: FastifyRequest) => Tenant;
  /** The tenant that a write changes. */
  written: () => Tenant;
}

/** Adds the routes of `/api/v2`. */
export function addRoutes(app: FastifyInstance, { seen, written }: Sides): void {
  const byCursor = <Query extends CursorQuery>(
    request: FastifyRequest,
    key: string,
    queries: ListQueries<Query>,
    read: (query: Query, from: string | undefined, take: number) => Page<object>,
  ) => cursorPage(request.query, seen(request).behaviour, { key, queries, read });
  const byNumber = <Query extends NumberedQuery>(
    request: FastifyRequest,
    key: string,
    queries: ListQueries<Query>,
    read: (query: Query) => readonly object[],
    isPaged?: (query: Query) => boolean,
  ) => numberedPage(request.query, seen(request).behaviour, { key, queries, read, isPaged });

  app.get<WithId>(
    "/users/:id",
    { config: { scopes: ["read:users", "read:user_idp_tokens", "read:current_user"] } },
    (request) => {
      const { scopes, subject } = request.grant;
      const { id } = request.params;
      const onlyOneself = !scopes.has("read:users") && !scopes.has("read:user_idp_tokens");
      if (onlyOneself && subject !== id)
        throw new ApiError(403, "User to be acted on does not match subject in bearer token.");
      const query = validate(userQuery, request.query, "query");
      const user = seen(request).user(id);
      return select(scopes.has("read:user_idp_tokens") ? user : withoutProviderTokens(user), query);
    },
  );

  app.get<WithId>("/users/:id/permissions", { config: { scopes: ["read:users"] } }, (request) =>
    byNumber(request, "permissions", permissionsQuery, () => seen(request).permissions(request.params.id)),
  );

  app.get<WithId>(
    "/users/:id/effective-roles",
    { config: { scopes: ["read:user_effective_roles"] } },
    (request) =>
      byCursor(request, "roles", roleGroupsQuery, (_, from, take) =>
        seen(request).effectiveRoles(request.params.id, from, take),
      ),
  );

  app.get<WithId>(
    "/users/:id/effective-roles/sources/groups",
    { config: { scopes: ["read:user_role_source_groups"] } },
    (request) =>
      byCursor(request, "groups", sourceGroupsQuery, ({ role_id }, from, take) =>
        seen(request).roleSourceGroups(request.params.id, role_id, from, take),
      ),
  );

  app.get<WithId>("/users/:id/organizations", { config: { scopes: ["read:organizations"] } }, (request) =>
    byNumber(request, "organizations", userOrganizationsQuery, () =>
      seen(request).userOrganizations(request.params.id),
    ),
  );

  app.get("/roles", { config: { scopes: ["read:roles"] } }, (request) =>
    byNumber(request, "roles", rolesQuery, (query) => seen(request).roles(query)),
  );

  app.get<WithId>("/roles/:id", { config: { scopes: ["read:roles"] } }, (request) =>
    seen(request).role(request.params.id),
  );

  app.get("/groups", { config: { scopes: ["read:groups"] } }, (request) =>
    byCursor(request, "groups", groupsQuery, (query, from, take) => {
      const { items, ...rest } = seen(request).groups(query, from, take);
      return { items: items.map((group) => select(group, query)), ...rest };
    }),
  );

  app.get<WithId>("/groups/:id", { config: { scopes: ["read:groups"] } }, (request) =>
    seen(request).group(request.params.id),
  );

  app.get<WithId>("/groups/:id/roles", { config: { scopes: ["read:group_roles"] } }, (request) =>
    byCursor(request, "roles", roleGroupsQuery, (_, from, take) =>
      seen(request).groupRoles(request.params.id, from, take),
    ),
  );

  app.get<WithId>("/groups/:id/members", { config: { scopes: ["read:group_members"] } }, (request) =>
    byCursor(request, "members", membersQuery, (query, from, take) => {
      const { items, ...rest } = seen(request).groupMembers(request.params.id, from, take);
      return { items: items.map((member) => select(member, query)), ...rest };
    }),
  );

  app.get<WithId>("/roles/:id/permissions", { config: { scopes: ["read:roles"] } }, (request) =>
    byNumber(request, "permissions", permissionsQuery, () =>
      seen(request).rolePermissions(request.params.id),
    ),
  );

  app.get<WithId>("/roles/:id/groups", { config: { scopes: ["read:group_roles"] } }, (request) =>
    byCursor(request, "groups", roleGroupsQuery, (_, from, take) =>
      seen(request).roleGroups(request.params.id, from, take),
    ),
  );

  app.get<WithId>(
    "/roles/:id/users",
    { config: { scopes: ["read:role_members", "read:users"] } },
    (request) => {
      const { scopes } = request.grant;
      if (!scopes.has("read:role_members") && !scopes.has("read:roles"))
        throw new ApiError(
          403,
          "Insufficient scope, expected any of: read:roles,read:role_members",
          "insufficient_scope",
        );
      return byCursor(request, "users", roleGroupsQuery, (_, from, take) =>
        seen(request).roleUsers(request.params.id, from, take),
      );
    },
  );

  app.post<WithId>("/roles/:id/groups", { config: { scopes: ["create:group_roles"] } }, (request, reply) => {
    written().assignGroups(request.params.id, groupsOf(request));
    return reply.code(204).send();
  });

  app.delete<WithId>(
    "/roles/:id/groups",
    { config: { scopes: ["delete:group_roles"] } },
    (request, reply) => {
      requireJson(request);
      written().removeGroups(request.params.id, groupsOf(request));
      return reply.code(204).send();
    },
  );

  app.get("/organizations", { config: { scopes: ["read:organizations"] } }, (request) =>
    byCursor(request, "organizations", organizationsQuery, (_, from, take) =>
      seen(request).organizations(from, take),
    ),
  );

  app.get<{ Params: { name: string } }>(
    "/organizations/name/:name",
    { config: { scopes: ["read:organizations"] } },
    (request) => seen(request).organizationNamed(request.params.name),
  );

  app.get<WithId>("/organizations/:id", { config: { scopes: ["read:organizations"] } }, (request) =>
    seen(request).organization(request.params.id),
  );

  app.get<WithId>(
    "/organizations/:id/groups",
    { config: { scopes: ["read:organization_groups"] } },
    (request) =>
      byCursor(request, "groups", roleGroupsQuery, (_, from, take) =>
        seen(request).organizationGroups(request.params.id, from, take),
      ),
  );

  app.get<WithRole>(
    "/organizations/:id/roles/:role/groups",
    { config: { scopes: ["read:organization_group_roles"] } },
    (request) =>
      byCursor(request, "groups", roleGroupsQuery, (_, from, take) =>
        seen(request).organizationRoleGroups(request.params, from, take),
      ),
  );

  app.get<WithRole>(
    "/organizations/:id/roles/:role/members",
    { config: { scopes: ["read:organization_member_roles"] } },
    (request) =>
      byCursor(request, "members", membersQuery, (query, from, take) => {
        const { items, ...rest } = seen(request).organizationRoleMembers(request.params, from, take);
        return { items: items.map((member) => select(member, query)), ...rest };
      }),
  );

  app.get<WithMember>(
    "/organizations/:id/members/:user/effective-roles",
    { config: { scopes: ["read:organization_member_effective_roles"] } },
    (request) =>
      byCursor(request, "roles", roleGroupsQuery, (_, from, take) =>
        seen(request).memberRoles(request.params, from, take),
      ),
  );

  app.get<WithMember>(
    "/organizations/:id/members/:user/effective-roles/sources/groups",
    { config: { scopes: ["read:organization_member_role_source_groups"] } },
    (request) =>
      byCursor(request, "groups", sourceGroupsQuery, ({ role_id }, from, take) =>
        seen(request).memberSourceGroups(request.params, role_id, from, take),
      ),
  );

  const GROUP_ROLES = "/organizations/:id/groups/:group/roles";
  app.get<WithGroup>(GROUP_ROLES, { config: { scopes: ["read:organization_group_roles"] } }, (request) =>
    byCursor(request, "roles", roleGroupsQuery, (_, from, take) =>
      seen(request).organizationGroupRoles(request.params.id, request.params.group, from, take),
    ),
  );

  app.post<WithGroup>(
    GROUP_ROLES,
    { config: { scopes: ["create:organization_group_roles"] } },
    (request, reply) => {
      requireJson(request);
      const { roles } = validate(rolesBody, request.body, "body");
      written().assignOrganizationRoles(request.params.id, request.params.group, roles);
      return reply.code(204).send();
    },
  );

  app.delete<WithGroup>(
    GROUP_ROLES,
    { config: { scopes: ["delete:organization_group_roles"] } },
    (request, reply) => {
      requireJson(request);
      const { roles } = validate(rolesBody, request.body, "body");
      written().removeOrganizationRoles(request.params.id, request.params.group, roles);
      return reply.code(204).send();
    },
  );

  app.get("/connection-profiles", { config: { scopes: ["read:connection_profiles"] } }, (request) =>
    byCursor(request, "connection_profiles", profilesQuery, (_, from, take) =>
      seen(request).profiles(from, take),
    ),
  );

  app.post(
    "/connection-profiles",
    { config: { scopes: ["create:connection_profiles"] } },
    (request, reply) => {
      requireJson(request);
      return reply.code(201).send(written().createProfile(request.body));
    },
  );

  app.get<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["read:connection_profiles"] } },
    (request) => seen(request).profile(request.params.id),
  );

  app.patch<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["update:connection_profiles"] } },
    (request) => {
      requireJson(request);
      return written().updateProfile(request.params.id, request.body);
    },
  );

  app.delete<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["delete:connection_profiles"] } },
    (request, reply) => {
      written().deleteProfile(request.params.id);
      return reply.code(204).send();
    },
  );

  app.get<WithId>("/users/:id/sessions", { config: { scopes: ["read:sessions"] } }, (request) =>
    byCursor(request, "sessions", roleGroupsQuery, (_, from, take) =>
      seen(request).sessions(request.params.id, from, take),
    ),
  );

  app.delete<WithId>("/users/:id/sessions", { config: { scopes: ["delete:sessions"] } }, (request, reply) => {
    written().deleteSessions(request.params.id);
    return reply.code(202).send();
  });

  app.get<WithId>("/users/:id/refresh-tokens", { config: { scopes: ["read:refresh_tokens"] } }, (request) =>
    byCursor(request, "tokens", roleGroupsQuery, (_, from, take) =>
      seen(request).refreshTokens(request.params.id, from, take),
    ),
  );

  app.delete<WithId>(
    "/users/:id/refresh-tokens",
    { config: { scopes: ["delete:refresh_tokens"] } },
    (request, reply) => {
      written().deleteRefreshTokens(request.params.id);
      return reply.code(202).send();
    },
  );

  app.post("/refresh-tokens/revoke", { config: { scopes: ["delete:refresh_tokens"] } }, (request, reply) => {
    requireJson(request);
    const { user_id: user, client_id: client } = validate(revokeBody, request.body, "body");
    written().deleteRefreshTokens(user, client);
    return reply.code(202).send();
  });

  app.get("/tenants/settings", { config: { scopes: ["read:tenant_settings"] } }, (request) =>
    select(seen(request).settings(), validate(settingsQuery, request.query, "query")),
  );

  app.get("/device-credentials", { config: { scopes: ["read:device_credentials"] } }, (request) =>
    byNumber(
      request,
      "device_credentials",
      deviceCredentialsQuery,
      (query) =>
        seen(request)
          .deviceCredentials(query)
          .map((credential) => select(credential, query)),
      // Without a type the service ignores paging.
      ({ type }) => type !== undefined,
    ),
  );

  app.delete<WithId>(
    "/device-credentials/:id",
    { config: { scopes: ["delete:device_credentials"], deviceCredentialWrite: true } },
    (request, reply) => {
      written().deleteDeviceCredential(request.params.id);
      return reply.code(204).send();
    },
  );
}

/** Applies `fields` and `include_fields`; an empty list means everything. */
function select(record: object, query: { fields?: string; include_fields?: boolean }): object {
  const fields = new Set((query.fields ?? "").split(",").map((field) => field.trim()));
  fields.delete("");
  if (fields.size === 0) return record;
  const included = query.include_fields ?? true;
  return Object.fromEntries(Object.entries(record).filter(([key]) => fields.has(key) === included));
}

const PROVIDER_TOKENS = new Set(["access_token", "access_token_secret", "refresh_token"]);

function withoutProviderTokens(user: { identities?: object[] }): object {
  if (user.identities === undefined) return user;
  const identities = user.identities.map((identity) =>
    Object.fromEntries(Object.entries(identity).filter(([key]) => !PROVIDER_TOKENS.has(key))),
  );
  return { ...user, identities };
}

function groupsOf(request: FastifyRequest): string[] {
  return validate(groupsBody, isForm(request) ? formGroups(request.body) : request.body, "body").groups;
}

/** A form can't mark a single value as a list, and some encoders mark lists with `[]`. */
function formGroups(form: unknown): object {
  const { groups, "groups[]": marked, ...rest } = form as Record<string, string | string[] | undefined>;
  const all = [groups, marked].flat().filter((value) => value !== undefined);
  return { ...rest, ...(all.length > 0 ? { groups: all } : {}) };
}

function isForm(request: FastifyRequest): boolean {
  return request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
}

function requireJson(request: FastifyRequest): void {
  if (isForm(request)) throw new ApiError(415, "Unsupported Media Type");
}
