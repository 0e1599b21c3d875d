import { type Document, type Row, type Section } from "./document";
import { inText } from "../escape";
import { type Appearance } from "./markdown";
import { type Part, type Sentence } from "../../provider/pulumi/sentence";

/** The review for a terminal. Nothing is dropped: a terminal has room. */
export function toText(documents: readonly Document[], { names, fingerprint }: Appearance): string {
  const text = (sentence: Sentence) => sentence.render((part) => shown(part, names));
  return [...documents.map((document) => documentText(document, text)), `fingerprint ${fingerprint}\n`].join(
    "\n",
  );
}

type Text = (sentence: Sentence) => string;

function shown(part: Exclude<Part, string>, names: Appearance["names"]): string {
  if ("value" in part) return inText(part.value);
  if ("place" in part) return `(${inText(`${part.place.file}:${part.place.line}`)})`;
  const name = Object.hasOwn(names, part.id) ? names[part.id] : undefined;
  return name === undefined ? inText(part.id) : `${inText(name)} ${inText(part.id)}`;
}

function documentText({ title, summary, sections }: Document, text: Text): string {
  if (sections.length === 0) return `${text(title)}: ${summary.map(text).join(" · ")}\n`;
  return [
    `${text(title)}\n${summary.map(text).join(" · ")}\n`,
    ...sections.map((section) => sectionText(section, text)),
  ].join("\n");
}

function sectionText({ title, kind, rows }: Section, text: Text): string {
  const lines = kind === "access" ? aligned(rows, text) : rows.flatMap((row) => listRow(row, text));
  return [`${title}:`, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

function aligned(rows: readonly Row[], text: Text): string[] {
  const table = rows.map(({ cells }) => cells.map(text));
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((cells) => widthOf(cells[column] ?? ""))));
  return table.map((cells) =>
    cells
      .map((cell, column) => cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd(),
  );
}

/** A terminal shows the signs two columns wide. */
function widthOf(cell: string): number {
  return cell.length + [...cell.matchAll(/[➕➖]/g)].length;
}

function listRow({ cells, details = [] }: Row, text: Text): string[] {
  return [`- ${cells.map(text).join(" ")}`, ...details.map((detail) => `    ${text(detail)}`)];
}
