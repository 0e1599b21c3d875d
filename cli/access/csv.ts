import { sanitize } from "../../provider/border";

/** Without it, Excel assumes another encoding. */
const BYTE_ORDER_MARK = "\ufeff";

/** Characters that begin a formula in a spreadsheet; the wide ones in some languages. */
const FORMULA = /(^|[,;|\t])([\s"]*)(?=[=+\-@\t\r＝＋－＠])/g;

/**
 * Puts an apostrophe in front of anything a spreadsheet would take for a formula. Spreadsheets may split
 * cells at other characters than commas, so also after those. Doing it again changes nothing, so what was
 * written and read compares equal, whether or not a spreadsheet has dropped the apostrophe.
 */
export function inertCell(value: string): string {
  return sanitize(value).replace(FORMULA, "$1'$2");
}

export function inCsv(value: string): string {
  return `"${inertCell(value).replaceAll('"', '""')}"`;
}

export function csvOf(lines: readonly (readonly string[])[]): string {
  return BYTE_ORDER_MARK + lines.map((cells) => cells.map(inCsv).join(",") + "\r\n").join("");
}

export interface CsvLine {
  /** Of the file, from 1. */
  line: number;
  cells: string[];
}

/** In many countries spreadsheets write semicolons. Their Unicode text has tabs. */
const SEPARATORS: readonly string[] = [",", ";", "\t"];

/** For spreadsheets. One that takes it for a row writes it back with quotes and empty cells. */
const SEPARATOR_LINE = /^"?sep=[,;\t]?"?(?:[,;\t]|"")*(?:\r\n|\r|\n)/i;

/**
 * Reads what {@link csvOf} or a spreadsheet has written. Lines without any contents are left out, and so is
 * one that names the separator.
 */
export function csvLines(text: string): CsvLine[] {
  const whole = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const content = whole.replace(SEPARATOR_LINE, "");
  const top = content === whole ? 1 : 2;
  const separator = separatorOf(content);
  const cell = new RegExp(`("(?:[^"]|"")*"|)([^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`, "y");
  const lines: CsvLine[] = [];
  let [cells, line, begin]: [string[], number, number] = [[], top, top];
  while (cell.lastIndex < content.length || cells.length > 0) {
    const [, quoted = "", rest = "", end = ""] = cell.exec(content) ?? [];
    cells.push(quoted.slice(1, -1).replaceAll('""', '"') + rest);
    line += quoted.split(/\r\n|\r|\n/).length - 1;
    if (end === separator) continue;
    if (cells.some((cellText) => cellText.trim() !== "")) lines.push({ line: begin, cells });
    [cells, begin] = [[], ++line];
  }
  return lines;
}

/** By the first line that has contents, whose cells are names of columns. */
function separatorOf(content: string): string {
  const plain = content.replace(/"(?:[^"]|"")*"/g, "x");
  const [first = ""] = plain.replace(/^[\s,;]*[\r\n]/, "").split(/[\r\n]/, 1);
  const cells = (separator: string) => first.split(separator).length;
  const [widest = ","] = [...SEPARATORS].sort((one, other) => cells(other) - cells(one));
  return widest;
}
