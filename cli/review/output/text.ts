import { type ReviewDocument, type Row, type Section } from "./document";
import { inText } from "../../escape";
import { optional } from "../../lists";
import { compare } from "../../../provider/review/step";
import { hanging, padded, PLAIN, type Style } from "../../terminal";
import { type Appearance } from "./markdown";
import { type Rendering, type Sentence, placeText } from "../../../provider/sentence";
import { withName } from "./words";

/** Returns the review as text. Nothing is cut. `columns`: of the terminal, whose width the rows then fit. */
export function reviewText(
  documents: readonly ReviewDocument[],
  { names, fingerprint }: Appearance,
  style = PLAIN,
  columns = Number.POSITIVE_INFINITY,
): string {
  const text = (sentence: Sentence) => sentence.render(renderingIn(names));
  return [
    ...documents.map((document) => documentText(document, text, { style, columns })),
    ...optional(fingerprint).map((hash) => `fingerprint ${hash}\n`),
  ].join("\n");
}

interface Terminal {
  style: Style;
  columns: number;
}

type PlainText = (sentence: Sentence) => string;

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

function renderingIn(names: Appearance["names"]): Rendering {
  return {
    value: (text) => inText(text),
    place: (place) => `(${inText(placeText(place))})`,
    id: (id) => withName(names, id, { name: (text) => inText(text), id: (text) => inText(text) }),
  };
}

function documentText(
  { title, summary, sections }: ReviewDocument,
  text: PlainText,
  terminal: Terminal,
): string {
  const { style } = terminal;
  const counts = summary.map((part) => coloured(text(part), style)).join(" · ");
  const head = style("bold", text(title));
  if (sections.length === 0) return `${head}: ${counts}\n`;
  return [`${head}\n${counts}\n`, ...sections.map((section) => sectionText(section, text, terminal))].join(
    "\n",
  );
}

const INDENT = 2;

function sectionText(
  { title, form, rows, total }: Section,
  text: PlainText,
  { style, columns }: Terminal,
): string {
  const width = columns - INDENT;
  const lines =
    form === "table"
      ? accessLines(rows, text, { style, columns: width })
      : rows.flatMap((row) => listRow(row, text, width));
  const totals = columns < Number.POSITIVE_INFINITY ? optional(total) : [];
  return [
    style(form === "caution" ? ["bold", "red"] : "bold", `${title}:`),
    ...[...lines, ...totals.flatMap((each) => hanging(text(each), 0, width))].map(
      (line) => `${" ".repeat(INDENT)}${line}`,
    ),
    "",
  ].join("\n");
}

/** Colours only effects: the other cells contain strangers' words. */
function accessLines(rows: readonly Row[], text: PlainText, { style, columns }: Terminal): string[] {
  const isFile = columns === Number.POSITIVE_INFINITY;
  const all = rows.map(({ cells }) => cells.map(text));
  // At a terminal, people read row by row: each role once, and its groups by name.
  const cells = isFile ? all : withRolesOnce(all);
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

function withRolesOnce(all: readonly string[][]): string[][] {
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

function listRow({ cells, details = [] }: Row, text: PlainText, columns: number): string[] {
  const row = `- ${cells.map(text).join(" ")}`;
  if (columns === Number.POSITIVE_INFINITY) return [row, ...details.map((detail) => `    ${text(detail)}`)];
  return [...hanging(row, 0, columns), ...details.flatMap((detail) => hanging(text(detail), 4, columns))];
}
