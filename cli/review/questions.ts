import {
  concernsOneQuestion,
  InsufficientScopeError,
  NotFoundError,
  shortReason,
} from "../../provider/http/errors";
import { type Answer } from "./tenant";

export const NOT_THERE = "404: not on the tenant";

/** Asks a question about each of these. `reasonOf`: why there is no answer; it may throw. */
async function askAll<Id extends string, Value>(
  ids: readonly Id[],
  question: (id: Id) => Promise<Value>,
  reasonOf: (error: unknown) => string,
): Promise<Map<Id, Answer<Value>>> {
  const answers = ids.map(async (id): Promise<[Id, Answer<Value>]> => {
    try {
      return [id, { value: await question(id) }];
    } catch (error) {
      return [id, { reason: reasonOf(error) }];
    }
  });
  return new Map(await Promise.all(answers));
}

/** For questions that all take the same scope: if the first is refused for it, the others aren't sent. */
export async function askFirstAlone<Id extends string, Value>(
  ids: readonly Id[],
  question: (id: Id) => Promise<Value>,
  reasonOf: (error: unknown) => string,
): Promise<Map<Id, Answer<Value>>> {
  let isRefused = false;
  const first = await askAll(ids.slice(0, 1), question, (error) => {
    isRefused = error instanceof InsufficientScopeError;
    return reasonOf(error);
  });
  const [answer] = first.values();
  if (isRefused && answer !== undefined) return new Map(ids.map((id) => [id, answer]));
  return new Map([...first, ...(await askAll(ids.slice(1), question, reasonOf))]);
}

type Question<Id, Value> = (id: Id, signal: AbortSignal) => Promise<Value>;

/** Asks until the tenant goes silent, and then drops the remaining questions. */
export class Questions {
  readonly #end = new AbortController();
  #ended: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(private readonly longestSilenceMs: number) {
    this.#answered();
  }

  ask<Id extends string, Value>(
    ids: readonly Id[],
    question: Question<Id, Value>,
  ): Promise<Map<Id, Answer<Value>>> {
    return askAll(ids, this.#heard(question), (error) => this.#reason(error));
  }

  askFirstAlone<Id extends string, Value>(
    ids: readonly Id[],
    question: Question<Id, Value>,
  ): Promise<Map<Id, Answer<Value>>> {
    return askFirstAlone(ids, this.#heard(question), (error) => this.#reason(error));
  }

  async one<Value>(question: (signal: AbortSignal) => Promise<Value>): Promise<Answer<Value>> {
    const [answer] = (await this.ask(["one"], (_, signal) => question(signal))).values();
    return answer as Answer<Value>;
  }

  end(reason?: string): void {
    clearTimeout(this.#silence);
    this.#ended ??= reason;
    this.#end.abort();
  }

  #heard<Id, Value>(question: Question<Id, Value>): (id: Id) => Promise<Value> {
    return (id) => question(id, this.#end.signal).finally(() => this.#answered());
  }

  #reason(error: unknown): string {
    if (this.#ended !== undefined) return this.#ended;
    if (error instanceof NotFoundError) return NOT_THERE;
    const reason = shortReason(error);
    if (!concernsOneQuestion(error)) this.end(reason);
    return reason;
  }

  #answered(): void {
    clearTimeout(this.#silence);
    if (this.#end.signal.aborted) return;
    const { longestSilenceMs } = this;
    const end = () => this.end(`no answer within ${longestSilenceMs / 1000} s`);
    this.#silence = setTimeout(end, longestSilenceMs);
  }
}
