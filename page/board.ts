import { fillRows } from "./cells";
import { type Visibility } from "./filter";
import { type View } from "./view";

/** With so few columns, their names are written across, and cells have room for words. */
const FEW_COLUMNS = 9;
/** With so few, a cell has room for its reason, too. */
const MOST_ROOMY_COLUMNS = 3;

/** In pixels, by the style: a name, and a name with a note and an id under it. */
const [LOWEST_ROW, HIGHEST_ROW] = [36, 80];

/** After the last key: while somebody types, columns don't become wide. */
const PAUSE_MS = 150;

/** Out of sight, so that a key pressed meanwhile waits for few. */
const ROWS_AT_ONCE = 25;

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
  /** By row: the indices of its cells in the view. */
  readonly #cellsOfRow: number[][];
  /** By row: the columns that its cells show. */
  readonly #columnsOfRow: (readonly boolean[] | undefined)[];
  readonly #scroller: Element | null;
  /** For rows out of sight. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pointedAt: Element | undefined;
  /** The one that Tab reaches. */
  #reachable = -1;
  /** By index in the view: the places on the screen. */
  #rowRank: number[];
  #columnRank: number[];
  #shown: Visibility | undefined;

  constructor(
    private readonly table: HTMLTableElement,
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
    this.#cellsOfRow = this.#rows.map(() => []);
    view.cells.forEach(({ row }, index) => this.#cellsOfRow[row]?.push(index));
    this.#columnsOfRow = this.#rows.map(() => undefined);
    this.#scroller = table.closest(".scroller");
    this.#rowRank = view.rows.map((_, index) => index);
    this.#columnRank = view.columns.map((_, index) => index);
    this.#makeReachable();
    table.addEventListener("keydown", (event) => this.#move(event));
    table.addEventListener("focusin", ({ target }) => {
      this.#keepReachable(target);
      this.#pointAt(target);
    });
    table.addEventListener("pointerover", ({ target }) => this.#pointAt(target));
    table.addEventListener("pointerleave", () => this.#pointAt(null));
  }

  /** What is in sight follows before the next frame, and the other rows right after it. */
  show(shown: Visibility): void {
    const before = this.#shown;
    this.#shown = shown;
    clearTimeout(this.#timer);
    const inSight = this.#rowsInSight(shown);
    shown.rows.forEach((isShown, row) => {
      if (before?.rows[row] !== isShown) this.#rows[row]?.classList.toggle("off", !isShown);
    });
    shown.columns.forEach((isShown, column) => {
      if ((before?.columns[column] ?? true) !== isShown)
        this.#heads[column]?.classList.toggle("off", !isShown);
    });
    if (before === undefined || !isFew(shown)) this.#makeRoom(shown);
    for (const row of inSight) this.#follow(row, shown);
    this.#followLater(0, shown);
    this.#makeReachable();
  }

  #followLater(from: number, shown: Visibility): void {
    if (from >= this.#rows.length) {
      this.#timer = setTimeout(() => this.#makeRoom(shown), PAUSE_MS);
      return;
    }
    this.#timer = setTimeout(() => {
      for (let row = from; row < from + ROWS_AT_ONCE; row++) this.#follow(row, shown);
      this.#followLater(from + ROWS_AT_ONCE, shown);
    });
  }

  /** The rows that may be in sight, or that follow at once because none of a list scrolls on its own. */
  #rowsInSight({ rows }: Visibility): readonly number[] {
    const shown = this.#rowRank
      .map((rank, row) => ({ rank, row }))
      .filter(({ row }) => rows[row] === true)
      .sort((one, other) => one.rank - other.rank)
      .map(({ row }) => row);
    if (this.#scroller === null || this.#isList()) return shown;
    const { scrollTop, clientHeight } = this.#scroller;
    const [first, end] = [
      Math.floor(scrollTop / HIGHEST_ROW),
      Math.ceil((scrollTop + clientHeight) / LOWEST_ROW),
    ];
    // With fewer rows, it can't stay scrolled that far.
    return first < shown.length ? shown.slice(first, end) : shown;
  }

  /** Hides columns of a row, and dims its cells. Nobody sees the cells of a row that is hidden. */
  #follow(row: number, { rows, columns, cells }: Visibility): void {
    if (rows[row] !== true) return;
    const before = this.#columnsOfRow[row];
    if (before !== columns)
      columns.forEach((isShown, column) => {
        if ((before?.[column] ?? true) !== isShown)
          this.#cells[row]?.[column]?.classList.toggle("off", !isShown);
      });
    this.#columnsOfRow[row] = columns;
    for (const index of this.#cellsOfRow[row] ?? []) {
      const isDim = cells[index] !== true;
      if (columns[this.view.cells[index]?.column ?? 0] !== true || this.#isDim[index] === isDim) continue;
      this.#isDim[index] = isDim;
      this.#filled[index]?.classList.toggle("dim", isDim);
    }
  }

  /** Few columns have room for words. It lays out all cells anew. */
  #makeRoom(shown: Visibility): void {
    if (shown.count === 0) return;
    this.table.classList.toggle("wide", isFew(shown));
    this.table.classList.toggle("roomy", shownColumns(shown) <= MOST_ROOMY_COLUMNS);
    this.table.classList.toggle("narrow", !isFew(shown));
  }

  /** Marks the column's head, which may be far from the cell, and lets the cell say what it is. */
  #pointAt(target: EventTarget | null): void {
    const cell = target instanceof Element ? target.closest("td") : null;
    const head = cell === null ? undefined : this.table.tHead?.rows[0]?.cells[cell.cellIndex];
    if (head !== this.#pointedAt) {
      this.#pointedAt?.classList.remove("at");
      head?.classList.add("at");
      this.#pointedAt = head;
    }
    const button = cell?.querySelector("button");
    if (button && button.title === "") button.title = this.#titleOf(Number(button.dataset["cell"]));
  }

  #titleOf(index: number): string {
    const cell = this.view.cells[index];
    const row = this.view.rows[cell?.row ?? 0];
    const role = [row?.name, row?.note].filter(Boolean).join(" ");
    return `${this.view.columns[cell?.column ?? 0]?.name ?? ""} → ${role}\n${this.view.text(cell?.why ?? [])}`;
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

  #isList(): boolean {
    return this.#body.closest(".list") !== null;
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
    const down = this.#isList() ? "row" : "column";
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

function isFew(shown: Visibility): boolean {
  return shownColumns(shown) <= FEW_COLUMNS;
}

function shownColumns({ columns }: Visibility): number {
  return columns.filter(Boolean).length;
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
