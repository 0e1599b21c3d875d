import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAMILY_NAMES } from "./faults";
import { type Cell, type Result } from "./matrix";

interface Meaning {
  /** Stands for the class in golden/. */
  letter: string;
  meaning: string;
}

/** The possible results of an operation hit by a fault, by their names in docs/reliability.md. */
export const CLASSES = {
  unaffected: { letter: "u", meaning: "The operation succeeds with the requests that it always sends." },
  retried: { letter: "r", meaning: "It succeeds; a request was sent again, or another one in its place." },
  looked: { letter: "l", meaning: "It succeeds, once it has read what had become of a request." },
  line: { letter: "i", meaning: "It succeeds; a line of the preview says what could not be read." },
  gone: {
    letter: "g",
    meaning: "It succeeds; the service said that the object does not exist, so state drops it.",
  },
  error: { letter: "e", meaning: "An error. State holds what the tenant holds." },
  partial: {
    letter: "p",
    meaning:
      "An error. State records what was done and notes what is not known; the next run finishes the rest.",
  },
  resolved: {
    letter: "s",
    meaning: "An error. What became of the request can't be known; the next run finds out by itself.",
  },
  adopt: {
    letter: "a",
    meaning:
      "An error. A profile may have been made; the message, or that of the next run, says how to adopt it.",
  },
} as const satisfies Record<string, Meaning>;
export type Class = keyof typeof CLASSES;

/**
 * The outcome of each cell by operation and request: a word for each family of faults, with a letter for each
 * cell, or `-`.
 */
export type Outcomes = Record<string, Record<string, string>>;

const NONE = "-";
const CLASS_OF = new Map(
  Object.entries(CLASSES).map(([name, { letter }]) => [letter as string, name as Class]),
);

/** Groups cells or their results as the words of the golden file do. */
function wordsOf<Item>(items: readonly Item[], cellOf: (item: Item) => Cell): Map<string, Item[]> {
  const words = new Map<string, Item[]>();
  for (const item of items) {
    const { section, place, family } = cellOf(item);
    const key = JSON.stringify([section.title, place.label, family]);
    words.set(key, [...(words.get(key) ?? []), item]);
  }
  return words;
}

/** `results`: in the order of their cells. */
export function outcomesOf(results: readonly Result[]): Outcomes {
  const outcomes: Outcomes = {};
  for (const [key, own] of wordsOf(results, ({ cell }) => cell)) {
    const [title, label, family] = JSON.parse(key) as [string, string, string];
    const requests = (outcomes[title] ??= {});
    const words = requests[label]?.split(" ") ?? FAMILY_NAMES.map(() => NONE);
    words[FAMILY_NAMES.indexOf(family)] = own.map((result) => CLASSES[result.class].letter).join("");
    requests[label] = words.join(" ");
  }
  return outcomes;
}

/** Returns the recorded class of each cell; none for the cells of a word that has other cells by now. */
export function recordedOf(outcomes: Outcomes, cells: readonly Cell[]): Map<Cell, Class> {
  const recorded = new Map<Cell, Class>();
  for (const own of wordsOf(cells, (cell) => cell).values()) {
    const [{ section, place, family }] = own as [Cell];
    const word = outcomes[section.title]?.[place.label]?.split(" ")[FAMILY_NAMES.indexOf(family)] ?? "";
    if (word.length !== own.length) continue;
    own.forEach((cell, i) => {
      const name = CLASS_OF.get(word[i] as string);
      if (name !== undefined) recorded.set(cell, name);
    });
  }
  return recorded;
}

const GOLDEN = join(__dirname, "golden");
const fileOf = (part: string) => join(GOLDEN, `${part}.json`);

/** Returns the recorded outcomes of a part of the matrix. */
export function readOutcomes(part: string): Outcomes {
  return existsSync(fileOf(part)) ? (JSON.parse(readFileSync(fileOf(part), "utf8")) as Outcomes) : {};
}

export function writeOutcomes(part: string, outcomes: Outcomes): void {
  writeFileSync(fileOf(part), `${JSON.stringify(outcomes, null, 2)}\n`);
}

/** Returns the letters of all cells by family: a list of words for each request. */
function recordedWords(): string[][] {
  return readdirSync(GOLDEN)
    .flatMap((file) => Object.values(readOutcomes(file.replace(/\.json$/, ""))))
    .flatMap((requests) => Object.values(requests))
    .map((text) => text.split(" ").map((word) => (word === NONE ? "" : word)));
}

/** Returns the number of cells. */
export function countCells(): number {
  return recordedWords().flat().join("").length;
}

/** Returns the table of docs/reliability.md: a row for each class, with its cells by family of faults. */
export function outcomesTable(): string[] {
  const words = recordedWords();
  const count = (letter: string, families: readonly number[]) => {
    const cells = words.flatMap((row) => families.flatMap((family) => [...(row[family] ?? "")]));
    return cells.filter((each) => each === letter).length.toLocaleString("en");
  };
  const all = FAMILY_NAMES.map((_, family) => family);
  const header = ["Outcome", "What it means", "Cells", ...FAMILY_NAMES];
  const rows = Object.entries(CLASSES).map(([name, { letter, meaning }]) => [
    `\`${name}\``,
    meaning,
    count(letter, all),
    ...all.map((family) => count(letter, [family])),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [header, header.map((_, i) => (i < 2 ? "---" : "--:")), ...rows].map(line);
}
