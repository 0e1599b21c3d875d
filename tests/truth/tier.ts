import { catchLines } from "../../testkit/hosts/host-in-process";
import { FIXED_SEED, NEW_SEED } from "../../testkit/properties";
import { type Found, RARE, type Search, search } from "./truth";

/*
 * Random worlds; `npm run truth` runs thousands. A failing one is printed. `npm test` takes the
 * first worlds of each seed, `npm run test:long` the following ones.
 */

/** A seed's worlds: the first one, and how many. */
type Worlds = [from: number, count: number];

const TIMEOUT_MS = 30 * 60_000;

export function testWorlds({ fixed, fresh, changed }: Record<"fixed" | "fresh" | "changed", Worlds>): void {
  const [fixedSeed, newSeed] = [FIXED_SEED * 1000, NEW_SEED % 2 ** 30];
  catchLines();

  const hold = async ([from, worlds]: Worlds, seed: number, more: Partial<Search>): Promise<Found> => {
    const found = await search({ worlds, seed: seed + from, ...more });
    if (found.failed.length > 0) throw new Error(found.failed.map(({ text }) => text).join("\n"));
    expect(found.worlds).toBe(worlds);
    return found;
  };

  test(
    `what a review said is what was sent, in the worlds of the fixed seed (${fixedSeed})`,
    () => hold(fixed, fixedSeed, {}),
    TIMEOUT_MS,
  );

  test(
    `what a review said is what was sent, in the worlds of a new seed (${newSeed})`,
    () => hold(fresh, newSeed, { without: RARE }),
    TIMEOUT_MS,
  );

  // `npm run truth -- --changed` runs 500.
  test(
    `nothing is sent outside the review, whatever happens between the two (${fixedSeed}, ${newSeed})`,
    async () => {
      const { outcomes } = await hold(changed, fixedSeed, { changed: true });
      // A few worlds of a new seed may all have one outcome.
      expect(outcomes["applied"]).toBeGreaterThan(0);
      expect(outcomes["refused"]).toBeGreaterThan(0);
      await hold(changed, newSeed, { changed: true });
    },
    TIMEOUT_MS,
  );
}
