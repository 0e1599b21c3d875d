import { STATUS_CODES } from "node:http";

/** An answer other than a success, in whatever shape the tenant has for it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** OAuth's own shape, which a token endpoint may have. */
    readonly isOAuth = false,
  ) {
    super(message);
  }
}

/** The request breaks a rule that the document states. The status is the operation's. */
export class BrokenRule extends Error {}

const oauth = ({ code, message }: Refusal) => ({ error: code, error_description: message });

/** Section 7: "The shape of the error body: not shown." It's JSON, as all bodies are. */
export const ERROR_SHAPES = {
  "statusCode, error, message": ({ status, message }) => ({
    statusCode: status,
    error: STATUS_CODES[status],
    message,
  }),
  "error, error_description": oauth,
  "error {message, code}": ({ message, code }) => ({ error: { message, code } }),
  error: ({ message }) => ({ error: message }),
  message: ({ message }) => ({ message }),
  "type, title, status, detail": ({ status, code, message }) => ({
    type: `https://errors.example.com/${code}`,
    title: STATUS_CODES[status],
    status,
    detail: message,
  }),
  "errors [{message}]": ({ message }) => ({ errors: [{ message }] }),
  "code, description": ({ code, message }) => ({ code, description: message }),
  text: ({ message }) => message,
  "{}": () => ({}),
} satisfies Record<string, (refusal: Refusal) => unknown>;

type ErrorShape = keyof typeof ERROR_SHAPES;

/** Returns the body of a refusal, and its content type unless that is the tenant's usual one. */
export function errorBody(shape: ErrorShape, refusal: Refusal): { body: unknown; type?: string } {
  if (refusal.isOAuth) return { body: oauth(refusal) };
  const body: unknown = ERROR_SHAPES[shape](refusal);
  return shape === "type, title, status, detail" ? { body, type: "application/problem+json" } : { body };
}

/** What a tenant says of an object that doesn't exist. */
export const MISSING_WORDS = {
  sentence: (kind) => `The ${kind} does not exist.`,
  phrase: (kind) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)} not found`,
  "with the ID": (kind, id) => `There is no ${kind} with ID "${id}"`,
  "the ID alone": (_kind, id) => id,
  status: () => "Not Found",
  code: (kind) => `inexistent_${kind.replace(" ", "_")}`,
} satisfies Record<string, (kind: string, id: string) => string>;

const PLAIN_BODIES = {
  none: () => undefined,
  "{}": () => ({}),
  null: () => null,
  "[]": () => [],
  message: () => ({ message: "The request was processed." }),
  success: () => ({ success: true }),
  status: () => ({ status: "ok" }),
  text: () => "ok",
  true: () => true,
  id: ({ id }: { id: string }) => ({ id }),
};

/** 4.3: "The numeric status code and the response body: not shown." */
export const ASSIGN_BODIES = {
  ...PLAIN_BODIES,
  groups: ({ groups }) => ({ groups }),
} satisfies Record<string, (done: { id: string; groups: string[] }) => unknown>;

/** 4.5: "Success status code and response body: not shown." */
export const DELETE_BODIES = {
  ...PLAIN_BODIES,
  "deleted: 1": () => ({ deleted: 1 }),
} satisfies Record<string, (done: { id: string }) => unknown>;

interface Page {
  items: unknown[];
  total: number;
  page: number;
  perPage: number;
}

/** 4.2: "an object that includes the total result count", of no shown shape. */
export const TOTALS_SHAPES = {
  "permissions, total, start, limit": ({ items, total, page, perPage }) => ({
    permissions: items,
    total,
    start: page * perPage,
    limit: perPage,
  }),
  "items, total": ({ items, total }) => ({ items, total }),
  "data, totalCount": ({ items, total }) => ({ totalCount: total, data: items }),
  "results, count": ({ items, total }) => ({ count: total, results: items }),
  "permissions, total_results": ({ items, total }) => ({ permissions: items, total_results: total }),
  "permissions, pagination {total}": ({ items, total, page, perPage }) => ({
    pagination: { total, page, per_page: perPage },
    permissions: items,
  }),
} satisfies Record<string, (page: Page) => unknown>;
