import type * as z from "../zod";
import { type IdentityClient } from "../http/client";

/** Asks the service, or reuses this run's answer to the same question. */
export type Ask = <Answer>(question: unknown[], send: () => Promise<Answer>) => Promise<Answer>;

/** A question to the tenant that a program asks, in previews too. */
export interface DataSource<Args extends object, Answer, Result = Answer> {
  name: string;
  schema: z.ZodType<Args>;
  read(client: IdentityClient, args: Args, ask: Ask): Promise<Answer>;
  /** Turns an answer, real or mocked, into the result and marks secrets. Default: the answer. */
  result?(answer: Answer, args: Args): Result;
  /** True if the answer has `id` and `name`, and the program has asked by that name. Default: false. */
  findsByName?: true;
  /** True if the answer may be undefined: the plugin then adds `found` to it. Default: false. */
  mayBeMissing?: true;
  /** True makes the whole answer a secret, for languages that can't mark a part of it. Default: false. */
  isSecret?(args: Args): boolean;
  /** Advice to add to an error, as a sentence. */
  advice?(error: unknown): string | undefined;
}
