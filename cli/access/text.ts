import { placeText, type Rendering, type Sentence } from "../../provider/sentence";
import { inText } from "../escape";
import { hanging, padded, PLAIN, wrapped } from "../terminal";
import { type AccessDocument, type Table } from "./document";

const INDENT = 2;
/** A sentence in fewer columns is hard to read. */
const NARROWEST = 40;

/** Returns the answer as text. Nothing is cut. `columns`: of the terminal, whose width the rows then fit. */
export function accessText(
  { title, summary, tables, notes }: AccessDocument,
  style = PLAIN,
  columns = Number.POSITIVE_INFINITY,
): string {
  const shown = (sentence: Sentence) => sentence.render(inert((part) => inText(part)));
  const bold = (sentence: Sentence) =>
    hanging(shown(sentence), 0, columns).map((line) => style("bold", line));
  const blocks = [
    [...bold(title), ...summary.flatMap((line) => hanging(shown(line), INDENT, columns))],
    ...tables.map((table) => [...bold(table.title), ...tableLines(table, shown, columns)]),
    ...(notes.length === 0 ? [] : [notes.flatMap((note) => hanging(shown(note), 0, columns))]),
  ];
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

export function inert(text: (text: string) => string): Rendering {
  return { value: text, id: text, place: (place) => `(${text(placeText(place))})` };
}

/** The last cell is a sentence: it wraps in its column, and where that is too narrow, below the others. */
function tableLines({ rows }: Table, shown: (sentence: Sentence) => string, columns: number): string[] {
  const cells = rows.map((row) => row.map(shown));
  const heads = padded(cells.map((row) => row.slice(0, -1))).map((row) => row.join("  "));
  const indent = INDENT + Math.max(...heads.map((head) => head.length)) + 2;
  const named = cells.map((row) => {
    const parts = row.slice(0, -1).filter((cell) => cell !== "");
    return hanging(parts.join("  "), INDENT, columns);
  });
  // The sentence must not look like the end of what is above.
  const isHanging = named.some((lines) => lines.length > 1);
  return cells.flatMap((row, index) => {
    const last = row.at(-1) ?? "";
    if (columns - indent >= NARROWEST) {
      const lines = wrapped(last, columns - indent).split("\n");
      const head = `${" ".repeat(INDENT)}${heads[index] ?? ""}  `;
      return lines.map((line, at) => `${at === 0 ? head : " ".repeat(indent)}${line}`.trimEnd());
    }
    return [...(named[index] ?? []), ...hanging(last, isHanging ? 3 * INDENT : 2 * INDENT, columns)];
  });
}
