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
  /** Whether an answer is secret as a whole where no program can mark a part of it. Default: it is not. */
  isSecret?(args: Args): boolean;
  /** What else the caller can do about an error, as a sentence. */
  advice?(error: unknown): string | undefined;
}
