import { inspect } from "node:util";
import { sanitize } from "../border";

/** Method and path of a call: `POST /connection-profiles`. Every message about it starts with this. */
export interface CallName {
  method: string;
  /** Path below the API's base address, ids percent-encoded, without the query. */
  path: string;
}

/**
 * Base of every error that this package throws. The message is one sentence or a few that say what was tried,
 * what came back and what to do. It is free of control characters, CI commands and what looks like a token;
 * where the message leaves the process, the secrets that only a client knows are taken out, and then it is
 * cut (see `Border`).
 *
 * @example Tell the kinds of errors apart
 * ```ts
 * import { AuthenticationError, getUser, IdentityError } from "pulumi-identity";
 *
 * export const email = getUser({ userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" }).then(
 *   (user) => user.email,
 *   (error: unknown) => {
 *     if (error instanceof AuthenticationError) throw new Error("Renew the credentials of this stack.");
 *     if (error instanceof IdentityError && error.outcome === "not sent") return undefined;
 *     throw error;
 *   },
 * );
 * ```
 */
export class IdentityError extends Error {
  /** The outcome of the failed request; "not sent" if no request caused the error. */
  readonly outcome: RequestOutcome;

  constructor(message: string, outcome: RequestOutcome = "not sent") {
    super(sanitize(message, Infinity));
    this.name = new.target.name;
    this.outcome = outcome;
  }

  /**
   * An error that leaves a Pulumi program is printed through `util.inspect`, which otherwise walks Pulumi's
   * whole object graph for half a minute before the user sees anything.
   *
   * @internal
   */
  [inspect.custom](): string {
    return `${this.name}: ${this.message}`;
  }
}

/** Settings are missing or wrong. Nothing was sent. */
export class ConfigurationError extends IdentityError {}

/** A value given by the program breaks a rule of the service. Nothing was sent. */
export class InvalidInputError extends IdentityError {}

/** The run is held to a review, and this write isn't in it. Nothing was sent. */
export class NotReviewedError extends IdentityError {}

/** The contents of an error answer from the service. */
export interface ErrorAnswer {
  status: number;
  /** `errorCode` of the body, or the OAuth `error`; often absent. */
  code?: string;
  /** `message` of the body, or the OAuth `error_description`. */
  message?: string;
  /** The service's id for the request, for its support. */
  requestId?: string;
  /**
   * The outcome of the request.
   *
   * @default "refused"
   */
  outcome?: RequestOutcome;
}

/** The service answered with an error status. */
export class ApiError extends IdentityError {
  /** HTTP status, e.g. 409. */
  readonly status: number;
  /** The service's own code, e.g. `insufficient_scope`; often absent. */
  readonly code: string | undefined;
  /** The service's id for the request, for its support. */
  readonly requestId: string | undefined;

  constructor(
    /** Method and path of the request. */
    readonly call: CallName,
    /** The service's error answer. */
    readonly answer: ErrorAnswer,
    advice = "",
    /** Default: the service's answer and the advice. */
    message = `${sentence(call, answer)} ${advice}`,
  ) {
    super(message, answer.outcome ?? "refused");
    this.status = answer.status;
    this.code = answer.code;
    this.requestId = answer.requestId;
  }
}

/** The service's 404 for a call that names an object by its id: the object doesn't exist. */
export class NotFoundError extends ApiError {}

/**
 * The tenant doesn't have the operation: 405, 501, or 404 for the list of all such objects as well. It says
 * nothing of the object.
 */
export class NotServedError extends ApiError {}

/** The service refused the credentials or the token. */
export class AuthenticationError extends ApiError {}

/** 403 because the token lacks a scope. */
export class InsufficientScopeError extends ApiError {
  constructor(
    call: CallName,
    answer: ErrorAnswer,
    /** Any one of these scopes is enough, e.g. `["create:connection_profiles"]`. */
    readonly scopes: readonly string[],
  ) {
    super(
      call,
      answer,
      `Grant ${scopes.join(" or ")} to the client: on the tenant, in the client's grant for the management API. ` +
        "Then run this again.",
    );
  }
}

/** The tenant's rate limit left no room within `maxWaitSeconds`. */
export class RateLimitedError extends IdentityError {
  constructor(
    /** Method and path of the request. */
    readonly call: CallName,
    message: string,
    outcome: RequestOutcome = "not sent",
  ) {
    super(message, outcome);
  }
}

/** No answer: the connection failed ("not sent") or broke ("unknown"). */
export class NetworkError extends IdentityError {
  constructor(
    message: string,
    outcome?: RequestOutcome,
    /**
     * True if the tenant's host name doesn't exist.
     *
     * @internal
     */
    readonly isUnknownHost = false,
  ) {
    super(message, outcome);
  }
}

/** No answer in time. */
export class TimeoutError extends NetworkError {}

/** The answer doesn't have the shape that the service documents. */
export class UnexpectedAnswerError extends IdentityError {}

/** The service returns only part of a list, or its pages contradict each other. Nothing was decided by it. */
export class IncompleteListError extends IdentityError {
  readonly #part: readonly unknown[];

  constructor(
    /** `GET /roles` */
    list: string,
    /** The reason why it can't be read whole, as an independent clause. */
    reason: string,
    part: readonly unknown[],
    advice: string,
  ) {
    super(`${list} can't be read whole: ${reason}. ${advice}`, "done");
    this.#part = part;
  }

  /**
   * The entries that were read. Never decide anything as if these were all.
   *
   * @internal
   */
  get part(): readonly unknown[] {
    return this.#part;
  }
}

/** `POST /connection-profiles answered 409 conflict: A profile of that name exists (request 4711).` */
export function sentence({ method, path }: CallName, answer: ErrorAnswer): string {
  const code = answer.code === undefined ? "" : ` ${answer.code}`;
  const said = answer.message === undefined ? "" : `: ${answer.message.replace(/[.\s]+$/, "")}`;
  const request = answer.requestId === undefined ? "" : ` (request ${answer.requestId})`;
  return `${method} ${path} answered ${answer.status}${code}${said}${request}.`;
}

/** No call needs more, so a longer list isn't from the service. */
const MOST_SCOPES = 10;

interface Circumstances {
  /** Any one of these is enough. */
  scopes: readonly string[];
  /** Advice for a token that isn't accepted. */
  adviceOn401: string;
  /** True if the request had a body. */
  hasBody?: boolean;
}

/** Picks the class of an error answer, for every call. */
export function apiError(call: CallName, answer: ErrorAnswer, circumstances: Circumstances): ApiError {
  const { status } = answer;
  if (status === 401) return new AuthenticationError(call, answer, circumstances.adviceOn401);
  if (status === 404) return new NotFoundError(call, answer);
  if (status === 403) return forbidden(call, answer, circumstances.scopes);
  if (status === 405 || status === 501) return new NotServedError(call, answer, ADVICE_ON_NOT_SERVED);
  if (status !== 400 || call.method !== "DELETE" || circumstances.hasBody !== true)
    return new ApiError(call, answer, adviceOn(status));
  return isBodyMissed(answer)
    ? new ApiError(
        call,
        answer,
        `The request was sent with its body: ${TAKES_BODY} takes it out of DELETE requests.`,
      )
    : new ApiError(
        call,
        answer,
        `${adviceOn(status)} The request was sent with its body: if the service misses that, ${TAKES_BODY} takes it out of DELETE requests.`,
      );
}

function forbidden(call: CallName, answer: ErrorAnswer, scopes: readonly string[]): ApiError {
  if (isOfSubscription(answer)) return new ApiError(call, answer, "The tenant's plan doesn't allow it.");
  const { code, message = "" } = answer;
  const named = /expected any of: ?([\w:,\s]+)/.exec(message)?.[1]?.match(/[\w:]+/g);
  if (code === "insufficient_scope" || named)
    return new InsufficientScopeError(call, answer, named?.slice(0, MOST_SCOPES) ?? scopes);
  const advice = `The client may need ${scopes.join(" or ")}, or the tenant's plan may lack this feature: check both.`;
  return new ApiError(call, answer, advice);
}

const ADVICE_ON_NOT_SERVED =
  "The tenant doesn't have this operation, so do it there by hand. Take a resource that is gone for good out of state: " +
  "pulumi state delete URN.";

/** A 404 of an object on a tenant that answers the list of all such objects in the same way. */
export function notServed({ call, answer }: NotFoundError, list: string): NotServedError {
  return new NotServedError(call, answer, `So is GET ${list}. ${ADVICE_ON_NOT_SERVED}`);
}

/** Some take the body of a DELETE away. */
const TAKES_BODY = "a proxy or gateway on the way";

/** The service's ways to say that a body isn't there. A group that isn't there is something else. */
const MISSES_BODY: readonly RegExp[] = [
  /\b(missing|required|empty)\b.*\b(body|property)\b/i,
  /\bbody\b.*\b(missing|required|empty)\b/i,
  /\bfound type (null|undefined)\b/i,
  /\bpayload JSON\b/i,
];

/** True if the service misses the body that was sent: a smaller one wouldn't reach it either. */
export function isBodyMissed({ status, message = "" }: Pick<ErrorAnswer, "status" | "message">): boolean {
  return status === 400 && MISSES_BODY.some((says) => says.test(message));
}

/** True if the tenant's plan lacks a feature, or a limit of it is reached. */
export function isOfSubscription({ status, code }: Pick<ErrorAnswer, "status" | "code">): boolean {
  return status === 403 && code === "insufficient_entitlement";
}

function adviceOn(status: number): string {
  if (status === 400) return "Correct the value that the service names.";
  if (status === 409) return "Something on the tenant stands in the way: change one of the two.";
  if (status === 429) return "Run this again later.";
  if (status === 408 || status >= 500) return "The service failed; run this again later.";
  return "Correct what the service names; if nothing is wrong there, run this again later.";
}

/**
 * Returns the outcome of the request that ended with this error. For errors from elsewhere it's unknown: they
 * may have come after the request was sent.
 */
export function outcomeOf(error: unknown): RequestOutcome {
  return error instanceof IdentityError ? error.outcome : "unknown";
}

/**
 * Copies the error with the outcome of the whole call. Others may hold the original, so it stays unchanged.
 */
export function withOutcome<E extends IdentityError>(error: E, outcome: RequestOutcome): E {
  if (error.outcome === outcome) return error;
  const copy = Object.assign(new IdentityError(error.message), error, { outcome });
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object) as E;
}

/**
 * The outcome of a request, as a fact of the request itself:
 *
 * - `not sent`: the service didn't get it. There was no token, no connection or no room in the rate limit, or
 *   the request was invalid, or given up before it was written.
 * - `refused`: the service said no: a 4xx with a JSON object, or any 429.
 * - `unknown`: it was sent, but no word of the service came back: the connection broke, the time was up, or
 *   the answer was 408, a 5xx, a redirect, HTML, text, or an error without a body. It may have taken effect.
 * - `done`: a 2xx that tells no error.
 *
 * A read has no effect. Its outcome is its last attempt's, and `unknown` only means that no answer came.
 */
export type RequestOutcome = "not sent" | "refused" | "unknown" | "done";

interface Attempt {
  /** False if not one byte has left. */
  isSent: boolean;
  /** Undefined if there was no answer, or it broke off. */
  status?: number;
  /** True if the service itself answered, with a success or an error. */
  isOfService?: boolean;
}

export function attemptOutcome({ isSent, status, isOfService = false }: Attempt): RequestOutcome {
  if (!isSent) return "not sent";
  if (status === 429) return "refused";
  if (status === undefined || !isOfService || status === 408 || status >= 500) return "unknown";
  return status < 300 ? "done" : "refused";
}

/** Combines the outcomes of all attempts of a call; the last may never have left. */
export function callOutcome(method: string, attempts: readonly RequestOutcome[]): RequestOutcome {
  const last = attempts.at(-1) ?? "not sent";
  const mayHaveTakenEffect = method !== "GET" && last !== "done" && attempts.includes("unknown");
  return mayHaveTakenEffect ? "unknown" : last;
}

/** Returns a few words on why a read failed, for lines about failed look-ups. */
export function shortReason(error: unknown): string {
  if (error instanceof ApiError && isOfSubscription(error.answer))
    return "the tenant's plan doesn't allow it";
  if (error instanceof InsufficientScopeError) return `needs ${error.scopes.join(" or ")}`;
  // By the endpoint of tokens, too, whose answer may be a 403.
  if (error instanceof AuthenticationError) return "the tenant refused the credentials";
  if (error instanceof NotServedError) return "the tenant has no call for it";
  if (error instanceof ApiError) return String(error.status);
  if (error instanceof ConfigurationError) return "the connection is not configured";
  if (error instanceof InvalidInputError) return "not an id of the service";
  if (error instanceof UnexpectedAnswerError) return "an unexpected answer";
  if (error instanceof IncompleteListError) return "the list can't be read whole";
  return "no answer";
}

/** True if a failure concerns one question only, so the next may succeed. */
export function concernsOneQuestion(error: unknown): boolean {
  if (error instanceof InvalidInputError || error instanceof IncompleteListError) return true;
  if (error instanceof NotServedError) return true;
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

/** After three 404s with nothing found, wrong credentials are likelier than three deletions. */
export function isGoneInBulk(gone: number): boolean {
  return gone >= 3;
}
