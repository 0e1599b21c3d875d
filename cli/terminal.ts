import { styleText } from "node:util";
import { Help } from "commander";

/** Styles our own words; strangers' words are never coloured. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

export const PLAIN: Style = (_, text) => text;

/** Colours if the stream is a terminal that supports it, unless NO_COLOR is set. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  // For several formats at once, Node.js 20 doesn't ask the stream.
  const isColoured = styleText("bold", "-", { stream }) !== "-";
  return isColoured ? (format, text) => styleText(format, text, { validateStream: false }) : PLAIN;
}

/** Breaks between words; a longer word stays whole, so that it can be copied. */
export function wrapped(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  return Object.assign(new Help(), { minWidthToWrap: 0 }).boxWrap(text, width);
}

/** The same with an indent, and two blanks more before each line that follows. */
export function hanging(text: string, indent: number, width: number): string[] {
  const lines = wrapped(text, width - indent - 2).split("\n");
  return lines.map((line, index) => `${" ".repeat(index === 0 ? indent : indent + 2)}${line.trimEnd()}`);
}

/** Pads cells with blanks, so that each column has one width. */
export function padded(rows: readonly (readonly string[])[]): string[][] {
  // A terminal shows these signs two columns wide.
  const signs = (cell: string) => [...cell.matchAll(/[➕➖]/g)].length;
  const widthOf = (cell: string) => cell.length + signs(cell);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => widthOf(cells[column] ?? ""))),
  );
  return rows.map((cells) => cells.map((cell, column) => cell.padEnd((widths[column] ?? 0) - signs(cell))));
}

const HELP_WIDTH = 80;

/** Text after a command's options. Commander wraps everything else itself. */
export function helpText(...paragraphs: readonly string[]): string {
  return `\n${wrapped(paragraphs.join("\n\n"), HELP_WIDTH)}`;
}

/** A person who waits this long wants to know for how long. */
const LONG_MS = 10_000;

/** The width of a terminal; undefined elsewhere, and for a terminal that doesn't know and says 0. */
export function columnsOf({ columns }: { columns?: number }): number | undefined {
  return columns === 0 ? undefined : columns;
}

/**
 * Returns how to write text: plain in a file, and on standard output as its terminal shows it. COLUMNS of the
 * environment is the width where there is no terminal.
 */
export function appearanceIn(file: string | undefined): { style: Style; columns: number | undefined } {
  const { stdout, env } = process;
  if (file !== undefined) return { style: PLAIN, columns: undefined };
  const wished = /^[1-9]\d*$/.test(env["COLUMNS"] ?? "") ? Number(env["COLUMNS"]) : undefined;
  return { style: styleFor(stdout), columns: stdout.isTTY ? columnsOf(stdout) : wished };
}

/** Shows progress on the last line of a terminal; elsewhere it shows nothing. */
export class Progress {
  #text: string | undefined;
  #began: number | undefined;
  #clock: NodeJS.Timeout | undefined;

  constructor(private readonly stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> & { columns?: number }) {}

  get isSeen(): boolean {
    return this.stream.isTTY;
  }

  /** True from the first `show` to `clear`, on a terminal. */
  get isShown(): boolean {
    return this.#text !== undefined;
  }

  show(text: string): void {
    if (!this.stream.isTTY) return;
    this.#began ??= Date.now();
    this.#text = text;
    this.#draw();
    this.#clock ??= setInterval(() => this.#draw(), 1_000).unref();
  }

  /** Shows how many of so many are done, as in `Reading members 12 of 100 …`; call the result after each. */
  counting(what: string, all: number): () => void {
    let done = 0;
    const text = () => (all > 1 ? `${what} ${done} of ${all} …` : `${what} …`);
    this.show(text());
    return () => {
      done++;
      this.show(text());
    };
  }

  /** Shows lines above the progress, which goes on. */
  notice(line: string): void {
    this.#erase();
    this.stream.write(this.#fitted(line));
    this.#draw();
  }

  /** Ends the progress with lines for whoever has seen it. */
  tell(lines: readonly string[]): void {
    this.clear();
    if (this.stream.isTTY) this.stream.write(lines.map((line) => this.#fitted(line)).join(""));
  }

  /** Breaks a line between words, and keeps its indent. */
  #fitted(line: string): string {
    const columns = (this.stream.isTTY ? columnsOf(this.stream) : undefined) ?? Number.POSITIVE_INFINITY;
    const text = line.trimStart();
    return hanging(text, line.length - text.length, columns)
      .map((part) => `${part}\n`)
      .join("");
  }

  clear(): void {
    this.#erase();
    clearInterval(this.#clock);
    this.#clock = undefined;
    this.#text = undefined;
  }

  #draw(): void {
    if (this.#text === undefined) return;
    const elapsed = Date.now() - (this.#began ?? 0);
    const text = elapsed < LONG_MS ? this.#text : `${this.#text} ${Math.floor(elapsed / 1000)} s`;
    // A line that wraps can't be taken back.
    const columns = columnsOf(this.stream) ?? 80;
    this.stream.write(`\r\u001b[K${text.length < columns ? text : `${text.slice(0, columns - 2)}…`}`);
  }

  #erase(): void {
    if (this.#text !== undefined) this.stream.write("\r\u001b[K");
  }
}
