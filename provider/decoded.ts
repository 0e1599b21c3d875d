import { isUtf8 } from "node:buffer";

/** Its message is the end of a sentence that begins with the file. */
export class NotDecodable extends Error {}

/** The first bytes of a file, those of UTF-32 first: the mark of UTF-16 begins one of them. */
const BYTE_ORDER_MARKS = {
  fffe0000: "utf-32",
  "0000feff": "utf-32",
  fffe: "utf-16le",
  feff: "utf-16be",
} as const;

const TORN = "\ufffd";

/**
 * Returns a file's text without a byte order mark: UTF-8, or UTF-16 with its mark, as Windows PowerShell and
 * spreadsheets write it. Throws `NotDecodable` for anything else: a guess would tear names.
 */
export function decoded(bytes: Uint8Array): string {
  const begin = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  const [, encoding = "utf-8"] =
    Object.entries(BYTE_ORDER_MARKS).find(([mark]) => begin.startsWith(mark)) ?? [];
  if (encoding === "utf-32") throw new NotDecodable("is UTF-32");
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes("\0"))
    throw new NotDecodable("is no text: perhaps it is UTF-16 without a byte order mark");
  if (isIn(encoding, bytes)) return text;
  if (encoding !== "utf-8")
    throw new NotDecodable(`is UTF-16, and broken on line ${lineOf(text, (line) => line.includes(TORN))}`);
  const line = lineOf(Buffer.from(bytes).toString("latin1"), (one) => !isUtf8(Buffer.from(one, "latin1")));
  throw new NotDecodable(`is not UTF-8: line ${line} has letters of another encoding, such as Windows-1252`);
}

/** A file may have replacement characters of its own, so the decoder has to say which are torn. */
function isIn(encoding: string, bytes: Uint8Array): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function lineOf(text: string, isBroken: (line: string) => boolean): number {
  return text.split(/\r\n|\r|\n/).findIndex(isBroken) + 1;
}
