/*
 * TypeScript literals of JSON values, laid out the way Prettier lays them out by default, so that formatting the program
 * changes nothing. Whatever a text holds, it ends as a text: what can't be seen is escaped.
 */

/** What Prettier fits into one line. */
const LINE_WIDTH = 80;
const INDENT = 2;
/** After a key of up to this many characters, Prettier does not move a long text to the next line. */
const SHORT_KEY = 4;

/** A list of texts, and a comment beside each. */
export class CommentedTexts {
  constructor(
    readonly items: readonly string[],
    readonly comments: readonly (string | undefined)[],
  ) {}
}

/** `key: value,` for each entry, on lines of their own. */
export function propertyLines(
  entries: readonly (readonly [string, unknown])[],
  indent = INDENT,
  isKept: IsKept = isVisible,
): string {
  const pad = " ".repeat(indent);
  return entries.map(([key, value]) => `${pad}${property(key, value, indent, isKept)},\n`).join("");
}

function property(key: string, value: unknown, indent: number, isKept: IsKept): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : textLiteral(key, isAscii);
  const column = indent + name.length + 2;
  const isShort = name.length <= SHORT_KEY;
  const nextLine = `${name}:\n${" ".repeat(indent + INDENT)}`;
  if (typeof value !== "object" || value === null) {
    const isNeverMoved = isShort || typeof value === "boolean" || (typeof value === "number" && value >= 0);
    if (isNeverMoved) return `${name}: ${scalarLiteral(value, isKept)}`;
    const literal = fitted((kept) => scalarLiteral(value, kept), LINE_WIDTH - column - 1, isKept);
    return (literal.fits ? `${name}: ` : nextLine) + literal.text;
  }
  const opening = isEmpty(value) ? "[]," : "[";
  return isShort || column + opening.length <= LINE_WIDTH
    ? `${name}: ${block(value, indent, column, isKept)}`
    : nextLine + block(value, indent + INDENT, indent + INDENT, isKept);
}

/** A list or object whose lines are indented, and which begins at a column. */
function block(value: object, indent: number, column: number, isKept: IsKept): string {
  const end = " ".repeat(indent);
  if (value instanceof CommentedTexts) return `[\n${commentedLines(value, indent + INDENT)}${end}]`;
  if (isEmpty(value)) return flatLiteral(value, isKept);
  if (!Array.isArray(value))
    return `{\n${propertyLines(Object.entries(value), indent + INDENT, isKept)}${end}}`;
  if (mustBreak(value)) return `[\n${itemLines(value, indent + INDENT, isKept)}${end}]`;
  const flat = fitted((kept) => flatLiteral(value, kept), LINE_WIDTH - column - 1, isKept);
  return flat.fits ? flat.text : `[\n${itemLines(value, indent + INDENT, flat.isKept)}${end}]`;
}

function commentedLines({ items, comments }: CommentedTexts, indent: number): string {
  const comment = (text: string | undefined) => (text === undefined ? "" : ` // ${text}`);
  return items
    .map((item, i) => `${" ".repeat(indent)}${textLiteral(item)},${comment(comments[i])}\n`)
    .join("");
}

function itemLines(items: readonly unknown[], indent: number, isKept: IsKept): string {
  const pad = " ".repeat(indent);
  if (items.length > 1 && items.every((item) => typeof item === "number")) {
    return filled(
      items.map((item) => scalarLiteral(item)),
      indent,
    );
  }
  return items
    .map((item) =>
      typeof item === "object" && item !== null
        ? block(item, indent, indent, isKept)
        : scalarLiteral(item, isKept),
    )
    .map((item) => `${pad}${item},\n`)
    .join("");
}

/** Numbers stand beside each other, as many as there is room for. */
function filled(numbers: readonly string[], indent: number): string {
  const lines: string[] = [];
  for (const number of numbers) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + number.length + 2 <= LINE_WIDTH) {
      lines[lines.length - 1] = `${last} ${number},`;
    } else {
      lines.push(`${" ".repeat(indent)}${number},`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** Whether a list takes several lines however short it is: objects do, and so do rows of a table. */
function mustBreak(value: unknown): boolean {
  if (typeof value !== "object" || value === null || isEmpty(value)) return false;
  if (!Array.isArray(value)) return true;
  const isTable = value.length > 1 && value.every((row) => Array.isArray(row) && row.length > 1);
  return isTable || value.some(mustBreak);
}

function flatLiteral(value: unknown, isKept: IsKept): string {
  if (Array.isArray(value)) return `[${value.map((item) => flatLiteral(item, isKept)).join(", ")}]`;
  return typeof value === "object" && value !== null ? "{}" : scalarLiteral(value, isKept);
}

function scalarLiteral(value: unknown, isKept: IsKept = isVisible): string {
  // Prettier writes 1e21 for 1e+21.
  return typeof value === "string" ? textLiteral(value, isKept) : JSON.stringify(value).replace("e+", "e");
}

/** Whether a character stands in the program as it is. */
type IsKept = (character: string) => boolean;

const isAscii: IsKept = (character) => /^[ -~]$/.test(character);

/** Letters, marks, digits, punctuation and signs; no control, bidirectional, zero-width or other invisible characters. */
const isVisible: IsKept = (character) =>
  character === " " || /^(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);

/** A text in those quotes that need fewer escapes. */
export function textLiteral(text: string, isKept: IsKept = isVisible): string {
  const quote = count(text, '"') > count(text, "'") ? "'" : '"';
  const characters = [...text].map((character) => {
    if (character === quote || character === "\\") return `\\${character}`;
    return isKept(character) ? character : (SHORT_ESCAPES[character] ?? escaped(character));
  });
  return quote + characters.join("") + quote;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}

interface Fitted {
  text: string;
  fits: boolean;
  /** The characters that stand in it as they are. */
  isKept: IsKept;
}

/**
 * A literal, and whether it fits. How wide a character is, is known of ASCII only; others take no place, one or two. Where
 * that decides, they are escaped.
 */
function fitted(literal: (isKept: IsKept) => string, room: number, isKept: IsKept): Fitted {
  const text = literal(isKept);
  const characters = [...text];
  const certain = characters.filter(isAscii).length;
  const widest = certain + 2 * (characters.length - certain);
  if (widest <= room) return { text, fits: true, isKept };
  if (certain > room) return { text, fits: false, isKept };
  const ascii = literal(isAscii);
  return { text: ascii, fits: ascii.length <= room, isKept: isAscii };
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
