import { count, type Part, placeText, Sentence } from "../provider/sentence";

/*
 * What the page shows, whichever command wrote it: a matrix of roles and of those who have them, made from
 * the command's JSON, and around it the sections of its document, which says the same in other formats.
 */

/** A sentence. */
export type Words = readonly Part[];

export type CellStatus =
  | "managed"
  | "unmanaged"
  | "drift"
  | "unknown"
  | "direct"
  | "lost"
  | "gains"
  | "loses"
  | "forgotten"
  | "keeps"
  | "stays";

/** Each has a sign, a colour and a word of its own; `short`: where there is little room. */
export const STATUSES: Readonly<Record<CellStatus, { word: string; short?: string; means: string }>> = {
  managed: { word: "managed", means: "A program grants it, and its line is named." },
  unmanaged: { word: "by hand", means: "Somebody gave it by hand, or a program that wasn't read." },
  drift: {
    word: "claimed, not there",
    short: "not there",
    means: "A program grants it, but nobody has it: it was taken away by hand.",
  },
  unknown: { word: "unknown", means: "It's secret, or the tenant didn't answer." },
  direct: { word: "directly", means: "People have the role themselves, not through a group." },
  lost: { word: "lost", means: "It was there in the earlier answer, and isn't today." },
  gains: { word: "gains", means: "The change grants it." },
  loses: { word: "loses", means: "The change revokes it." },
  forgotten: { word: "forgotten", means: "The program drops it, and it isn't there today." },
  keeps: { word: "keeps", means: "It moves between assignments, or only its end moves." },
  stays: { word: "unchanged", means: "The program grants it, as before." },
};

/** Further signs of a cell. */
export const MARKS = {
  broken: { word: "breaks a rule", means: "A rule doesn't allow it." },
  soon: { word: "expires soon", means: "The grant ends within 14 days." },
  expired: { word: "expired", means: "The grant has ended, and no run has revoked it." },
  gained: { word: "gained", means: "It wasn't there in the earlier answer." },
  changed: { word: "changed", means: "Now by hand or now managed; of people, somebody has lost it." },
  later: { word: "ends later", means: "The grant is extended, or has no end any more." },
  earlier: { word: "ends earlier", means: "The grant is shortened, or has an end now." },
  maybe: { word: "uncertain", means: "It depends on something that isn't known." },
} as const;
export type Mark = keyof typeof MARKS;

/** A reader's choices. */
export type CellKind = CellStatus | Mark;
export const CELL_KINDS = { ...STATUSES, ...MARKS };

export interface Permission {
  resourceServer: string;
  name: string;
}

export interface Header {
  /** Unique among rows, or among columns. */
  key: string;
  id: string;
  /** The id, if there is no name. */
  name: string;
  /** True if another one has the same name, so that the id is needed to tell them apart. */
  isTwin: boolean;
}

export interface RowHeader extends Header {
  /** What the name doesn't say, as in "in acme" or "not on the tenant". */
  note?: string | undefined;
  /** Where the role counts; left out: in the tenant itself. */
  organization?: { id: string; name: string } | undefined;
  /** Undefined if nobody asked; null if there was no answer. */
  permissions?: readonly Permission[] | null | undefined;
}

export interface ColumnHeader extends Header {
  /** Set if the column is no group. */
  isSpecial?: true;
  people?: PeopleCount | undefined;
}

export interface PeopleCount {
  count: number;
  isMore: boolean;
  ids?: readonly string[] | undefined;
}

/** A resource behind a cell. */
export interface CellSource {
  resource: string;
  stack?: string | undefined;
  line?: { file: string; line: number } | null | undefined;
  /** When it ends, as in "until 2026-12-31". */
  until?: string | undefined;
  /** True if the line is what a state holds, and not only a change that nobody has merged. */
  isWritten?: true;
  /** Further words, in the order of reading. */
  notes: readonly string[];
}

export interface Cell {
  row: number;
  column: number;
  status: CellStatus;
  marks: readonly Mark[];
  /** A few characters in the corner: how many days are left, or how many people. */
  badge?: string | undefined;
  why: Words;
  sources: readonly CellSource[];
  /** Sentences of sections about it. */
  remarks: readonly Remark[];
  /** The holder, and what is known of its people. */
  who?: Words | undefined;
  people?: PeopleCount | undefined;
}

export interface Remark {
  kind: "broken" | "decision" | "change";
  words: Words;
}

export interface Tile {
  label: string;
  value: string;
  note?: string | undefined;
  /** Draws the eye, with a sign. */
  isAlarming?: boolean;
  /** What it counts in the matrix: a click shows only these. */
  kinds?: readonly CellKind[];
}

export interface PageSection {
  id: string;
  /** Empty: the rows are paragraphs. */
  title: Words;
  kind: "danger" | "broken" | "plain";
  /** Names of the columns; undefined: a list. */
  head: readonly string[] | undefined;
  rows: readonly SectionRow[];
  totals: readonly Words[];
}

export interface SectionRow {
  cells: readonly Words[];
  details: readonly Words[];
  /** The cell of the matrix that it is about. */
  cell: number | undefined;
}

export interface View {
  /** One for each stack. */
  heads: readonly { title: Words; remarks: readonly Words[] }[];
  /** How the page was made. */
  remarks: readonly string[];
  /** Lists that were not read, and why. */
  gaps: readonly Words[];
  tiles: readonly Tile[];
  /** Above the matrix. */
  before: readonly PageSection[];
  rows: readonly RowHeader[];
  columns: readonly ColumnHeader[];
  cells: readonly Cell[];
  /** In place of a matrix without cells. */
  empty: string;
  /** Below it. */
  after: readonly PageSection[];
  names: NamesById;
  /** Words where there is only room for a text. */
  text: (words: Words) => string;
}

/** By id. */
export type NamesById = ReadonlyMap<string, string>;

/** The signs of sentences, in characters that each font has. */
export const SIGNS: ReadonlyMap<string, { text: string; kind: "gains" | "loses" | "broken" | "moves" }> =
  new Map([
    ["➕", { text: "+", kind: "gains" }],
    ["➖", { text: "−", kind: "loses" }],
    ["⏳", { text: "±", kind: "moves" }],
    ["⛔", { text: "!", kind: "broken" }],
    ["❌", { text: "×", kind: "broken" }],
    ["❔", { text: "?", kind: "moves" }],
  ]);

export const SIGN = [...SIGNS.keys()].join("|");

/** Many cells share their words, which are one object then. */
export function textsIn(names: NamesById): View["text"] {
  const known = new Map<Words, string>();
  return (words) => {
    const text = known.get(words) ?? textOf(words, names);
    known.set(words, text);
    return text;
  };
}

export function textOf(words: Words, names: NamesById): string {
  const own = words.map((part) =>
    typeof part === "string"
      ? part.replace(new RegExp(SIGN, "gu"), (sign) => SIGNS.get(sign)?.text ?? sign)
      : part,
  );
  return new Sentence(own).render({
    value: (text) => text,
    id: (id) => names.get(id) ?? id,
    place: (place) => `(${placeText(place)})`,
  });
}

export function countOf({ count: number, isMore }: PeopleCount): string {
  return `${isMore ? "more than " : ""}${count(number, "person", "people")}`;
}

/** Before anybody has compared their names. */
export type Untwinned<Of extends Header> = Omit<Of, "isTwin">;

/** Marks those that share a name, and what is noted under it, with another one. */
export function withTwins<Of extends Untwinned<Header> & Pick<RowHeader, "note">>(
  items: readonly Of[],
): (Of & Header)[] {
  const shownAs = ({ name, note = "" }: Of) => JSON.stringify([name, note]);
  const numbers = new Map<string, number>();
  for (const item of items) numbers.set(shownAs(item), (numbers.get(shownAs(item)) ?? 0) + 1);
  return items.map((item) => ({
    ...item,
    isTwin: (numbers.get(shownAs(item)) ?? 0) > 1 && item.name !== item.id,
  }));
}

/** `in acme, not on the tenant` */
export function noteOf(...parts: readonly (string | false | undefined)[]): { note?: string } {
  const told = parts.filter((part) => typeof part === "string");
  return told.length === 0 ? {} : { note: told.join(", ") };
}

/** Keeps the index of each key, in the order in which keys come. */
export class Index<Of> {
  readonly items: Of[] = [];
  readonly #places = new Map<string, number>();

  /** Returns the place of a key, with an item made for it if it is new. */
  place(key: string, make: () => Of): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.items.length);
    return this.items.push(make()) - 1;
  }

  find(key: string): number | undefined {
    return this.#places.get(key);
  }
}

/** `2026-11-23 12:20 UTC` */
export function minuteOf(made: string): string {
  return `${made.slice(0, 16).replace("T", " ")} UTC`;
}
