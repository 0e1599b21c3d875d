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
const CLASSES = {
  unaffected: { letter: "u", meaning: "It succeeds with the usual requests." },
  retried: { letter: "r", meaning: "It succeeds; it sent a request again, or another one." },
  looked: { letter: "l", meaning: "It succeeds, once it has read what became of a request." },
  line: { letter: "i", meaning: "It succeeds; the preview says what it couldn't read." },
  gone: {
    letter: "g",
    meaning: "It succeeds; the service says that the object is gone.",
  },
  error: { letter: "e", meaning: "An error. State holds what the tenant holds." },
  partial: {
    letter: "p",
    meaning: "An error. State has what was done; the next run does the rest.",
  },
  resolved: {
    letter: "s",
    meaning: "An error. The next run finds out what was done.",
  },
  adopt: {
    letter: "a",
    meaning: "An error. There may be a profile; a message says how to adopt it.",
  },
} as const satisfies Record<string, Meaning>;
export type Class = keyof typeof CLASSES;

/**
 * The outcome of each cell by operation and request: a word for each family of faults, with a letter for each
 * cell, or `-`.
 */
type Outcomes = Record<string, Record<string, string>>;

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

/** Returns the table of docs/reliability.md: a row for each class, with its cells. */
export function outcomesTable(): string[] {
  const letters = recordedWords().flat().join("");
  const rows = Object.entries(CLASSES).map(([name, { letter, meaning }]) => [
    `\`${name}\``,
    meaning,
    (letters.split(letter).length - 1).toLocaleString("en"),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [["Outcome", "What it means", "Cells"], ["---", "---", "--:"], ...rows].map(line);
}
