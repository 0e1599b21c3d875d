import { prettifyError, type z } from "zod";

/** The simulator got invalid input; the message names each wrong path. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
}

/** @param what Begins the sentence of the error: "The seed". */
export function parseInput<T extends z.ZodType>(what: string, schema: T, input: z.input<T>): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new InvalidInputError(`${what} can't be used:\n${problemsIn(result.error)}`);
}

/** A mistake is often the same one in each of a hundred records. */
const MOST_PROBLEMS = 10;

export function problemsIn({ issues }: z.ZodError): string {
  const left = issues.length - MOST_PROBLEMS;
  const outermostFirst = [...issues].sort((one, other) => one.path.length - other.path.length);
  return [
    prettifyError({ issues: outermostFirst.slice(0, MOST_PROBLEMS) }),
    ...(left > 0 ? [`and ${left} more`] : []),
  ].join("\n");
}
