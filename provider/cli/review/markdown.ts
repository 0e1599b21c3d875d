import { type Document, type Row, type Section } from "./document";
import { inAddress, inMarkdown } from "./escape";
import { fit, type Room } from "./fit";
import { grouped, type Part, type Sentence } from "./sentence";

export interface Appearance {
  /** Names by id. */
  names: Readonly<Record<string, string>>;
  /** What the addresses of lines begin with. */
  source: string | undefined;
  /** The commit that is reviewed. */
  commit: string | undefined;
  fingerprint: string;
  maxLength: number;
}

/** The review as GitHub's and GitLab's Markdown, below a marker by which a comment is found again. */
export function toMarkdown(documents: readonly Document[], marker: string, appearance: Appearance): string {
  const texts = new Map<Sentence, string>();
  // Finding out what there is room for renders most sentences many times.
  const text = (sentence: Sentence) => {
    const known = texts.get(sentence) ?? sentence.render((part) => shown(part, appearance));
    texts.set(sentence, known);
    return known;
  };
  const render = (room: Room) =>
    [marker, ...documents.map((document) => documentText(document, room, text)), footer(appearance)].join(
      "\n",
    ) + "\n";
  const sections = documents.flatMap((document) => document.sections);
  return fit(sections, appearance.maxLength, render);
}

type Text = (sentence: Sentence) => string;

function shown(part: Exclude<Part, string>, { names, source }: Appearance): string {
  if ("value" in part) return inMarkdown(part.value);
  if ("id" in part) {
    const name = Object.hasOwn(names, part.id) ? names[part.id] : undefined;
    return name === undefined ? inMarkdown(part.id) : `**${inMarkdown(name)}** ${inMarkdown(part.id)}`;
  }
  const { file, line } = part.place;
  const text = inMarkdown(`${file}:${line}`);
  return source === undefined ? `(${text})` : `([${text}](${inAddress(source, file)}#L${line}))`;
}

function documentText({ title, summary, sections }: Document, room: Room, text: Text): string {
  const parts = summary.map(text);
  if (sections.length === 0) return `**${text(title)}**: ${parts.join(" · ")}\n`;
  return [
    `### ${text(title)}\n`,
    `${parts.map((part) => (/^[\w]/.test(part) ? part : `**${part}**`)).join(" · ")}\n`,
    ...sections.map((section) => sectionText(section, room, text)),
  ].join("\n");
}

function sectionText(section: Section, room: Room, text: Text): string {
  const { kind, title, rows, short } = section;
  const shownRows = rows.slice(0, room.rows.get(section) ?? rows.length);
  const left = rows.length - shownRows.length;
  const more = left === 0 ? [] : [`- … and ${grouped(left)} more, which there is no room for`];
  if (kind === "irreversible") {
    const lines =
      room.isShort && short !== undefined
        ? [text(short)]
        : rows.map(({ cells }) => `- ${cells.map(text).join(" ")}`);
    return ["> [!CAUTION]", `> **${title}:**`, ...lines.map((line) => `> ${line}`), ""].join("\n");
  }
  if (kind === "access") {
    const table = [
      "| Role | | Group | Through |",
      "| --- | --- | --- | --- |",
      ...tableRows(shownRows, text),
    ];
    return [`#### ${title}\n`, ...(shownRows.length === 0 ? [] : [...table, ""]), ...more, ""].join("\n");
  }
  return [`#### ${title}\n`, ...shownRows.flatMap((row) => listRow(row, text)), ...more, ""].join("\n");
}

/** The first cell is shown once for the rows that have the same. Between long ids, the second one would be broken up. */
function tableRows(rows: readonly Row[], text: Text): string[] {
  let before: string | undefined;
  return rows.map(({ cells }) => {
    const [first = "", effect = "", ...rest] = cells.map(text);
    const head = first === before ? "" : first;
    before = first;
    return `| ${[head, effect.replaceAll(" ", "&nbsp;"), ...rest].join(" | ")} |`;
  });
}

function listRow({ cells, details = [] }: Row, text: Text): string[] {
  return [`- ${cells.map(text).join(" ")}`, ...details.map((detail) => `  - ${text(detail)}`)];
}

function footer({ commit, fingerprint }: Appearance): string {
  const made = [
    ...(commit === undefined ? [] : [`for ${inMarkdown(commit.slice(0, 7))}`]),
    `fingerprint ${inMarkdown(fingerprint)}`,
    "made by `pulumi-identity review`",
  ];
  return `<sub>${made.join(" · ")}</sub>`;
}
