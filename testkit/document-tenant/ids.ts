import { type Draw } from "./draw";

const HEX = "0123456789abcdef";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** The characters of a group ID's pattern (2.5). */
const BASE_58 = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
const BASE_64_URL = `${LETTERS}${LETTERS.toUpperCase()}0123456789-_`;

type Scheme = (draw: Draw, kind: string) => string;

/** The document gives a pattern for groups alone. Other IDs are strings, and no length is stated. */
export const ID_SCHEMES = {
  UUID: (draw) => [8, 4, 4, 4, 12].map((length) => draw.text(HEX, length)).join("-"),
  number: (draw) => String(1 + draw.below(10 ** (1 + draw.below(9)))),
  "kind-7": (draw, kind) => `${kind}-${draw.below(1000)}`,
  "kin_…": (draw, kind) => `${kind.slice(0, 3)}_${draw.text(BASE_58, 16)}`,
  base64url: (draw) => draw.text(BASE_64_URL, 11, 43),
  "auth0|…": (draw) => `auth0|${draw.text(HEX, 24)}`,
  email: (draw) => `${draw.text(LETTERS, 2, 8)}.${draw.text(LETTERS, 3, 9)}@example.com`,
  marks: (draw) => [...":~.@|-"].map((mark) => draw.text(LETTERS, 1, 4) + mark).join("") + draw.below(10),
  "1 character": (draw) => draw.one(BASE_58),
  "128 characters": (draw) => draw.text(BASE_58, 128),
} satisfies Record<string, Scheme>;

/** Some user IDs carry names of another system, with characters that a path must escape (4.1). */
export const USER_ID_SCHEMES = {
  ...ID_SCHEMES,
  "to be escaped": (draw) =>
    `samlp|${draw.text(LETTERS, 3)}/${draw.text(LETTERS, 2)} é+%41?${draw.below(100)}#`,
} satisfies Record<string, Scheme>;

/** 2.5: 18 to 26 characters, by a pattern. */
export const groupId: Scheme = (draw) => `grp_${draw.text(BASE_58, 14, 22)}`;

/** Returns a source of IDs that never gives one twice. */
export function distinct(scheme: Scheme, draw: Draw, kind: string): () => string {
  const given = new Set<string>();
  return () => {
    for (;;) {
      const id = scheme(draw, kind);
      if (given.has(id)) continue;
      given.add(id);
      return id;
    }
  };
}
