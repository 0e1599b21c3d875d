/*
 * The border of the process: every error, notice, preview line and debug line leaves through `clean`. What the service
 * says, and what a program gives, is text of strangers: it may repeat a secret, hide characters, or be a command to a CI
 * system that reads the log.
 */

/** Longer texts are cut: nobody reads them, and matching them takes time. */
export const LONGEST_TEXT = 8_000;

/** What is quoted of a stranger within a longer message. */
export const LONGEST_QUOTE = 1_000;

/** Shorter secrets would blank ordinary words, and hide nothing worth hiding. */
const SHORTEST_SECRET = 4;

/** One replacement can make another one necessary, but hardly ever a third. */
const MOST_PASSES = 5;

/**
 * A text as it may leave the process, on one line: without secrets, with hidden characters made visible, at most
 * `longest` characters. Cleaning it once more changes nothing.
 */
export function clean(text: string, secrets: Secrets = NO_SECRETS, longest: number = LONGEST_TEXT): string {
  const isLong = text.length > longest + secrets.longest;
  let result = isLong ? beginning(text, secrets, longest) : text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const before = result;
    result = cleanOnce(before, secrets);
    if (result === before) break;
  }
  if (!isLong && result.length <= longest) return result;
  const note = `… (cut: ${text.length} characters)`;
  return result.slice(0, longest - note.length).replace(HALF, "") + note;
}

/** The part of a long text that can be shown: what stands behind it is not worth matching. */
function beginning(text: string, secrets: Secrets, longest: number): string {
  const result = secrets.hide(text.slice(0, longest + secrets.longest));
  // A secret that this cut goes through is no longer recognised; it is among the last characters.
  return result.slice(0, Math.max(0, result.length - secrets.longest));
}

function cleanOnce(text: string, secrets: Secrets): string {
  return secrets
    .hide(text)
    .replace(LINE_BREAKS, " ")
    .replace(KEYS, SECRET)
    .replace(TOKENS, SECRET)
    .replace(HIDDEN, escaped)
    .replace(CI_COMMANDS, disarmed)
    .trim();
}

const SECRET = "[secret]";
/** A key, whole or cut off; not just the line that a key begins with. */
const KEYS = /-----BEGIN [A-Z ]+-----(?=(?:\s|\\[nr])*[\w+/]{4})[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;
/** What follows "Bearer" and looks like a token, which the word in "bearer token" doesn't; and any JSON Web Token. */
const TOKENS =
  /\b(?:(?:(?:[Bb]earer|BEARER|[Bb]asic|BASIC)\s+)+(?:(?=[\w.~+/=-]*(?:\d|[a-z][A-Z]))[\w.~+/=-]{8,}|[\w.~+/=-]{20,})|eyJ[\w-]+(?:\.[\w-]+){1,4})/g;
const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Control, bidirectional, zero-width and other invisible characters; private ones and halves of a pair, too. */
const INVISIBLE = String.raw`\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}`;
const HIDDEN = new RegExp(`[${INVISIBLE}]`, "gu");
/** Hidden characters and line breaks, and the escapes that are shown for them. */
const GAPS = new RegExp(String.raw`\\u[\da-f]{4}|\\[nrt]|[${INVISIBLE}\u2028\u2029]+`, "giu");
/** `::add-mask::` of GitHub, `##vso[` and `##[` of Azure, `##teamcity[`. */
const CI_COMMANDS = /::(?=[a-z][\w-]*(?: .*?)?::)|##(?=\w*\[)/gi;
/** What a cut leaves of `[secret]`, or of a character that takes two places. */
const HALF = /(?:\[[a-z]{0,6}|[\ud800-\udbff])$/;

/** `\u001b` for the escape character. */
function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

function disarmed(marker: string): string {
  return `${marker[0]} ${marker[1]}`;
}

/** What must not be shown, in all the ways in which a message may spell it. */
export class Secrets {
  /** Characters of the longest spelling. */
  longest = 0;
  /** Longest first, so that what contains another spelling is replaced as a whole. */
  #spellings: readonly string[] = [];
  #pattern: RegExp | undefined;
  readonly #texts = new Set<string>();

  constructor(texts: Iterable<string | undefined> = []) {
    this.add(...texts);
  }

  add(...given: (string | undefined)[]): void {
    const news = given.filter(
      (text) => text !== undefined && text.length >= SHORTEST_SECRET && !this.#texts.has(text),
    ) as string[];
    if (news.length === 0) return;
    for (const text of news) this.#texts.add(text);
    const spellings = new Set([...this.#spellings, ...news.flatMap(spellingsOf)]);
    this.#spellings = [...spellings].sort((a, b) => b.length - a.length);
    this.longest = this.#spellings[0]?.length ?? 0;
    // The mark comes first: what was hidden before is passed over, even if "secret" is a secret.
    const texts = [SECRET, ...this.#spellings].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    this.#pattern = new RegExp(texts.join("|"), "g");
  }

  /** The text with a mark in place of each secret, also of one that line breaks or hidden characters take apart. */
  hide(text: string): string {
    if (this.#pattern === undefined) return text;
    const hidden = text.replace(this.#pattern, SECRET);
    const { joined, places } = withoutHidden(hidden);
    if (joined.length === hidden.length) return hidden;
    let [result, end] = ["", 0];
    for (const { 0: match, index } of joined.matchAll(this.#pattern)) {
      if (match === SECRET) continue;
      result += hidden.slice(end, places[index]) + SECRET;
      end = (places[index + match.length - 1] as number) + 1;
    }
    return result + hidden.slice(end);
  }

  /** These and more, for one message. */
  with(texts: readonly string[]): Secrets {
    return texts.length === 0 ? this : new Secrets([...this.#texts, ...texts]);
  }
}

const NO_SECRETS = new Secrets();

/** The characters of a text that are seen, and where each stands. */
function withoutHidden(text: string): { joined: string; places: number[] } {
  const places: number[] = [];
  let end = 0;
  const see = (until: number) => {
    for (; end < until; end++) places.push(end);
  };
  for (const { 0: gap, index } of text.matchAll(GAPS)) {
    see(index);
    end = index + gap.length;
  }
  see(text.length);
  return { joined: text.replace(GAPS, ""), places };
}

/** The text itself, and as URLs, forms, JSON, HTML, base64 and hexadecimal digits write it; of several lines, each one too. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const percent = encodeURIComponent(bytes.toString());
  // Many encoders escape these as well.
  const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = JSON.stringify(text).slice(1, -1);
  const hex = bytes.toString("hex");
  const lines = text.includes("\n") ? text.split(/\r?\n/).filter((line) => line.length >= 16) : [];
  return [
    text,
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    form,
    form.replace(/%../g, (code) => code.toLowerCase()),
    json,
    json.replaceAll("/", "\\/"),
    strict,
    strict.replace(/%../g, (code) => code.toLowerCase()),
    encodeURIComponent(percent),
    encodeURIComponent(strict),
    text.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character),
    hex,
    hex.toUpperCase(),
    ...base64Spellings(bytes),
    ...lines,
  ].filter((spelling) => spelling.length >= SHORTEST_SECRET);
}

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** What base64 makes of bytes wherever they stand in a longer text: only the characters that nothing beside them changes. */
function base64Spellings(bytes: Buffer): string[] {
  // Of a few bytes too few characters are left to tell them from chance.
  if (bytes.length < 9) return [bytes.toString("base64"), bytes.toString("base64url")];
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = before === 0 ? 0 : before + 1;
    const to = Math.floor((padded.length * 8) / 6);
    return (["base64", "base64url"] as const).map((encoding) => padded.toString(encoding).slice(from, to));
  });
}

/** How one tenant's messages leave the process: what its client knows to be secret never does. */
export class Border {
  readonly secrets: Secrets;

  constructor(
    secrets: Iterable<string | undefined> = [],
    /** The Pulumi CLI shows what the program and the dynamic provider host print. */
    private readonly write: (line: string) => void = (line) => console.log(line),
  ) {
    this.secrets = new Secrets(secrets);
  }

  /** A text for a message of which more is secret than what the client knows. */
  clean(text: string, moreSecrets: readonly string[] = []): string {
    return clean(text, this.secrets.with(moreSecrets));
  }

  /** What a stranger said, to be quoted within a message: at most 1,000 characters. */
  quote(text: string): string {
    return clean(text, this.secrets, LONGEST_QUOTE);
  }

  /** Shows a line to the person at the CLI. */
  print(text: string, moreSecrets: readonly string[] = []): void {
    this.write(this.clean(text, moreSecrets));
  }

  /** Shows an object as one line of JSON. Each text in it is cleaned by itself, so that it stays JSON. */
  printJson(fields: Readonly<Record<string, string | number | null>>): void {
    this.write(
      JSON.stringify(fields, (_, value: unknown) => (typeof value === "string" ? this.clean(value) : value)),
    );
  }
}
