/*
 * The types for users, written out: with types inferred from zod, every program would have to check zod's
 * own.
 */

/** Size and speed of a token bucket. */
export interface Rate {
  /** Requests that the full bucket allows at once. */
  burst: number;
  /** Tokens that flow back per second; may be a fraction. */
  perSecond: number;
}

/** A client that can ask for tokens. */
export interface Client {
  client_id: string;
  client_secret?: string;
  /** PEM of the RSA public key that verifies the client's assertions (private_key_jwt). */
  public_key?: string;
  /** Scopes granted, separated by spaces. Empty: the client has no access to the API at all. */
  scope: string;
  /** Subject of its tokens. Default: `<client_id>@clients`. */
  subject?: string;
}

/** A bearer token that is valid without requesting it. */
export interface FixedToken {
  access_token: string;
  /** Scopes, separated by spaces. */
  scope: string;
  /** The token's subject, e.g. a user id. Default: none. */
  subject?: string;
  /** Seconds from now; negative: expired. Default: never expires. */
  expires_in?: number;
}

/** A permission of a user, with any fields of the service. */
export interface Permission {
  resource_server_identifier: string;
  permission_name: string;
  sources?: { source_id: string; source_name: string; source_type: string; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** A user without its permissions, with any fields of the service; a field left out is absent in answers. */
export interface User {
  user_id: string;
  identities?: { connection: string; provider: string; [field: string]: unknown }[];
  [field: string]: unknown;
}

/** A user's permissions, roles and groups, besides the fields of its record. */
export interface Membership {
  /** The permissions in GET /users/{id}/permissions. */
  permissions?: Permission[];
  /** Ids of the roles that the user has directly. */
  roles?: string[];
  /** Ids of the user's groups. */
  groups?: string[];
}

/** A group, with any fields of the service. */
export interface Group {
  /** `grp_` and 14 to 22 characters of Base58. */
  id: string;
  /** Unique within its connection only. */
  name?: string;
  connection_id?: string;
  external_id?: string;
  [field: string]: unknown;
}

/** A role without its groups, with any fields of the service. */
export interface Role {
  id: string;
  name?: string;
  /** Newer tenants have it. */
  type?: "tenant" | "organization";
  /** Id of the organization that a role of type `organization` belongs to; `auth0`: a System Role. */
  owner_id?: string;
  [field: string]: unknown;
}

/** An organization, with any fields of the service. */
export interface Organization {
  /** `org_` and 16 characters. */
  id: string;
  name: string;
  display_name?: string;
  [field: string]: unknown;
}

/** Who has a role in an organization: the tenant's role, or one of its own. */
export interface RoleInOrganization {
  /** Id of the role. */
  id: string;
  /** Ids of the organization's groups that have it. */
  groups?: string[];
  /** Ids of the users who have it directly. */
  members?: string[];
}

/** A device credential, with any fields of the service. */
export interface DeviceCredential {
  id: string;
  type: "public_key" | "refresh_token" | "rotating_refresh_token";
  user_id?: string;
  client_id?: string;
  [field: string]: unknown;
}

/** A session of a user who signed in, with any fields of the service. */
export interface Session {
  id: string;
  user_id: string;
  [field: string]: unknown;
}

/** A refresh token, with any fields of the service; the list of device credentials doesn't show it. */
export interface RefreshToken {
  id: string;
  user_id: string;
  client_id: string;
  [field: string]: unknown;
}

type Participation = "none" | "optional" | "required";
type Feature = "directory_sync" | "scim" | "universal_logout";
type CrossAppAccess = "enabled" | "disabled";
type ScimScope = "get:users" | "post:users" | "put:users" | "patch:users" | "delete:users";

interface Provisioning {
  scim?: {
    tokens: {
      scopes: ScimScope[];
      /** In seconds; null: never. */
      default_expiry?: number | null;
      /** In seconds; null: no limit. */
      max_allowed_expiry?: number | null;
      [field: string]: unknown;
    };
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

interface CrossAppAccessResourceApp {
  status: { default_value: CrossAppAccess; allowed_values?: CrossAppAccess[]; [field: string]: unknown };
  [field: string]: unknown;
}

type Strategy = "pingfederate" | "ad" | "adfs" | "waad" | "google-apps" | "okta" | "oidc" | "samlp";

/** The settings of a connection profile. */
export interface ProfileFields {
  name?: string;
  organization?: { show_as_button?: Participation; assign_membership_on_login?: Participation };
  connection_name_prefix_template?: string;
  enabled_features?: Feature[];
  /** The service accepts only an empty object. */
  connection_config?: Record<string, never>;
  strategy_overrides?: {
    [Name in Strategy]?: {
      enabled_features?: Feature[];
      connection_config?: Record<string, never>;
      cross_app_access_resource_app?: CrossAppAccessResourceApp;
      provisioning?: Provisioning;
    };
  };
  provisioning?: Provisioning;
  cross_app_access_resource_app?: CrossAppAccessResourceApp;
}

type Newer = "provisioning" | "cross_app_access_resource_app";
/** A connection profile as answered: with every key of the document, `null` if unset. */
export type ConnectionProfile = { id: string; name: string } & Pick<ProfileFields, Newer> & {
    [Key in Exclude<keyof ProfileFields, "name" | Newer>]-?: NonNullable<ProfileFields[Key]> | null;
  };

/**
 * Every behaviour switch with its present value. Each covers something that the service's documents leave
 * open.
 */
export interface Behaviour {
  /** The existing one of /oauth/token/ and /oauth/token; the other answers 404. Default: both. */
  token_path: "both" | "with_slash" | "without_slash";
  /**
   * The audience that tokens can be requested for: /api/v2/ (relative), <tenant URL>/api/v2/ (absolute), or
   * both (default).
   */
  audience: "both" | "relative" | "absolute";
  /** A PATCH replaces (default) organization, strategy_overrides and the like, or merges into them. */
  nested_patch: "replace" | "merge";
  /**
   * The effect of null in the body of a PATCH or POST of a connection profile: clear the field (default),
   * count as not sent, or be answered 400.
   */
  null_in_patch: "clear" | "keep" | "reject";
  /** A second connection profile with the same name is answered 409 (default), or allowed. */
  profile_name_conflict: "conflict" | "allow";
  /** Answer to the DELETE of a connection profile that does not exist. Default: 404. */
  delete_unknown_profile: 404 | 204;
  /** Answer to the DELETE of a device credential that does not exist. Default: 404. */
  delete_unknown_device_credential: 404 | 204;
  /**
   * Assigning a group that already has the role succeeds (204, default), or is refused: with 400, in an
   * organization with 409.
   */
  assign_assigned_group: "ok" | "error";
  /** Removing a group that does not have the role succeeds (204, default), or is refused (404). */
  remove_absent_group: "ok" | "error";
  /** Most groups in one assignment or removal; more are answered 400. Default: null, no limit. */
  max_groups_per_call: number | null;
  /** Most entries on a page of a list, even if more are requested. Default: null, no limit. */
  max_page_size: number | null;
  /**
   * Lists of roles, permissions and device credentials have page numbers (default), or ignore them and answer
   * `{roles, next}`, to be continued by `from` and `take`.
   */
  numbered_lists: "numbers" | "cursor";
  /**
   * The result of `include_totals` on a numbered list: the total on each page (default), `total: 0` on later
   * pages, or a plain array without a total.
   */
  totals: "all_pages" | "first_page" | "none";
  /** The end of numbered lists: a page beyond this many entries is answered 400. Default: null, no limit. */
  max_numbered_entries: number | null;
  /**
   * How lists with a cursor announce more: by `next` (default); by a total, continued by `page` and
   * `per_page`; or by a total, with no way to continue.
   */
  cursor_lists: "cursor" | "numbers" | "total";
  /** An empty list is `{groups: []}` (default), or `[]` without its envelope. */
  empty_lists: "envelope" | "plain";
  /**
   * Groups by id, with the status for each assignment and removal that names one of them: nothing changes.
   * Default: none.
   */
  refused_groups: Record<string, number>;
  /**
   * How profiles store the values sent: unchanged (default); tidied, with a trimmed name, a template in lower
   * case, sorted lists, URLs that end with a slash, and without "none" in organization; or completed, with
   * "none" for fields missing from organization.
   */
  profile_values: "as_sent" | "tidied" | "completed";
  /**
   * Whether reads of profiles show all that the answers to writes do (default), or leave out "none" in
   * organization.
   */
  profile_reads: "whole" | "without_none";
  /** The number of reads after each write that still show the tenant as it was before. Default: 0. */
  read_lag: number;
  /**
   * Deleting a refresh token deletes all of that user and client. Default: null, it doesn't, and the tenant's
   * settings leave it out.
   */
  revoke_refresh_token_grant: boolean | null;
  /**
   * Calls for users' sessions and refresh tokens: served (default), unknown to the tenant (404), or not in
   * its plan (403).
   */
  user_sessions: "served" | "not_served" | "not_entitled";
}

/** Behaviour switches as given: omitted ones keep their default. */
export type BehaviourInput = Partial<Behaviour>;

/** A tenant's records as given, in the service's own names. Omitted lists are empty, except `clients`. */
export interface SeedInput {
  /** Clients that can request tokens. Default: one with all scopes. */
  clients?: Client[];
  /** Bearer tokens that are valid without requesting them. */
  tokens?: FixedToken[];
  users?: (User & Membership)[];
  groups?: Group[];
  /**
   * `groups`: ids of the groups with the role. `permissions`: the role's own. Default: those that users have
   * through it.
   */
  roles?: (Role & { groups?: string[]; permissions?: Permission[] })[];
  /** `groups`: ids of the groups in the organization. `roles`: who has which role there. */
  organizations?: (Organization & {
    groups?: string[];
    /** Default: those in its groups, as if they had signed in, and those with a role there. */
    members?: string[];
    roles?: RoleInOrganization[];
  })[];
  /** An omitted id is generated. */
  connection_profiles?: (ProfileFields & { id?: string; name: string })[];
  device_credentials?: DeviceCredential[];
  sessions?: Session[];
  refresh_tokens?: RefreshToken[];
  /** Default: the switches the simulator was started with. */
  behaviour?: BehaviourInput;
}

/** All records of a tenant in their present form. */
export interface TenantState {
  clients: Client[];
  users: (User & Membership & { permissions: Permission[] })[];
  groups: Group[];
  roles: (Role & { groups: string[]; permissions?: Permission[] })[];
  organizations: (Organization & { groups: string[]; roles: Required<RoleInOrganization>[] })[];
  connection_profiles: ConnectionProfile[];
  device_credentials: DeviceCredential[];
  sessions: Session[];
  refresh_tokens: RefreshToken[];
  behaviour: Behaviour;
}

/** A header with several values is sent several times. */
type Headers = Record<string, string | string[]>;

/** The effect of a fault on a request. */
export type FaultAction =
  /**
   * Answer this status. `processed`: the request takes effect, only its answer is replaced. `part`: it takes
   * effect for this many of the groups in its body.
   */
  | { status: number; headers?: Headers; body?: unknown; processed?: boolean; part?: number }
  /** Reset the connection: before the request took effect, after that, or in the middle of the answer. */
  | { drop: "before" | "after" | "answering" }
  /** Reset the connection at once; the request takes effect after this many milliseconds. */
  | { late: number }
  /** Never answer, and keep the connection open, before or after the request takes effect. */
  | { hang: "before" | "after" }
  /** Process and answer the request; then refuse connections for this many milliseconds. */
  | { refuse: number }
  /** Process the request, and send the body byte by byte, one every so many milliseconds. */
  | { drip: number }
  /** Process the request, and answer it with a body that never ends. */
  | { endless: true }
  /** Write this text in place of an answer, and close the connection. */
  | { raw: string; processed?: boolean }
  /** Process the request, and put other values into its JSON answer: `{"/connection_profiles/0/id": 7}`. */
  | { alter: Record<string, unknown> }
  /** Process and answer the request, with these headers in place of the usual ones. */
  | { headers: Headers }
  /** Process the request, and hold its answer back for this many milliseconds. */
  | { delay: number }
  /** Process the request, and answer it with its own status but a body nobody can use. */
  | { garbage: "invalid-json" | "wrong-shape" | "html" }
  /** Redirect the client without processing the request. Default status 302. */
  | { redirect: string; status?: number };

/** One planned fault. */
export interface Fault {
  /** HTTP method. Default: any. */
  method?: string;
  /** Path as sent; `*` stands for any characters. The query counts only if the pattern contains a `?`. */
  path?: string;
  /** Matching requests to let pass first. Default 0. */
  after?: number;
  /** Requests to hit. Default 1. */
  times?: number;
  action: FaultAction;
}

/** Options for starting a simulator, all optional. */
export interface SimulatorOptions {
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** The token bucket of `/api/v2`. Default: `DEFAULT_RATE`. */
  rate?: Rate;
  /** Own bucket for DELETE of device credentials. Default: they take from the common one. */
  deviceCredentialRate?: Rate;
  /** Requests per second from others, which take from the common bucket. Default 0. */
  traffic?: number;
  /** Milliseconds each request waits before it is processed. Default 0. */
  latency?: number;
  /** Seconds the tenant's clock is ahead of `now` (negative: behind). Default 0. */
  skew?: number;
  /** The tenant's records. Default: `DEFAULT_SEED`, a small tenant whose client has every scope. */
  seed?: SeedInput | SimulatorState;
  /** Behaviour switches, unless a seed sets them. */
  behaviour?: BehaviourInput;
  /** Seconds an access token is valid. Default 86400. */
  tokenLifetime?: number;
  /** Another URL the tenant knows as its own, without a trailing slash, e.g. `https://tenant.example`. */
  tenantUrl?: string;
  /** Clock in epoch milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** Lets the process end while it listens. Default false. */
  background?: boolean;
}

/** A request as received and answered. */
export interface LoggedRequest {
  method: string;
  /** Request target as received, with its query. */
  path: string;
  /** 0 if there was no whole answer. */
  status: number;
  /** Epoch milliseconds of arrival. */
  at: number;
  /** Body of an `/api/v2` request, if it had a readable one. */
  body?: unknown;
}

/** All records, and the issued access tokens. */
export interface SimulatorState extends TenantState {
  access_tokens: string[];
}

/** A listening simulated tenant. */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  /** Id of the seed's first client. */
  readonly clientId: string;
  /** Secret of the seed's first client; empty if it has none. */
  readonly clientSecret: string;
  /** The answered (or dropped) requests in order of arrival. */
  requests(): LoggedRequest[];
  /** The same, compact: `["POST /oauth/token 200", "GET /api/v2/users/x 404"]`. */
  log(): string[];
  /**
   * Empties the log, drops planned faults and accepts connections again; records, tokens and the bucket stay.
   */
  reset(): void;
  /** Plans faults, after those already planned. If one of them is invalid, throws and plans none. */
  fail(...faults: Fault[]): void;
  /** Refuses new connections for this many milliseconds; open ones stay. */
  refuse(milliseconds: number): void;
  /**
   * Replaces all records with a seed or a result of `state()`: omitted lists become empty, except `clients`.
   * Issued tokens stay valid if their client is among the new ones. If the seed is wrong, throws and changes
   * nothing.
   */
  seed(seed: SeedInput | SimulatorState): void;
  /** A copy of all present records, and the issued access tokens. */
  state(): SimulatorState;
  /** Stops listening and ends every connection at once. */
  close(): Promise<void>;
}
