import { type AnswerReading, type Verdict } from "./answer";
import { type Call, namesObject } from "./call";
import {
  IdentityError,
  NotFoundError,
  notServed,
  NotServedError,
  outcomeOf,
  UnexpectedAnswerError,
} from "./errors";
import { type HttpAnswer } from "./transport";
import { readWords } from "./words";

interface Probes {
  /** Sends a GET without a token. Never another method: that could do something. */
  askAsStranger: (call: Pick<Call<unknown>, "path" | "ids">) => Promise<HttpAnswer>;
  /** Reads a list, such as `/roles`. */
  readList: (path: string) => Promise<unknown>;
}

/** Section 4.1: the one object that each tenant lets read, whoever it is. */
const A_USER = { path: "/users/{id}", ids: { id: "0" } } as const;

/** Knows if the host is the service, and asks where an answer alone doesn't show it: once in a process. */
export class WhoAnswers {
  #isService = false;
  /** By path, with `{id}` for each id: true if the host refuses to be asked without a token. */
  readonly #refusesStrangers = new Map<string, Promise<boolean>>();
  /** By path: true if the tenant has the list. */
  readonly #lists = new Map<string, Promise<boolean>>();

  get isService(): boolean {
    return this.#isService;
  }

  hasGivenToken(): void {
    this.#isService = true;
  }

  /**
   * Returns an answer's verdict, or an error in its place if it may be somebody else's. At once where nothing
   * is to be asked: whoever waits for the turn must find a refused token gone.
   */
  believed<Answer>(
    call: Call<Answer>,
    reading: AnswerReading<Answer>,
    probes: Probes,
  ): Verdict<Answer> | Promise<Verdict<Answer>> {
    const { verdict, needs } = reading;
    this.#isService ||= needs === "nothing, and proves";
    const isList = call.method === "GET" && !namesObject(call);
    if (isList && "value" in verdict) this.#lists.set(call.path, Promise.resolve(true));
    const missing = "error" in verdict && verdict.error instanceof NotFoundError ? verdict.error : undefined;
    const isOpen = needs === "proof" || (needs === "the service" && !this.#isService);
    return isOpen || (missing !== undefined && call.list !== undefined)
      ? this.#asked(call, reading, missing, probes)
      : verdict;
  }

  async #asked<Answer>(
    call: Call<Answer>,
    { verdict, needs, otherwise }: AnswerReading<Answer>,
    missing: NotFoundError | undefined,
    probes: Probes,
  ): Promise<Verdict<Answer>> {
    const doubt =
      missing !== undefined && call.list !== undefined
        ? await this.#doubtOf(missing, call.list, probes)
        : undefined;
    if (doubt !== undefined) return { error: doubt };
    const isBelieved = await this.#isBelieved(needs, call, probes);
    return isBelieved || otherwise === undefined ? verdict : { error: otherwise };
  }

  async #isBelieved(
    needs: AnswerReading<unknown>["needs"],
    call: Call<unknown>,
    probes: Probes,
  ): Promise<boolean> {
    if (needs === "proof") return this.#isServiceAt(call, probes);
    return needs !== "the service" || this.#isService || this.#isServiceAt(A_USER, probes);
  }

  /** Sections 5 and 7: the service refuses a request without a token. */
  async #isServiceAt(call: Pick<Call<unknown>, "path" | "ids">, { askAsStranger }: Probes): Promise<boolean> {
    const ask = async () => {
      const { status, body } = await askAsStranger(call);
      return status === 401 && readWords(body, status) !== undefined;
    };
    const isService = await remembered(this.#refusesStrangers, call.path, ask).catch(() => false);
    this.#isService ||= isService;
    return isService;
  }

  /** Returns another error for a missing object if the tenant doesn't have the operation. */
  async #doubtOf(
    error: NotFoundError,
    list: string,
    { readList }: Probes,
  ): Promise<IdentityError | undefined> {
    const ask = () =>
      readList(list).then(
        () => true,
        (refusal: unknown) => {
          const isMissing = refusal instanceof NotServedError || refusal instanceof UnexpectedAnswerError;
          if (outcomeOf(refusal) === "refused") return !isMissing;
          if (refusal instanceof NotServedError) return false;
          throw refusal;
        },
      );
    try {
      return (await remembered(this.#lists, list, ask)) ? undefined : notServed(error, list);
    } catch (failure) {
      const why = failure instanceof Error ? failure.message : String(failure);
      return new IdentityError(`${error.message} It's not clear that it is gone: ${why}`, "refused");
    }
  }
}

/** Asks once; again only if that fails. */
function remembered(
  known: Map<string, Promise<boolean>>,
  key: string,
  ask: () => Promise<boolean>,
): Promise<boolean> {
  const asked = known.get(key) ?? ask();
  known.set(key, asked);
  asked.catch(() => known.delete(key));
  return asked;
}
