import {
  ApiError,
  AuthenticationError,
  type IdentityError,
  InsufficientScopeError,
  isOfSubscription,
  RateLimitedError,
} from "../../provider/http/errors";
import { bucketHeaders } from "../../provider/http/rate-limit/headers";
import { credentialNames } from "../../provider/http/credentials";
import { type TenantSettings } from "../../provider/http/settings";
import { type TokenFacts } from "../../provider/http/token";
import { duration } from "./connection";
import { type Finding, ok, unchecked, optionalWarning, warning, failure } from "./report";
import { type Visit } from "./visit";
import { type Caller, CALLERS, everyScopeOf, isCommand, usualScopesOf } from "./callers";

const TOKEN_FINDING = "access.token";
const API = "access.api";
const LIMIT = "access.rate-limit";

/**
 * Checks the token, the call that proves it, and the rate limit. `isReached`: the connection works.
 * `required`: what the program uses; empty if it doesn't say.
 */
export function accessFindings(
  visit: Visit,
  settings: TenantSettings,
  { isReached, required }: { isReached: boolean; required: readonly Caller[] },
): Finding[] {
  const token = isReached ? tokenFinding(visit, settings) : unchecked(TOKEN_FINDING);
  if (token.status !== "ok") return [token, unchecked(API), unchecked(LIMIT)];
  return [token, apiFinding(visit, required), limitFinding(visit, settings)];
}

function tokenFinding({ token, error }: Visit, settings: TenantSettings): Finding {
  if (token === undefined) return failure(TOKEN_FINDING, error?.message ?? "");
  if (error instanceof AuthenticationError)
    return failure(TOKEN_FINDING, error.message, adviceOnToken(token, settings));
  return acceptedToken(token, settings);
}

function acceptedToken({ asked, expiresAt }: TokenFacts, settings: TenantSettings): Finding {
  const { audience: configured, origin } = settings;
  if (asked === undefined) {
    const end = expiresAt === undefined ? "" : `, ends in ${duration(expiresAt - Date.now())}`;
    const [setting] = credentialNames(settings);
    return ok(TOKEN_FINDING, `${setting}, accepted${end}; it is never renewed`);
  }
  const { path, audience } = asked;
  const says = `from ${path}, audience ${audience}`;
  if (configured !== undefined) return ok(TOKEN_FINDING, says);
  if (audience === firstGuess(origin)) return ok(TOKEN_FINDING, `${says} (guessed, at the first try)`);
  const saved = "with identity:audience (IDENTITY_AUDIENCE) set to it, each run saves the wrong guess";
  return ok(TOKEN_FINDING, `${says} (guessed, after another one: ${saved})`);
}

function firstGuess(origin: string): string {
  return `${origin}/api/v2/`;
}

/** A given token may tell why the tenant refuses it. */
function adviceOnToken({ asked, expiresAt, audiences }: TokenFacts, { origin }: TenantSettings) {
  if (asked !== undefined) return undefined;
  if (expiresAt !== undefined && expiresAt < Date.now())
    return `Get a new token: this one expired ${duration(Date.now() - expiresAt)} ago.`;
  const isForeign = audiences.length > 0 && !audiences.includes(firstGuess(origin));
  return isForeign
    ? `Get a token of ${origin} for its management API: this one is for ${audiences.join(", ")}.`
    : undefined;
}

function apiFinding({ error }: Visit, required: readonly Caller[]): Finding {
  if (error === undefined) return ok(API, "GET /connection-profiles answered 200");
  if (error instanceof InsufficientScopeError) {
    const says = "the token is accepted (GET /connection-profiles answered 403: its scope is not granted)";
    return ok(API, says);
  }
  if (error instanceof ApiError && isOfSubscription(error.answer)) return planFinding(error, required);
  // Programs may get through all the same.
  const isPassing =
    error instanceof ApiError || error instanceof RateLimitedError || error.outcome === "refused";
  return (isPassing ? warning : failure)(API, error.message);
}

function planFinding({ message }: IdentityError, required: readonly Caller[]): Finding {
  const usesProfiles = (name: Caller) =>
    usualScopesOf(name).some((scope) => /connection_profiles$/.test(scope));
  if (required.length > 0 && !required.some(usesProfiles))
    return optionalWarning(API, message, "Nothing that you require needs connection profiles.");
  const advice =
    "Get a plan that has connection profiles. If you don't use any, name what you use with --require.";
  return failure(API, message, advice);
}

function limitFinding({ answers }: Visit, { limits, nameOf }: TenantSettings): Finding {
  const seen = answers.flatMap(({ headers, status }) => bucketHeaders(headers, status) ?? []);
  const last = seen.at(-1);
  if (last === undefined) {
    return ok(LIMIT, `not told by the answers: at most ${limits.maxConcurrency} requests go at a time`);
  }
  const { limit, remaining } = last;
  const kept = Math.min(Math.ceil(limits.rateLimitReserve * limit), limit - 1);
  const says = `${remaining} of ${limit} requests left`;
  const spare = Math.max(0, remaining - kept);
  // This command has taken one token itself, and the smallest plan has no more to spare.
  if (spare === 0 && remaining + 1 - kept < 1) {
    const advice = `Run programs later, or lower ${nameOf("rateLimitReserve")}: others use up the rate limit, and each operation waits up to ${limits.maxWaitSeconds} s.`;
    return warning(LIMIT, `${says}, of which ${kept} are kept for the tenant's users: nearly empty`, advice);
  }
  return ok(
    LIMIT,
    `${says}: a run uses ${spare}, keeps ${kept} for the tenant's users (rateLimitReserve ${limits.rateLimitReserve}), and then goes as fast as they come back`,
  );
}

export function scopeFindings({ token, error }: Visit, required: readonly Caller[]): Finding[] {
  if (token === undefined || error instanceof AuthenticationError) return [unchecked("scopes.granted")];
  const { scopes } = token;
  if (scopes === undefined) return unknownScopes(error, required);
  const granted = new Set(scopes);
  return [
    ok("scopes.granted", scopes.length === 0 ? "none" : `${scopes.length} scopes`),
    ...CALLERS.map((name) => {
      const needed = usualScopesOf(name);
      const missing = needed.filter((scope) => !granted.has(scope));
      if (missing.length > 0) return missingScopes(name, missing, required);
      return ok(`scopes.${name}`, `has ${needed.join(", ")}`);
    }),
    ...unneededFinding(scopes, required),
  ];
}

function missingScopes(name: Caller, missing: readonly string[], required: readonly Caller[]): Finding {
  const [id, scopes] = [`scopes.${name}` as const, missing.join(", ")];
  if (!required.includes(name)) {
    const use = isCommand(name) ? `you run \`pulumi-identity ${name}\`` : `programs use ${name}`;
    const advice = `Grant ${missing.length === 1 ? "it" : "them"} to the client if ${use}.`;
    return optionalWarning(id, `lacks ${scopes}`, advice);
  }
  const advice = `Grant ${scopes}: on the tenant, in the client's grant for the management API.`;
  return failure(id, `lacks ${scopes}`, advice);
}

/** Then the one call that was sent is the only evidence. */
function unknownScopes(error: Error | undefined, required: readonly Caller[]): Finding[] {
  const denied = error instanceof InsufficientScopeError ? error.scopes : [];
  const advice = "Nothing keeps a program from trying: its messages name a scope that is missing.";
  return [
    unchecked("scopes.granted", "not known: the token does not say", advice),
    ...CALLERS.map((name) => {
      const missing = usualScopesOf(name).filter((scope) => denied.includes(scope));
      return missing.length === 0
        ? unchecked(`scopes.${name}`, "not known")
        : missingScopes(name, missing, required);
    }),
  ];
}

function unneededFinding(granted: readonly string[], required: readonly Caller[]): Finding[] {
  const users = required.length === 0 ? CALLERS : required;
  const needed = new Set(users.flatMap(everyScopeOf));
  const unneeded = granted.filter((scope) => !needed.has(scope)).sort();
  if (unneeded.length === 0) return [];
  const by = required.length === 0 ? "anything in this package" : required.join(", ");
  return [ok("scopes.unneeded", `${unneeded.join(", ")}: not needed by ${by}`)];
}
