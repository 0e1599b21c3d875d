import { type FastifyInstance, type FastifyRequest } from "fastify";
import { z } from "zod";
import { ApiError, validate } from "./errors";
import { type Grant } from "./auth";
import { groupIdSchema } from "./seed";
import { type Tenant } from "./tenant";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The token needs at least one of these. */
    scopes?: readonly string[];
    /** Takes from the device credentials' own bucket, if there is one. */
    deviceCredentialWrite?: boolean;
  }
  interface FastifyRequest {
    /** What the request's bearer token allows. */
    grant: Grant;
  }
}

const integer = (min: number, max?: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value),
    max === undefined ? z.int().min(min) : z.int().min(min).max(max),
  );
const boolean = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);

const selection = { fields: z.string().optional(), include_fields: boolean.optional() };
const offsetPaging = {
  per_page: integer(1, 100).default(50),
  page: integer(0).default(0),
  include_totals: boolean.default(false),
};

const userQuery = z.strictObject(selection);
const permissionsQuery = z.strictObject(offsetPaging);
const groupPaging = { from: z.string().optional(), take: integer(1).default(50) };
const roleGroupsQuery = z.strictObject(groupPaging);
const rolesQuery = z.strictObject({ ...offsetPaging, name_filter: z.string().optional() });
const groupsQuery = z.strictObject({
  ...groupPaging,
  ...selection,
  // The official client always asks for totals. Nobody documents which a list with a cursor has: these
  // answers have none.
  include_totals: boolean.optional(),
  name: z.string().optional(),
  connection_id: z.string().optional(),
  external_id: z.string().optional(),
  search: z.string().optional(),
});
const sourceGroupsQuery = z.strictObject({ ...groupPaging, role_id: z.string() });
const profilesQuery = z.strictObject({ from: z.string().optional(), take: integer(1, 10).default(5) });
const deviceCredentialsQuery = z.strictObject({
  ...offsetPaging,
  ...selection,
  user_id: z.string().optional(),
  client_id: z.string().optional(),
  type: z.enum(["public_key", "refresh_token", "rotating_refresh_token"]).optional(),
});
const groupsBody = z.strictObject({ groups: z.array(groupIdSchema).pipe(z.array(z.string()).min(1)) });

type WithId = { Params: { id: string } };

/** Adds the routes of `/api/v2`. The tenant is looked up on each request, since a new seed replaces it. */
export function addRoutes(app: FastifyInstance, tenant: () => Tenant): void {
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
      const user = tenant().user(id);
      return select(scopes.has("read:user_idp_tokens") ? user : withoutProviderTokens(user), query);
    },
  );

  app.get<WithId>("/users/:id/permissions", { config: { scopes: ["read:users"] } }, (request) => {
    const query = validate(permissionsQuery, request.query, "query");
    return offsetPage("permissions", tenant().permissions(request.params.id), query);
  });

  app.get<WithId>(
    "/users/:id/effective-roles",
    { config: { scopes: ["read:user_effective_roles"] } },
    (request) => {
      const { from, take } = validate(roleGroupsQuery, request.query, "query");
      return tenant().effectiveRoles(request.params.id, from, take);
    },
  );

  app.get<WithId>(
    "/users/:id/effective-roles/sources/groups",
    { config: { scopes: ["read:user_role_source_groups"] } },
    (request) => {
      const { role_id: role, from, take } = validate(sourceGroupsQuery, request.query, "query");
      return tenant().roleSourceGroups(request.params.id, role, from, take);
    },
  );

  app.get("/roles", { config: { scopes: ["read:roles"] } }, (request) => {
    const query = validate(rolesQuery, request.query, "query");
    return offsetPage("roles", tenant().roles(query.name_filter), query);
  });

  app.get<WithId>("/roles/:id", { config: { scopes: ["read:roles"] } }, (request) =>
    tenant().role(request.params.id),
  );

  app.get("/groups", { config: { scopes: ["read:groups"] } }, (request) => {
    const query = validate(groupsQuery, request.query, "query");
    const { groups, ...rest } = tenant().groups(query, query.from, query.take);
    return { groups: groups.map((group) => select(group, query)), ...rest };
  });

  app.get<WithId>("/groups/:id", { config: { scopes: ["read:groups"] } }, (request) =>
    tenant().group(request.params.id),
  );

  app.get<WithId>("/groups/:id/roles", { config: { scopes: ["read:group_roles"] } }, (request) => {
    const { from, take } = validate(roleGroupsQuery, request.query, "query");
    return tenant().groupRoles(request.params.id, from, take);
  });

  app.get<WithId>("/roles/:id/groups", { config: { scopes: ["read:group_roles"] } }, (request) => {
    const { from, take } = validate(roleGroupsQuery, request.query, "query");
    return tenant().roleGroups(request.params.id, from, take);
  });

  app.post<WithId>("/roles/:id/groups", { config: { scopes: ["create:group_roles"] } }, (request, reply) => {
    tenant().assignGroups(request.params.id, groupsOf(request));
    return reply.code(204).send();
  });

  app.delete<WithId>(
    "/roles/:id/groups",
    { config: { scopes: ["delete:group_roles"] } },
    (request, reply) => {
      requireJson(request);
      tenant().removeGroups(request.params.id, groupsOf(request));
      return reply.code(204).send();
    },
  );

  app.get("/connection-profiles", { config: { scopes: ["read:connection_profiles"] } }, (request) => {
    const { from, take } = validate(profilesQuery, request.query, "query");
    return tenant().profiles(from, take);
  });

  app.post(
    "/connection-profiles",
    { config: { scopes: ["create:connection_profiles"] } },
    (request, reply) => {
      requireJson(request);
      return reply.code(201).send(tenant().createProfile(request.body));
    },
  );

  app.get<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["read:connection_profiles"] } },
    (request) => tenant().profile(request.params.id),
  );

  app.patch<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["update:connection_profiles"] } },
    (request) => {
      requireJson(request);
      return tenant().updateProfile(request.params.id, request.body);
    },
  );

  app.delete<WithId>(
    "/connection-profiles/:id",
    { config: { scopes: ["delete:connection_profiles"] } },
    (request, reply) => {
      tenant().deleteProfile(request.params.id);
      return reply.code(204).send();
    },
  );

  app.get("/device-credentials", { config: { scopes: ["read:device_credentials"] } }, (request) => {
    const query = validate(deviceCredentialsQuery, request.query, "query");
    const found = tenant()
      .deviceCredentials(query)
      .map((credential) => select(credential, query));
    return query.type === undefined ? found : offsetPage("device_credentials", found, query);
  });

  app.delete<WithId>(
    "/device-credentials/:id",
    { config: { scopes: ["delete:device_credentials"], deviceCredentialWrite: true } },
    (request, reply) => {
      tenant().deleteDeviceCredential(request.params.id);
      return reply.code(204).send();
    },
  );
}

/** `fields` and `include_fields`, of which an empty list means everything. */
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

function offsetPage<T>(
  key: string,
  items: readonly T[],
  query: { page: number; per_page: number; include_totals: boolean },
): object {
  const start = query.page * query.per_page;
  const page = items.slice(start, start + query.per_page);
  return query.include_totals ? { [key]: page, start, limit: query.per_page, total: items.length } : page;
}

function groupsOf(request: FastifyRequest): string[] {
  return validate(groupsBody, isForm(request) ? formGroups(request.body) : request.body, "body").groups;
}

/** A form can't say whether a single value is a list, and some encoders mark lists with `[]`. */
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
