import { CUT, NEVER_CUT, type ReviewDocument, type Row, type Section } from "./document";
import { inAddress, inMarkdown, markdownRow } from "../../escape";
import {
  count,
  grouped,
  list,
  type Place,
  placeText,
  type Rendering,
  type Sentence,
  word,
} from "../../../provider/sentence";
import { anyOf, optional } from "../../lists";
import { withName } from "./words";

export interface Appearance {
  names: Readonly<Record<string, string>>;
  /** Returns the address of a place; undefined if it has none. */
  source: ((place: Place) => string | undefined) | undefined;
  commit: string | undefined;
  /** The address of the run that keeps the review as a page. */
  page?: string | undefined;
  /** Undefined if a preview failed, because its contents can't be approved. */
  fingerprint: string | undefined;
  maxLength: number;
  /** Texts that this one takes the place of: `of` an author, or of former stacks. */
  outdated?: readonly { what: "review" | "drift"; of: string; url: string }[];
}

/**
 * Returns the review in GitHub's and GitLab's Markdown, with a marker on top by which its comment is found
 * again.
 */
export function reviewMarkdown(
  documents: readonly ReviewDocument[],
  marker: string,
  appearance: Appearance,
): string {
  const rendering = renderingIn(appearance);
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
      marker,
      ...outdatedNotices(appearance),
      ...cutDangers(sections, cut),
      ...documents.map((document) => documentMarkdown(document, cut, text)),
      footer(appearance),
    ].join("\n") + "\n";
  return fit(sections, appearance.maxLength, render);
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

/** Those of others can't be changed, and would look as good as this one. */
function outdatedNotices({ outdated = [] }: Appearance): string[] {
  return outdated.map(
    ({ what, of, url }) =>
      `**⚠️ Out of date: [the ${what} of ${inMarkdown(of)}](${inAddress(url, "")}). This one replaces it.**\n`,
  );
}

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

function renderingIn({ names, source }: Appearance): Rendering {
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

function documentMarkdown({ title, summary, sections }: ReviewDocument, cut: Cut, text: Text): string {
  const parts = summary.map(text);
  if (sections.length === 0) return `**${text(title)}**: ${parts.join(" · ")}\n`;
  return [
    `### ${text(title)}\n`,
    `${parts.map((part) => (/^[\w]/.test(part) ? part : `**${part}**`)).join(" · ")}\n`,
    ...sections.map((section) => sectionMarkdown(section, cut, text)),
  ].join("\n");
}

interface Shown {
  title: string;
  isUnchanged: boolean;
  holders: string;
  rows: readonly Row[];
  /** Says how many rows there is no room for. */
  rest: readonly string[];
  cut: Cut;
  text: Text;
}

const FORMS: Readonly<Record<Section["form"], (shown: Shown) => string[]>> = {
  caution: ({ title, rows, rest, cut, text }) => {
    const ids = rows.flatMap(({ short }) => optional(short)).map(text);
    const lines = cut.isShort
      ? [[...ids, ...rest].join(", ")]
      : [...rows.map((row) => lineOf(row, text)), ...rest.map((line) => `- ${line}`)];
    return ["> [!CAUTION]", `> **${title}:**`, ...lines.map((line) => `> ${line}`)];
  },
  table: ({ title, holders, rows, rest, text }) => [
    `#### ${title}\n`,
    ...(rows.length === 0
      ? []
      : [
          `| Role | Change | ${holders} | Through |`,
          "| --- | --- | --- | --- |",
          ...tableRows(rows, text),
          "",
        ]),
    ...rest.map((line) => `- ${line}`),
  ],
  list: ({ title, isUnchanged, rows, rest, cut, text }) => {
    // Text that is cut at its end must not leave a fold open.
    const isFolded = isUnchanged && rows.length > 0;
    return [
      ...(isFolded ? ["<details>", `<summary>${title}</summary>`, ""] : [`#### ${title}\n`]),
      ...rows.flatMap((row) => listRowMarkdown(row, cut, text)),
      ...rest.map((line) => `- ${line}`),
      ...(isFolded ? ["", "</details>"] : []),
    ];
  },
};

function sectionMarkdown(
  { form, title, rows, holders = "Group", isUnchanged = false }: Section,
  cut: Cut,
  text: Text,
): string {
  const shown = rows.filter((row) => !cut.left.has(row));
  const rest = noRoomFor(rows.length - shown.length);
  return [...FORMS[form]({ title, isUnchanged, holders, rows: shown, rest, cut, text }), ""].join("\n");
}

function lineOf({ cells }: Row, text: Text): string {
  return `- ${cells.map(text).join(" ")}`;
}

function noRoomFor(left: number): string[] {
  return anyOf([left, `… and ${grouped(left)} more, which there is no room for`]);
}

/** The signs of a table in colour: code hosts show the others in black. */
const COLOURED = [
  ["➕", "🟢"],
  ["➖", "🔴"],
] as const;

function tableRows(rows: readonly Row[], text: Text): string[] {
  return rows.map(({ cells }) => {
    const [role = "", effect = "", ...rest] = cells.map(text);
    const coloured = COLOURED.reduce((all, [sign, colour]) => all.replace(sign, colour), effect);
    // The verb must not break between long ids.
    const change = coloured.replace(/^[^,]*/, (verb) => verb.replaceAll(" ", "&nbsp;"));
    return markdownRow([role, change, ...rest]);
  });
}

function listRowMarkdown(row: Row, { left }: Cut, text: Text): string[] {
  const { details = [] } = row;
  const shownDetails = details.filter((detail) => !left.has(detail));
  return [
    lineOf(row, text),
    ...shownDetails.map((detail) => `  - ${text(detail)}`),
    ...noRoomFor(details.length - shownDetails.length).map((line) => `  - ${line}`),
  ];
}

function footer({ commit, fingerprint, page }: Appearance): string {
  const made = [
    ...optional(commit).map((hash) => `for ${inMarkdown(hash.slice(0, 7))}`),
    ...optional(fingerprint).map((hash) => `fingerprint ${inMarkdown(hash)}`),
    ...optional(page).map((address) => `[as a page, in the artifacts](${inAddress(address, "")})`),
    "made by `pulumi-identity review`",
  ];
  return `<sub>${made.join(" · ")}</sub>`;
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
