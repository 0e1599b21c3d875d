const TOKENS = /\b(?:(?:Bearer|Basic)\s+[\w.~+/=-]+|eyJ[\w-]+(?:\.[\w-]+){1,4})/gi;
const KEYS = /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;

/** Removes from a text whatever looks like a token or a key, and every secret given. */
export function redact(text: string, secrets: readonly (string | undefined)[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    // Shorter strings would blank ordinary words, and hide nothing worth hiding.
    if (secret !== undefined && secret.length >= 4) clean = clean.replaceAll(secret, "[secret]");
  }
  return clean.replace(KEYS, "[secret]").replace(TOKENS, "[secret]");
}

const LONGEST_TEXT = 1000;

/** A text of the service as it may be shown: without secrets, control characters and excessive length. */
export function printable(text: string, secrets: readonly (string | undefined)[] = []): string {
  const clean = redact(text, secrets)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")
    .trim();
  return clean.length <= LONGEST_TEXT ? clean : `${clean.slice(0, LONGEST_TEXT)}…`;
}
