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
  return Object.assign(new Help(), { minWidthToWrap: 0 }).boxWrap(text, width);
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

/** Shows progress at a terminal while reading the tenant; elsewhere it shows nothing. */
export class Progress {
  #isShown = false;

  constructor(private readonly stream: Pick<NodeJS.WriteStream, "isTTY" | "write">) {}

  get isSeen(): boolean {
    return this.stream.isTTY;
  }

  show(text: string): void {
    if (!this.stream.isTTY) return;
    this.stream.write(`\r\u001b[K${text}`);
    this.#isShown = true;
  }

  /** Shows how many of several are done; call the result after each. */
  counting(what: string): () => void {
    let done = 0;
    this.show(`${what} …`);
    return () => this.show(`${what} … ${++done}`);
  }

  tell(lines: readonly string[]): void {
    this.clear();
    if (this.stream.isTTY) this.stream.write(lines.map((line) => `${line}\n`).join(""));
  }

  clear(): void {
    if (this.#isShown) this.stream.write("\r\u001b[K");
    this.#isShown = false;
  }
}
