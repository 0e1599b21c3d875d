import { CUT, NEVER_CUT, type ReviewDocument, type Row, type Section, SHORTENED_FROM } from "./document";
import { inAddress, inMarkdown } from "../escape";
import { count, grouped, list, type Part, Sentence } from "../../provider/pulumi/sentence";

export interface Appearance {
  names: Readonly<Record<string, string>>;
  source: string | undefined;
  commit: string | undefined;
  fingerprint: string;
  maxLength: number;
}

/** The review as GitHub's and GitLab's Markdown, below a marker by which a comment is found again. */
export function reviewMarkdown(
  documents: readonly ReviewDocument[],
  marker: string,
  appearance: Appearance,
): string {
  const texts = new Map<Sentence, string>();
  // Finding out what there is room for renders most sentences many times.
  const text = (sentence: Sentence) => {
    const known = texts.get(sentence) ?? sentence.render((part) => markdownPart(part, appearance));
    texts.set(sentence, known);
    return known;
  };
  const sections = documents.flatMap((document) => document.sections);
  const render = (excerpt: Excerpt) =>
    [
      marker,
      ...cutDangers(sections, excerpt),
      ...documents.map((document) => documentMarkdown(document, excerpt, text)),
      footer(appearance),
    ].join("\n") + "\n";
  return fit(sections, appearance.maxLength, render);
}

/** Dangers, of which none may be missing without a word, each with its plural. */
const DANGERS = [
  [CUT.irreversible, "change that can't be undone", "changes that can't be undone"],
  [CUT.gain, "gain of access", "gains of access"],
  [CUT.loss, "loss of access", "losses of access"],
  [CUT.unknown, "effect that can't be reviewed", "effects that can't be reviewed"],
  [CUT.error, "error", "errors"],
] as const;

/** The first line of a review that has no room for all dangers. */
function cutDangers(sections: readonly Section[], excerpt: Excerpt): string[] {
  const cut = sections.flatMap(({ rows }) => rows.filter((row) => !excerpt.shows(row)));
  const parts = DANGERS.flatMap(([danger, noun, plural]) => {
    const number = cut.filter(({ rank }) => rank === danger).length;
    return number === 0 ? [] : [new Sentence([count(number, noun, plural)])];
  });
  if (parts.length === 0) return [];
  return [
    `**❗ There is no room here for ${list(parts).toString()}. \`--format text\` and \`--json\` show all of it.**\n`,
  ];
}

type Text = (sentence: Sentence) => string;

function markdownPart(part: Exclude<Part, string>, { names, source }: Appearance): string {
  if ("value" in part) return inMarkdown(part.value);
  if ("id" in part) {
    const name = Object.hasOwn(names, part.id) ? names[part.id] : undefined;
    return name === undefined ? inMarkdown(part.id) : `**${inMarkdown(name)}** ${inMarkdown(part.id)}`;
  }
  const { file, line } = part.place;
  const text = inMarkdown(`${file}:${line}`);
  return source === undefined ? `(${text})` : `([${text}](${inAddress(source, file)}#L${line}))`;
}

function documentMarkdown(
  { title, summary, sections }: ReviewDocument,
  excerpt: Excerpt,
  text: Text,
): string {
  const parts = summary.map(text);
  if (sections.length === 0) return `**${text(title)}**: ${parts.join(" · ")}\n`;
  return [
    `### ${text(title)}\n`,
    `${parts.map((part) => (/^[\w]/.test(part) ? part : `**${part}**`)).join(" · ")}\n`,
    ...sections.map((section) => sectionMarkdown(section, excerpt, text)),
  ].join("\n");
}

function sectionMarkdown({ kind, title, rows }: Section, excerpt: Excerpt, text: Text): string {
  const shownRows = rows.filter((row) => excerpt.shows(row));
  const left = rows.length - shownRows.length;
  const more = left === 0 ? [] : [`- ${noRoomFor(left)}`];
  if (kind === "irreversible") {
    const ids = shownRows.flatMap(({ short }) => (short === undefined ? [] : [text(short)]));
    const lines = excerpt.isShort
      ? [[...ids, ...(left === 0 ? [] : [noRoomFor(left)])].join(", ")]
      : shownRows.map(({ cells }) => `- ${cells.map(text).join(" ")}`);
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
  const lines = shownRows.flatMap((row) => listRowMarkdown(row, excerpt.detailsOf(row), text));
  return [`#### ${title}\n`, ...lines, ...more, ""].join("\n");
}

function noRoomFor(left: number): string {
  return `… and ${grouped(left)} more, which there is no room for`;
}

/** The first cell is shown once for rows that share it. The second must not break between long ids. */
function tableRows(rows: readonly Row[], text: Text): string[] {
  let before: string | undefined;
  return rows.map(({ cells }) => {
    const [first = "", effect = "", ...rest] = cells.map(text);
    const head = first === before ? "" : first;
    before = first;
    return `| ${[head, effect.replaceAll(" ", "&nbsp;"), ...rest].join(" | ")} |`;
  });
}

function listRowMarkdown({ cells, details = [] }: Row, shownDetails: number, text: Text): string[] {
  const left = details.length - shownDetails;
  return [
    `- ${cells.map(text).join(" ")}`,
    ...details.slice(0, shownDetails).map((detail) => `  - ${text(detail)}`),
    ...(left === 0 ? [] : [`  - ${noRoomFor(left)}`]),
  ];
}

function footer({ commit, fingerprint }: Appearance): string {
  const made = [
    ...(commit === undefined ? [] : [`for ${inMarkdown(commit.slice(0, 7))}`]),
    `fingerprint ${inMarkdown(fingerprint)}`,
    "made by `pulumi-identity review`",
  ];
  return `<sub>${made.join(" · ")}</sub>`;
}

interface Excerpt {
  /** Whether what can't be undone is told in the fewest words. */
  isShort: boolean;
  shows(row: Row): boolean;
  /** How many of the details of a row are shown. */
  detailsOf(row: Row): number;
}

/** The longest text of at most `most` characters: what matters least is cut first, and counted. */
function fit(sections: readonly Section[], most: number, render: (excerpt: Excerpt) => string): string {
  const units = new Units(sections);
  const limits = new Map<number, number>();
  let isShort = false;
  const text = () => render(units.excerpt(limits, isShort));
  if (text().length <= most) return text();
  for (const rank of units.ranks) {
    if (rank < SHORTENED_FROM && !isShort) {
      isShort = true;
      if (text().length <= most) return text();
      // Few words more are worth it, but not if they take the place of most dangers.
      isShort =
        rank === CUT.irreversible || render(units.excerpt(nothingButTheLast(units), false)).length > most / 2;
    }
    let [least, excess] = [0, units.count(rank)];
    while (least < excess - 1) {
      const middle = Math.floor((least + excess) / 2);
      limits.set(rank, middle);
      if (text().length <= most) least = middle;
      else excess = middle;
    }
    limits.set(rank, least);
    if (text().length <= most) return text();
  }
  return firstLines(text(), most);
}

function nothingButTheLast({ ranks }: Units): Map<number, number> {
  return new Map(ranks.filter((rank) => rank > CUT.irreversible).map((rank) => [rank, 0]));
}

/** What can be cut, numbered within its rank in the order in which it is shown. */
class Units {
  readonly #counts = new Map<number, number>();
  readonly #rows = new Map<Row, number>();
  readonly #details = new Map<Row, number>();

  constructor(sections: readonly Section[]) {
    for (const row of sections.flatMap(({ rows }) => rows)) {
      this.#rows.set(row, this.#add(row.rank, 1));
      this.#details.set(row, this.#add(rankOfDetails(row), row.details?.length ?? 0));
    }
  }

  /** Those that are cut first come first. */
  get ranks(): number[] {
    return [...this.#counts.keys()].filter((rank) => rank !== NEVER_CUT).sort((one, other) => other - one);
  }

  count(rank: number): number {
    return this.#counts.get(rank) ?? 0;
  }

  excerpt(limits: ReadonlyMap<number, number>, isShort: boolean): Excerpt {
    const limit = (rank: number) => limits.get(rank) ?? Infinity;
    return {
      isShort,
      shows: (row) => (this.#rows.get(row) ?? 0) < limit(row.rank),
      detailsOf: (row) => {
        const left = limit(rankOfDetails(row)) - (this.#details.get(row) ?? 0);
        return Math.max(0, Math.min(left, row.details?.length ?? 0));
      },
    };
  }

  #add(rank: number, number: number): number {
    const first = this.count(rank);
    this.#counts.set(rank, first + number);
    return first;
  }
}

function rankOfDetails({ rank, detailsRank = rank }: Row): number {
  return detailsRank;
}

/** So many stacks that their titles alone are too long. */
function firstLines(text: string, most: number): string {
  const note = "\n… there is no room for the rest\n";
  const end = text.lastIndexOf("\n", most - note.length);
  return text.slice(0, Math.max(0, end)) + note;
}
