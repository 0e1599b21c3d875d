import fc from "fast-check";

// The same values in every run, so that only a change can make it fail. PROPERTY_SEED=… draws others.
export const FIXED_SEED = 20_251;
const given = process.env["PROPERTY_SEED"];

/**
 * New in each run (jest.config.cjs draws it), for properties that are worth the search; PROPERTY_SEED repeats
 * it.
 */
export const NEW_SEED = Number(given ?? process.env["NEW_PROPERTY_SEED"]);

/** True in `npm run test:long`, for searches named in tests/searches.cjs. */
export const isLong = process.env["SEARCH"] === "long";

/**
 * Returns all runs in `npm run test:long` for searches named in tests/searches.cjs, and a sixth in `npm
 * test`.
 */
export function runsOf(all: number): number {
  return isLong ? all : Math.ceil(all / 6);
}

/** True for every case in `npm run test:long`, and for one in so many of those numbered in `npm test`. */
export function isInTurn(number: number, ofSoMany: number): boolean {
  return isLong || number % ofSoMany === 0;
}

fc.configureGlobal({ seed: Number(given ?? FIXED_SEED) });

export default fc;
