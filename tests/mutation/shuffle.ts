import fc from "fast-check";

/** Returns the same order for the same seed: a sample is its first elements. */
export function shuffled<Element>(elements: readonly Element[], seed: number): Element[] {
  const all = elements.length;
  const arbitrary = fc.shuffledSubarray([...elements], { minLength: all, maxLength: all });
  return fc.sample(arbitrary, { seed, numRuns: 1 })[0] ?? [];
}
