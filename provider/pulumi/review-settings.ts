/*
 * The two settings that hold a run to its review. A program must not choose them where the environment does, which wins over
 * the arguments of an explicit provider, too.
 */

const FILE = "IDENTITY_REVIEW_FILE";
const REQUIREMENT = "IDENTITY_REQUIRE_REVIEW";

/** What the environment says to an explicit provider, which takes exactly what it is given otherwise. */
export function environmentOfProviders(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { [FILE]: environment[FILE], [REQUIREMENT]: environment[REQUIREMENT] };
}

/** Whether a file that the environment does not name must not count: who requires a review there says which. */
export function isForeignReview(environment: NodeJS.ProcessEnv): boolean {
  return requiredReview(environment[REQUIREMENT]) !== false && (environment[FILE] ?? "").trim() === "";
}

/** Whether nothing may be written without a review, or the SHA-256 that its file must have. */
export function requiredReview(text = ""): boolean | string {
  const value = normalized(text);
  if (value === "" || value === "false") return false;
  return SHA_256.test(value) ? value : true;
}

export const REQUIREMENT_RULE = "must be true, false or the SHA-256 of the review's file";

export function isRequirement(text: string): boolean {
  const value = normalized(text);
  return value === "true" || value === "false" || SHA_256.test(value);
}

const SHA_256 = /^[0-9a-f]{64}$/;

function normalized(text: string): string {
  return text.trim().toLowerCase();
}
