import { setMaxListeners } from "node:events";
import { Border } from "../border";
import { adviceOnLimit, AnswerReader, type AnswerReading, seconds, triedText } from "./answer";
import { bodyOf, type Call, callName, endpointGroup, targetOf } from "./call";
import { secretsOf } from "./credentials";
import { RefusedCredentials } from "./refused-credentials";
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
import { RateLimitGovernor, type Turn } from "./rate-limit/governor";
import { bucketHeaders, retryAfterMs } from "./rate-limit/headers";
import { type AttemptResult, failedBy, noAnswer, Retry } from "./retry";
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
}

export type Guard = <Answer>(call: Call<Answer>, send: () => Promise<Answer>) => Promise<Answer>;

interface SendOptions {
  /** Ends the call at once, whatever it is doing; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A call in progress, from its first attempt to its last. */
interface CallInProgress<Answer> {
  call: Call<Answer>;
  name: CallName;
  target: string;
  body: string | undefined;
  /** Ends the call: the caller's signal. */
  signal: AbortSignal | undefined;
  /** Ends a wait: the caller's signal, or the end of the run. */
  waitSignal: AbortSignal;
  startedAt: number;
  /** The number of the attempt, for the log and for people. */
  attempt: number;
  /** Of each request, sent or not. */
  outcomes: RequestOutcome[];
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
    { border = new Border(), log, onAnswer, guard }: ClientOptions = {},
  ) {
    this.border = border;
    this.#onAnswer = onAnswer;
    this.#guard = guard;
    // Each waiting call adds a listener.
    setMaxListeners(0, this.#cancellation.signal);
    border.learn(...secretsOf(settings.credentials));
    this.tenant = new URL(settings.origin).host;
    if (log !== undefined) this.#log = new DebugLog(log, border, this.tenant, this.statistics);
    this.#transport = new UndiciTransport(settings);
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
      return await this.#retry.run(call.method, () => this.#attempt(operation), {
        signal: operation.waitSignal,
        onRetry: () => this.statistics.retries++,
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

  close(): Promise<void> {
    return this.#transport.close();
  }

  #operation<Answer>(call: Call<Answer>, signal: AbortSignal | undefined): CallInProgress<Answer> {
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
      attempt: 0,
      outcomes: [],
      isRenewed: false,
    };
  }

  async #attempt<Answer>(operation: CallInProgress<Answer>): Promise<AttemptResult<Answer>> {
    operation.attempt++;
    for (;;) {
      // Counts as not sent until any of it has left.
      operation.outcomes.push("not sent");
      // Without a token there's no point in waiting for the rate limit.
      await this.#token(operation);
      const exchange = await this.#exchange(operation, () => this.#token(operation));
      if ("failure" in exchange) return exchange;
      const { answer, token, turn } = exchange.value;
      const reading = this.#read(operation, answer, turn);
      const believed = this.#who.believed(operation.call, reading, {
        askAsStranger: ({ path, ids }) =>
          this.#askAsStranger(this.#operation({ method: "GET", path, ids, scopes: [] }, undefined)),
        readList: (path) => this.#send({ method: "GET", path, scopes: [] }, {}),
      });
      const verdict = believed instanceof Promise ? await believed : believed;
      endsAs(operation, "value" in verdict ? "done" : verdict.error.outcome);
      if ("value" in verdict) {
        this.#tokens.accepted();
        return verdict;
      }
      let { error } = verdict;
      if (error instanceof AuthenticationError) {
        if (this.#giveUpToken(operation, token, error)) continue;
        error = this.#refusals.tell(operation.name, error);
      } else if (error.outcome !== "unknown") this.#tokens.accepted();
      return failedBy(answer, error);
    }
  }

  /** Reads an answer, and always gives the turn back. */
  #read<Answer>(
    { call, name }: CallInProgress<Answer>,
    answer: HttpAnswer,
    turn: Turn,
  ): AnswerReading<Answer> {
    try {
      const reading = this.#answers.read(call, name, answer);
      const { verdict } = reading;
      const bucket = bucketHeaders(answer.headers, answer.status);
      // A gateway that answers in place of the service knows nothing of its limits.
      const isForeign = "error" in verdict && verdict.error.outcome === "unknown";
      if (bucket !== undefined || !isForeign) turn.answered(bucket);
      return reading;
    } finally {
      turn.lost();
    }
  }

  /** Asks without a token, with retries. */
  #askAsStranger(operation: CallInProgress<unknown>): Promise<HttpAnswer> {
    return this.#retry.run("GET", () => this.#attemptAsStranger(operation), {
      signal: this.#cancellation.signal,
    });
  }

  async #attemptAsStranger(operation: CallInProgress<unknown>): Promise<AttemptResult<HttpAnswer>> {
    operation.attempt++;
    const exchange = await this.#exchange(operation, () => Promise.resolve(undefined));
    if ("failure" in exchange) return exchange;
    const { answer, turn } = exchange.value;
    turn.answered(bucketHeaders(answer.headers, answer.status));
    if (answer.status < 500) return { value: answer };
    const { path } = operation.name;
    return failedBy(
      answer,
      new IdentityError(`GET ${path} answered ${answer.status} without a token.`, "unknown"),
    );
  }

  /**
   * Drops a refused token. Returns true if the call should be sent again with another: once, if it may help.
   */
  #giveUpToken(operation: CallInProgress<unknown>, token: string, error: AuthenticationError): boolean {
    const mayBeRenewed = this.#tokens.forget(token);
    if (!mayBeRenewed) this.#refusals.remember(error);
    const isFirst = !operation.isRenewed;
    operation.isRenewed = true;
    return mayBeRenewed && isFirst;
  }

  async #token({ name, waitSignal }: CallInProgress<unknown>): Promise<string> {
    this.#refusals.check(name);
    try {
      const token = await this.#tokens.token(waitSignal);
      if (this.statistics.tokenRequests > 0) this.#who.hasGivenToken();
      return token;
    } catch (error) {
      throw error instanceof AuthenticationError ? this.#refusals.tell(name, error) : error;
    }
  }

  /**
   * Sends a call once the rate limit has room, and again after each 429. Whoever gets the answer gives back
   * its turn.
   */
  async #exchange<Token extends string | undefined>(
    operation: CallInProgress<unknown>,
    /** Asked after each wait: the earlier token may have expired or been refused meanwhile. */
    tokenNow: () => Promise<Token>,
  ): Promise<AttemptResult<{ answer: HttpAnswer; token: Token; turn: Turn }>> {
    const { call, waitSignal } = operation;
    const maxWaitMs = this.settings.limits.maxWaitSeconds * 1000 - elapsedMs(operation);
    let queued = this.#governor.acquire(endpointGroup(call), Math.max(0, maxWaitMs), waitSignal);
    for (;;) {
      const turn = await this.#turn(operation, queued);
      let token: Token;
      let answer: HttpAnswer;
      try {
        token = await tokenNow();
      } catch (error) {
        turn.lost();
        throw error;
      }
      try {
        answer = await this.#transmit(operation, token);
      } catch (error) {
        turn.lost();
        endsAs(operation, outcomeOf(error));
        return noAnswer(error);
      }
      if (answer.status !== 429) {
        // Until it's read.
        endsAs(operation, "unknown");
        return { value: { answer, token, turn } };
      }
      queued = this.#backToQueue(operation, answer, turn);
    }
  }

  /** Returns the next turn of a call that was answered 429; throws a `RateLimitedError` if it gives up. */
  #backToQueue(
    operation: CallInProgress<unknown>,
    answer: HttpAnswer,
    turn: Turn,
  ): Promise<Turn | undefined> {
    endsAs(operation, "refused");
    const queued = turn.refused(bucketHeaders(answer.headers, answer.status), retryAfterMs(answer.headers));
    if (queued === undefined) {
      const effort = { attempts: operation.attempt, elapsedMs: elapsedMs(operation) };
      throw this.#answers.limited(operation.name, answer, effort);
    }
    operation.attempt++;
    operation.outcomes.push("not sent");
    this.statistics.retries++;
    return queued;
  }

  async #turn(operation: CallInProgress<unknown>, queued: Promise<Turn | undefined>): Promise<Turn> {
    const { name, attempt, waitSignal } = operation;
    const queuedAt = performance.now();
    const turn = await queued;
    this.statistics.waitedMs += performance.now() - queuedAt;
    if (turn !== undefined) return turn;
    waitSignal.throwIfAborted();
    throw new RateLimitedError(
      name,
      `${name.method} ${name.path} found no room in the tenant's rate limit within ${seconds(elapsedMs(operation))}. ` +
        `${attempt === 1 ? "It was not sent" : triedText(attempt - 1)}. ${adviceOnLimit(this.settings, this.#governor.mostWaiting)}`,
    );
  }

  #transmit(operation: CallInProgress<unknown>, token: string | undefined): Promise<HttpAnswer> {
    const { call, name, target, body, signal, attempt } = operation;
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    this.statistics.requests++;
    return this.#sendLogged(
      { method: call.method, path: target, headers, body, signal },
      { ...name, route: call.path, attempt },
    );
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

  #finalError({ call, name, signal, outcomes }: CallInProgress<unknown>, error: unknown): unknown {
    const title = `${name.method} ${name.path}`;
    if (signal?.aborted === true && error === signal.reason) return error;
    const isCancelled = error instanceof Cancelled;
    const outcome = callOutcome(call.method, isCancelled ? [...outcomes, "not sent"] : outcomes);
    if (isCancelled) {
      const what = outcomes.some((each) => each !== "not sent") ? "was not sent again" : "was not sent";
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

function elapsedMs({ startedAt }: CallInProgress<unknown>): number {
  return performance.now() - startedAt;
}

/** Records what became of a call's latest request. */
function endsAs({ outcomes }: CallInProgress<unknown>, outcome: RequestOutcome): void {
  outcomes.splice(-1, 1, outcome);
}
