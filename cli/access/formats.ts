import { type AccessJson } from "../../provider/pulumi/access-model";
import { type Part, type Sentence } from "../../provider/pulumi/sentence";
import { inHeading, inMarkdown, inText } from "../escape";
import { PLAIN, type Style } from "../terminal";
import { type Access, type AccessDocument, accessDocumentOf, type Table } from "./document";
import { toCsv } from "./csv";

export const FORMATS = ["text", "markdown", "csv", "json"] as const;
export type Format = (typeof FORMATS)[number];

export function formatted(access: Access, format: Format, style = PLAIN): string {
  switch (format) {
    case "text":
      return toText(accessDocumentOf(access), style);
    case "markdown":
      return accessMarkdown(accessDocumentOf(access));
    case "csv":
      return toCsv(access);
    case "json":
      // A sentence becomes its text.
      return `${JSON.stringify(access satisfies WithoutReasons, null, 2)}\n`;
  }
}

/** What is written is what the schema describes. */
type WithoutReasons = Omit<AccessJson, "user">;

function toText(document: AccessDocument, style: Style): string {
  const text = (sentence: Sentence) => sentence.render(inertPart(inText));
  const table = ({ title, rows }: Table) =>
    [
      style("bold", text(title)),
      ...alignedColumns(rows.map((cells) => cells.map(text))).map((line) => `  ${line}`),
      "",
    ].join("\n");
  return [
    [style("bold", text(document.title)), ...document.summary.map((line) => `  ${text(line)}`)].join("\n") +
      "\n",
    ...document.tables.map(table),
    ...(document.notes.length === 0 ? [] : [document.notes.map(text).join("\n") + "\n"]),
  ].join("\n");
}

/** Columns as wide as their widest cell; the last one may be longer than a line. */
function alignedColumns(rows: readonly (readonly string[])[]): string[] {
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

function accessMarkdown(document: AccessDocument): string {
  const text = (sentence: Sentence) => sentence.render(inertPart(inMarkdown));
  const heading = (sentence: Sentence) => sentence.render(inertPart(inHeading));
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = ({ title, head, rows }: Table) => [
    `#### ${heading(title)}\n`,
    row(head),
    row(head.map(() => "---")),
    ...rows.map((cells) => row(cells.map(text))),
    "",
  ];
  return [
    `### ${heading(document.title)}\n`,
    ...document.summary.map((line) => `- ${text(line)}`),
    "",
    ...document.tables.flatMap(table),
    ...document.notes.map((note) => `${text(note)}\n`),
  ].join("\n");
}

function inertPart(inert: (text: string) => string): (part: Exclude<Part, string>) => string {
  return (part) => {
    if ("place" in part) return `(${inert(`${part.place.file}:${part.place.line}`)})`;
    return inert("id" in part ? part.id : part.value);
  };
}
