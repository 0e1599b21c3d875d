import { type Edge } from "../../provider/access/edge";
import { say, type Sentence } from "../../provider/sentence";

/**
 * A review or an audit in words. Text, Markdown and the page only lay it out. `Words`: a sentence; in the
 * page's data, its parts.
 */
export interface Document<Words = Sentence> {
  title: Words;
  /** `➕ 4 grants`, …; the most important first. */
  summary: readonly Words[];
  /** Lists that were not read, and why. */
  gaps: readonly Words[];
  /** Further sentences below the title. */
  remarks: readonly Words[];
  sections: readonly Section<Words>[];
}

export interface Section<Words = Sentence> {
  /** The same for the sections of several stacks that a page shows as one. */
  id: string;
  /** Empty: the rows are paragraphs. */
  title: Words;
  /** Names of the columns; left out: a list. */
  head?: readonly string[];
  rows: readonly Row<Words>[];
  /** True if rows of a table follow each other that begin with the same cell. */
  isGrouped?: boolean;
  /** For readers who don't add up rows: `In all, 12 people …`. A comment has no room for it. */
  total?: Words;
  /** True for what the change leaves as it is: a comment folds it. */
  isUnchanged?: boolean;
  /** Where a page has it. Its matrix shows those rows of a section that have an edge. */
  place: "before" | "matrix" | "after";
  kind: "danger" | "broken" | "plain";
}

export interface Row<Words = Sentence> {
  cells: readonly Words[];
  /** One of {@link CUT}. */
  rank: number;
  details?: readonly Words[];
  detailsRank?: number;
  short?: Words;
  /** The grants that it is about. The page opens their cells. */
  edges?: readonly Edge[];
}

/** The data of a page. */
export interface PageData<Json = unknown, Words = Sentence> {
  /** For the matrix and the tiles. */
  json: Json;
  /** For everything around them. A review has one for each stack. */
  documents: readonly Document<Words>[];
}

/** Where a page has a section, and how. */
export const BEFORE = { place: "before", kind: "plain" } as const;
export const AFTER = { place: "after", kind: "plain" } as const;
export const IN_MATRIX = { place: "matrix", kind: "plain" } as const;
export const DANGER = { place: "before", kind: "danger" } as const;
export const BROKEN = { place: "before", kind: "broken" } as const;

/** Columns of the page's matrix that stand for no single group: people, and groups that a program hides. */
export const DIRECTLY = { group: "directly" } as const;
export const SECRET_GROUPS = { group: "secret" } as const;

/** If there is no room, parts with the highest number are cut first; dangers are cut last. */
export const CUT = {
  irreversible: 0,
  error: 1,
  rule: 2,
  gain: 3,
  unknown: 4,
  loss: 5,
  profile: 6,
  others: 6,
  kept: 7,
  unknownValue: 8,
  value: 9,
  oldRule: 10,
  note: 10,
  permission: 11,
} as const;
export const NEVER_CUT = -1;

/** The sentences below the title of a text. */
export function remarksOf({ gaps, remarks }: Document): Sentence[] {
  return [...gaps.map((gap) => say`Not complete: ${gap}`), ...remarks];
}

/** Rows of one cell; a sentence that is empty makes none. */
export function rowsOf(rank: number, sentences: readonly Sentence[]): Row[] {
  return sentences.filter(({ isEmpty }) => !isEmpty).map((sentence) => ({ cells: [sentence], rank }));
}

/** Returns an id after its name, or alone if it has none. `names`: by id. `show`: formats them. */
export function withName(
  names: Readonly<Record<string, string>>,
  key: string,
  show: { name: (text: string) => string; id: (text: string) => string },
): string {
  const { [key]: name = "" } = names;
  // An id may be called as a member of every object.
  return Object.hasOwn(names, key) ? `${show.name(name)} ${show.id(key)}` : show.id(key);
}
