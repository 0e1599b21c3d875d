import fc, { FIXED_SEED, NEW_SEED, runsOf } from "../../testkit/properties";

let cases = 0;

/**
 * Tries a property on as many cases as given, in `npm test` on a third of them. Half are the same in every
 * run, half are new. A failure prints the seed, and `PROPERTY_SEED=<seed>` repeats it.
 */
export async function search<Case>(
  given: number,
  arbitrary: fc.Arbitrary<Case>,
  holds: (value: Case) => void | Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    cases++;
    await holds(value);
  });
  for (const seed of [FIXED_SEED, NEW_SEED])
    await fc.assert(property, { seed, numRuns: Math.ceil(runsOf(given) / 2) });
}

/** Call it once per file: prints the number of cases tried, and fails if it's too low. */
export function expectCases(all: number): void {
  const least = runsOf(all);
  test(`at least ${least} cases are tried`, () => expect(cases).toBeGreaterThanOrEqual(least));
  afterAll(() => process.stdout.write(`${cases} cases, half of them with the new seed ${NEW_SEED}\n`));
}
