import fc from "fast-check";

// The same values in every run, so that a failure is due to what was changed. PROPERTY_SEED=… draws others.
export const FIXED_SEED = 20_251;
const given = process.env["PROPERTY_SEED"];

/**
 * A new one in each run (jest.config.cjs draws it), for properties that are worth the search; PROPERTY_SEED
 * repeats it.
 */
export const NEW_SEED = Number(given ?? process.env["NEW_PROPERTY_SEED"]);

/** `npm run test:long` makes all runs of the searches that jest.long.config.cjs names, `npm test` a third. */
export function runsOf(all: number): number {
  return process.env["SEARCH"] === "long" ? all : Math.ceil(all / 3);
}

fc.configureGlobal({ seed: Number(given ?? FIXED_SEED) });

export default fc;
