import { ASSIGN_BODIES, DELETE_BODIES, ERROR_SHAPES, MISSING_WORDS, TOTALS_SHAPES } from "./answers";
import { Draw } from "./draw";
import { ID_SCHEMES, USER_ID_SCHEMES } from "./ids";

const names = <T extends object>(of: T) => Object.keys(of) as (keyof T)[];
const YES_OR_NO = [true, false] as const;

/** What the document leaves open, and the values of each. One that is listed twice comes twice as often. */
export const OPEN = {
  // 2 and 5: scopes name more operations than the document describes.
  operations: ["documented", "documented and around"],
  otherRoutes: [404, 405, 501],
  otherRoutesNeedToken: YES_OR_NO,

  // 2.1 to 2.3
  userFields: ["all", "some", "user_id", "none"],
  additionalFields: ["none", "numbers and texts", "objects"],
  identities: ["none", "text ids", "integer ids", "both"],
  profileData: ["absent", "listed fields", "additional fields"],
  dates: ["2026-03-04T05:06:07.089Z", "2026-03-04T05:06:07Z", "2026-03-04T07:06:07+02:00"],
  sources: ["absent", "null", "text", "texts", "objects"],
  // 2.4
  unsetFields: ["absent", "null", "empty"],
  // 2.5
  roleIds: names(ID_SCHEMES),
  profileIds: names(ID_SCHEMES),
  credentialIds: names(ID_SCHEMES),
  userIds: names(USER_ID_SCHEMES),

  // 4.1: `fields` without `include_fields`
  fieldsAlone: ["included", "excluded"],
  // 4.2
  listStatus: [200, 200, 201, 202, 203, 206],
  defaultPerPage: [5, 10, 25, 50, 100],
  totals: names(TOTALS_SHAPES),
  listScope: ["read:users", "read:user_effective_permissions", "none"],
  // 4.3
  assignStatus: [200, 201, 202, 204],
  assignBody: names(ASSIGN_BODIES),
  assignedAgain: ["success", "success", 409],
  missingGroup: [400, 404],
  assignScope: ["create:group_roles", "update:roles", "none"],
  // 4.4
  updateStatus: [200, 200, 201, 202, 203],
  nestedObjects: ["replaced", "merged"],
  nullFields: ["refused", "cleared"],
  features: ["as given", "sorted"],
  updateScope: ["update:connection_profiles", "none"],
  // 4.5
  deleteStatus: [200, 202, 204],
  deleteBody: names(DELETE_BODIES),
  missingCredential: [404, 404, "success"],
  deleteScope: ["delete:device_credentials", "none"],
  // All five
  unknownParameters: ["ignored", "refused"],
  unknownFields: ["ignored", "refused", "kept"],
  jsonType: ["application/json", "application/json; charset=utf-8"],
  unpromisedType: ["application/json", "text/plain", "none"],
  framing: ["content-length", "chunked"],

  // 5
  tokenPath: ["/oauth/token/", "/oauth/token", "both"],
  otherTokenPath: [404, 405, 301, 307, 308],
  tokenStatus: [200, 200, 201],
  audience: ["/api/v2/", "absolute", "both"],
  clientAuthentication: ["form", "header", "both"],
  wrongAudience: [
    { status: 400, code: "invalid_request", isOAuth: true },
    { status: 401, code: "access_denied", isOAuth: true },
    { status: 403, code: "access_denied", isOAuth: true },
    { status: 400, code: "invalid_audience", isOAuth: false },
    { status: 403, code: "forbidden", isOAuth: false },
  ],
  wrongCredentials: [
    { status: 400, code: "invalid_client", isOAuth: true },
    { status: 401, code: "invalid_client", isOAuth: true },
    { status: 403, code: "unauthorized_client", isOAuth: true },
    { status: 401, code: "access_denied", isOAuth: true },
    { status: 401, code: "unauthorized", isOAuth: false },
  ],
  expiresIn: ["absent", 3600, 86_400],
  scopeInAnswer: YES_OR_NO,
  tokenTypeInAnswer: YES_OR_NO,
  identityTokenScope: YES_OR_NO,

  // 7
  errorShape: names(ERROR_SHAPES),
  missingWords: names(MISSING_WORDS),
  brokenRule: [400, 400, 422],
  // 8: an answer of 429 always has them.
  rateHeaders: ["always", "on 429"],
  resetUnit: ["epoch seconds", "epoch milliseconds", "seconds from now", "HTTP date"],
  bucket: ["generous", "generous", "generous", "small"],

  // Around the service
  gateway: ["none", "none", "none", "none", "none", "error pages", "redirects"],
} as const;

type Open = typeof OPEN;
export type Choices = { seed: number; index: number } & {
  readonly [Name in keyof Open]: Open[Name][number];
};

/**
 * Draws a tenant. Any row of indexes that is twice as long as a choice's values has each of them: every round
 * of indexes deals them all, in an order of its own.
 */
export function drawChoices(seed: number, index: number): Choices {
  const drawn = Object.entries<readonly unknown[]>(OPEN).map(([name, values]) => {
    const round = Math.floor(index / values.length);
    return [name, new Draw(seed, name, round).shuffled(values)[index % values.length]];
  });
  return { seed, index, ...(Object.fromEntries(drawn) as Omit<Choices, "seed" | "index">) };
}

/** Returns a line for each choice. */
export function describeChoices(choices: Choices): string {
  return Object.entries(choices)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join("\n");
}
