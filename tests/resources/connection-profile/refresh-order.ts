import fc from "../../../testkit/properties";

export const PER_PAGE = 10;

/** A stack's profiles by their places in the tenant's list, in the order in which the engine reads them. */
export interface Refresh {
  asks: number[];
  /** Profiles on the tenant. */
  listed: number;
  /** The most reads in flight, one number after the other, repeated endlessly. */
  bursts: number[];
}

export const pagesOf = ({ listed }: Pick<Refresh, "listed">) => Math.ceil(listed / PER_PAGE);

/** Places of `count` profiles among `listed`. */
export const PLACES = {
  first: (count: number) => range(count),
  last: (count: number, listed: number) => range(count).map((i) => listed - count + i),
  even: (count: number, listed: number) => range(count).map((i) => Math.floor((i * listed) / count)),
  clustered: (count: number, listed: number) =>
    // Groups of seven, as far apart as they can be.
    range(count).map(
      (i) => (i % 7) + Math.floor(i / 7) * Math.max(7, Math.floor(listed / Math.ceil(count / 7))),
    ),
};

export const ORDERS = {
  "of the list": (places: number[]) => places,
  "from the end": (places: number[]) => [...places].reverse(),
  mixed: (places: number[], seed: number) => shuffled(places, seed),
};

export function refreshOf(
  count: number,
  listed: number,
  { places = "first", order = "of the list", parallel = 16, seed = 1 }: Partial<RefreshShape> = {},
): Refresh {
  const at = PLACES[places](count, listed).map((place) => Math.min(place, listed - 1));
  const distinct = new Set(at);
  // Some of the clustered ones meet at the end of the list.
  for (let place = 0; distinct.size < count; place++) distinct.add(place);
  const inList = [...distinct].sort((a, b) => a - b);
  return { asks: ORDERS[order](inList, seed), listed, bursts: [parallel] };
}

export interface RefreshShape {
  places: keyof typeof PLACES;
  order: keyof typeof ORDERS;
  parallel: number;
  seed: number;
}

const parallels = fc.oneof(fc.constantFrom(1, 2, 8, 16, 100, Infinity), fc.integer({ min: 1, max: 64 }));

/** Any refresh of up to `most` profiles among up to a hundred times as many. */
export function refreshes(most: number): fc.Arbitrary<Refresh> {
  const counts = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: most }));
  const others = fc.oneof(
    fc.constant(1),
    fc.double({ min: 1, max: 10, noNaN: true }),
    fc.integer({ min: 1, max: 100 }),
  );
  return fc
    .record({
      count: counts,
      times: others,
      places: fc.constantFrom(...(Object.keys(PLACES) as RefreshShape["places"][])),
      order: fc.constantFrom(...(Object.keys(ORDERS) as RefreshShape["order"][])),
      bursts: fc.array(parallels, { minLength: 1, maxLength: 4 }),
      seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
    })
    .map(({ count, times, bursts, ...shape }) => ({
      ...refreshOf(count, Math.max(count, Math.floor(count * times)), shape),
      bursts,
    }));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** The same order for the same seed. */
function shuffled(items: readonly number[], seed: number): number[] {
  let random = seed;
  const keyed = items.map((item) => [(random = (random * 48_271) % (2 ** 31 - 1)), item] as const);
  return keyed.sort((a, b) => a[0] - b[0]).map(([, item]) => item);
}
