import { SAMPLE, SITUATIONS, testHandovers } from "./handover";

test("in the sample, each two values of two dimensions meet", () => {
  const pairsOf = (situations: readonly object[]) =>
    new Set(
      situations.flatMap((situation) => {
        const values = Object.entries(situation).map((entry) => JSON.stringify(entry));
        return values.flatMap((one, at) => values.slice(at + 1).map((other) => `${one} ${other}`));
      }),
    );
  expect(pairsOf(SAMPLE)).toEqual(pairsOf(SITUATIONS));
});

// handover.long.ts has the others.
testHandovers(SAMPLE);
