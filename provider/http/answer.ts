import * as z from "../zod";
import { type Border } from "../border";
import { type Call, namesObject } from "./call";
import { credentialNames } from "./credentials/credentials";
import {
  apiError,
  attemptOutcome,
  type CallName,
  type ErrorAnswer,
  type IdentityError,
  RateLimitedError,
  sentence,
  UnexpectedAnswerError,
} from "./errors";
import { type TenantSettings } from "./settings";
import { parseAnswer, parseJson } from "./shape";
import { type HttpAnswer } from "./transport";

/** The meaning of an answer: the promised value, or an error that knows the request's outcome. */
export type Verdict<Value> = { value: Value } | { error: IdentityError };

interface Effort {
  attempts: number;
  elapsedMs: number;
}

const errorBody = z.looseObject({
  statusCode: z.number(),
  message: z.string(),
  errorCode: z.string().optional().catch(undefined),
});

export class AnswerReader {
  /**
   * The program's secrets. They must be known before a quote is cut, because a cut secret isn't recognised.
   */
  readonly #secrets = new Set<string>();

  constructor(
    private readonly settings: TenantSettings,
    private readonly border: Border,
  ) {}

  keepSecret(texts: readonly string[]): void {
    for (const text of texts) this.#secrets.add(text);
  }

  read<Value>(call: Call<Value>, name: CallName, answer: HttpAnswer, effort: Effort): Verdict<Value> {
    const { status } = answer;
    if (status >= 200 && status < 300) return this.#value(call, name, answer);
    return { error: status < 400 ? this.#redirect(name, answer) : this.#error(call, name, answer, effort) };
  }

  #value<Value>(call: Call<Value>, name: CallName, { status, body }: HttpAnswer): Verdict<Value> {
    let problem: string;
    if (call.answer === undefined) {
      if (status === 204) return { value: undefined as Value };
      problem = "instead of 204, so that nobody knows whether it was done";
    } else {
      const result = parseAnswer(call.answer, body, call.ids?.["id"]);
      if ("value" in result) return result;
      problem = `with an unexpected body: ${this.#quote(result.problem)}`;
    }
    return this.#unexpected(
      status,
      `${name.method} ${name.path} answered ${status} ${problem}. Check that ${this.settings.nameOf("domain")} is an ` +
        "identity tenant; if it is, this package may be too old for it.",
    );
  }

  #unexpected(status: number, message: string): { error: UnexpectedAnswerError } {
    const outcome = attemptOutcome({ isSent: true, status, isOfService: false });
    return { error: new UnexpectedAnswerError(message, outcome) };
  }

  #redirect({ method, path }: CallName, { status, headers }: HttpAnswer): IdentityError {
    const { nameOf, origin } = this.settings;
    return this.#unexpected(
      status,
      `${method} ${path} on ${origin} answered ${status}, a redirect${redirectHost(headers["location"])}, which is not ` +
        `followed because the token must not go elsewhere. Set ${nameOf("domain")} to the tenant's own host name.`,
    ).error;
  }

  #error(call: Call<unknown>, name: CallName, answer: HttpAnswer, effort: Effort): IdentityError {
    const { nameOf, origin } = this.settings;
    const { status } = answer;
    const words = this.#serviceWords(answer);
    const fails = status === 408 || status >= 500;
    if (words === undefined && !fails && status !== 429) {
      return this.#unexpected(
        status,
        `${name.method} ${name.path} on ${origin} answered ${status}, but not in the words of the service: something ` +
          `before it, such as a gateway, answered instead. Check ${nameOf("domain")}.`,
      ).error;
    }
    const said: ErrorAnswer = {
      status,
      ...words,
      ...this.#requestId(answer),
      outcome: attemptOutcome({ isSent: true, status, isOfService: words !== undefined }),
    };
    if (status === 429) return this.#limited(name, said, effort);
    if (status === 404 && !namesObject(call)) {
      // If it counted as a missing object, Pulumi would drop the resource from state.
      return new UnexpectedAnswerError(
        `${sentence(name, said)} It names no object that could be missing. Check that ${nameOf("domain")} is an ` +
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

  /** Reads an error answer, if it's the service that answered. */
  #serviceWords({ status, body }: HttpAnswer): Pick<ErrorAnswer, "code" | "message"> | undefined {
    const parsed = errorBody.safeParse(parseJson(body));
    if (!parsed.success || parsed.data.statusCode !== status) return undefined;
    const { errorCode, message } = parsed.data;
    return {
      message: this.#quote(message),
      ...(errorCode !== undefined && { code: this.#quote(errorCode) }),
    };
  }

  #requestId({ headers }: HttpAnswer): Pick<ErrorAnswer, "requestId"> {
    const requestId = requestIdOf(headers);
    return requestId === undefined ? {} : { requestId: this.#quote(requestId) };
  }

  #quote(text: string): string {
    return this.border.quote(text, [...this.#secrets]);
  }

  #limited(name: CallName, said: ErrorAnswer, { attempts, elapsedMs }: Effort): RateLimitedError {
    return new RateLimitedError(
      name,
      `${sentence(name, said)} ${triedText(attempts)} in ${seconds(elapsedMs)}. ${adviceOnLimit(this.settings)}`,
      said.outcome,
    );
  }

  #adviceOnToken(): string {
    const { nameOf, rotation } = this.settings;
    const [used] = credentialNames(this.settings);
    return `The token was not accepted: it may have expired, or be another tenant's. Check ${used} and ${nameOf("domain")}. ${rotation()}`;
  }
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
