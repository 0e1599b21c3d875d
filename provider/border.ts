/*
 * The border of the process: every error, notice, preview line and debug line leaves through `clean`. What the service
 * says, and what a program gives, is text of strangers: it may repeat a secret, hide characters, or be a command to a CI
 * system that reads the log.
 */

/** Longer texts are cut: nobody reads them, and matching them takes time. */
export const LONGEST_TEXT = 8_000;

/** Shorter secrets would blank ordinary words, and hide nothing worth hiding. */
const SHORTEST_SECRET = 4;

/** A text as it may leave the process, on one line: without secrets, with hidden characters made visible. */
export function clean(text: string, secrets: Secrets = NO_SECRETS): string {
  const { spellings, longest } = secrets;
  const isCut = text.length > LONGEST_TEXT + longest;
  let result = isCut ? text.slice(0, LONGEST_TEXT + longest) : text;
  for (const spelling of spellings) result = result.replaceAll(spelling, "[secret]");
  // A secret that the cut went through is among the last characters, and is no longer recognised.
  if (isCut) result = result.slice(0, result.length - longest);
  if (result.length > LONGEST_TEXT || isCut) {
    result = `${result.slice(0, LONGEST_TEXT)}… (cut: ${text.length} characters)`;
  }
  result = result.replace(KEYS, "[secret]").replace(TOKENS, "[secret]");
  return result.replace(LINE_BREAKS, " ").replace(HIDDEN, escaped).replace(CI_COMMANDS, disarmed).trim();
}

const KEYS = /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;
const TOKENS = /\b(?:(?:Bearer|Basic)\s+[\w.~+/=-]+|eyJ[\w-]+(?:\.[\w-]+){1,4})/gi;
const LINE_BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
/** Control, bidirectional and zero-width characters; private ones and halves of a pair, too. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
/** `::add-mask::` of GitHub, `##vso[` and `##[` of Azure, `##teamcity[`. */
const CI_COMMANDS = /::(?=[a-z][\w-]*(?: [^:]*)?::)|##(?=\w*\[)/gi;

/** `\u001b` for the escape character. */
function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

function disarmed(marker: string): string {
  return `${marker[0]} ${marker[1]}`;
}

/** What must not be shown, in all the ways in which a message may spell it. */
export class Secrets {
  /** Longest first, so that what contains another spelling is replaced as a whole. */
  spellings: readonly string[] = [];
  longest = 0;
  readonly #texts = new Set<string>();

  constructor(texts: Iterable<string | undefined> = []) {
    this.add(...texts);
  }

  add(...texts: (string | undefined)[]): void {
    const news = texts.filter(
      (text) => text !== undefined && text.length >= SHORTEST_SECRET && !this.#texts.has(text),
    ) as string[];
    if (news.length === 0) return;
    for (const text of news) this.#texts.add(text);
    const spellings = new Set([...this.spellings, ...news.flatMap(spellingsOf)]);
    this.spellings = [...spellings].sort((a, b) => b.length - a.length);
    this.longest = this.spellings[0]?.length ?? 0;
  }

  /** These and more, for one message. */
  with(texts: readonly string[]): Secrets {
    return texts.length === 0 ? this : new Secrets([...this.#texts, ...texts]);
  }
}

const NO_SECRETS = new Secrets();

/** The text itself, and as URLs, forms, JSON, base64 and hexadecimal digits write it; of several lines, each one too. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const percent = encodeURIComponent(bytes.toString());
  const json = JSON.stringify(text).slice(1, -1);
  const hex = bytes.toString("hex");
  const lines = text.includes("\n") ? text.split(/\r?\n/).filter((line) => line.length >= 16) : [];
  return [
    text,
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    form,
    json,
    json.replaceAll("/", "\\/"),
    hex,
    hex.toUpperCase(),
    ...base64Spellings(bytes),
    ...lines,
  ].filter((spelling) => spelling.length >= SHORTEST_SECRET);
}

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

  /** Shows a line to the person at the CLI. */
  print(text: string, moreSecrets: readonly string[] = []): void {
    this.write(this.clean(text, moreSecrets));
  }
}
