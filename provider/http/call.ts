import type * as z from "../zod";
import { type CallName, InvalidInputError } from "./errors";
import { type HttpRequest } from "./transport";

export interface Call<Answer> {
  method: HttpRequest["method"];
  /** Below `/api/v2`, with `{name}` for each id: `/connection-profiles/{id}`. A 404 is about this object. */
  path: string;
  /** Ids for the path, percent-encoded here. A record that comes back must have the `id` asked for. */
  ids?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Shape of a 2xx answer; undefined if none is promised. */
  answer?: z.ZodType<Answer>;
  /** A 404 only tells the program that there is no such object: nothing is dropped from state. */
  isLookUp?: true;
  /**
   * The source document doesn't have this call. A tenant that has it also has this list: `/roles`. Where both
   * are 404, it's not the object that is missing.
   */
  list?: string;
  /** Any one of these scopes is enough; named in the message when none is granted. */
  scopes: readonly string[];
}

const API_PATH = "/api/v2";

/**
 * Returns the call's name for messages, with the ids; throws an `InvalidInputError` for an id that no path
 * can hold.
 */
export function callName({ method, path, ids }: Call<unknown>): CallName {
  return { method, path: path.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(ids?.[name])) };
}

export function targetOf({ query }: Call<unknown>, name: CallName): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return API_PATH + name.path;
  const text = new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, String(value)]));
  return `${API_PATH}${name.path}?${text.toString()}`;
}

/** Returns the body as sent; throws an `InvalidInputError`. */
export function bodyOf({ method, path, body }: Call<unknown>): string | undefined {
  try {
    return body === undefined ? undefined : JSON.stringify(body);
  } catch {
    throw new InvalidInputError(`The body of ${method} ${path} can't be written as JSON.`);
  }
}

export function namesObject({ path }: Call<unknown>): boolean {
  return path.includes("{");
}

/** True if a 404 may take the object out of state. */
export function isDeciding({ method, isLookUp }: Call<unknown>): boolean {
  return (method === "GET" || method === "DELETE") && isLookUp !== true;
}

/** Groups calls by endpoints that may have their own bucket: `DELETE device-credentials`. */
export function endpointGroup({ method, path }: Call<unknown>): string {
  return `${method} ${path.split("/")[1]}`;
}

/** Longer than any id of the service; anything longer was pasted by mistake. */
const LONGEST_ID = 512;

export const PATH_ID_RULE = `must be an id of 1 to ${LONGEST_ID} characters without control characters, and not "." or ".."`;

/** True if a text reaches the service as one path segment, whatever characters it contains. */
export function isPathId(id: string): boolean {
  // "." and ".." would be resolved away, and a lone surrogate can't be encoded.
  return id.length > 0 && id.length <= LONGEST_ID && id.trim() === id && !/^\.\.?$|\p{Cc}|\p{Cs}/u.test(id);
}

/** Percent-encodes an id for a path; throws an `InvalidInputError`. */
export function pathSegment(id: string | undefined): string {
  if (id === undefined || !isPathId(id)) {
    throw new InvalidInputError(`An id for the path ${PATH_ID_RULE}; received ${JSON.stringify(id)}.`);
  }
  return encodeURIComponent(id);
}
