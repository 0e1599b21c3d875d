import {
  count,
  grouped,
  list,
  type Place,
  placeText,
  type Rendering,
  type Sentence,
  word,
} from "../../provider/sentence";
import { inMarkdown, markdownRow } from "../escape";
import { anyOf, optional } from "../lists";
import { CUT, type Document, remarksOf, NEVER_CUT, type Row, type Section, withName } from "./document";

export interface MarkdownOptions {
  /** By id. */
  names?: Readonly<Record<string, string>>;
  /** Returns the address of a place; undefined if it has none. */
  source?: ((place: Place) => string | undefined) | undefined;
  maxLength?: number;
  /** Lines around the documents. */
  before?: readonly string[];
  after?: readonly string[];
}

/** Returns documents in GitHub's and GitLab's Markdown, cut to a length. */
export function toMarkdown(
  documents: readonly Document[],
  { names = {}, source, maxLength = Number.POSITIVE_INFINITY, before = [], after = [] }: MarkdownOptions = {},
): string {
  const rendering = renderingIn(names, source);
  const texts = new Map<Sentence, string>();
  // Fitting the text into its limit renders most sentences many times.
  const text = (sentence: Sentence) => {
    const known = texts.get(sentence) ?? sentence.render(rendering);
    texts.set(sentence, known);
    return known;
  };
  const sections = documents.flatMap((document) => document.sections);
  const render = (cut: Cut) =>
    [
      ...before,
      ...cutDangers(sections, cut),
      ...documents.map((document) => documentMarkdown(document, cut, text)),
      ...after.map((line) => `${line}\n`),
    ].join("\n");
  return fit(sections, maxLength, render);
}

/** Dangers, each with its plural. None may be missing silently. */
const DANGERS = [
  [CUT.irreversible, "change that can't be undone", "changes that can't be undone"],
  [CUT.rule, "broken rule", "broken rules"],
  [CUT.gain, "gain of access", "gains of access"],
  [CUT.loss, "loss of access", "losses of access"],
  [CUT.unknown, "effect that can't be reviewed", "effects that can't be reviewed"],
  [CUT.error, "error", "errors"],
] as const;

/** The first line of a review without room for all dangers. */
function cutDangers(sections: readonly Section[], { left }: Cut): string[] {
  const rows = sections.flatMap((section) => section.rows.filter((row) => left.has(row)));
  const parts = DANGERS.flatMap(([danger, noun, plural]) => {
    const number = rows.filter(({ rank }) => rank === danger).length;
    return anyOf([number, word(count(number, noun, plural))]);
  });
  if (parts.length === 0) return [];
  return [
    `**❗ There is no room here for ${list(parts).toString()}. \`--format text\` and \`--json\` show all of it.**\n`,
  ];
}

type Text = (sentence: Sentence) => string;

function renderingIn(names: Readonly<Record<string, string>>, source: MarkdownOptions["source"]): Rendering {
  return {
    value: (text) => inMarkdown(text),
    id: (id) => withName(names, id, { name: (text) => `**${inMarkdown(text)}**`, id: inMarkdown }),
    place: (place) => {
      const text = inMarkdown(placeText(place));
      const address = source?.(place);
      return address === undefined ? `(${text})` : `([${text}](${address}))`;
    },
  };
}

function documentMarkdown(document: Document, cut: Cut, text: Text): string {
  const { title, summary, sections } = document;
  const parts = summary.map(text);
  const remarks = remarksOf(document);
  if (sections.length + remarks.length === 0) return `**${text(title)}**: ${parts.join(" · ")}\n`;
  const counts = parts.map((part) => (/^[\w]/.test(part) ? part : `**${part}**`)).join(" · ");
  return [
    `### ${text(title)}\n`,
    ...anyOf(
      [parts.length, `${counts}\n`],
      [remarks.length, linesOf(remarks.map((remark) => `- ${text(remark)}`))],
    ),
    ...sections.map((section) => linesOf(sectionMarkdown(section, cut, text))),
  ].join("\n");
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

interface CutSection extends Section {
  /** Says how many rows there is no room for. */
  rest: readonly string[];
  cut: Cut;
  text: Text;
}

function sectionMarkdown(section: Section, cut: Cut, text: Text): string[] {
  const { title, head, kind } = section;
  const rows = section.rows.filter((row) => !cut.left.has(row));
  const shown = { ...section, rows, rest: noRoomFor(section.rows.length - rows.length), cut, text };
  if (title.isEmpty) return [rows.map((row) => lineOf(row, text)).join("\n\n")];
  if (kind === "danger") return cautionMarkdown(shown);
  return head === undefined ? listMarkdown(shown) : tableMarkdown(shown, head);
}

function cautionMarkdown({ title, rows, rest, cut, text }: CutSection): string[] {
  const ids = rows.flatMap(({ short }) => optional(short)).map(text);
  const lines = cut.isShort
    ? [[...ids, ...rest].join(", ")]
    : [...rows.map((row) => `- ${lineOf(row, text)}`), ...rest.map((line) => `- ${line}`)];
  return ["> [!CAUTION]", `> **${text(title)}:**`, ...lines.map((line) => `> ${line}`)];
}

function tableMarkdown(
  { title, isGrouped, rows, rest, text }: CutSection,
  head: readonly string[],
): string[] {
  const cellsOf = isGrouped ? changeCells : ({ cells }: Row) => cells.map(text);
  const table = [head, head.map(() => "---"), ...rows.map((row) => cellsOf(row, text))].map(markdownRow);
  return [
    `#### ${text(title)}\n`,
    ...(rows.length === 0 ? [] : [...table, ...(isGrouped ? [""] : [])]),
    ...rest.map((line) => `- ${line}`),
  ];
}

function listMarkdown({ title, isUnchanged, rows, rest, cut, text }: CutSection): string[] {
  // Text that is cut at its end must not leave a fold open.
  const isFolded = isUnchanged && rows.length > 0;
  return [
    ...(isFolded ? ["<details>", `<summary>${text(title)}</summary>`, ""] : [`#### ${text(title)}\n`]),
    ...rows.flatMap((row) => listRow(row, cut, text)),
    ...rest.map((line) => `- ${line}`),
    ...(isFolded ? ["", "</details>"] : []),
  ];
}

function lineOf({ cells }: Row, text: Text): string {
  return cells.map(text).join(" ");
}

function noRoomFor(left: number): string[] {
  return anyOf([left, `… and ${grouped(left)} more, which there is no room for`]);
}

/** The signs of a table in colour: code hosts show the others in black. */
const COLOURED = [
  ["➕", "🟢"],
  ["➖", "🔴"],
] as const;

function changeCells({ cells }: Row, text: Text): string[] {
  const [role = "", effect = "", ...rest] = cells.map(text);
  const coloured = COLOURED.reduce((all, [sign, colour]) => all.replace(sign, colour), effect);
  // The verb must not break between long ids.
  const change = coloured.replace(/^[^,]*/, (verb) => verb.replaceAll(" ", "&nbsp;"));
  return [role, change, ...rest];
}

function listRow(row: Row, { left }: Cut, text: Text): string[] {
  const { details = [] } = row;
  const shownDetails = details.filter((detail) => !left.has(detail));
  return [
    `- ${lineOf(row, text)}`,
    ...shownDetails.map((detail) => `  - ${text(detail)}`),
    ...noRoomFor(details.length - shownDetails.length).map((line) => `  - ${line}`),
  ];
}

/** The parts left out for lack of room. */
interface Cut {
  /** Omitted rows and details. */
  left: ReadonlySet<Row | Sentence>;
  /** True if irreversible effects are shown in the fewest words. */
  isShort: boolean;
}

/** Shortens a text to `most` characters: cuts the least important parts, and as few as the limit asks for. */
function fit(sections: readonly Section[], most: number, render: (cut: Cut) => string): string {
  const whole = render({ left: new Set(), isShort: false });
  if (whole.length <= most) return whole;
  const ranks = cuttable(sections);
  const others = ranks.filter(({ rank }) => rank !== CUT.irreversible).flatMap(({ parts }) => parts);
  const isShort = render({ left: new Set(others), isShort: false }).length > most / 2;
  let left: readonly (Row | Sentence)[] = [];
  for (const { parts } of ranks) {
    const showing = (first: number) => render({ left: new Set([...left, ...parts.slice(first)]), isShort });
    const shown = mostThatFits(parts.length, (first) => showing(first).length <= most);
    if (shown !== undefined) return showing(shown);
    left = [...left, ...parts];
  }
  return firstLines(render({ left: new Set(left), isShort }), most);
}

/** Returns the highest count that fits, from 0 to `all`; undefined if none does. */
function mostThatFits(all: number, fits: (count: number) => boolean): number | undefined {
  if (!fits(0)) return undefined;
  let [least, tooMany] = [0, all + 1];
  while (tooMany - least > 1) {
    const middle = Math.floor((least + tooMany) / 2);
    if (fits(middle)) least = middle;
    else tooMany = middle;
  }
  return least;
}

/** Returns the parts that can be cut, in display order, by rank. The least important come first. */
function cuttable(sections: readonly Section[]): { rank: number; parts: (Row | Sentence)[] }[] {
  const all = sections.flatMap(({ rows }) =>
    rows.flatMap((row) => [
      { rank: row.rank, part: row },
      ...(row.details ?? []).map((part) => ({ rank: row.detailsRank ?? row.rank, part })),
    ]),
  );
  const ranks = [...new Set(all.map(({ rank }) => rank))].filter((rank) => rank !== NEVER_CUT);
  return ranks
    .sort((one, other) => other - one)
    .map((rank) => ({ rank, parts: all.filter((each) => each.rank === rank).map(({ part }) => part) }));
}

/** For so many stacks that their titles alone are too long. */
function firstLines(text: string, most: number): string {
  const note = "\n… there is no room for the rest\n";
  const end = text.lastIndexOf("\n", most - note.length);
  return text.slice(0, Math.max(0, end)) + note;
}
