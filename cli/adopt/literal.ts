/* TypeScript literals of JSON values. Whatever a text holds, it ends as a text: what can't be seen is escaped. */

const LONGEST_LIST = 60;

/** A list of texts, and a comment beside each. */
export class CommentedTexts {
  constructor(
    readonly items: readonly string[],
    readonly comments: readonly (string | undefined)[],
  ) {}
}

/** `key: value,` for each entry, on lines of their own. */
export function propertyLines(entries: readonly (readonly [string, unknown])[], indent = "  "): string {
  const name = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key));
  return entries.map(([key, value]) => `${indent}${name(key)}: ${literal(value, indent)},\n`).join("");
}

/** A value whose further lines are indented. */
function literal(value: unknown, indent: string): string {
  if (typeof value === "string") return textLiteral(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (value instanceof CommentedTexts) {
    const comment = (text: string | undefined) => (text === undefined ? "" : ` // ${text}`);
    const lines = value.items.map(
      (item, i) => `${inner}${textLiteral(item)},${comment(value.comments[i])}\n`,
    );
    return `[\n${lines.join("")}${indent}]`;
  }
  if (!Array.isArray(value)) {
    const lines = propertyLines(Object.entries(value), inner);
    return lines === "" ? "{}" : `{\n${lines}${indent}}`;
  }
  const items = value.map((item) => literal(item, inner));
  const line = `[${items.join(", ")}]`;
  if (line.length <= LONGEST_LIST && !line.includes("\n")) return line;
  return `[\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}]`;
}

/** Letters, marks, digits, punctuation and signs; no control, bidirectional, zero-width or other invisible characters. */
const TO_ESCAPE = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu;

export function textLiteral(text: string): string {
  return JSON.stringify(text).replace(TO_ESCAPE, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
