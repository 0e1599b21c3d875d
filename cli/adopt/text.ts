/**
 * Anything but letters, marks, digits, punctuation and signs: control, bidirectional and other invisible
 * characters.
 */
const TO_ESCAPE = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu;

/** True if a literal of the text shows it unchanged. */
export function isPlain(text: string): boolean {
  return text.search(TO_ESCAPE) < 0;
}

export function textLiteral(text: string): string {
  return JSON.stringify(text).replace(TO_ESCAPE, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
