import type * as z from "../zod";
import { type IdentityClient } from "../http/client";

/** Asks the service, or shares the answer that this run has for the same question. */
export type Ask = <Answer>(question: unknown[], send: () => Promise<Answer>) => Promise<Answer>;

/** A question to the tenant that a program asks, in previews too. */
export interface DataSource<Args extends object, Answer, Result = Answer> {
  name: string;
  schema: z.ZodType<Args>;
  read(client: IdentityClient, args: Args, ask: Ask): Promise<Answer>;
  /** Makes the result of what `read`, or a mock, answered; marks what is secret. Default: the answer. */
  result?(answer: Answer, args: Args): Result;
  /** Makes the whole answer a secret for languages that can't mark a part of it. Default: false. */
  isSecret?(args: Args): boolean;
  /** A sentence of advice on an error. */
  advice?(error: unknown): string | undefined;
}
