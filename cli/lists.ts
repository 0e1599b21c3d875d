export { optional } from "../provider/sentence";

/** Undefined for an empty list, which JSON then leaves out. */
export function unlessEmpty<Item>(items: readonly Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** Returns the items of which there is any: `anyOf([2, "managed"], [0, "by hand"])` is `["managed"]`. */
export function anyOf<Item>(
  ...counted: readonly (readonly [amount: number | boolean, item: Item])[]
): Item[] {
  return counted.filter(([amount]) => Number(amount) > 0).map(([, item]) => item);
}

/** Sorts the same way on every machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compare);
}
