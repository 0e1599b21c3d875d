import { type FaultAction } from "../../simulator";
import { type Operation } from "./operations";

/** A request of an operation as it runs without a fault. */
export interface Place {
  method: string;
  /** Request target as sent, with its query. */
  target: string;
  /** Earlier requests of the operation with the same method and target. */
  before: number;
  /** Earlier ones with the same method and path, whatever their query. */
  beforeAnyQuery: number;
  /** Requests of the whole operation before it. */
  index: number;
  status: number;
  /** The request before it got no answer, after which the tenant could refuse connections. */
  isAfterLost: boolean;
  /** `GET /roles/{id}/groups, page 2` */
  label: string;
}

/** Something that goes wrong with a request. */
export interface FaultKind {
  name: string;
  /** Undefined if it can't hit this place. */
  action?: (place: Place) => FaultAction | undefined;
  /** Nobody is listening when the request arrives. */
  refused?: true;
  /** The tenant shows an untrusted certificate. */
  untrusted?: true;
  /** Seconds by which the tenant's clock is ahead. */
  skew?: number;
  /** True if the service itself says, as documented, that the request's object doesn't exist. */
  saysGone?: true;
  /** "once" or "always", if it makes no sense the other way. */
  only?: "once" | "always";
}

/** Redirects point there; nothing may ever arrive. */
export const ELSEWHERE = "{elsewhere}";

/** Planted in answers of strangers; no message may show it. */
export const PLANTED = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2VjcmV0LXNpZ25hdHVyZQ";

const HTML = "<!doctype html><title>Gateway</title><p>This is not the service.</p>";
const MIB = 1024 * 1024;

/** The service's statuses, and those known from gateways, proxies and filters. */
const STATUSES = [
  ...[400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 422, 429, 451, 499],
  ...[500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 525, 526, 527, 530, 599],
];

const all = (action: FaultAction) => () => action;
const isToken = ({ target }: Place) => target.startsWith("/oauth/token");
const hasTotal = (target: string) => target.includes("include_totals=true");
const hasBody = ({ status }: Place) => status !== 204;

const CONNECTION: FaultKind[] = [
  { name: "connection refused", refused: true },
  { name: "reset before processing", action: all({ drop: "before" }) },
  { name: "reset while processing", action: all({ late: 30 }), only: "once" },
  { name: "reset, processed 2 s later", action: all({ late: 2_000 }), only: "once" },
  { name: "reset after processing", action: all({ drop: "after" }) },
  { name: "reset within the answer", action: all({ drop: "answering" }) },
  { name: "no answer, not processed", action: all({ hang: "before" }) },
  { name: "no answer, processed", action: all({ hang: "after" }) },
  { name: "slow", action: all({ delay: 300 }) },
  { name: "a byte every second", action: (place) => (hasBody(place) ? { drip: 1_000 } : undefined) },
  { name: "endless answer", action: all({ endless: true }) },
  {
    name: "answer of 3 MiB",
    action: ({ status }) => ({ status, processed: true, body: `"${"x".repeat(3 * MIB)}"` }),
  },
  { name: "SSH in place of HTTP", action: all({ raw: "SSH-2.0-OpenSSH_9.6\r\n", processed: true }) },
  {
    name: "header of 64 KiB",
    action: ({ status }) => ({
      raw: `HTTP/1.1 ${status} OK\r\nx-long: ${"x".repeat(64 * 1024)}\r\n\r\n`,
      processed: true,
    }),
  },
  {
    name: "two lengths",
    action: all({
      raw: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
      processed: true,
    }),
  },
  { name: "status 99", action: all({ raw: "HTTP/1.1 99 Odd\r\ncontent-length: 0\r\n\r\n" }) },
];

/** The rate limit has room again at once. */
const SOON = { "retry-after": "0" };

const SERVICE: FaultKind[] = STATUSES.map((status) => ({
  name: `${status}`,
  action: all({ status, ...(status === 429 && { headers: SOON }) }),
  ...(status === 404 && { saysGone: true as const }),
}));

const FOREIGN: FaultKind[] = [400, 401, 403, 404, 409, 418, 429, 500, 502, 503, 504, 521].map((status) => ({
  name: `${status} as HTML`,
  action: all({ status, headers: { "content-type": "text/html", ...(status === 429 && SOON) }, body: HTML }),
}));

const PROCESSED: FaultKind[] = [408, 500, 502, 503, 504, 524].map((status) => ({
  name: `${status}, processed`,
  action: all({ status, processed: true }),
}));

const IN_PART: FaultKind[] = [400, 403, 500].map((status) => ({
  name: `${status}, done for the first group`,
  action: ({ method, label }) =>
    method !== "GET" && /\/groups\b(?!\/)/.test(label) ? { status, part: 1 } : undefined,
}));

const REDIRECTS: FaultKind[] = [
  ...[301, 302, 303, 307, 308].map((status) => ({
    name: `${status} to another host`,
    action: all({ redirect: `${ELSEWHERE}/api/v2/x`, status }),
  })),
  { name: "307 to the same host", action: all({ redirect: "/api/v2/elsewhere", status: 307 }) },
];

const NASTY = `Bearer ${PLANTED}\u001b[2J\u202e\r\n::add-mask::all\n##vso[task.complete]${"!".repeat(3_000)}`;

const BODIES: FaultKind[] = [
  { name: "HTML", action: all({ garbage: "html" }) },
  { name: "truncated JSON", action: all({ garbage: "invalid-json" }) },
  {
    name: "another object",
    // In the document every field of a user is optional, so any object is a user.
    action: ({ label }) => (label === "GET /users/{id}" ? undefined : { garbage: "wrong-shape" }),
  },
  { name: "empty", action: ({ status }) => ({ status: status === 204 ? 200 : status, processed: true }) },
  ...Object.entries({ "a list": [7], null: null, "a number": 7, "a text": "done" }).map(([name, body]) => ({
    name,
    action: ({ status }: Place): FaultAction => ({
      status: status === 204 ? 200 : status,
      processed: true,
      body: JSON.stringify(body),
    }),
  })),
  {
    name: "an error with status 200",
    action: all({
      status: 200,
      processed: true,
      body: { statusCode: 403, error: "Forbidden", message: "Insufficient scope" },
    }),
  },
  {
    name: "204 without a body",
    action: (place) => (hasBody(place) ? { status: 204, processed: true } : undefined),
  },
  {
    name: "a message that plants secrets and commands",
    action: (place) => ({
      status: 400,
      body: isToken(place)
        ? { error: "invalid_request", error_description: NASTY }
        : { statusCode: 400, error: "Bad Request", message: NASTY, errorCode: `\u202e${PLANTED}` },
    }),
  },
  {
    name: "a message of 1 MB",
    action: all({
      status: 409,
      body: { statusCode: 409, error: "Conflict", message: "x".repeat(1_000_000) },
    }),
  },
];

/** Extra headers of a normal answer. */
const HEADERS: FaultKind[] = Object.entries<Record<string, string | string[]>>({
  "rate limit without end": {
    "x-ratelimit-limit": "1e999",
    "x-ratelimit-remaining": "1e999",
    "x-ratelimit-reset": "1e999",
  },
  "rate limit below zero": {
    "x-ratelimit-limit": "-50",
    "x-ratelimit-remaining": "-1",
    "x-ratelimit-reset": "-1",
  },
  "rate limit in words": {
    "x-ratelimit-limit": "many",
    "x-ratelimit-remaining": "some",
    "x-ratelimit-reset": "soon",
  },
  "rate limit repeated": {
    "x-ratelimit-limit": ["100", "200"],
    "x-ratelimit-remaining": ["100", "90", "80"],
    "x-ratelimit-reset": ["1", "2"],
  },
  "rate limit of zero": {
    "x-ratelimit-limit": "0",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "99999999999",
  },
  "retry-after beside success": { "retry-after": "86400" },
  "location beside success": { location: `${ELSEWHERE}/api/v2/x` },
  "date of 1970": { date: "Thu, 01 Jan 1970 00:00:00 GMT" },
  "date in words": { date: "yesterday" },
  "content type of a picture": { "content-type": "image/png" },
  "a hundred headers": Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-more-${i}`, "x"])),
}).map(([name, headers]) => ({ name, action: all({ headers }) }));

const LIMITED: FaultKind[] = [
  ...Object.entries<string | string[]>({
    "1": "1",
    "a day": "86400",
    "9 × 10¹⁵ s": "9007199254740993",
    "below zero": "-5",
    "in words": "soon",
    "a date in 2099": "Wed, 21 Oct 2099 07:28:00 GMT",
    "a date in 1999": "Thu, 21 Oct 1999 07:28:00 GMT",
    repeated: ["1", "86400"],
  }).flatMap(([name, value]): FaultKind[] => [
    { name: `429, retry-after ${name}`, action: all({ status: 429, headers: { "retry-after": value } }) },
    { name: `503, retry-after ${name}`, action: all({ status: 503, headers: { "retry-after": value } }) },
  ]),
  ...Object.entries({ "in 1970": "0", "in 5138": "99999999999", "in words": "soon", "1e999": "1e999" }).map(
    ([name, value]) => ({
      name: `429, reset ${name}`,
      action: all({ status: 429, headers: { "x-ratelimit-reset": value } }),
    }),
  ),
];

/** The type of a field of the service's answers, as the source document has it. */
type FieldType = "text" | "list" | "object" | "number" | "boolean";

const WRONG: Record<FieldType, unknown> = { text: 7, list: "x", object: ["x"], number: "x", boolean: "x" };

const record = (at: string): Record<string, FieldType> => ({
  [`${at}/id`]: "text",
  [`${at}/name`]: "text",
  [`${at}/organization`]: "object",
  [`${at}/connection_name_prefix_template`]: "text",
  [`${at}/enabled_features`]: "list",
  [`${at}/connection_config`]: "object",
  [`${at}/strategy_overrides`]: "object",
});
const deepRecord = (at: string): Record<string, FieldType> => ({
  ...record(at),
  [`${at}/enabled_features/0`]: "text",
  [`${at}/strategy_overrides/oidc`]: "object",
  [`${at}/strategy_overrides/oidc/enabled_features`]: "list",
  [`${at}/strategy_overrides/oidc/enabled_features/0`]: "text",
  [`${at}/strategy_overrides/oidc/connection_config`]: "object",
});

/** The fields we use, by the request whose answer has them; the first match counts. */
const FIELDS: [request: RegExp, fields: Record<string, FieldType>, required: string[]][] = [
  [/^POST \/oauth\/token/, { "/access_token": "text", "/expires_in": "number" }, ["/access_token"]],
  [
    /^GET \/api\/v2\/connection-profiles\?/,
    {
      "/connection_profiles": "list",
      "/next": "text",
      "/connection_profiles/0": "object",
      ...record("/connection_profiles/0"),
    },
    ["/connection_profiles", "/connection_profiles/0/id", "/connection_profiles/0/name"],
  ],
  [/^(POST \/api\/v2\/connection-profiles|PATCH )/, deepRecord(""), ["/id", "/name"]],
  [/^GET \/api\/v2\/connection-profiles\//, record(""), ["/id", "/name"]],
  [
    /^GET \/api\/v2\/(roles|organizations\/[^/]+\/roles)/,
    { "/groups": "list", "/groups/0": "object", "/groups/0/id": "text", "/next": "text" },
    ["/groups", "/groups/0/id"],
  ],
  [
    /^GET \/api\/v2\/device-credentials/,
    {
      "/device_credentials": "list",
      "/total": "number",
      "/device_credentials/0": "object",
      "/device_credentials/0/id": "text",
      "/device_credentials/0/user_id": "text",
      "/device_credentials/0/type": "text",
      "/device_credentials/0/device_name": "text",
      "/device_credentials/0/client_id": "text",
    },
    ["/device_credentials", "/device_credentials/0/id"],
  ],
  [
    /^GET \/api\/v2\/users\/[^/]*\/permissions/,
    {
      "/permissions": "list",
      "/total": "number",
      "/permissions/0": "object",
      "/permissions/0/resource_server_identifier": "text",
      "/permissions/0/permission_name": "text",
      "/permissions/0/resource_server_name": "text",
      "/permissions/0/description": "text",
    },
    ["/permissions"],
  ],
  [
    /^GET \/api\/v2\/users/,
    {
      ...Object.fromEntries(
        [
          ...[
            "user_id",
            "email",
            "username",
            "phone_number",
            "created_at",
            "updated_at",
            "picture",
            "name",
            "nickname",
          ],
          ...[
            "multifactor_last_modified",
            "last_ip",
            "last_login",
            "last_password_reset",
            "given_name",
            "family_name",
          ],
        ].map((name) => [`/${name}`, "text" as const]),
      ),
      "/email_verified": "boolean",
      "/phone_verified": "boolean",
      "/blocked": "boolean",
      "/logins_count": "number",
      "/multifactor": "list",
      "/app_metadata": "object",
      "/user_metadata": "object",
      "/identities": "list",
      "/identities/0": "object",
      "/identities/0/connection": "text",
      "/identities/0/provider": "text",
      "/identities/0/isSocial": "boolean",
      "/identities/1/profileData": "object",
      "/identities/1/profileData/email": "text",
      "/identities/1/profileData/email_verified": "boolean",
    },
    [],
  ],
];

/** Returns faults with each field's wrong type, and with null if it must have a value. */
function wrongTypes({ method, target }: Place): FaultKind[] {
  const [, fields, required] = FIELDS.find(([request]) => request.test(`${method} ${target}`)) ?? [];
  return Object.entries(fields ?? {}).flatMap(([pointer, type]) =>
    [WRONG[type], ...(required?.includes(pointer) ? [null] : [])].map((value) => ({
      name: `${pointer.slice(1)}: ${JSON.stringify(value)}`,
      action: all({ alter: { [pointer]: value } }),
      // Nobody sends a request again for it.
      only: "once" as const,
    })),
  );
}

/** Answers with the right types and wrong contents. */
const LIES: FaultKind[] = [
  {
    name: "another record",
    action: ({ method, target }) =>
      /^(GET|PATCH) \/api\/v2\/connection-profiles\//.test(`${method} ${target}`)
        ? { alter: { "/id": "cop_9AnotherBcDfGhJkMnPqRs" } }
        : undefined,
  },
  {
    name: "a next page that is this one",
    action: ({ target }) =>
      /^\/api\/v2\/(connection-profiles|(organizations\/.*)?roles\/.*)\?/.test(target)
        ? { alter: { "/next": "YWZ0ZXI6MA" } }
        : undefined,
  },
  {
    name: "another user's record",
    action: ({ method, target }) =>
      /^GET \/api\/v2\/device-credentials/.test(`${method} ${target}`)
        ? { alter: { "/device_credentials/0/user_id": "auth0|another" } }
        : undefined,
  },
  {
    name: "a total of 10⁹",
    action: ({ target }) => (hasTotal(target) ? { alter: { "/total": 1e9 } } : undefined),
  },
  {
    name: "a total without a next page",
    action: ({ method, target }) =>
      method === "GET" &&
      /^\/api\/v2\/(connection-profiles|(organizations\/.*)?roles\/.*|groups)\?/.test(target)
        ? { alter: { "/total": 1_000, "/next": null } }
        : undefined,
  },
  {
    name: "a total of −1",
    action: ({ target }) => (hasTotal(target) ? { alter: { "/total": -1 } } : undefined),
  },
  {
    name: "a token that ends at once",
    action: (place) => (isToken(place) ? { alter: { "/expires_in": 0.001 } } : undefined),
  },
  {
    name: "a token without end",
    action: (place) => (isToken(place) ? { alter: { "/expires_in": 1e300 } } : undefined),
  },
  {
    name: "a token with a line break",
    action: (place) => (isToken(place) ? { alter: { "/access_token": "a\r\nx-injected: 1" } } : undefined),
  },
  {
    name: "a token of nothing",
    action: (place) => (isToken(place) ? { alter: { "/access_token": "" } } : undefined),
  },
  { name: "no token", action: (place) => (isToken(place) ? { alter: { "/": {} } } : undefined) },
];

const WHOLE: FaultKind[] = [
  { name: "certificate that nobody vouches for", untrusted: true, only: "always" },
  ...[600, -600].flatMap((skew): FaultKind[] => {
    const clock = `tenant's clock ${Math.abs(skew) / 60} min ${skew > 0 ? "ahead" : "behind"}`;
    return [
      { name: clock, skew, only: "always" },
      { name: `${clock}, and 429`, skew, action: all({ status: 429 }), only: "once" },
    ];
  }),
];

/** Faults that concern the first request of an operation, and so all others. */
export const AT_THE_FIRST = new Set(WHOLE.map(({ name }) => name));

/** One of each of the ways in which the package treats them. The others differ only inside the client. */
const USUAL = new Set([
  ...["connection refused", "reset before processing", "reset while processing", "reset after processing"],
  ...[400, 401, 403, 404, 408, 409, 429, 500, 503].map(String),
  ...["403 as HTML", "307 to another host", "500, processed", "504, processed"],
  ...["400, done for the first group", "500, done for the first group"],
  ...["truncated JSON", "another object", "empty", "answer of 3 MiB"],
]);

/** Those for an object or a list that is read as others are. */
const OF_READS = new Set(["403", "404", "500", "truncated JSON"]);

/** Returns true if an operation meets the fault, and not only those that meet all of them. */
export function isMet(kind: FaultKind, meets: Operation["meets"]): boolean {
  if (meets === "all" || isWrong(kind)) return true;
  return (meets === "contents" ? OF_READS : USUAL).has(kind.name);
}

function isWrong(kind: FaultKind): boolean {
  return LIES.includes(kind) || kind.name.includes(": ");
}

/** What can go wrong, in families: the columns of the table in docs/reliability.md. */
const FAMILIES: Record<string, readonly FaultKind[]> = {
  "Certificate or clock": WHOLE,
  Connection: CONNECTION,
  "Status of the service": SERVICE,
  "Page or redirect of a gateway": [...FOREIGN, ...REDIRECTS],
  "Error, though it was done": [...PROCESSED, ...IN_PART],
  "Unusable body": BODIES,
  "Odd headers": [...HEADERS, ...LIMITED],
  "Wrong contents": LIES,
};
export const FAMILY_NAMES = Object.keys(FAMILIES);

/** A fault with the family that it belongs to. */
interface FaultOfFamily {
  family: string;
  kind: FaultKind;
}

/** Returns the faults that a request can meet. */
export function faultsAt(place: Place): FaultOfFamily[] {
  return Object.entries(FAMILIES).flatMap(([family, kinds]) =>
    [...kinds, ...(kinds === LIES ? wrongTypes(place) : [])].map((kind) => ({ family, kind })),
  );
}
