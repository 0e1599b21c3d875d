import { type Shown } from "./filter";
import { type View } from "./view";

/**
 * The matrix after it was drawn: hides rows and columns by a class, brings them into an order, and moves the
 * focus between cells. Nothing is drawn again, so it is quick with 12,000 cells.
 */
export class Board {
  readonly #body: HTMLTableSectionElement;
  readonly #rows: HTMLTableRowElement[];
  /** By row, then column. */
  readonly #cells: HTMLTableCellElement[][];
  readonly #heads: HTMLTableCellElement[];
  /** By index in the view. */
  readonly #filled: HTMLTableCellElement[];
  /** By index in the view: the places on the screen. */
  #rowRank: number[];
  #columnRank: number[];
  #shown: Shown | undefined;

  constructor(
    table: HTMLTableElement,
    private readonly view: View,
  ) {
    this.#body = table.tBodies[0] as HTMLTableSectionElement;
    this.#rows = [...this.#body.rows];
    this.#cells = this.#rows.map((row) => [...row.cells].slice(1));
    this.#heads = [...(table.tHead?.rows[0]?.cells ?? [])].slice(1);
    this.#filled = view.cells.map(({ row, column }) => this.#cells[row]?.[column] as HTMLTableCellElement);
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
    shown.cells.forEach((isShown, index) => {
      if ((before?.cells[index] ?? true) !== isShown) this.#filled[index]?.classList.toggle("dim", !isShown);
    });
    this.#shown = shown;
    this.#makeReachable();
  }

  order(rows: number[], columns: number[]): void {
    const isMoved = columns.some((column, place) => this.#columnRank[column] !== place);
    this.#rowRank = ranksOf(rows);
    this.#columnRank = ranksOf(columns);
    this.#body.append(...rows.map((row) => this.#rows[row] as HTMLTableRowElement));
    if (isMoved) {
      const inOrder = <Item extends Element>(items: Item[]) => columns.map((column) => items[column] as Item);
      for (const [row, element] of this.#rows.entries()) element.append(...inOrder(this.#cells[row] ?? []));
      this.#heads[0]?.parentElement?.append(...inOrder(this.#heads));
    }
    this.#makeReachable();
  }

  /** One cell is reachable by Tab, and the others from there by arrows. */
  #makeReachable(): void {
    const buttons = this.#filled.map((cell) => cell.querySelector("button"));
    if (buttons.some((button, index) => button?.tabIndex === 0 && this.#isShown(index))) return;
    const first = this.#nextIn(-1, 0, 1, "row");
    buttons.forEach((button, index) => {
      const tabIndex = index === first ? 0 : -1;
      if (button !== null && button.tabIndex !== tabIndex) button.tabIndex = tabIndex;
    });
  }

  #keepReachable(target: EventTarget | null): void {
    if (!(target instanceof HTMLButtonElement) || target.tabIndex === 0) return;
    this.#body.querySelector("button[tabindex='0']")?.setAttribute("tabindex", "-1");
    target.tabIndex = 0;
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
    if (next !== undefined) this.#filled[next]?.querySelector("button")?.focus();
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
