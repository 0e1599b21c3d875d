import { placeText, type Rendering, type Sentence } from "../../provider/sentence";
import { inText } from "../escape";
import { compare, optional } from "../lists";
import { hanging, padded, PLAIN, type Style, wrapped } from "../terminal";
import { type Document, remarksOf, type Row, type Section, withName } from "./document";

/** Returns documents as text. Nothing is cut. `columns`: of the terminal, whose width the rows then fit. */
export function toText(
  documents: readonly Document[],
  names: Readonly<Record<string, string>> = {},
  style = PLAIN,
  columns = Number.POSITIVE_INFINITY,
): string {
  const rendering = renderingIn(names);
  const terminal = { text: (sentence: Sentence) => sentence.render(rendering), style, columns };
  return documents.map((document) => documentText(document, terminal)).join("\n");
}

interface Terminal {
  text: (sentence: Sentence) => string;
  style: Style;
  columns: number;
}

/** Colours by the signs that begin our own words. */
function coloured(text: string, style: Style): string {
  const colour = COLOURS.find(({ signs }) => signs.test(text))?.colour;
  return colour === undefined ? text : style(colour, text);
}

const COLOURS = [
  { signs: /^➕/u, colour: "green" },
  { signs: /^[➖⛔❌]/u, colour: "red" },
  { signs: /^[❔⏳]/u, colour: "yellow" },
] as const;

function renderingIn(names: Readonly<Record<string, string>>): Rendering {
  return {
    value: (text) => inText(text),
    place: (place) => `(${inText(placeText(place))})`,
    id: (id) => withName(names, id, { name: (text) => inText(text), id: (text) => inText(text) }),
  };
}

const INDENT = 2;

function documentText(document: Document, terminal: Terminal): string {
  const { text, style, columns } = terminal;
  const { title, summary, sections } = document;
  const remarks = remarksOf(document);
  const head = bold(text(title), terminal);
  const counts = summary.map((part) => coloured(text(part), style)).join(" · ");
  if (sections.length + remarks.length === 0) return `${head.join("\n")}: ${counts}\n`;
  const top = [
    ...head,
    ...(counts === "" ? [] : [counts]),
    ...remarks.flatMap((remark) => hanging(text(remark), INDENT, columns)),
  ];
  return [top, ...sections.map((section) => sectionLines(section, terminal))]
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function bold(title: string, { style, columns }: Terminal, format: Parameters<Style>[0] = "bold"): string[] {
  return hanging(title, 0, columns).map((line) => style(format, line));
}

function sectionLines({ title, head, rows, ...section }: Section, terminal: Terminal): string[] {
  const { text, columns } = terminal;
  const { kind, isGrouped = false, total } = section;
  if (title.isEmpty) return rows.flatMap((row) => hanging(lineOf(row, terminal), 0, columns));
  // The title of such a table is a stranger's name.
  if (head !== undefined && !isGrouped)
    return [...bold(text(title), terminal), ...tableLines(rows, terminal)];
  const inner = { ...terminal, columns: columns - INDENT };
  const lines = isGrouped ? groupedLines(rows, inner) : rows.flatMap((row) => listLines(row, inner));
  // In a file, a program may add up rows.
  const totals = columns < Number.POSITIVE_INFINITY ? optional(total) : [];
  return [
    ...bold(`${text(title)}:`, terminal, kind === "danger" ? ["bold", "red"] : "bold"),
    ...[...lines, ...totals.flatMap((each) => hanging(text(each), 0, inner.columns))].map(
      (line) => `${" ".repeat(INDENT)}${line}`,
    ),
  ];
}

function lineOf({ cells }: Row, { text }: Terminal): string {
  return cells.map(text).join(" ");
}

function listLines(row: Row, terminal: Terminal): string[] {
  const { text, columns } = terminal;
  const { details = [] } = row;
  const line = `- ${lineOf(row, terminal)}`;
  if (columns === Number.POSITIVE_INFINITY) return [line, ...details.map((detail) => `    ${text(detail)}`)];
  return [...hanging(line, 0, columns), ...details.flatMap((detail) => hanging(text(detail), 4, columns))];
}

/** A sentence in fewer columns is hard to read. */
const NARROWEST = 40;

/** The last cell is a sentence: it wraps in its column, and where that is too narrow, below the others. */
function tableLines(rows: readonly Row[], { text, columns }: Terminal): string[] {
  const cells = rows.map((row) => row.cells.map(text));
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

/** Colours only effects, which are second: the other cells contain strangers' words. */
function groupedLines(rows: readonly Row[], { text, style, columns }: Terminal): string[] {
  const isFile = columns === Number.POSITIVE_INFINITY;
  const all = rows.map(({ cells }) => cells.map(text));
  // At a terminal, people read row by row: each role once, and its groups by name.
  const cells = isFile ? all : withFirstOnce(all);
  const lines = padded(cells).map(([role = "", effect = "", ...rest]) => ({
    plain: [role, effect, ...rest].join("  ").trimEnd(),
    shown: [role, coloured(effect, style), ...rest].join("  ").trimEnd(),
  }));
  // Signs are two columns wide.
  if (lines.every(({ plain }) => plain.length + 1 <= columns)) return lines.map(({ shown }) => shown);
  return cells.flatMap(([role = "", effect = "", group = "", through = ""]) => [
    ...(role === "" ? [] : hanging(role, 0, columns)),
    ...hanging(`${effect}  ${group}`, INDENT, columns).map((line) =>
      line.replace(effect, coloured(effect, style)),
    ),
    ...hanging(through, 3 * INDENT, columns),
  ]);
}

function withFirstOnce(all: readonly string[][]): string[][] {
  const roles = [...new Set(all.map(([role = ""]) => role))];
  return roles.flatMap((role) =>
    all
      .filter(([first]) => first === role)
      .sort(([, one = "", group = ""], [, other = "", next = ""]) =>
        one === other ? compare(group, next) : 0,
      )
      .map(([, ...rest], index) => [index === 0 ? role : "", ...rest]),
  );
}
