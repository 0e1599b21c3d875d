import {
  ApiError,
  AuthenticationError,
  InsufficientScopeError,
  isOfSubscription,
  RateLimitedError,
  sentence,
  UnexpectedAnswerError,
} from "../../provider/http/errors";
import { bucketHeaders } from "../../provider/http/rate-limit/headers";
import { credentialNames } from "../../provider/http/credentials";
import { type TenantSettings } from "../../provider/http/settings";
import { type TokenFacts } from "../../provider/http/token";
import { adviceOnAudience, isOfAudience } from "../../provider/http/token-endpoint";
import { duration, isClockOff } from "./connection";
import { type Finding, ok, unchecked, optionalWarning, warning, failure } from "./report";
import { type Probe } from "./probe";
import { type Caller, CALLERS, everyScopeOf, isCommand, usualScopesOf } from "./callers";

const TOKEN_FINDING = "access.token";
const API = "access.api";
const LIMIT = "access.rate-limit";

/**
 * Checks the token, the call that proves it, and the rate limit. `isReached`: the connection works.
 * `required`: what the program uses; empty if it doesn't say.
 */
export function accessFindings(
  probe: Probe,
  settings: TenantSettings,
  { isReached, required }: { isReached: boolean; required: readonly Caller[] },
): Finding[] {
  const token = isReached ? tokenFinding(probe, settings) : unchecked(TOKEN_FINDING);
  if (token.status !== "ok") return [token, unchecked(API), unchecked(LIMIT)];
  return [token, apiFinding(probe, required), limitFinding(probe, settings)];
}

function tokenFinding(probe: Probe, settings: TenantSettings): Finding {
  const { token, callError } = probe;
  if (token === undefined) return unchecked(TOKEN_FINDING);
  if (token instanceof Error) return tokenProblem(token, probe, settings);
  if (callError instanceof AuthenticationError) return refusedToken(token, callError, settings);
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

function tokenProblem(error: Error, probe: Probe, settings: TenantSettings): Finding {
  if (!(error instanceof ApiError))
    return failure(TOKEN_FINDING, error.message, "Do what this message says.");
  const says = sentence(error.call, error.answer);
  if (!(error instanceof AuthenticationError)) {
    return failure(TOKEN_FINDING, says, "Run this again later: the tenant gives no token at the moment.");
  }
  return failure(TOKEN_FINDING, says, adviceOnRefusal(error, probe, settings));
}

function adviceOnRefusal(error: AuthenticationError, probe: Probe, settings: TenantSettings): string {
  const { credentials, nameOf, origin } = settings;
  const { status } = error;
  if (status === 404 || status === 405 || (status >= 300 && status < 400)) {
    return `Correct ${nameOf("domain")}: ${origin} has no token endpoint, so it is no identity tenant.`;
  }
  if (isOfAudience(error.answer)) return adviceOnAudience(settings);
  if (status === 403) {
    return "On the tenant, authorize the client for the management API, with at least one scope, and allow it the client credentials grant.";
  }
  const isClockSuspect = "algorithm" in credentials && isClockOff(probe);
  const clock = isClockSuspect ? "Set the clock of this machine first. Then, if it persists: " : "";
  return `${clock}Correct ${credentialNames(settings).join(" or ")}: the tenant knows no such pair.`;
}

/** The tenant answered 401, even with a new token if there could be one. */
function refusedToken(
  { asked, expiresAt, audiences }: TokenFacts,
  error: AuthenticationError,
  settings: TenantSettings,
): Finding {
  const { nameOf, origin } = settings;
  const says = sentence(error.call, error.answer);
  if (asked !== undefined) {
    const advice = `Check ${nameOf("audience")} and ${nameOf("domain")}.`;
    return failure(TOKEN_FINDING, `the tenant gave a token and refused it: ${says}`, advice);
  }
  const [setting] = credentialNames(settings);
  const advice = (token: string) => `Get ${token}, and set ${setting} to it.`;
  if (expiresAt !== undefined && expiresAt < Date.now()) {
    const expired = `${setting} expired ${duration(Date.now() - expiresAt)} ago`;
    return failure(TOKEN_FINDING, expired, advice("a new token"));
  }
  const isForeign = audiences.length > 0 && !audiences.includes(firstGuess(origin));
  const whose = isForeign ? `; it is for ${audiences.join(", ")}` : "";
  const needed = `a token of ${origin} for its management API`;
  return failure(TOKEN_FINDING, `${setting} was refused${whose}: ${says}`, advice(needed));
}

function apiFinding({ callError: error }: Probe, required: readonly Caller[]): Finding {
  if (error === undefined) return ok(API, "GET /connection-profiles answered 200");
  if (error instanceof InsufficientScopeError) {
    const says = "the token is accepted (GET /connection-profiles answered 403: its scope is not granted)";
    return ok(API, says);
  }
  if (error instanceof ApiError && isOfSubscription(error.answer)) {
    const usesProfiles = (name: Caller) =>
      usualScopesOf(name).some((scope) => /connection_profiles$/.test(scope));
    if (required.length > 0 && !required.some(usesProfiles))
      return optionalWarning(API, error.message, "Nothing that you require needs connection profiles.");
    const advice =
      "Get a plan that has connection profiles. If you don't use any, name what you use with --require.";
    return failure(API, error.message, advice);
  }
  if (error instanceof RateLimitedError) return warning(API, error.message, "Run this again later.");
  if (error instanceof ApiError || (error instanceof UnexpectedAnswerError && error.outcome === "refused")) {
    return warning(API, error.message, "Run this again later; if it stays so, ask the service's support.");
  }
  return failure(API, error.message, "Do what this message says.");
}

function limitFinding({ answers }: Probe, { limits, nameOf }: TenantSettings): Finding {
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

export function scopeFindings({ token, callError }: Probe, required: readonly Caller[]): Finding[] {
  if (token === undefined || token instanceof Error || callError instanceof AuthenticationError)
    return [unchecked("scopes.granted")];
  const { scopes } = token;
  if (scopes === undefined) return unknownScopes(callError, required);
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
