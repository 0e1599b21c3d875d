import { InvalidArgumentError, Option } from "commander";
import { awayText, DAY_MS, endOfUntil, endsWithin, HOUR_MS, latestOf } from "../provider/access/until";
import { count, type Place, placed, say, type Sentence, some, tail, word } from "../provider/sentence";
import { BEFORE, type Row, rowsOf, type Section } from "./output/document";

/* Grants that end within some time, or have ended and are still there: for audits, and a drift's issue. */

/** A time ahead, as it was given: `14d`. */
export interface Within {
  text: string;
  ms: number;
  /** `14 days` */
  words: string;
}

const UNITS = { d: { ms: DAY_MS, noun: "day" }, h: { ms: HOUR_MS, noun: "hour" } } as const;
const MOST_DAYS = 3650;

export function endsWithinOption(description: string): Option {
  return new Option("--ends-within <time>", `${description}: days or hours, such as 14d or 36h`).argParser(
    withinOf,
  );
}

export function withinOf(text: string): Within {
  const [, digits = "", letter] = /^(\d{1,6})([dh])$/.exec(text) ?? [];
  const [number, unit] = [Number(digits), UNITS[letter as keyof typeof UNITS]];
  if (letter === undefined || number === 0 || number * unit.ms > MOST_DAYS * DAY_MS)
    throw new InvalidArgumentError(`Give days or hours, such as 14d or 36h, up to ${MOST_DAYS}d.`);
  return { text, ms: number * unit.ms, words: count(number, unit.noun) };
}

/** An assignment that ends, with the groups that then lose the role. */
export interface EndingAssignment {
  until: string;
  role: Sentence;
  groups: readonly (string | Sentence)[];
  /** True if groups of it are secret. */
  hasSecretGroups: boolean;
  resource: string;
  /** Undefined if it goes without saying. */
  stack?: string | undefined;
  line: Place | null | undefined;
  /** Undefined if the program isn't here. */
  change?: SetUntil | undefined;
}

/** Where the program sets an end, in its own words. */
export interface SetUntil extends Place {
  text: string;
}

/** The claims by which a grant ends in time: none if another one goes on for longer. */
export function endingBy<Of extends { until?: string | null | undefined }>(
  by: readonly Of[],
  { ms }: Within,
  moment: number,
): Of[] {
  const last = latestOf(by.map(({ until }) => until ?? undefined));
  if (last === undefined || !endsWithin(last, moment, ms)) return [];
  return by.filter(({ until }) => endOfUntil(until ?? "") === endOfUntil(last));
}

/** Grants that end within a time, and assignments whose end is secret. */
export interface Ends {
  within: Within;
  endings: readonly EndingAssignment[];
  secret: readonly Sentence[];
  moment: number;
}

export function endSections({ within, endings, secret, moment }: Ends, rank: number): Section[] {
  const { words } = within;
  const sorted = [...endings].sort((one, other) => endIn(one) - endIn(other));
  const unknown = tail`It's unknown if these end within ${word(words)}, because their ends are secret: ${some(secret)}.`;
  return [
    {
      id: "ends",
      title: word(`Ends within ${words}`),
      ...BEFORE,
      head: ["End", "Role", "Groups", "Through", "To prolong it"],
      rows: sorted.map((ending): Row => ({ cells: endingCells(ending, moment), rank })),
    },
    { id: "secret ends", title: say``, ...BEFORE, rows: rowsOf(rank, [unknown]) },
  ];
}

function endIn({ until }: EndingAssignment): number {
  return endOfUntil(until) ?? 0;
}

function endingCells(ending: EndingAssignment, moment: number): Sentence[] {
  const { until, role, groups, hasSecretGroups, resource, stack, line, change } = ending;
  const away = awayText(until, moment);
  const taken = word(endIn(ending) <= moment ? ": the next run takes it away" : "");
  const secret = word(hasSecretGroups ? "secret groups" : "");
  const known = some(groups);
  const who = tail`${known} and ${secret}`.or(known).or(secret);
  const place = change ?? line;
  const how = tail`change ${change?.text}`.or(say`set a later ${"until"}`);
  return [
    say`${until}, ${word(away)}${taken}`,
    role,
    who,
    say`${placed(resource, line)}${tail` in ${stack}`}`,
    say`${how}${place ? say` ${{ place: { file: place.file, line: place.line } }}` : word(" in the program")}`,
  ];
}

/** Further down, it may be another resource's. */
const MOST_LINES = 40;
const LONGEST_TEXT = 80;

/**
 * Finds what sets `until` for the resource on a line. Its block ends with the next line that is indented no
 * more than its first, so a neighbour's isn't taken for its own.
 */
export function untilNear({ file, line }: Place, lines: readonly string[] | undefined): SetUntil | undefined {
  const block = lines?.slice(line - 1, line - 1 + MOST_LINES) ?? [];
  const depth = indentOf(block[0] ?? "");
  const end = block.findIndex((text, index) => index > 0 && text.trim() !== "" && indentOf(text) <= depth);
  const own = block.slice(0, end === -1 ? undefined : end);
  for (const [index, text] of own.entries()) {
    const set = setIn(text);
    if (set !== undefined) return { file, line: line + index, text: set };
  }
  return undefined;
}

function indentOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

/** `until: "2026-12-31"`; in TypeScript also `until` alone, which has its variable's value. */
function setIn(line: string): string | undefined {
  if (/^\s*(\/\/|#|\*|\/\*)/.test(line)) return undefined;
  const [found] =
    /(?<![\w.$-])["']?until["']?\s*[:=]\s*("[^"]*"|'[^']*'|[^\s,}#][^,}#]*)/i.exec(line) ??
    /(?<=^\s*|[{,]\s*)until(?=\s*(?:[,}]|$))/.exec(line) ??
    [];
  const text = found?.trim();
  return text === undefined || isWhole(text) ? text : "until";
}

/** False for a call or a template that ends further on: half of it would mislead. */
function isWhole(text: string): boolean {
  const times = (character: string) => text.split(character).length - 1;
  const isClosed = ["()", "[]", "{}"].every(([open = "", close = ""]) => times(open) === times(close));
  return isClosed && times("`") % 2 === 0 && text.length <= LONGEST_TEXT;
}
