import { clean } from "../provider/border";

/** Longer values are cut: nobody reads them, and a comment has no room for them. */
const LONGEST_VALUE = 500;

/**
 * A value of a stranger as it may stand in a comment: in a code span, where Markdown, HTML and mentions mean
 * nothing. Even an escaped `@team` would notify the team outside of one. On one line, with hidden characters
 * made visible.
 */
export function inMarkdown(value: string): string {
  // No escaping of a pipe within a code span means the same to every renderer of tables.
  return codeSpan(inText(value).replaceAll("|", "\\u007c"));
}

/** The same in a heading, which is no row of a table: the id of a user can be copied from there. */
export function inHeading(value: string): string {
  return codeSpan(inText(value));
}

function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** The same for plain text. */
export function inText(value: string): string {
  const text = clean(value, undefined, LONGEST_VALUE);
  return text === "" ? '""' : text;
}

/** A link's address, of which nothing ends the link or the cell of a table. */
export function inAddress(prefix: string, path: string): string {
  const segments = path.split("/").map(percentEncoded);
  return `${prefix}${segments.join("/")}`.replace(/[()<>|`'\s\\]/g, (character) =>
    encodeURIComponent(character).replace(/[()'!*]/g, (own) => `%${own.charCodeAt(0).toString(16)}`),
  );
}

/** Also of half a character, which `encodeURIComponent` refuses. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}
