import { FIXED_SEED, NEW_SEED } from "../../testkit/properties";
import { type Surroundings } from "./cell";
import { type Cell, type Result, runAll, type Section } from "./matrix";
import { type Operation, OPERATIONS } from "./operations";

/** After these, the client sends the request again, so that a second fault can hit it. */
const REPEATED = new Set([
  ...["reset before processing", "reset after processing", "reset within the answer", "SSH in place of HTTP"],
  ...["401", "408", "429", "502", "503", "504", "521", "524", "429 as HTML", "503 as HTML", "504, processed"],
]);
/** Faults that would keep a pair waiting for seconds. */
const SLOW = new Set(["hang", "late", "drip", "endless", "delay"]);

/** Doubtful cells are repeated with this many at once; if that doesn't settle it, with fewer. */
export const FEW_AT_ONCE = [20, 3];

/**
 * Two different faults in a row on one request: this many of all the pairs, half of them drawn anew in each
 * run.
 */
export async function runPairs(
  sections: readonly Section[],
  surroundings: Surroundings,
  count: number,
  /** Text in the names of the wanted pairs. */
  only = "",
): Promise<Result[]> {
  const pairs = [FIXED_SEED, NEW_SEED]
    .flatMap((seed) => pairsOf(sections, count / 2, seed))
    .filter(({ name }) => name.includes(only));
  return runPatiently("pairs of faults", pairs, surroundings);
}

/** This many operations, half of them drawn anew in each run; none that waits for a lost answer by itself. */
export function drawOperations(count: number): Operation[] {
  const quick = OPERATIONS.filter(({ base }) => base === undefined);
  const drawn = [FIXED_SEED, NEW_SEED].flatMap((seed) => {
    const random = drawnFrom(seed);
    return Array.from({ length: count / 2 }, () => quick[Math.floor(random() * quick.length)] as Operation);
  });
  return [...new Set(drawn)];
}

/** This many single faults out of the whole matrix, half of them drawn anew in each run. */
export async function runSample(
  sections: readonly Section[],
  surroundings: Surroundings,
  count: number,
): Promise<Result[]> {
  const cells = sections.flatMap((section) => section.cells);
  const drawn = [FIXED_SEED, NEW_SEED].flatMap((seed) => {
    const random = drawnFrom(seed);
    return Array.from({ length: count / 2 }, () => cells[Math.floor(random() * cells.length)] as Cell);
  });
  return runPatiently("single faults", [...new Set(drawn)], surroundings);
}

/**
 * Repeats cells with problems with fewer at once: on a busy machine, a request can time out for no fault of
 * its own.
 */
async function runPatiently(
  what: string,
  cells: readonly Cell[],
  surroundings: Surroundings,
): Promise<Result[]> {
  const start = performance.now();
  let left = cells;
  const fine: Result[] = [];
  let bad: Result[] = [];
  for (const mostAtOnce of [undefined, ...FEW_AT_ONCE]) {
    const results: Result[] = [];
    await runAll(left, surroundings, (result) => results.push(result), mostAtOnce);
    bad = results.filter(({ problems }) => problems.length > 0);
    fine.push(...results.filter(({ problems }) => problems.length === 0));
    left = bad.map(({ cell }) => cell);
  }
  const all = [...fine, ...bad];
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(
    `${all.length.toLocaleString("en")} ${what} in ${seconds} s, half of them with the seed ${NEW_SEED}\n`,
  );
  return all;
}

/** Each with the command that repeats it. `file`: the long test that also has the cell. */
export function problemTexts(results: readonly Result[], file: "matrix" | "pairs"): string {
  return results
    .flatMap(({ cell, problems }) =>
      problems.map(
        (problem) =>
          `${problem}\n  PROPERTY_SEED=${NEW_SEED} FAULT_CELL=${JSON.stringify(cell.name)} npm run test:long -- faults/${file}`,
      ),
    )
    .join("\n");
}

function pairsOf(sections: readonly Section[], count: number, seed: number): Cell[] {
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
