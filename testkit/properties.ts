import fc from "fast-check";

// The same values in every run, so that only a change can make it fail. PROPERTY_SEED=… draws others.
export const FIXED_SEED = 20_251;
const given = process.env["PROPERTY_SEED"];

/**
 * New in each run (jest.config.cjs draws it), for properties that are worth the search; PROPERTY_SEED repeats
 * it.
 */
export const NEW_SEED = Number(given ?? process.env["NEW_PROPERTY_SEED"]);

/** How much of the searches named in tests/searches.cjs a run takes: see there. */
const search = process.env["SEARCH"];

/** True in `npm run test:long`, and for the long tests of `npm run check`. */
export const isLong = search === "long" || search === "half";

/** Returns all runs in `npm run test:long`, half in `npm run check`, and a sixth in `npm test`. */
export function runsOf(all: number): number {
  if (search === "long") return all;
  return Math.ceil(all / (search === "half" ? 2 : 6));
}

/**
 * True for every numbered case in `npm run test:long`, for those of one half in `npm run check`, whose seed
 * says which, and for one in so many in `npm test`.
 */
export function isInTurn(number: number, ofSoMany: number): boolean {
  if (search === "half") return (number + NEW_SEED) % 2 === 0;
  return search === "long" || number % ofSoMany === 0;
}

fc.configureGlobal({ seed: Number(given ?? FIXED_SEED) });

export default fc;
