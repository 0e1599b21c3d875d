import { InvalidInputError } from "./errors";

/** Longer than any id of the service; a longer text is something else, pasted by mistake. */
const LONGEST_ID = 512;

/** The rule for ids that become part of a path, as a sentence for messages. */
export const PATH_ID_RULE = `must be an id of 1 to ${LONGEST_ID} characters without control characters, and not "." or ".."`;

/** True for a text that reaches the service as one path segment, whatever characters it holds. */
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
