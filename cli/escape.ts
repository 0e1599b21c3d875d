import { sanitize } from "../provider/border";

/** Longer values are cut: nobody reads them, and a comment has no room. */
const LONGEST_VALUE = 500;

/**
 * Puts a stranger's value into a code span for a comment, because Markdown, HTML and mentions mean nothing
 * there. Outside of one, even an escaped `@team` would notify the team. On one line, with hidden characters
 * made visible.
 */
export function inMarkdown(value: string): string {
  const text = inText(value);
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? " " : "";
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** A row of a table in Markdown. Elsewhere a pipe stays, so that a user's id can be copied. */
export function markdownRow(cells: readonly string[]): string {
  // Renderers disagree on escaped pipes within a code span.
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\u007c")).join(" | ")} |`;
}

/** The same for plain text. */
export function inText(value: string, longest = LONGEST_VALUE): string {
  const text = sanitize(value, longest);
  return text === "" ? '""' : text;
}

/** Returns a link's address in which nothing can end the link or the table cell. */
export function inAddress(prefix: string, path: string): string {
  const segments = path.split("/").map(percentEncoded);
  return `${prefix}${segments.join("/")}`.replace(/[()<>|`'\s\\]/g, (character) =>
    encodeURIComponent(character).replace(/[()'!*]/g, (own) => `%${own.charCodeAt(0).toString(16)}`),
  );
}

/** Also encodes half of a character, which `encodeURIComponent` refuses. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"));
}

/** A text that is no encoding stays as it is: others may have written it. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
