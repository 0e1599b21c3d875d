import { isDeepStrictEqual } from "node:util";

/*
 * The border of the process: every error, notice, preview line and debug line leaves through `clean`. The
 * service and the program are strangers. Their text may repeat a secret, hide characters, or contain a
 * command to a CI system that reads the log.
 */

/** Nobody reads longer texts, so they are cut. */
export const LONGEST_TEXT = 8_000;

/** The longest quote from a stranger within a longer message. */
export const LONGEST_QUOTE = 1_000;

/** Shorter secrets would blank ordinary words, and hide nothing worth hiding. */
const SHORTEST_SECRET = 4;

/** A spelling at least twice this long is searched for in pieces of this length. */
const PIECE = 32;

/** Any part of a spelling this long contains a whole piece. */
const SECRET_PART = 2 * PIECE;

/** Multi-line texts longer than this are documents, and a single line of one may say little. */
const LONGEST_KEY = 16 * 1024;

/** How many replaced secrets to remember: tokens live for 5 s or more, a request for 30 s. */
const MOST_RENEWED = 12;

/** One replacement can make another one necessary, but hardly ever a third. */
const MOST_PASSES = 5;

/**
 * Returns a text that may leave the process, on one line: no secrets, hidden characters made visible, at most
 * `longest` characters. Cleaning it again changes nothing.
 */
export function clean(text: string, secrets: Secrets = NO_SECRETS, longest: number = LONGEST_TEXT): string {
  const hidden = secrets.hide(text);
  let result = hidden.slice(0, longest);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = result;
    result = cleanOnce(before, secrets);
    if (result === before) break;
  }
  if (hidden.length <= longest && result.length <= longest) return result;
  const note = `… (cut: ${text.length} characters)`;
  return result.slice(0, longest - note.length).replace(HALF, "") + note;
}

function cleanOnce(text: string, secrets: Secrets): string {
  const onOneLine = secrets.hide(text).replace(LINE_BREAKS, " ");
  return visible(onOneLine.replace(KEYS, SECRET_SIGN).replace(TOKENS, SECRET_SIGN));
}

const SECRET_SIGN = "[secret]";
/** A key, whole or cut off, not just its first line. */
const KEYS = /-----BEGIN [A-Z ]+-----(?=(?:\s|\\[nr])*[\w+/]{4})[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;
/** A token after "Bearer" (but not the word in "bearer token"), or any JSON Web Token. */
const TOKENS =
  /\b(?:(?:(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+)+(?:(?=[\w.~+/=-]*(?:\d|[a-z][A-Z]))[\w.~+/=-]{8,}|[\w.~+/=-]{20,})|eyJ[\w-]+(?:\.[\w-]+){1,4})/g;
const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Control, bidirectional, zero-width and other invisible characters; private ones; halves of a pair. */
const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}`;
const HIDDEN = new RegExp(`[${INVISIBLE}]`, "gu");
/** Hidden characters and line breaks, and the escapes shown in their place. */
const GAPS = new RegExp(String.raw`\\u[\da-f]{4}|\\[nrt]|[${INVISIBLE}\u2028\u2029]+`, "giu");
/** `::add-mask::` of GitHub, `##vso[` and `##[` of Azure, `##teamcity[`. Not in URNs, which people copy. */
const CI_COMMANDS = /(?<!\burn:pulumi:[\w.-]{1,100})::(?=[a-z][\w-]*(?: .*?)?::)|##(?=\w*\[)/gi;
/** The remains of a cut `[secret]`, or half of a character that takes two places. */
const HALF = /(?:\[[a-z]{0,6}|[\ud800-\udbff])$/;

/** `\u001b` for the escape character. */
function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Returns a text as it appears when none of it was known to be secret. */
function visible(text: string): string {
  const shown = text.replace(LINE_BREAKS, " ").replace(HIDDEN, escaped);
  return shown.replace(CI_COMMANDS, ([one, two]) => `${one} ${two}`).trim();
}

/** A place in a text; `end` is the first position after it. */
interface Range {
  start: number;
  end: number;
}

interface PiecePlace {
  spelling: string;
  start: number;
}

/** The spellings of all secrets, prepared for searching. */
interface Index {
  /** Spellings searched for as they are. */
  short: ReadonlySet<string>;
  /** Pieces of the long ones, in order; each but the last begins where the one before it ends. */
  pieces: ReadonlyMap<string, readonly PiecePlace[]>;
  /**
   * Indexed by `pairAt`: nonzero if a piece may begin there. Looking up every position in `pieces` is slow.
   */
  beginnings: Uint8Array;
}

/**
 * Texts that must not be shown, in every spelling a message may use. Of a long secret, any part of 64
 * characters is as secret as the whole, because people quote long texts by their beginning. Shorter parts may
 * be shown.
 */
export class Secrets {
  /** Each secret with its spellings. */
  readonly #given = new Map<string, ReadonlySet<string>>();
  readonly #renewed = new Map<string, ReadonlySet<string>>();
  /** Undefined after a change. */
  #index: Index | undefined;
  /** The last result of `with`: messages of one resource come in a row. */
  #last: { texts: readonly string[]; secrets: Secrets } | undefined;

  constructor(
    texts: Iterable<string | undefined> = [],
    /** Hidden too, including anything added to it later. */
    private readonly others?: Secrets,
  ) {
    for (const text of texts) this.add(text);
  }

  add(...texts: (string | undefined)[]): void {
    for (const text of texts) {
      if (text === undefined || text.length < SHORTEST_SECRET || this.#given.has(text)) continue;
      this.#given.set(text, writtenForms(text));
      this.#index = undefined;
    }
  }

  /**
   * Adds a secret that replaces an earlier one, such as a token. Only the last 12 are remembered: a process
   * may live for weeks, and requests sent with older ones are long over.
   */
  renew(...texts: string[]): void {
    for (const text of texts) {
      if (text.length < SHORTEST_SECRET || this.#given.has(text)) continue;
      const spellings = this.#renewed.get(text) ?? writtenForms(text);
      this.#renewed.delete(text);
      this.#renewed.set(text, spellings);
      const [oldest] = this.#renewed.keys();
      if (this.#renewed.size > MOST_RENEWED) this.#renewed.delete(oldest as string);
      this.#index = undefined;
    }
  }

  /** Replaces each secret with a mark, even where line breaks or hidden characters split it. */
  hide(text: string): string {
    if (this.isEmpty) return text;
    const ranges = this.#find(text);
    const seen = text.replace(GAPS, "");
    const dividedRanges = seen.length < text.length ? this.#find(seen) : [];
    if (dividedRanges.length > 0) {
      const places = placesOfSeen(text);
      for (const { start, end } of dividedRanges) {
        ranges.push({ start: places[start] as number, end: (places[end - 1] as number) + 1 });
      }
    }
    // Marks from an earlier pass stay single marks, even if "secret" is a secret.
    return ranges.length === 0 ? text : marked(text, [...rangesOf(SECRET_SIGN, text), ...ranges]);
  }

  with(texts: readonly string[]): Secrets {
    if (texts.length === 0) return this;
    if (this.#last === undefined || !isDeepStrictEqual(this.#last.texts, texts)) {
      this.#last = { texts, secrets: new Secrets(texts, this) };
    }
    return this.#last.secrets;
  }

  private get isEmpty(): boolean {
    return this.#given.size + this.#renewed.size === 0 && (this.others?.isEmpty ?? true);
  }

  #find(text: string): Range[] {
    this.#index ??= indexed([...this.#given.values(), ...this.#renewed.values()]);
    const { short } = this.#index;
    return [
      ...(this.others === undefined ? [] : this.others.#find(text)),
      ...[...short].flatMap((spelling) => rangesOf(spelling, text)),
      ...rangesOfPieces(this.#index, text),
    ];
  }
}

const NO_SECRETS = new Secrets();

function rangesOf(spelling: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let start = text.indexOf(spelling); start >= 0; start = text.indexOf(spelling, start + 1)) {
    const last = ranges.at(-1);
    const end = start + spelling.length;
    if (last !== undefined && start < last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** Finds every place of a piece, extended by the neighbouring text that also matches the spelling. */
function rangesOfPieces({ pieces, beginnings }: Index, text: string): Range[] {
  const ranges: Range[] = [];
  if (pieces.size === 0) return ranges;
  for (let at = 0; at + PIECE <= text.length; at++) {
    if (beginnings[pairAt(at, text)] === 0) continue;
    const found = (pieces.get(text.slice(at, at + PIECE)) ?? []).map((place) => rangeAround(place, at, text));
    ranges.push(...found);
    // Another secret may begin within this one.
    at = Math.max(at, ...found.map(({ end }) => end - SECRET_PART));
  }
  return ranges;
}

function rangeAround({ spelling, start: from }: PiecePlace, at: number, text: string): Range {
  const ahead = at - from;
  let [start, end] = [at, at + PIECE];
  while (start > Math.max(0, ahead, at - PIECE) && text[start - 1] === spelling[start - 1 - ahead]) start--;
  while (end < Math.min(text.length, ahead + spelling.length) && text[end] === spelling[end - ahead]) end++;
  return { start, end };
}

/** Returns two characters as a number below 65,536; different pairs may share one. */
function pairAt(at: number, text: string): number {
  return (text.charCodeAt(at) * 256 + text.charCodeAt(at + 1)) & 0xffff;
}

function marked(text: string, ranges: Range[]): string {
  let [result, shown] = ["", 0];
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start)) {
    if (start >= shown) result += text.slice(shown, start) + SECRET_SIGN;
    shown = Math.max(shown, end);
  }
  return result + text.slice(shown);
}

/** Returns the positions of all visible characters. */
function placesOfSeen(text: string): number[] {
  const places: number[] = [];
  let end = 0;
  for (const { 0: gap, index } of [...text.matchAll(GAPS), { 0: "", index: text.length }]) {
    for (; end < index; end++) places.push(end);
    end += gap.length;
  }
  return places;
}

function indexed(secrets: readonly ReadonlySet<string>[]): Index {
  const short = new Set<string>();
  const pieces = new Map<string, PiecePlace[]>();
  const beginnings = new Uint8Array(0x10000);
  for (const spelling of new Set(secrets.flatMap((spellings) => [...spellings]))) {
    if (spelling.length < SECRET_PART) {
      if (spelling.length >= SHORTEST_SECRET) short.add(spelling);
      continue;
    }
    const last = spelling.length - PIECE;
    for (let start = 0; start < last + PIECE; start += PIECE) {
      const at = Math.min(start, last);
      const piece = spelling.slice(at, at + PIECE);
      const places = pieces.get(piece) ?? [];
      pieces.set(piece, places);
      // For a spelling that repeats itself, one place finds them all.
      if (places.at(-1)?.spelling !== spelling) places.push({ spelling, start: at });
      beginnings[pairAt(0, piece)] = 1;
    }
  }
  return { short, pieces, beginnings };
}

/**
 * Returns a text's spellings: plain, and as in URLs, forms, JSON, HTML, base64 and hex. For a key, also each
 * line.
 */
function writtenForms(text: string): Set<string> {
  const bytes = Buffer.from(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const percent = encodeURIComponent(bytes.toString());
  // Many encoders escape these as well.
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const escapes = [percent, strict, form];
  const json = JSON.stringify(text).slice(1, -1);
  const hex = bytes.toString("hex");
  const isKey = text.includes("\n") && text.length <= LONGEST_KEY;
  const lines = isKey ? text.split(/\r?\n/).filter((line) => line.length >= 16) : [];
  const html = text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character);
  return new Set([
    text,
    // Answers are cleaned before anybody knows which input is secret.
    visible(text),
    visible(html),
    text.replace(GAPS, ""),
    ...escapes,
    ...escapes.map((escape) => escape.replace(/%../g, (code) => code.toLowerCase())),
    encodeURIComponent(percent),
    encodeURIComponent(strict),
    json,
    json.replaceAll("/", "\\/"),
    html,
    hex,
    hex.toUpperCase(),
    ...base64Spellings(bytes),
    ...lines,
  ]);
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns the base64 characters of these bytes that stay the same wherever they stand in a longer text. */
function base64Spellings(bytes: Buffer): string[] {
  // Too few characters would remain of a short value to tell it from chance.
  if (bytes.length < 9) return [bytes.toString("base64"), bytes.toString("base64url")];
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = before === 0 ? 0 : before + 1;
    const to = Math.floor((padded.length * 8) / 6);
    return (["base64", "base64url"] as const).map((encoding) => padded.toString(encoding).slice(from, to));
  });
}

/** The way out for one tenant's messages: removes everything its client knows to be secret. */
export class Border {
  readonly secrets: Secrets;

  constructor(
    secrets: Iterable<string | undefined> = [],
    /** The Pulumi CLI shows what the program and the dynamic provider host print. */
    private readonly write: (line: string) => void = (line) => console.log(line),
  ) {
    this.secrets = new Secrets(secrets);
  }

  /** Cleans a text for a message with more secrets than the client knows. */
  clean(text: string, moreSecrets: readonly string[] = []): string {
    return clean(text, this.secrets.with(moreSecrets));
  }

  /** Cleans a stranger's text for a quote within a message: at most 1,000 characters. */
  quote(text: string, moreSecrets: readonly string[] = []): string {
    return clean(text, this.secrets.with(moreSecrets), LONGEST_QUOTE);
  }

  print(text: string, moreSecrets: readonly string[] = []): void {
    this.write(this.clean(text, moreSecrets));
  }

  /** Prints an object as one line of JSON. Each text is cleaned on its own, so the line stays valid JSON. */
  printJson(fields: Readonly<Record<string, string | number | null>>): void {
    this.write(
      JSON.stringify(fields, (_, value: unknown) => (typeof value === "string" ? this.clean(value) : value)),
    );
  }
}
