import { STATUS_CODES } from "node:http";
import { type z } from "zod";

/** An error answer of the service: `{statusCode, error, message, errorCode?}`. */
export class ApiError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
    readonly errorCode?: string,
  ) {
    super(message);
  }

  /** The body as sent. */
  get body(): object {
    return {
      statusCode: this.statusCode,
      error: STATUS_CODES[this.statusCode] ?? "Unknown",
      message: this.message,
      ...(this.errorCode === undefined ? {} : { errorCode: this.errorCode }),
    };
  }
}

const sections = {
  body: { prefix: "Payload validation error", errorCode: "invalid_body" },
  query: { prefix: "Query validation error", errorCode: "invalid_query_string" },
};

/** Checks a request body or query string, and answers 400 with the service's own wording if it is wrong. */
export function validate<T extends z.ZodType>(
  schema: T,
  input: unknown,
  section: keyof typeof sections,
): z.output<T> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { prefix, errorCode } = sections[section];
  const { problem, property } = describe(result.error.issues[0]!, input);
  const where = property === "" ? "" : ` on property ${property}`;
  throw new ApiError(400, `${prefix}: '${problem}'${where}.`, errorCode);
}

function describe(issue: z.core.$ZodIssue, input: unknown): { problem: string; property: string } {
  const property = issue.path.join(".");
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], input);
  switch (issue.code) {
    case "unrecognized_keys":
      return {
        problem: `Additional properties not allowed: ${issue.keys.join(",")}`,
        property: [...issue.path, issue.keys[0]!].join("."),
      };
    case "invalid_type":
      return value === undefined
        ? { problem: `Missing required property: ${String(issue.path.at(-1) ?? "body")}`, property }
        : {
            problem: `Expected type ${typeNames[issue.expected] ?? issue.expected} but found type ${typeOf(value)}`,
            property,
          };
    case "too_big":
      return {
        problem: beyond(issue.origin, value, ["long", "greater"], `maximum ${issue.maximum}`),
        property,
      };
    case "too_small":
      return {
        problem: beyond(issue.origin, value, ["short", "less"], `minimum ${issue.minimum}`),
        property,
      };
    case "invalid_format":
      return { problem: `String does not match pattern ${issue.pattern ?? issue.format}`, property };
    case "invalid_value":
      return { problem: `No enum match for: ${JSON.stringify(value)}`, property };
    default:
      return { problem: issue.message, property };
  }
}

function beyond(origin: string, value: unknown, [size, than]: [string, string], bound: string): string {
  // In a query, numbers are texts.
  if (typeof value === "string" && origin !== "number")
    return `String is too ${size} (${Array.from(value).length} chars), ${bound}`;
  if (Array.isArray(value)) return `Array is too ${size} (${value.length}), ${bound}`;
  return `Value ${String(value)} is ${than} than ${bound}`;
}

/** All numbers of this service are whole. */
const typeNames: Record<string, string> = { int: "integer", number: "integer" };

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
