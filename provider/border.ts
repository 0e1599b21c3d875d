import { isDeepStrictEqual } from "node:util";

/*
 * The border of the process: every error, notice, preview line and debug line leaves through it. The service
 * and the program are strangers. Their text may repeat a secret, hide characters, or contain a command to a
 * CI system that reads the log.
 */

declare const cleaned: unique symbol;

/** A text that may leave the process. Only a border makes one, because only a border knows the secrets. */
export type Clean = string & { readonly [cleaned]: true };

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
 * Returns a text on one line, with hidden characters made visible, and without what looks like a token or a
 * key: at most `longest` characters. Doing it again changes nothing. It knows no secrets: see `Border`.
 */
export function sanitize(text: string, longest: number = LONGEST_TEXT): string {
  return cleanedText(text, longest, (same) => same);
}

function cleanedText(text: string, longest: number, hide: (text: string) => string): string {
  const hidden = hide(text);
  let result = hidden.slice(0, longest);
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = result;
    result = cleanOnce(hide(before));
    if (result === before) break;
  }
  if (hidden.length <= longest && result.length <= longest) return result;
  const note = `… (cut: ${text.length} characters)`;
  return result.slice(0, longest - note.length).replace(HALF, "") + note;
}

function cleanOnce(text: string): string {
  const onOneLine = text.replace(LINE_BREAKS, " ");
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

/** Spellings of secrets, prepared for searching. */
class SecretIndex {
  /** Spellings searched for as they are. */
  readonly #short = new Set<string>();
  /** Pieces of the long ones, in order; each but the last begins where the one before it ends. */
  readonly #pieces = new Map<string, PiecePlace[]>();
  /**
   * Indexed by `pairAt`: nonzero if a piece may begin there. Looking up every position in `#pieces` is slow.
   * Undefined while there are no pieces.
   */
  #beginnings: Uint8Array | undefined;

  add(spellings: Iterable<string>): void {
    for (const spelling of spellings) {
      if (spelling.length >= SECRET_PART) this.#addPieces(spelling);
      else if (spelling.length >= SHORTEST_SECRET) this.#short.add(spelling);
    }
  }

  find(text: string): Range[] {
    return [...[...this.#short].flatMap((spelling) => rangesOf(spelling, text)), ...this.#findPieces(text)];
  }

  #addPieces(spelling: string): void {
    const beginnings = (this.#beginnings ??= new Uint8Array(0x10000));
    const last = spelling.length - PIECE;
    for (let start = 0; start < last + PIECE; start += PIECE) {
      const at = Math.min(start, last);
      const piece = spelling.slice(at, at + PIECE);
      const places = this.#pieces.get(piece) ?? [];
      this.#pieces.set(piece, places);
      // For a spelling that repeats itself, one place finds them all.
      if (places.at(-1)?.spelling !== spelling) places.push({ spelling, start: at });
      beginnings[pairAt(0, piece)] = 1;
    }
  }

  /** Finds every place of a piece, extended by the neighbouring text that also matches the spelling. */
  #findPieces(text: string): Range[] {
    const ranges: Range[] = [];
    const beginnings = this.#beginnings;
    if (beginnings === undefined) return ranges;
    for (let at = 0; at + PIECE <= text.length; at++) {
      if (beginnings[pairAt(at, text)] === 0) continue;
      const places = this.#pieces.get(text.slice(at, at + PIECE)) ?? [];
      const found = places.map((place) => rangeAround(place, at, text));
      ranges.push(...found);
      // Another secret may begin within this one.
      at = Math.max(at, ...found.map(({ end }) => end - SECRET_PART));
    }
    return ranges;
  }
}

/**
 * Texts that must not be shown, in every spelling a message may use. Of a long secret, any part of 64
 * characters is as secret as the whole, because people quote long texts by their beginning. Shorter parts may
 * be shown.
 */
export class Secrets {
  readonly #given = new Set<string>();
  readonly #index = new SecretIndex();
  /** Not in the index yet: most secrets of resources never meet a message. */
  #fresh: string[] = [];
  /** Each with its spellings. */
  readonly #renewed = new Map<string, ReadonlySet<string>>();
  /** Undefined after a change. */
  #ofRenewed: SecretIndex | undefined;

  constructor(
    texts: Iterable<string | undefined> = [],
    /** Hidden too, including anything added to it later. */
    private readonly others?: Secrets,
  ) {
    this.add(texts);
  }

  add(texts: Iterable<string | undefined>): void {
    for (const text of texts) {
      if (text === undefined || this.#given.has(text)) continue;
      this.#given.add(text);
      if (text.length >= SHORTEST_SECRET) this.#fresh.push(text);
    }
  }

  /**
   * Adds a secret that replaces an earlier one, such as a token. Only the last 12 are remembered: a process
   * may live for weeks, and requests sent with older ones are long over.
   */
  renew(text: string): void {
    if (text.length < SHORTEST_SECRET || this.#given.has(text)) return;
    const spellings = this.#renewed.get(text) ?? writtenForms(text);
    this.#renewed.delete(text);
    this.#renewed.set(text, spellings);
    const [oldest] = this.#renewed.keys();
    if (this.#renewed.size > MOST_RENEWED) this.#renewed.delete(oldest as string);
    this.#ofRenewed = undefined;
  }

  /** True if exactly this text was added, however short it is. */
  has(text: string): boolean {
    return this.#given.has(text);
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

  private get isEmpty(): boolean {
    return this.#given.size + this.#renewed.size === 0 && (this.others?.isEmpty ?? true);
  }

  #find(text: string): Range[] {
    const ranges = this.others === undefined ? [] : this.others.#find(text);
    if (this.#given.size === 0 && this.#renewed.size === 0) return ranges;
    for (const fresh of this.#fresh) this.#index.add(writtenForms(fresh));
    this.#fresh = [];
    this.#ofRenewed ??= indexed(this.#renewed.values());
    return [...ranges, ...this.#index.find(text), ...this.#ofRenewed.find(text)];
  }
}

function indexed(secrets: Iterable<ReadonlySet<string>>): SecretIndex {
  const index = new SecretIndex();
  for (const spellings of secrets) index.add(spellings);
  return index;
}

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

/**
 * The way out for one tenant's messages, or for one resource's. A client's border knows its credentials and
 * tokens; the border of a resource knows the resource's secret inputs, too.
 */
export class Border {
  readonly #secrets: Secrets;
  /** The secret inputs of all resources. A stranger's answer to one may repeat another's. */
  readonly #inputs: Secrets;
  /** The last result of `with`: messages of one resource come in a row. */
  #last: { inputs: readonly string[]; border: Border } | undefined;

  constructor(
    secrets: Iterable<string | undefined> = [],
    /** The Pulumi CLI shows what the program and the dynamic provider host print. */
    private readonly write: (line: Clean) => void = (line) => console.log(line),
    private readonly parent?: Border,
  ) {
    this.#secrets = new Secrets(secrets, parent === undefined ? undefined : parent.#secrets);
    this.#inputs = new Secrets([], this.#secrets);
  }

  /** Hides these from now on. */
  learn(...secrets: (string | undefined)[]): void {
    this.#secrets.add(secrets);
  }

  /** Hides a secret that replaces an earlier one, such as a token; those of long ago are forgotten. */
  renew(secret: string): void {
    this.#secrets.renew(secret);
  }

  /**
   * Returns the border of a resource, or of a question, with these secret inputs. From now on, quotes hide
   * them whoever is answered. Other messages don't: an input may be a short word, or an id that another
   * resource gives openly.
   */
  with(inputs: readonly string[]): Border {
    if (this.#last === undefined || !isDeepStrictEqual(this.#last.inputs, inputs)) {
      this.#inputs.add(inputs);
      this.#last = { inputs, border: new Border(inputs, this.write, this) };
    }
    return this.#last.border;
  }

  /** Hides the secrets in a text, and sanitizes it. Doing it again changes nothing. */
  clean(text: string): Clean {
    return cleanedText(text, LONGEST_TEXT, (shown) => this.#secrets.hide(shown)) as Clean;
  }

  /**
   * The same for a stranger's text within a message. Its secrets are hidden before it's cut, because a cut
   * secret isn't recognised.
   */
  quote(text: string, longest: number = LONGEST_QUOTE): Clean {
    const { parent = this } = this;
    return cleanedText(text, longest, (shown) => parent.#inputs.hide(shown)) as Clean;
  }

  /** True if messages can't show this text as it is, because a secret is in it. */
  hides(text: string): boolean {
    return this.#secrets.hide(text) !== text;
  }

  /** True if exactly this text is a secret, however short: one of its own, or an input of its resources. */
  isSecret(text: string): boolean {
    return this.#secrets.has(text) || this.#inputs.has(text);
  }

  print(text: string): void {
    this.write(this.clean(text));
  }

  /** Prints an object as one line of JSON. Each text is cleaned on its own, so the line stays valid JSON. */
  printJson(fields: Readonly<Record<string, string | number | null>>): void {
    const line = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === "string" ? this.clean(value) : value,
    );
    this.write(line as Clean);
  }
}
