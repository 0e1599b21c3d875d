import { type ReviewDocument, type Row, type Section } from "./document";
import { inText } from "../escape";
import { padded, PLAIN, type Style } from "../terminal";
import { type Appearance } from "./markdown";
import { type Part, type Sentence } from "../../provider/review/sentence";

/** Returns the review for a terminal. Nothing is cut: a terminal has room. */
export function reviewText(
  documents: readonly ReviewDocument[],
  { names, fingerprint }: Appearance,
  style = PLAIN,
): string {
  const text = (sentence: Sentence) => sentence.render((part) => textPart(part, names));
  return [
    ...documents.map((document) => documentText(document, text, style)),
    ...(fingerprint === undefined ? [] : [`fingerprint ${fingerprint}\n`]),
  ].join("\n");
}

type PlainText = (sentence: Sentence) => string;

/** Colours by the signs that begin our own words. */
function coloured(text: string, style: Style): string {
  if (text.startsWith("➕")) return style("green", text);
  if (/^[➖⛔❌]/u.test(text)) return style("red", text);
  return text.startsWith("❔") ? style("yellow", text) : text;
}

function textPart(part: Exclude<Part, string>, names: Appearance["names"]): string {
  if ("value" in part) return inText(part.value);
  if ("place" in part) return `(${inText(`${part.place.file}:${part.place.line}`)})`;
  const name = Object.hasOwn(names, part.id) ? names[part.id] : undefined;
  return name === undefined ? inText(part.id) : `${inText(name)} ${inText(part.id)}`;
}

function documentText({ title, summary, sections }: ReviewDocument, text: PlainText, style: Style): string {
  const counts = summary.map((part) => coloured(text(part), style)).join(" · ");
  const head = style("bold", text(title));
  if (sections.length === 0) return `${head}: ${counts}\n`;
  return [`${head}\n${counts}\n`, ...sections.map((section) => sectionText(section, text, style))].join("\n");
}

function sectionText({ title, kind, rows }: Section, text: PlainText, style: Style): string {
  const lines =
    kind === "access" ? accessLines(rows, text, style) : rows.flatMap((row) => listRow(row, text));
  return [
    style(kind === "irreversible" ? ["bold", "red"] : "bold", `${title}:`),
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/** Colours only effects: the other cells contain strangers' words. */
function accessLines(rows: readonly Row[], text: PlainText, style: Style): string[] {
  return padded(rows.map(({ cells }) => cells.map(text))).map(([role = "", effect = "", ...rest]) =>
    [role, coloured(effect, style), ...rest].join("  ").trimEnd(),
  );
}

function listRow({ cells, details = [] }: Row, text: PlainText): string[] {
  return [`- ${cells.map(text).join(" ")}`, ...details.map((detail) => `    ${text(detail)}`)];
}
