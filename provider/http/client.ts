import { setMaxListeners } from "node:events";
import { Border } from "../border";
import { adviceOnLimit, AnswerReader, type AnswerReading, seconds, triedText } from "./answer";
import { bodyOf, type Call, callName, endpointGroup, targetOf } from "./call";
import { secretsOf } from "./credentials/credentials";
import { RefusedCredentials } from "./credentials/refused";
import { type ClientStatistics, DebugLog, type LoggedRequest, type LogFormat } from "./debug-log";
import {
  AuthenticationError,
  type CallName,
  callOutcome,
  IdentityError,
  outcomeOf,
  RateLimitedError,
  type RequestOutcome,
  withOutcome,
} from "./errors";
import { type Permit, RateLimitGovernor } from "./rate-limit/governor";
import { bucketHeaders, retryAfterMs } from "./rate-limit/headers";
import { type AttemptResult, noAnswer, Retry } from "./retry";
import { type TenantSettings } from "./settings";
import { type TokenFacts, TokenSource } from "./token";
import { type HttpAnswer, type HttpRequest, UndiciTransport } from "./transport";
import { WhoAnswers } from "./who-answers";

export interface ClientOptions {
  /**
   * Prints notices for people, and learns the client's secrets so that it can hide them. Default: a new one,
   * which prints to standard output.
   */
  border?: Border;
  /** Prints one line per request, and a summary when idle. Default: none. */
  log?: LogFormat | undefined;
  /** Called with every answer, also from the token endpoint, for what its headers say about the tenant. */
  onAnswer?: ((answer: Pick<HttpAnswer, "status" | "headers">) => void) | undefined;
  /** Every call goes through it: it sends the call, or throws. Default: sends every call. */
  guard?: Guard | undefined;
  /** True where nobody else's code runs, so that V8's flags are the client's to set. Default: false. */
  ownsProcess?: boolean | undefined;
}

export type Guard = <Answer>(call: Call<Answer>, send: () => Promise<Answer>) => Promise<Answer>;

interface SendOptions {
  /** Ends the call at once, whatever it is doing; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A call in progress, from its first attempt to its last. */
interface Operation<Answer> {
  call: Call<Answer>;
  name: CallName;
  target: string;
  body: string | undefined;
  /** Ends the call: the caller's signal. */
  signal: AbortSignal | undefined;
  /** Ends a wait: the caller's signal, or the end of the run. */
  waitSignal: AbortSignal;
  startedAt: number;
  attempts: RequestOutcome[];
  /** True once a new token was requested: once is enough. */
  isRenewed: boolean;
}

/** The reason why nothing more is sent, as the end of a sentence. */
class Cancelled extends IdentityError {}

/** The one authenticated client of a tenant: token, rate limit, retry and errors for every call. */
export class IdentityClient {
  readonly statistics: ClientStatistics = {
    running: 0,
    requests: 0,
    retries: 0,
    tokenRequests: 0,
    waitedMs: 0,
  };
  /** Host name, with the port if there is one: people call the tenant by it. */
  readonly tenant: string;
  /** Removes this client's credentials and tokens from messages that leave the process. */
  readonly border: Border;
  readonly #transport: UndiciTransport;
  readonly #tokens: TokenSource;
  readonly #refusals: RefusedCredentials;
  readonly #governor: RateLimitGovernor;
  readonly #retry: Retry;
  readonly #answers: AnswerReader;
  readonly #log: DebugLog | undefined;
  readonly #onAnswer: ClientOptions["onAnswer"];
  readonly #guard: Guard | undefined;
  readonly #cancellation = new AbortController();
  readonly #who = new WhoAnswers();

  /** Throws a `ConfigurationError` if the environment names a proxy that can't be used. */
  constructor(
    readonly settings: TenantSettings,
    { border = new Border(), log, onAnswer, guard, ownsProcess }: ClientOptions = {},
  ) {
    this.border = border;
    this.#onAnswer = onAnswer;
    this.#guard = guard;
    // Each waiting call adds a listener.
    setMaxListeners(0, this.#cancellation.signal);
    border.secrets.add(...secretsOf(settings.credentials));
    this.tenant = new URL(settings.origin).host;
    if (log !== undefined) this.#log = new DebugLog(log, border, this.tenant, this.statistics);
    this.#transport = new UndiciTransport(settings, ownsProcess);
    this.#retry = new Retry({ maxWaitMs: settings.limits.maxWaitSeconds * 1000 });
    this.#answers = new AnswerReader(settings, border);
    this.#refusals = new RefusedCredentials(settings);
    this.#tokens = new TokenSource(settings, this.#retry, {
      border,
      refusals: this.#refusals,
      cancelled: this.#cancellation.signal,
      send: (request, logged) => {
        this.statistics.tokenRequests++;
        return this.#sendLogged(request, logged);
      },
    });
    this.#governor = new RateLimitGovernor(settings.limits, {
      tenant: this.tenant,
      tell: (text) => border.print(text),
    });
  }

  /** Rejects with an `IdentityError` that has the call's `outcome`, or with the caller's reason. */
  send<Answer = undefined>(call: Call<Answer>, options: SendOptions = {}): Promise<Answer> {
    const send = () => this.#send(call, options);
    return this.#guard === undefined ? send() : this.#guard(call, send);
  }

  async #send<Answer>(call: Call<Answer>, options: SendOptions): Promise<Answer> {
    const operation = this.#operation(call, options.signal);
    this.statistics.running++;
    try {
      return await this.#retry.run(call.method, (number) => this.#attempt(operation, number), {
        signal: operation.waitSignal,
        onRetry: (delayMs, { status }) => {
          this.statistics.retries++;
          return status === 429 ? this.#governor.waitElsewhere(delayMs) : () => undefined;
        },
      });
    } catch (error) {
      throw this.#finalError(operation, error);
    } finally {
      this.statistics.running--;
    }
  }

  /** True if this host is the service for this process: it gave the token, or answered as only that does. */
  get isService(): boolean {
    return this.#who.isService;
  }

  /** True if the tenant has refused the credentials. Nothing more is sent then. */
  get isRefused(): boolean {
    return this.#refusals.isRefused;
  }

  /** Returns the token that calls use; requests one if there is none yet. */
  accessToken(): Promise<string> {
    return this.#tokens.token();
  }

  /** Requests a token if there is none yet, and returns the facts known about it. */
  tokenFacts(): Promise<TokenFacts> {
    return this.#tokens.facts();
  }

  /**
   * Stops sending: waiting and new calls fail at once with an `IdentityError` whose outcome is "not sent".
   * Requests on their way still get their answers. For the end of a run; a second call changes nothing.
   */
  cancel(
    /** The end of the sentence `POST /connection-profiles was not sent: …`. */
    reason = "the run was cancelled",
  ): void {
    this.#cancellation.abort(new Cancelled(reason));
  }

  /** Keeps the program's secret texts out of request lines and quotes in errors. */
  keepSecret(texts: readonly string[]): void {
    this.#log?.hide(texts);
    this.#answers.keepSecret(texts);
  }

  /** Loads what the first request needs, for callers that wait for something else now. Sends nothing. */
  load(): void {
    this.#transport.load();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  #operation<Answer>(call: Call<Answer>, signal: AbortSignal | undefined): Operation<Answer> {
    const name = callName(call);
    const cancelled = this.#cancellation.signal;
    return {
      call,
      name,
      target: targetOf(call, name),
      body: bodyOf(call),
      // One signal per call: many calls may share the caller's, and each adds listeners.
      signal: signal && AbortSignal.any([signal]),
      waitSignal: signal === undefined ? cancelled : AbortSignal.any([signal, cancelled]),
      startedAt: performance.now(),
      attempts: [],
      isRenewed: false,
    };
  }

  async #attempt<Answer>(operation: Operation<Answer>, number: number): Promise<AttemptResult<Answer>> {
    for (;;) {
      // Counts as not sent until any of it has left.
      const attempt = operation.attempts.push("not sent") - 1;
      // Without a token there's no point in waiting for the rate limit.
      await this.#token(operation);
      const permit = await this.#permit(operation, number);
      const token = await this.#tokenAfterWait(operation, permit);
      let exchange: { answer: HttpAnswer; reading: AnswerReading<Answer> };
      try {
        exchange = await this.#exchange(operation, token, permit, number);
      } catch (error) {
        operation.attempts[attempt] = outcomeOf(error);
        return noAnswer(error);
      }
      const { answer, reading } = exchange;
      const believed = this.#who.believed(operation.call, reading, {
        askAsStranger: ({ path, ids }) =>
          this.#askAsStranger(this.#operation({ method: "GET", path, ids, scopes: [] }, undefined)),
        readList: (path) => this.#send({ method: "GET", path, scopes: [] }, {}),
      });
      const verdict = believed instanceof Promise ? await believed : believed;
      operation.attempts[attempt] = "value" in verdict ? "done" : verdict.error.outcome;
      if ("value" in verdict) {
        this.#tokens.accepted();
        return verdict;
      }
      let { error } = verdict;
      if (error instanceof AuthenticationError) {
        if (this.#giveUpToken(operation, token, error)) continue;
        error = this.#refusals.tell(operation.name, error);
      } else if (error.outcome !== "unknown") this.#tokens.accepted();
      const { status, headers } = answer;
      return { failure: { outcome: error.outcome, status, retryAfterMs: retryAfterMs(headers) }, error };
    }
  }

  /** Asks without a token, with retries. */
  #askAsStranger(operation: Operation<unknown>): Promise<HttpAnswer> {
    return this.#retry.run("GET", (number) => this.#attemptAsStranger(operation, number), {
      signal: this.#cancellation.signal,
    });
  }

  async #attemptAsStranger(
    operation: Operation<unknown>,
    attempt: number,
  ): Promise<AttemptResult<HttpAnswer>> {
    const { call, name, target } = operation;
    const { method } = call;
    const permit = await this.#permit(operation, attempt);
    this.statistics.requests++;
    try {
      const logged = { ...name, route: call.path, attempt };
      const answer = await this.#sendLogged({ method, path: target, headers: {} }, logged);
      const { status, headers } = answer;
      permit.answered(bucketHeaders(headers, status));
      if (status !== 429 && status < 500) return { value: answer };
      const error = new IdentityError(`GET ${name.path} answered ${status} without a token.`);
      return { failure: { outcome: "unknown", status, retryAfterMs: retryAfterMs(headers) }, error };
    } catch (error) {
      return noAnswer(error);
    } finally {
      permit.lost();
    }
  }

  /**
   * Drops a refused token. Returns true if the call should be sent again with another: once, if it may help.
   */
  #giveUpToken(operation: Operation<unknown>, token: string, error: AuthenticationError): boolean {
    const mayBeRenewed = this.#tokens.forget(token);
    if (!mayBeRenewed) this.#refusals.remember(error);
    const isFirst = !operation.isRenewed;
    operation.isRenewed = true;
    return mayBeRenewed && isFirst;
  }

  async #token({ name, waitSignal }: Operation<unknown>): Promise<string> {
    this.#refusals.check(name);
    try {
      const token = await this.#tokens.token(waitSignal);
      if (this.statistics.tokenRequests > 0) this.#who.hasGivenToken();
      return token;
    } catch (error) {
      throw error instanceof AuthenticationError ? this.#refusals.tell(name, error) : error;
    }
  }

  /** Gets the token again: the earlier one may have expired or been refused while the call waited. */
  async #tokenAfterWait(operation: Operation<unknown>, permit: Permit): Promise<string> {
    try {
      return await this.#token(operation);
    } catch (error) {
      permit.lost();
      throw error;
    }
  }

  async #permit({ call, name, waitSignal, startedAt }: Operation<unknown>, number: number): Promise<Permit> {
    const queuedAt = performance.now();
    const maxWaitMs = Math.max(0, this.settings.limits.maxWaitSeconds * 1000 - (queuedAt - startedAt));
    const permit = await this.#governor.acquire(endpointGroup(call), maxWaitMs, waitSignal);
    const now = performance.now();
    this.statistics.waitedMs += now - queuedAt;
    if (permit !== undefined) return permit;
    waitSignal.throwIfAborted();
    throw new RateLimitedError(
      name,
      `${name.method} ${name.path} found no room in the tenant's rate limit within ${seconds(now - startedAt)}. ` +
        `${number === 1 ? "It was not sent" : triedText(number - 1)}. ${adviceOnLimit(this.settings, this.#governor.mostWaiting)}`,
    );
  }

  /** Always gives the permit back. */
  async #exchange<Answer>(operation: Operation<Answer>, token: string, permit: Permit, number: number) {
    const { call, name, target, body, signal, startedAt } = operation;
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    this.statistics.requests++;
    try {
      const answer = await this.#sendLogged(
        { method: call.method, path: target, headers, body, signal },
        { ...name, route: call.path, attempt: number },
      );
      const effort = { attempts: number, elapsedMs: performance.now() - startedAt };
      const reading = this.#answers.read(call, name, answer, effort);
      const { verdict } = reading;
      const bucket = bucketHeaders(answer.headers, answer.status);
      // A gateway that answers in place of the service knows nothing of its limits.
      const isForeign = "error" in verdict && verdict.error.outcome === "unknown";
      if (bucket === undefined && answer.status === 429) permit.refused(retryAfterMs(answer.headers));
      else if (bucket !== undefined || !isForeign) permit.answered(bucket);
      return { answer, reading };
    } finally {
      permit.lost();
    }
  }

  async #sendLogged(request: HttpRequest, logged: LoggedRequest): Promise<HttpAnswer> {
    const start = performance.now();
    let answer: HttpAnswer | undefined;
    try {
      answer = await this.#transport.send({ ...request, unsentSignal: this.#cancellation.signal });
    } finally {
      this.#log?.request(logged, performance.now() - start, answer);
    }
    this.#onAnswer?.(answer);
    return answer;
  }

  #finalError({ call, name, signal, attempts }: Operation<unknown>, error: unknown): unknown {
    const title = `${name.method} ${name.path}`;
    if (signal?.aborted === true && error === signal.reason) return error;
    const isCancelled = error instanceof Cancelled;
    const outcome = callOutcome(call.method, isCancelled ? [...attempts, "not sent"] : attempts);
    if (isCancelled) {
      const what = attempts.some((attempt) => attempt !== "not sent") ? "was not sent again" : "was not sent";
      return new IdentityError(`${title} ${what}: ${error.message}.`, outcome);
    }
    if (error instanceof IdentityError) return withOutcome(error, outcome);
    const defect = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return new IdentityError(
      `${title} failed by a defect of pulumi-identity, please report it: ${defect}.`,
      outcome,
    );
  }
}
