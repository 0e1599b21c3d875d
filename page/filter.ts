import { type Cell, type Kind, type View } from "./view";

/** A reader's selection; empty: all. */
export interface Filter {
  text: string;
  kinds: ReadonlySet<Kind>;
  /** Indices. */
  row: number | undefined;
  column: number | undefined;
  stack: string;
  person: string;
}

export const NO_FILTER: Filter = {
  text: "",
  kinds: new Set(),
  row: undefined,
  column: undefined,
  stack: "",
  person: "",
};

export function isFiltered({ text, kinds, row, column, stack, person }: Filter): boolean {
  return (
    text !== "" ||
    kinds.size > 0 ||
    row !== undefined ||
    column !== undefined ||
    stack !== "" ||
    person !== ""
  );
}

export interface Shown {
  /** By row, column and cell. */
  rows: boolean[];
  columns: boolean[];
  cells: boolean[];
  /** Number of cells. */
  count: number;
}

/** Texts to search, in lower case, made once. */
interface Texts {
  rows: string[];
  columns: string[];
  cells: string[];
  people: string[];
}

export class Filters {
  readonly #texts: Texts;

  constructor(private readonly view: View) {
    const permissions = (row: View["rows"][number]) =>
      (row.permissions ?? []).map(({ name }) => name).join(" ");
    this.#texts = {
      rows: view.rows.map((row) => `${row.name} ${row.id} ${permissions(row)}`.toLowerCase()),
      columns: view.columns.map((column) => `${column.name} ${column.id}`.toLowerCase()),
      cells: view.cells.map((cell) =>
        `${cell.why} ${cell.facts.map(({ text }) => text).join(" ")}`.toLowerCase(),
      ),
      people: view.cells.map(({ people }) => (people?.ids ?? []).join("\n").toLowerCase()),
    };
  }

  shown(filter: Filter): Shown {
    const { rows, columns, cells } = this.view;
    if (!isFiltered(filter))
      return {
        rows: rows.map(() => true),
        columns: columns.map(() => true),
        cells: cells.map(() => true),
        count: cells.length,
      };
    const test = this.#test(filter);
    const result: Shown = {
      rows: rows.map((_, row) => this.#isRowNamed(row, filter)),
      columns: columns.map(() => false),
      cells: cells.map(test),
      count: 0,
    };
    cells.forEach(({ row, column }, index) => {
      if (result.cells[index] !== true) return;
      result.rows[row] = true;
      result.columns[column] = true;
      result.count++;
    });
    return result;
  }

  /** A role that nobody has is found by its name. */
  #isRowNamed(row: number, { text, kinds, row: only, column, stack, person }: Filter): boolean {
    if (kinds.size > 0 || column !== undefined || stack !== "" || person !== "") return false;
    if (only !== undefined && only !== row) return false;
    return wordsOf(text).every((word) => this.#texts.rows[row]?.includes(word));
  }

  #test({ text, kinds, row, column, stack, person }: Filter): (cell: Cell, index: number) => boolean {
    const words = wordsOf(text);
    const { rows, columns, cells, people } = this.#texts;
    const wanted = person.trim().toLowerCase();
    const textsOf = (cell: Cell, index: number) => [
      rows[cell.row],
      columns[cell.column],
      cells[index],
      people[index],
    ];
    const tests: ((cell: Cell, index: number) => boolean)[] = [
      (cell) => kinds.size === 0 || [cell.status, ...cell.marks].some((kind) => kinds.has(kind)),
      (cell) => row === undefined || cell.row === row,
      (cell) => column === undefined || cell.column === column,
      (cell) => stack === "" || cell.sources.some((source) => source.stack === stack),
      (_, index) => wanted === "" || people[index]?.includes(wanted) === true,
      (cell, index) => words.every((word) => textsOf(cell, index).some((one) => one?.includes(word))),
    ];
    return (cell, index) => tests.every((test) => test(cell, index));
  }
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
}

export const SORTS = { name: "By name", most: "Most first", doubts: "Doubts first" } as const;
export type Sort = keyof typeof SORTS;

const DOUBTFUL: readonly Kind[] = [
  "unmanaged",
  "drift",
  "unknown",
  "direct",
  "loses",
  "gains",
  "broken",
  "expired",
  "maybe",
];

/** The order of rows or columns, as indices. Special columns stay first and last. */
export function sorted(view: View, what: "row" | "column", sort: Sort): number[] {
  const items = what === "row" ? view.rows : view.columns;
  const weights = items.map(() => 0);
  if (sort !== "name")
    for (const cell of view.cells) {
      const isCounted =
        sort === "most" ||
        DOUBTFUL.includes(cell.status) ||
        cell.marks.some((mark) => DOUBTFUL.includes(mark));
      if (isCounted) weights[cell[what]] = (weights[cell[what]] ?? 0) + 1;
    }
  const isFixed = (index: number) => what === "column" && view.columns[index]?.isSpecial === true;
  const order = items.map((_, index) => index).filter((index) => !isFixed(index));
  // Stable, so that equals stay in the order of names.
  order.sort((one, other) => (weights[other] ?? 0) - (weights[one] ?? 0));
  const fixed = items.map((_, index) => index).filter(isFixed);
  const first = fixed.filter((index) => index === 0);
  return [...first, ...order, ...fixed.filter((index) => index !== 0)];
}
