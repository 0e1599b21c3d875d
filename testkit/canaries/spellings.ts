import { inspect } from "node:util";

/*
 * Canaries are secrets that must never come out. An echo may spell one in any of these ways. The spellings
 * are made independently of provider/border.ts, so that a gap there isn't a gap here.
 */

const utf8 = (text: string) => Buffer.from(text);

const hexOf = (text: string) => [...utf8(text)].map((byte) => byte.toString(16).padStart(2, "0"));

/** Unreserved characters of RFC 3986 stay. */
const percent = (text: string) =>
  hexOf(text)
    .map((code) =>
      /[\w.~-]/.test(String.fromCharCode(parseInt(code, 16)))
        ? Buffer.from(code, "hex").toString()
        : `%${code.toUpperCase()}`,
    )
    .join("");

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const SPELLINGS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  percent,
  "percent twice": (secret) => percent(percent(secret)),
  form: (secret) => percent(secret).replaceAll("%20", "+").replaceAll("~", "%7E"),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/"),
  HTML: (secret) => secret.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  base64: (secret) => utf8(secret).toString("base64"),
  "base64 of user and password": (secret) => utf8(`id:${secret}`).toString("base64"),
  base64url: (secret) => utf8(secret).toString("base64url"),
  hex: (secret) => hexOf(secret).join(""),
  "hex, upper case": (secret) => hexOf(secret).join("").toUpperCase(),
  "over two lines": (secret) => `${secret.slice(0, 9)}\r\n${secret.slice(9)}`,
  "with hidden characters": (secret) => [...secret].join("\u200b"),
};

/** In base64, the first and last characters also depend on the secret's neighbours. */
const traceOf = (spelling: string, spelled: string) =>
  spelling.startsWith("base64")
    ? spelled.replace(/=*$/, "").slice(spelling.endsWith("word") ? 4 : 0, -2)
    : spelled;

/** Canaries by what they are. */
type Canaries = Record<string, string>;

let checks = 0;

/** Number of searches so far: each canary in each spelling at each place. */
export const checksSoFar = (): number => checks;

/**
 * Returns the names and spellings of canaries in a text. Never the canaries themselves: a failing test prints
 * this.
 */
export function leaksIn(place: string, text: string, canaries: Canaries): string[] {
  const joined = withoutHidden(text);
  return Object.entries(canaries).flatMap(([name, secret]) =>
    Object.entries(SPELLINGS).flatMap(([spelling, spell]) => {
      checks++;
      const spelled = traceOf(spelling, spell(secret));
      const isThere = text.includes(spelled) || joined.includes(withoutHidden(spelled));
      return isThere ? [`${place}: ${name}, ${spelling}`] : [];
    }),
  );
}

/** Joins what hidden characters and line breaks split, even if they are shown as escapes. */
function withoutHidden(text: string): string {
  return text.replace(/\\u[0-9a-f]{4}|\\[nrt]|[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/giu, "");
}

/** Returns everything that an error shows of itself. */
export function anatomyOf(error: unknown): string {
  const seen = new Set<unknown>();
  const parts: string[] = [];
  const take = (value: unknown): void => {
    if (typeof value === "string") parts.push(value);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    parts.push(
      inspect(value, {
        depth: Infinity,
        showHidden: true,
        getters: true,
        customInspect: false,
        maxStringLength: Infinity,
      }),
    );
    parts.push(inspect(value), value instanceof Error ? value.toString() : "", JSON.stringify(value) ?? "");
    for (const key of Reflect.ownKeys(value)) {
      parts.push(String(key));
      take((value as Record<PropertyKey, unknown>)[key]);
    }
  };
  take(error);
  return parts.join("\n");
}
