import { prettifyError, type z } from "zod";

/** The simulator got invalid input; the message names each wrong path. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
}

/** @param what Begins the sentence of the error: "The seed". */
export function parseInput<T extends z.ZodType>(what: string, schema: T, input: z.input<T>): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new InvalidInputError(`${what} can't be used:\n${prettifyError(result.error)}`);
}
