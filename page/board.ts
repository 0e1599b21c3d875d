import { fillRows } from "./cells";
import { type Shown } from "./filter";
import { type View } from "./view";

/**
 * The cells of the matrix: fills the rows, hides rows and columns by a class, brings them into an order, and
 * moves the focus between cells. Nothing is drawn again, so it is quick with 12,000 cells.
 */
export class Board {
  readonly #body: HTMLTableSectionElement;
  readonly #rows: HTMLTableRowElement[];
  /** By row, then column. */
  readonly #cells: HTMLTableCellElement[][];
  readonly #heads: HTMLTableCellElement[];
  /** By index in the view. */
  readonly #filled: HTMLTableCellElement[];
  readonly #buttons: HTMLButtonElement[];
  readonly #isDim: boolean[];
  /** The one that Tab reaches. */
  #reachable = -1;
  /** By index in the view: the places on the screen. */
  #rowRank: number[];
  #columnRank: number[];
  #shown: Shown | undefined;

  constructor(
    table: HTMLTableElement,
    private readonly view: View,
  ) {
    this.#body = table.tBodies[0] as HTMLTableSectionElement;
    fillRows(this.#body.rows, view);
    this.#rows = [...this.#body.rows];
    this.#cells = this.#rows.map((row) => [...row.cells].slice(1));
    this.#heads = [...(table.tHead?.rows[0]?.cells ?? [])].slice(1);
    this.#filled = view.cells.map(({ row, column }) => this.#cells[row]?.[column] as HTMLTableCellElement);
    this.#buttons = this.#filled.map((cell) => cell.querySelector("button") as HTMLButtonElement);
    this.#isDim = view.cells.map(() => false);
    this.#rowRank = view.rows.map((_, index) => index);
    this.#columnRank = view.columns.map((_, index) => index);
    this.#makeReachable();
    table.addEventListener("keydown", (event) => this.#move(event));
    table.addEventListener("focusin", ({ target }) => this.#keepReachable(target));
  }

  show(shown: Shown): void {
    const before = this.#shown;
    shown.rows.forEach((isShown, row) => {
      if (before?.rows[row] !== isShown) this.#rows[row]?.classList.toggle("off", !isShown);
    });
    shown.columns.forEach((isShown, column) => {
      if ((before?.columns[column] ?? true) === isShown) return;
      for (const element of [this.#heads[column], ...this.#cells.map((row) => row[column])])
        element?.classList.toggle("off", !isShown);
    });
    this.view.cells.forEach(({ row, column }, index) => {
      const isDim = shown.cells[index] !== true;
      // Nobody sees the cells of what is hidden.
      if (shown.rows[row] !== true || shown.columns[column] !== true || this.#isDim[index] === isDim) return;
      this.#isDim[index] = isDim;
      this.#filled[index]?.classList.toggle("dim", isDim);
    });
    this.#shown = shown;
    this.#makeReachable();
  }

  order(rows: number[], columns: number[]): void {
    const isMoved = (order: readonly number[], ranks: readonly number[]) =>
      order.some((index, place) => ranks[index] !== place);
    if (isMoved(rows, this.#rowRank))
      this.#body.append(...rows.map((row) => this.#rows[row] as HTMLTableRowElement));
    if (isMoved(columns, this.#columnRank)) {
      const inOrder = <Item extends Element>(items: Item[]) => columns.map((column) => items[column] as Item);
      for (const [row, element] of this.#rows.entries()) element.append(...inOrder(this.#cells[row] ?? []));
      this.#heads[0]?.parentElement?.append(...inOrder(this.#heads));
    }
    this.#rowRank = ranksOf(rows);
    this.#columnRank = ranksOf(columns);
    this.#makeReachable();
  }

  /** One cell is reachable by Tab, and the others from there by arrows. */
  #makeReachable(): void {
    if (!this.#isShown(this.#reachable)) this.#reach(this.#nextIn(-1, 0, 1, "row") ?? -1);
  }

  #keepReachable(target: EventTarget | null): void {
    if (target instanceof HTMLButtonElement) this.#reach(Number(target.dataset["cell"]));
  }

  #reach(index: number): void {
    if (index === this.#reachable) return;
    this.#buttons[this.#reachable]?.setAttribute("tabindex", "-1");
    this.#buttons[index]?.setAttribute("tabindex", "0");
    this.#reachable = index;
  }

  #isShown(index: number): boolean {
    const cell = this.view.cells[index];
    if (cell === undefined || this.#shown === undefined) return cell !== undefined;
    return this.#shown.cells[index] === true;
  }

  #move(event: KeyboardEvent): void {
    const { target, key } = event;
    const cell = target instanceof HTMLElement ? this.view.cells[Number(target.dataset["cell"])] : undefined;
    if (cell === undefined || hasModifier(event)) return;
    const [row = 0, column = 0] = [this.#rowRank[cell.row], this.#columnRank[cell.column]];
    // In a list, one cell is under the other.
    const down = this.#body.closest(".list") === null ? "column" : "row";
    const moves: Readonly<Record<string, () => number | undefined>> = {
      ArrowRight: () => this.#nextIn(row, column, 1, "row"),
      ArrowLeft: () => this.#nextIn(row, column, -1, "row"),
      ArrowDown: () => this.#nextIn(row, column, 1, down),
      ArrowUp: () => this.#nextIn(row, column, -1, down),
      Home: () => this.#nextIn(-1, 0, 1, "row"),
      End: () => this.#nextIn(this.#rowRank.length, 0, -1, "row"),
    };
    if (!Object.hasOwn(moves, key)) return;
    event.preventDefault();
    const next = moves[key]?.();
    if (next !== undefined) this.#buttons[next]?.focus();
  }

  /** The next cell along a row, and on in the following ones; or along a column, and on in the next one. */
  #nextIn(row: number, column: number, step: 1 | -1, along: "row" | "column"): number | undefined {
    const place = (inRow: number, inColumn: number) =>
      along === "row" ? inRow * this.#columnRank.length + inColumn : inColumn * this.#rowRank.length + inRow;
    const from = place(row, column) * step;
    let [nearest, next] = [Number.POSITIVE_INFINITY, undefined as number | undefined];
    this.view.cells.forEach((cell, index) => {
      const to = place(this.#rowRank[cell.row] ?? 0, this.#columnRank[cell.column] ?? 0) * step;
      if (to <= from || to >= nearest || !this.#isShown(index)) return;
      [nearest, next] = [to, index];
    });
    return next;
  }
}

export function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

/** The place of each index in an order. */
function ranksOf(order: readonly number[]): number[] {
  const ranks: number[] = [];
  order.forEach((index, place) => (ranks[index] = place));
  return ranks;
}
