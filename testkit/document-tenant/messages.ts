import { type Fields } from "./contents";

export interface Request {
  method: string;
  host: string;
  /** Still escaped. */
  path: string;
  query: URLSearchParams;
  /** Without parameters, in lower case. */
  contentType: string;
  authorization: string;
  body: string;
}

export interface Answer {
  status: number;
  body?: unknown;
  /** Instead of a body of JSON. */
  text?: string;
  /** The content type, where it isn't the tenant's usual one of JSON. */
  type?: string;
  headers?: Record<string, string>;
}

export interface Operation {
  method: string;
  path: string;
  /** A token needs one of them; where there are none, any token will do. */
  scopes: readonly string[];
  bodyTypes: readonly string[];
  /** The status for a broken rule. */
  brokenRule: number;
  answer(call: Call): Answer;
}

/** A request that may call an operation, and whose body is of its types. */
export interface Call {
  id: string;
  query: URLSearchParams;
  body: Fields;
  /** What the token may do. */
  scopes: readonly string[];
}
