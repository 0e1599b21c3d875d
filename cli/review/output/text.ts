import { type Document } from "../../output/document";
import { toText } from "../../output/text";
import { optional } from "../../lists";
import { PLAIN } from "../../terminal";
import { type Appearance } from "./markdown";

/** Returns the review with its fingerprint. */
export function reviewText(
  documents: readonly Document[],
  { names, fingerprint }: Pick<Appearance, "names" | "fingerprint">,
  style = PLAIN,
  columns?: number,
): string {
  const text = toText(documents, names, style, columns);
  return [text, ...optional(fingerprint).map((hash) => `fingerprint ${hash}\n`)].join("\n");
}
