import type * as z from "../zod";

/**
 * The most entries in all lists of an answer that the shape checks. No page of the service has more than 100.
 */
export const MOST_ENTRIES_PER_ANSWER = 2_000;
/** No value of the service comes near this; deeper ones would overflow the stack of recursive functions. */
export const MOST_LEVELS = 100;
const MOST_PROBLEMS = 3;

/**
 * Returns the answer's value if it has the promised shape, or else the problem, never quoting the value.
 * `isOther`: it's the record of another object.
 */
export function parseAnswer<Value>(
  shape: z.ZodType<Value>,
  body: string,
  /** The record must have this id, which the call asked for. */
  id?: string,
): { value: Value } | { problem: string; isOther?: true } {
  const json = parseJson(body);
  if (json === undefined) return { problem: "not JSON (HTML?)" };
  if (isDeeperThan(MOST_LEVELS, json)) return { problem: `nested deeper than ${MOST_LEVELS} levels` };
  if (isError(json)) return { problem: "an error, which belongs to an error status" };
  // A mismatch costs time per problem: a few megabytes of wrong entries would take minutes.
  if (countEntries(shape, json) > MOST_ENTRIES_PER_ANSWER) {
    return { problem: `more than ${MOST_ENTRIES_PER_ANSWER} entries in one answer` };
  }
  const parsed = shape.safeParse(json);
  if (!parsed.success) return { problem: mismatches(parsed.error) };
  if (id !== undefined && hasOwnId(shape) && holdsAnotherId(json, id))
    return { problem: "id: not the one that was asked for", isOther: true };
  return { value: parsed.data };
}

/** Undefined if the text isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isDeeperThan(levels: number, json: unknown): boolean {
  if (typeof json !== "object" || json === null) return false;
  return levels === 0 || Object.values(json).some((child) => isDeeperThan(levels - 1, child));
}

/** True for `{"statusCode": 403, …}`, which would fit any shape with only optional fields. */
function isError(json: unknown): boolean {
  const { statusCode } = (json ?? {}) as { statusCode?: unknown };
  return typeof statusCode === "number" && statusCode >= 400;
}

/** A user may have a further field of that name, which means something else. */
function hasOwnId(shape: z.ZodType): boolean {
  return "id" in ((shape.def as ShapeDefinition).shape ?? {});
}

function holdsAnotherId(json: unknown, id: string): boolean {
  const found = (json as { id?: unknown }).id;
  return typeof found === "string" && found !== id;
}

function mismatches({ issues }: z.ZodError): string {
  return issues
    .slice(0, MOST_PROBLEMS)
    .flatMap(mostTelling)
    .slice(0, MOST_PROBLEMS)
    .map((issue) => `${issue.path.length === 0 ? "the body" : issue.path.join(".")}: ${issueProblem(issue)}`)
    .join("; ");
}

/** Returns the schema's own words, except for missing values. */
export function issueProblem({ message }: z.core.$ZodIssue): string {
  return /^Invalid input: .*received undefined$/.test(message) ? "missing" : message;
}

/** Of several shapes, the deepest mismatch is the best fit. */
function mostTelling(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const depth = (issues: readonly z.core.$ZodIssue[]) => issues[0]?.path.length ?? 0;
  const [best] = [...issue.errors].sort((a, b) => depth(b) - depth(a));
  if (best === undefined || depth(best) === 0) return [issue];
  return best.slice(0, MOST_PROBLEMS).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

interface ShapeDefinition {
  type: string;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  options?: readonly z.ZodType[];
  innerType?: z.ZodType;
}

/** Counts the entries of all lists that a shape checks; free-form ones don't count. */
function countEntries(shape: z.ZodType, json: unknown): number {
  const { element, shape: fields, options, innerType } = shape.def as ShapeDefinition;
  if (innerType !== undefined) return countEntries(innerType, json);
  if (options !== undefined) return Math.max(...options.map((option) => countEntries(option, json)));
  if (element !== undefined && Array.isArray(json)) {
    return sum([json.length, ...json.map((entry) => countEntries(element, entry))]);
  }
  if (fields === undefined || typeof json !== "object" || json === null) return 0;
  const values = json as Record<string, unknown>;
  return sum(Object.entries(fields).map(([key, field]) => countEntries(field, values[key])));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
