import { type Cell, Index, type CellKind, type PeopleCount, type View } from "./view";

/** A reader's selection; empty: all. */
export interface Filter {
  text: string;
  kinds: ReadonlySet<CellKind>;
  /** Indices. */
  row: number | undefined;
  column: number | undefined;
  stack: string;
  /** Id of an organization, or `TENANT`. */
  organization: string;
  person: string;
}

/** For roles that count in the tenant itself. */
export const TENANT = "tenant";

export const NO_FILTER: Filter = {
  text: "",
  kinds: new Set(),
  row: undefined,
  column: undefined,
  stack: "",
  organization: "",
  person: "",
};

export function isFiltered({ text, kinds, row, column, ...others }: Filter): boolean {
  const { stack, organization, person } = others;
  return (
    kinds.size > 0 ||
    row !== undefined ||
    column !== undefined ||
    [text, stack, organization, person].some((wanted) => wanted !== "")
  );
}

export interface Visibility {
  /** By row, column and cell. */
  rows: boolean[];
  columns: boolean[];
  cells: boolean[];
  /** Number of cells. */
  count: number;
}

/** Places of texts by row, column and cell. Cells share most of them. */
interface Places {
  rows: number[];
  columns: number[];
  cells: number[];
  people: number[];
}

export class Filters {
  /** Texts to search, in lower case. */
  readonly #texts = new Index<string>();
  readonly #places: Places;

  constructor(private readonly view: View) {
    const place = (text: string) => this.#texts.place(text, () => text.toLowerCase());
    const permissions = (row: View["rows"][number]) =>
      (row.permissions ?? []).map(({ name }) => name).join(" ");
    // The members of a group are the same ones in each of its cells.
    const members = new Map<PeopleCount | undefined, number>();
    const placeOf = (people: PeopleCount | undefined) => {
      const known = members.get(people) ?? place((people?.ids ?? []).join("\n"));
      members.set(people, known);
      return known;
    };
    this.#places = {
      rows: view.rows.map((row) => place(`${row.name} ${row.note ?? ""} ${row.id} ${permissions(row)}`)),
      columns: view.columns.map(({ name, id }) => place(`${name} ${id}`)),
      cells: view.cells.map(({ why, who = [], remarks }) =>
        place([why, who, ...remarks.map(({ words }) => words)].map(view.text).join(" ")),
      ),
      people: view.cells.map(({ people }) => placeOf(people)),
    };
  }

  shown(filter: Filter): Visibility {
    const { rows, columns, cells } = this.view;
    if (!isFiltered(filter))
      return {
        rows: rows.map(() => true),
        columns: columns.map(() => true),
        cells: cells.map(() => true),
        count: cells.length,
      };
    const test = this.#test(filter);
    const result: Visibility = {
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
  #isRowNamed(row: number, { text, kinds, row: only, column, stack, person, organization }: Filter): boolean {
    if (kinds.size > 0 || column !== undefined || stack !== "" || person !== "") return false;
    if ((only !== undefined && only !== row) || !this.#isIn(row, organization)) return false;
    const { rows } = this.#places;
    return wordsOf(text).every((word) => this.#texts.items[rows[row] ?? 0]?.includes(word));
  }

  #isIn(row: number, organization: string): boolean {
    return organization === "" || organization === (this.view.rows[row]?.organization?.id ?? TENANT);
  }

  #test(filter: Filter): (cell: Cell, index: number) => boolean {
    const { text, kinds, row, column, stack, person, organization } = filter;
    const { rows, columns, cells, people } = this.#places;
    const words = wordsOf(text).map((word) => this.#having(word));
    const persons = this.#having(person.trim().toLowerCase());
    const isWanted = ({ status, marks }: Cell) => kinds.has(status) || marks.some((mark) => kinds.has(mark));
    // Only what is asked for: each costs a call for every cell.
    const tests: ((cell: Cell, index: number) => boolean)[] = [
      ...(kinds.size > 0 ? [isWanted] : []),
      ...(row === undefined ? [] : [(cell: Cell) => cell.row === row]),
      ...(column === undefined ? [] : [(cell: Cell) => cell.column === column]),
      ...(organization === "" ? [] : [(cell: Cell) => this.#isIn(cell.row, organization)]),
      ...(stack === "" ? [] : [({ sources }: Cell) => sources.some((source) => source.stack === stack)]),
      ...(person.trim() === "" ? [] : [(_: Cell, index: number) => persons(people[index])]),
      ...words.map(
        (has) => (cell: Cell, index: number) =>
          has(rows[cell.row]) || has(columns[cell.column]) || has(cells[index]) || has(people[index]),
      ),
    ];
    return (cell, index) => tests.every((test) => test(cell, index));
  }

  /** Looks for a word in each text once, and then knows by the text's place. */
  #having(word: string): (place: number | undefined) => boolean {
    const found = this.#texts.items.map((text) => text.includes(word));
    return (place) => place !== undefined && found[place] === true;
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

const DOUBTFUL: readonly CellKind[] = [
  "unmanaged",
  "drift",
  "unknown",
  "direct",
  "lost",
  "gained",
  "changed",
  "loses",
  "gains",
  "broken",
  "expired",
  "later",
  "earlier",
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
