import type * as z from "../zod";
import { type Border } from "../border";
import { type Call, isDeciding, namesObject } from "./call";
import { credentialNames } from "./credentials";
import {
  ApiError,
  apiError,
  attemptOutcome,
  type CallName,
  type ErrorAnswer,
  type IdentityError,
  NotFoundError,
  RateLimitedError,
  type RequestOutcome,
  sentence,
  UnexpectedAnswerError,
} from "./errors";
import { type TenantSettings } from "./settings";
import { parseAnswer } from "./shape";
import { type HttpAnswer } from "./transport";
import { wantsCertificate } from "./why-no-answer";
import { asksForCertificate, readWords, tellsNoError } from "./words";

/** The meaning of an answer: the promised value, or an error that knows the request's outcome. */
export type Verdict<Value> = { value: Value } | { error: IdentityError };

/** An answer's verdict, and what it takes to believe it. */
export interface AnswerReading<Value> {
  verdict: Verdict<Value>;
  /**
   * - `nothing`: it's believed at once.
   * - `nothing, and proves`: the same, and the host is the service for this process from now on.
   * - `the service`: the host must be the service for this process.
   * - `proof`: the object's path must be the service's, too.
   */
  needs: "nothing" | "nothing, and proves" | "the service" | "proof";
  /** The error in its place if it isn't believed. */
  otherwise?: IdentityError;
}

interface Effort {
  attempts: number;
  elapsedMs: number;
}

/**
 * Decides what an answer means. The source document shows few statuses and no body of an error, so most forms
 * are possible; but a gateway's page must not count as done, nor take anything out of state.
 *
 * | Answer                                                             | Means   | Believed       |
 * | ------------------------------------------------------------------ | ------- | -------------- |
 * | 2xx with the promised body; 204 if none is promised                | done    | at once        |
 * | Another 2xx if none is promised: no body, or JSON of no error      | done    | of the service |
 * | Such a 2xx for a write, in place of the promised body              | done    | of the service |
 * | 4xx with `{statusCode: its own, message}`; 429                     | refused | at once        |
 * | 401 with any JSON object                                           | refused | at once        |
 * | Another 4xx with a JSON object that has no other status of its own | refused | of the service |
 * | Such a 404 for the object of a GET or DELETE; not for a look-up    | refused | with proof     |
 * | HTML, text, an empty error, a redirect, 408, 5xx, an error in 2xx  | unknown |                |
 *
 * The host is the service for this process once it has given the token, or answered in one of the forms that
 * show it: the promised body, 204, or `{statusCode, message}`. Where neither has happened yet, and for proof,
 * `WhoAnswers` asks without a token, for a user or for the object itself: the service refuses that with 401
 * and a JSON object.
 */
export class AnswerReader {
  constructor(
    private readonly settings: TenantSettings,
    private readonly border: Border,
  ) {}

  /** Of any answer but a 429: after that, the call is sent again, or `limited`. */
  read<Value>(call: Call<Value>, name: CallName, answer: HttpAnswer): AnswerReading<Value> {
    const { status } = answer;
    if (status >= 400) return this.#error(call, name, answer);
    if (status >= 300) return nobodys(this.#redirect(name, answer));
    return call.answer === undefined
      ? this.#success(name, answer)
      : this.#value(call, call.answer, name, answer);
  }

  #value<Value>(
    call: Call<Value>,
    shape: z.ZodType<Value>,
    name: CallName,
    { status, body }: HttpAnswer,
  ): AnswerReading<Value> {
    const result = parseAnswer(shape, body, call.ids?.["id"]);
    if ("value" in result) return { verdict: result, needs: "nothing, and proves" };
    const problem = `with an unexpected body: ${this.border.quote(result.problem)}`;
    const otherwise = this.#unexpected(name, status, problem);
    if (call.method === "GET" || result.isOther === true || !tellsNoError(body)) return nobodys(otherwise);
    const verdict = { error: this.#unexpected(name, status, problem, "done") };
    return { verdict, needs: "the service", otherwise };
  }

  #success<Value>(name: CallName, { status, body }: HttpAnswer): AnswerReading<Value> {
    const verdict = { value: undefined as Value };
    if (status === 204) return { verdict, needs: "nothing, and proves" };
    const isSuccess = tellsNoError(body);
    const problem = `${isSuccess ? "as any host could" : "with something else than a success"}, so that nobody knows whether it was done`;
    const otherwise = this.#unexpected(name, status, problem);
    return isSuccess ? { verdict, needs: "the service", otherwise } : nobodys(otherwise);
  }

  #unexpected(
    { method, path }: CallName,
    status: number,
    problem: string,
    outcome: RequestOutcome = "unknown",
  ): UnexpectedAnswerError {
    return new UnexpectedAnswerError(
      `${method} ${path} answered ${status} ${problem}. Check that ${this.settings.nameOf("domain")} is an ` +
        "identity tenant; if it is, this package may be too old for it.",
      outcome,
    );
  }

  #redirect({ method, path }: CallName, { status, headers }: HttpAnswer): UnexpectedAnswerError {
    const { nameOf, origin } = this.settings;
    return new UnexpectedAnswerError(
      `${method} ${path} on ${origin} answered ${status}, a redirect${redirectHost(headers["location"])}, which is not ` +
        `followed because the token must not go elsewhere. Set ${nameOf("domain")} to the tenant's own host name.`,
      "unknown",
    );
  }

  /** For a call that gives up after a 429. */
  limited(name: CallName, answer: HttpAnswer, { attempts, elapsedMs }: Effort): RateLimitedError {
    const { status, body } = answer;
    const said = this.#quoted({ status, ...readWords(body, status)?.said, ...this.#requestId(answer) });
    return new RateLimitedError(
      name,
      `${sentence(name, said)} ${triedText(attempts)} in ${seconds(elapsedMs)}. ${adviceOnLimit(this.settings)}`,
      "refused",
    );
  }

  #error(call: Call<unknown>, name: CallName, answer: HttpAnswer): AnswerReading<never> {
    const { status, body } = answer;
    const words = readWords(body, status);
    const requestId = this.#requestId(answer);
    const outcome = attemptOutcome({ isSent: true, status, isOfService: words !== undefined });
    const said: ErrorAnswer = { status, ...words?.said, ...requestId, outcome };
    if (status === 408 || status >= 500)
      return nobodys(
        this.#refused(
          call,
          name,
          words?.isUsual === true ? this.#quoted(said) : { status, ...requestId, outcome },
        ),
      );
    return words === undefined
      ? nobodys(this.#foreign(name, status, body))
      : this.#refusal(call, name, this.#quoted(said), words.isUsual);
  }

  /** A 4xx with a JSON object that may be the service's. */
  #refusal(call: Call<unknown>, name: CallName, said: ErrorAnswer, isUsual: boolean): AnswerReading<never> {
    const error = this.#refused(call, name, said);
    const verdict = { error };
    if (isUsual) return { verdict, needs: error instanceof ApiError ? "nothing, and proves" : "nothing" };
    if (said.status === 401) return { verdict, needs: "nothing" };
    return error instanceof NotFoundError && isDeciding(call)
      ? { verdict, needs: "proof", otherwise: this.#unproved(name, said) }
      : { verdict, needs: "the service", otherwise: this.#foreign(name, said.status) };
  }

  #foreign({ method, path }: CallName, status: number, body = ""): UnexpectedAnswerError {
    const { nameOf, origin } = this.settings;
    if (asksForCertificate(body)) {
      return new UnexpectedAnswerError(
        `${method} ${path} on ${origin} answered ${status}: ${wantsCertificate(nameOf("domain"))}`,
        "unknown",
      );
    }
    return new UnexpectedAnswerError(
      `${method} ${path} on ${origin} answered ${status}, but not in the words of the service: something ` +
        `before it, such as a gateway, answered instead. Check ${nameOf("domain")}.`,
      "unknown",
    );
  }

  #unproved(name: CallName, said: ErrorAnswer): UnexpectedAnswerError {
    return new UnexpectedAnswerError(
      `${sentence(name, said)} A gateway may have said that: asked without a token, the host doesn't answer 401 ` +
        `as the service does. Check ${this.settings.nameOf("domain")}. If the object is really gone, take it out of the program ` +
        "and its resource out of state: pulumi state delete URN.",
      "unknown",
    );
  }

  #refused(call: Call<unknown>, name: CallName, said: ErrorAnswer): IdentityError {
    if (said.status === 404 && !namesObject(call)) {
      // If it counted as a missing object, Pulumi would drop the resource from state.
      return new UnexpectedAnswerError(
        `${sentence(name, said)} It names no object that could be missing. Check that ${this.settings.nameOf("domain")} is an ` +
          "identity tenant, and that its plan has this feature.",
        said.outcome,
      );
    }
    return apiError(name, said, {
      scopes: call.scopes,
      adviceOn401: this.#adviceOnToken(),
      hasBody: call.body !== undefined,
    });
  }

  #quoted({ code, message, ...said }: ErrorAnswer): ErrorAnswer {
    const { border } = this;
    return {
      ...said,
      ...(message !== undefined && { message: border.quote(message) }),
      ...(code !== undefined && { code: border.quote(code) }),
    };
  }

  #requestId({ headers }: HttpAnswer): Pick<ErrorAnswer, "requestId"> {
    const requestId = requestIdOf(headers);
    return requestId === undefined ? {} : { requestId: this.border.quote(requestId) };
  }

  #adviceOnToken(): string {
    const { credentials, nameOf, rotation } = this.settings;
    const [why, suspect] =
      credentials.type === "access-token"
        ? [": it may have expired, or be another tenant's", credentialNames(this.settings)[0]]
        : [", though the tenant itself gave it", nameOf("audience")];
    return `The token was not accepted${why}. Check ${suspect} and ${nameOf("domain")}. ${rotation()}`;
  }
}

function nobodys(error: IdentityError): AnswerReading<never> {
  return { verdict: { error }, needs: "nothing" };
}

/** Returns the service's id for a request; undefined if there is none, or it doesn't look like an id. */
export function requestIdOf(headers: HttpAnswer["headers"]): string | undefined {
  const requestId = headers["x-request-id"] ?? headers["x-auth0-requestid"];
  return requestId !== undefined && /^[\w-]{1,100}$/.test(requestId) ? requestId : undefined;
}

/** `waiting`: this run's requests that are also waiting. */
export function adviceOnLimit({ nameOf, origin, limits }: TenantSettings, waiting = 0): string {
  const { host } = new URL(origin);
  const raise = `raise ${nameOf("maxWaitSeconds")} (now ${limits.maxWaitSeconds})`;
  if (waiting > 1) return `${waiting} requests of this run were waiting for ${host}: ${raise}.`;
  return `Other traffic uses up the limit of ${host}: run this again later, lower ${nameOf("rateLimitReserve")}, or ${raise}.`;
}

export function triedText(attempts: number): string {
  return attempts === 1 ? "Tried once" : `Tried ${attempts} times`;
}

/** `0.3 s`, `12 s`. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function redirectHost(location = ""): string {
  return URL.canParse(location) ? ` to ${new URL(location).host}` : "";
}
