import { type Reading, type Verdict } from "./answer";
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

interface Questions {
  /** Sends a GET for the path without a token. Never another method: that could do it. */
  askAsStranger: () => Promise<HttpAnswer>;
  /** Reads a list, such as `/roles`. */
  readList: (path: string) => Promise<unknown>;
}

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

  /** Returns an answer's verdict, or an error in its place if it may be somebody else's. */
  async believed<Answer>(
    call: Call<Answer>,
    { verdict, needs, otherwise }: Reading<Answer>,
    questions: Questions,
  ): Promise<Verdict<Answer>> {
    this.#isService ||= needs === "nothing, and proves";
    const isOpen = needs === "proof" || (needs === "the service" && !this.#isService);
    if (isOpen && otherwise !== undefined && !(await this.#isServiceAt(call.path, questions)))
      return { error: otherwise };
    if ("value" in verdict) {
      if (call.method === "GET" && !namesObject(call)) this.#lists.set(call.path, Promise.resolve(true));
      return verdict;
    }
    const { error } = verdict;
    if (!(error instanceof NotFoundError) || call.list === undefined) return verdict;
    return { error: await this.#ofObject(error, call.list, questions) };
  }

  /** Sections 5 and 7: the service refuses a request without a token. */
  async #isServiceAt(path: string, { askAsStranger }: Questions): Promise<boolean> {
    const ask = async () => {
      const { status, body } = await askAsStranger();
      return status === 401 && readWords(body, status) !== undefined;
    };
    const isService = await remembered(this.#refusesStrangers, path, ask).catch(() => false);
    this.#isService ||= isService;
    return isService;
  }

  /** Returns the error of a missing object; another one if the tenant doesn't have the operation. */
  async #ofObject(error: NotFoundError, list: string, { readList }: Questions): Promise<IdentityError> {
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
      return (await remembered(this.#lists, list, ask)) ? error : notServed(error, list);
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
