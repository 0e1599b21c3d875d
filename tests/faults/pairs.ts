import { type Cell, type Section } from "./matrix";

/** After these a request is sent again, so that a second fault can hit it. */
const REPEATED = new Set([
  ...["reset before processing", "reset after processing", "reset within the answer", "SSH in place of HTTP"],
  ...["401", "408", "429", "502", "503", "504", "521", "524", "429 as HTML", "503 as HTML", "504, processed"],
]);
/** Those that would keep a pair waiting for seconds. */
const SLOW = new Set(["hang", "late", "drip", "endless", "delay"]);

/** Two different faults in a row at one request: so many of all the pairs, drawn by a seed. */
export function pairsOf(sections: readonly Section[], count: number, seed: number): Cell[] {
  const random = drawnFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const usable = sections
    .map((section) => section.cells.filter(isQuick))
    .map((cells) => ({ cells, firsts: cells.filter(({ kind }) => REPEATED.has(kind.name)) }))
    .filter(({ firsts }) => firsts.length > 0);
  const pairs = new Map<string, Cell>();
  for (let drawn = 0; drawn < 20 * count && pairs.size < count; drawn++) {
    const { cells, firsts } = pick(usable);
    const first = pick(firsts);
    const { kind: then } = pick(
      cells.filter(({ place, kind }) => place === first.place && kind !== first.kind),
    );
    const name = first.name.replace(/ \/ once$/, `, then ${then.name} / once`);
    pairs.set(name, { ...first, then, name });
  }
  return [...pairs.values()];
}

function isQuick({ kind, place, times }: Cell): boolean {
  const action = kind.action?.(place);
  return times === "once" && action !== undefined && !Object.keys(action).some((name) => SLOW.has(name));
}

function drawnFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
