/*
 * What users give and get. Written out, since types that are inferred from zod would make every program check
 * those of zod.
 */

/** Size and speed of a token bucket. */
export interface Rate {
  /** Requests the full bucket allows at once. */
  burst: number;
  /** Tokens that flow back per second; may be a fraction. */
  perSecond: number;
}

/** A client that can ask for tokens. */
export interface Client {
  client_id: string;
  client_secret?: string;
  /** PEM of the RSA public key that checks the client's assertions (private_key_jwt). */
  public_key?: string;
  /** Scopes granted, separated by spaces. Empty: the client is not granted the API at all. */
  scope: string;
  /** Subject of its tokens. Default: `<client_id>@clients`. */
  subject?: string;
}

/** A bearer token that need not be asked for. */
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

/** What a user has beside the fields of its record. */
export interface Membership {
  /** Those that GET /users/{id}/permissions lists. */
  permissions?: Permission[];
  /** Ids of the roles that the user has directly. */
  roles?: string[];
  /** Ids of the groups that the user is in. */
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
  /** Id of the organization that a role of type `organization` belongs to. */
  owner_id?: string;
  [field: string]: unknown;
}

/** A device credential, with any fields of the service. */
export interface DeviceCredential {
  id: string;
  type: "public_key" | "refresh_token" | "rotating_refresh_token";
  user_id?: string;
  client_id?: string;
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

/** What can be set on a connection profile. */
export interface ProfileFields {
  name?: string;
  organization?: { show_as_button?: Participation; assign_membership_on_login?: Participation };
  connection_name_prefix_template?: string;
  enabled_features?: Feature[];
  /** The service accepts an empty object only. */
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
/** A connection profile as it is answered: with every key of the document, `null` if unset. */
export type ConnectionProfile = { id: string; name: string } & Pick<ProfileFields, Newer> & {
    [Key in Exclude<keyof ProfileFields, "name" | Newer>]-?: NonNullable<ProfileFields[Key]> | null;
  };

/** Every behaviour switch with its present value. Each is something the service's documents leave open. */
export interface Behaviour {
  /** Which of /oauth/token/ and /oauth/token exists; the other answers 404. Default: both. */
  token_path: "both" | "with_slash" | "without_slash";
  /**
   * Which audience a token can be asked for: /api/v2/ (relative), <tenant URL>/api/v2/ (absolute), or both
   * (default).
   */
  audience: "both" | "relative" | "absolute";
  /**
   * Whether a PATCH replaces (default) organization, strategy_overrides and the like, or merges into them.
   */
  nested_patch: "replace" | "merge";
  /**
   * What null does in the body of a PATCH or POST of a connection profile: clear the field (default), count
   * as not sent, or be answered 400.
   */
  null_in_patch: "clear" | "keep" | "reject";
  /** Whether a second connection profile of the same name is answered 409 (default). */
  profile_name_conflict: "conflict" | "allow";
  /** Answer to the DELETE of a connection profile that does not exist. Default: 404. */
  delete_unknown_profile: 404 | 204;
  /** Answer to the DELETE of a device credential that does not exist. Default: 404. */
  delete_unknown_device_credential: 404 | 204;
  /** Whether assigning a group that already has the role is fine (204, default) or refused (400). */
  assign_assigned_group: "ok" | "error";
  /** Whether removing a group that does not have the role is fine (204, default) or refused (404). */
  remove_absent_group: "ok" | "error";
  /** Most groups in one assignment or removal, more is answered 400. Default: null, no limit. */
  max_groups_per_call: number | null;
  /** Most entries on a page of a list, however many are asked for. Default: null, no limit. */
  max_page_size: number | null;
  /**
   * Whether lists of roles, permissions and device credentials have page numbers (default), or ignore them
   * and answer `{roles, next}`, to be continued by `from` and `take`.
   */
  numbered_lists: "numbers" | "cursor";
  /**
   * What `include_totals` gets from a numbered list: the total on each page (default), `total: 0` on later
   * pages, or a plain array without a total.
   */
  totals: "all_pages" | "first_page" | "none";
  /** Where numbered lists end: a page beyond so many entries is answered 400. Default: null, no limit. */
  max_numbered_entries: number | null;
  /**
   * How lists with a cursor say that there is more: by `next` (default); or by a total, and are continued by
   * `page` and `per_page`; or by a total, and can't be continued.
   */
  cursor_lists: "cursor" | "numbers" | "total";
  /** Whether an empty list is `{groups: []}` (default), or `[]` without its envelope. */
  empty_lists: "envelope" | "plain";
  /**
   * Groups by id, with the status that answers each assignment and removal which names one of them: nothing
   * changes. Default: none.
   */
  refused_groups: Record<string, number>;
  /**
   * How profiles store what they are sent: as it is (default); tidied, with a trimmed name, a template in
   * lower case, sorted lists, URLs that end with a slash, and without "none" in organization; or completed,
   * with "none" for what organization leaves out.
   */
  profile_values: "as_sent" | "tidied" | "completed";
  /** After each write, so many reads still show the tenant as it was before. Default: 0. */
  read_lag: number;
}

/** Behaviour switches as they are given: those left out keep their default. */
export type BehaviourInput = Partial<Behaviour>;

/**
 * A tenant's records as they are given, in the service's own names. What is left out is empty, except
 * `clients`.
 */
export interface SeedInput {
  /** Clients that can ask for tokens. Default: one with all scopes. */
  clients?: Client[];
  /** Bearer tokens that are valid without being asked for. */
  tokens?: FixedToken[];
  users?: (User & Membership)[];
  groups?: Group[];
  /**
   * `groups` are the ids of the groups that have the role, `permissions` what it allows. Default: what users
   * have through it.
   */
  roles?: (Role & { groups?: string[]; permissions?: Permission[] })[];
  /** An id that is left out is generated. */
  connection_profiles?: (ProfileFields & { id?: string; name: string })[];
  device_credentials?: DeviceCredential[];
  /** Default: the switches the simulator was started with. */
  behaviour?: BehaviourInput;
}

/** All records of a tenant as they are. */
export interface TenantState {
  clients: Client[];
  users: (User & Membership & { permissions: Permission[] })[];
  groups: Group[];
  roles: (Role & { groups: string[]; permissions?: Permission[] })[];
  connection_profiles: ConnectionProfile[];
  device_credentials: DeviceCredential[];
  behaviour: Behaviour;
}

/** A header with several values is sent several times. */
type Headers = Record<string, string | string[]>;

/** What happens to a request that a fault hits. */
export type FaultAction =
  /**
   * Answer this status. `processed`: the request takes effect, only its answer is replaced. `part`: it takes
   * effect for so many of the groups in its body.
   */
  | { status: number; headers?: Headers; body?: unknown; processed?: boolean; part?: number }
  /** Reset the connection: before the request took effect, after that, or in the middle of the answer. */
  | { drop: "before" | "after" | "answering" }
  /** Reset the connection at once; the request takes effect after this many milliseconds. */
  | { late: number }
  /** Never answer, and keep the connection open; the request takes no effect, or does. */
  | { hang: "before" | "after" }
  /** Process and answer the request; then refuse connections for this many milliseconds. */
  | { refuse: number }
  /** Process the request, and send the body byte by byte, one in so many milliseconds. */
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
  /** Send the client elsewhere without processing the request. Default status 302. */
  | { redirect: string; status?: number };

/** One planned fault. */
export interface Fault {
  /** HTTP method. Default: any. */
  method?: string;
  /**
   * Path as it is sent, where `*` stands for any characters; the query counts only if the pattern contains a
   * `?`.
   */
  path?: string;
  /** Matching requests to let pass first. Default 0. */
  after?: number;
  /** Requests to hit. Default 1. */
  times?: number;
  action: FaultAction;
}

/** How a simulator is started. All are optional. */
export interface SimulatorOptions {
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** The token bucket of `/api/v2`. Default: `DEFAULT_RATE`. */
  rate?: Rate;
  /** A bucket of its own for DELETE of device credentials. Default: they take from the common one. */
  deviceCredentialRate?: Rate;
  /** Requests per second of others, which take from the common bucket. Default 0. */
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

/** A request as it was received and answered. */
export interface LoggedRequest {
  method: string;
  /** Request target as received, with its query. */
  path: string;
  /** 0: there was no whole answer. */
  status: number;
  /** Epoch milliseconds of arrival. */
  at: number;
  /** Body of an `/api/v2` request, if it had one that could be read. */
  body?: unknown;
}

/** All records, and the access tokens that were handed out. */
export interface SimulatorState extends TenantState {
  access_tokens: string[];
}

/** A simulated tenant that listens. */
export interface Simulator {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string;
  /** Id of the seed's first client. */
  readonly clientId: string;
  /** Secret of the seed's first client; empty if it has none. */
  readonly clientSecret: string;
  /** The answered (or dropped) requests in the order of their arrival. */
  requests(): LoggedRequest[];
  /** The same, compact: `["POST /oauth/token 200", "GET /api/v2/users/x 404"]`. */
  log(): string[];
  /** Empties the log, forgets planned faults and refuses no more; records, tokens and the bucket stay. */
  reset(): void;
  /** Plans faults, behind those already planned. Throws and plans none if one of them is no fault. */
  fail(...faults: Fault[]): void;
  /** Refuses new connections for so many milliseconds; those that are open stay. */
  refuse(milliseconds: number): void;
  /**
   * Replaces all records, by a seed or what `state()` has answered: what is left out becomes empty, except
   * `clients`. Tokens that were handed out stay valid if their client is among the new ones. Throws and
   * changes nothing if the seed is wrong.
   */
  seed(seed: SeedInput | SimulatorState): void;
  /** A copy of all records as they are, and the access tokens that were handed out. */
  state(): SimulatorState;
  /** Stops listening and ends every connection at once. */
  close(): Promise<void>;
}
