import { type AccessJson } from "../../provider/pulumi/access-model";
import { type Part, type Sentence } from "../../provider/pulumi/sentence";
import { inHeading, inMarkdown, inText } from "../escape";
import { PLAIN, type Style } from "../terminal";
import { type Access, type Document, documentOf, type Table } from "./document";
import { toCsv } from "./csv";

export const FORMATS = ["text", "markdown", "csv", "json"] as const;
export type Format = (typeof FORMATS)[number];

export function formatted(access: Access, format: Format, style = PLAIN): string {
  switch (format) {
    case "text":
      return toText(documentOf(access), style);
    case "markdown":
      return toMarkdown(documentOf(access));
    case "csv":
      return toCsv(access);
    case "json":
      // A sentence becomes its text.
      return `${JSON.stringify(access satisfies WithoutReasons, null, 2)}\n`;
  }
}

/** What is written is what the schema describes. */
type WithoutReasons = Omit<AccessJson, "user">;

function toText({ title, summary, tables, notes }: Document, style: Style): string {
  const text = (sentence: Sentence) => sentence.render(shown(inText));
  const table = ({ title, rows }: Table) =>
    [
      style("bold", text(title)),
      ...aligned(rows.map((cells) => cells.map(text))).map((line) => `  ${line}`),
      "",
    ].join("\n");
  return [
    [style("bold", text(title)), ...summary.map((line) => `  ${text(line)}`)].join("\n") + "\n",
    ...tables.map(table),
    ...(notes.length === 0 ? [] : [notes.map(text).join("\n") + "\n"]),
  ].join("\n");
}

/** Columns as wide as their widest cell; the last one may be longer than a line. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function toMarkdown({ title, summary, tables, notes }: Document): string {
  const text = (sentence: Sentence) => sentence.render(shown(inMarkdown));
  const heading = (sentence: Sentence) => sentence.render(shown(inHeading));
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = ({ title, head, rows }: Table) => [
    `#### ${heading(title)}\n`,
    row(head),
    row(head.map(() => "---")),
    ...rows.map((cells) => row(cells.map(text))),
    "",
  ];
  return [
    `### ${heading(title)}\n`,
    ...summary.map((line) => `- ${text(line)}`),
    "",
    ...tables.flatMap(table),
    ...notes.map((note) => `${text(note)}\n`),
  ].join("\n");
}

function shown(inert: (text: string) => string): (part: Exclude<Part, string>) => string {
  return (part) => {
    if ("place" in part) return `(${inert(`${part.place.file}:${part.place.line}`)})`;
    return inert("id" in part ? part.id : part.value);
  };
}
