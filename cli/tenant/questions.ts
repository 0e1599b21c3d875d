import {
  concernsOneQuestion,
  NotFoundError,
  TimeoutError,
  UnexpectedAnswerError,
} from "../../provider/http/errors";

/** The tenant's answer, or in a few words why there is none. */
export type Answer<Value> = { value: Value; reason?: undefined; error?: undefined } | NoAnswer;

/** `error`: for commands that can't go on without the answer. */
interface NoAnswer {
  value?: undefined;
  reason: string;
  error?: unknown;
}

export type Answers<Value> = ReadonlyMap<string, Answer<Value>>;

/** True if the service answered 404. */
export function isNotFound(answer: Answer<unknown> | undefined): boolean {
  return answer?.error instanceof NotFoundError;
}

/** The same answers, with their values in another form. */
export function mapped<Value, Other>(
  answers: Answers<Value>,
  to: (value: Value) => Other,
): Map<string, Answer<Other>> {
  return new Map(
    [...answers].map(([id, answer]) => [
      id,
      answer.reason === undefined ? { value: to(answer.value) } : answer,
    ]),
  );
}

/** The values of those that were answered. */
export function valuesIn<Value>(answers: Answers<Value>): Map<string, Value> {
  return new Map(
    [...answers].flatMap(([id, answer]) =>
      answer.reason === undefined ? [[id, answer.value] as const] : [],
    ),
  );
}

/** The reasons why others weren't, each once. */
export function reasonsIn(answers: Iterable<Answer<unknown>>): string[] {
  return [...new Set([...answers].flatMap(({ reason }) => reason ?? []))];
}

interface Question<Value> {
  ask: (signal: AbortSignal | undefined) => Promise<Value>;
  reasonOf: (error: unknown) => string;
  /** Not every tenant knows the call, so a strange answer to it says nothing of the others. */
  isNewer: boolean;
  /** Another way leads to the answer, or none is needed: no failure of it says anything of the others. */
  isSpare: boolean;
}

/**
 * Asks a tenant until it goes silent or refuses the client, and then drops the remaining questions. Never
 * rejects.
 */
export class Questions {
  readonly #end = new AbortController();
  #ended: NoAnswer | undefined;
  #pending = 0;
  #silence: NodeJS.Timeout | undefined;

  /** Without `longestSilenceMs`, only the client's own limits end a question. */
  constructor(private readonly longestSilenceMs?: number) {}

  async ask<Value>({ ask, ...question }: Question<Value>): Promise<Answer<Value>> {
    if (this.#pending++ === 0) this.#listen();
    try {
      return { value: await ask(this.#end.signal) };
    } catch (error) {
      return this.#unanswered(error, question);
    } finally {
      this.#pending--;
      this.#listen();
    }
  }

  end(): void {
    clearTimeout(this.#silence);
    this.#end.abort();
  }

  #unanswered(error: unknown, { reasonOf, isNewer, isSpare }: Omit<Question<unknown>, "ask">): NoAnswer {
    if (this.#ended !== undefined) return this.#ended;
    const reason = reasonOf(error);
    const isOfOne = concernsOneQuestion(error) || (isNewer && error instanceof UnexpectedAnswerError);
    if (!isOfOne && !isSpare) this.#endWith({ reason, error });
    return { reason, error };
  }

  #endWith(ended: NoAnswer): void {
    this.#ended ??= ended;
    this.end();
  }

  /** Counts the silence anew: while nothing is asked there is none. */
  #listen(): void {
    clearTimeout(this.#silence);
    const { longestSilenceMs } = this;
    if (this.#end.signal.aborted || longestSilenceMs === undefined || this.#pending === 0) return;
    this.#silence = setTimeout(() => {
      const reason = `no answer within ${longestSilenceMs / 1000} s`;
      this.#endWith({ reason, error: new TimeoutError(`The tenant gave ${reason}.`) });
    }, longestSilenceMs);
  }
}
