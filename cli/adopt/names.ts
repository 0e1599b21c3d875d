import { createHash } from "node:crypto";

const LONGEST_SLUG = 40;
/** With 50 bits, two of 10,000 profiles of one name get one code with a chance below 1 in 10,000,000. */
const CODE_LENGTH = 10;
/** Roles have ids of 20 characters; a longer one would not leave room on the line. */
const LONGEST_ROLE_ID = 40;

/**
 * `enterprise-7f2k0q9xw3`: what a profile is called, and a code that depends on nothing but its id. So no profile changes
 * the name of another, whatever the two are called.
 */
export function profileName({ id, name }: { id: string; name: string }): string {
  return `${slug(name) || "profile"}-${codeOf(id)}`;
}

/** The id itself: the service does not tell what the role of an assignment is called. */
export function assignmentName(roleId: string): string {
  return roleId.length <= LONGEST_ROLE_ID ? roleId : `rol_${codeOf(roleId)}`;
}

/** The name, or, if it is taken, the first of `name-2`, `name-3` … that is not. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** The letters and digits of a text, as small ASCII ones where there are such: `Zürich (EU)` → `zurich-eu`. */
function slug(text: string): string {
  const plain = text
    .slice(0, 1_000)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-/, "").slice(0, LONGEST_SLUG).replace(/-$/, "");
}

function codeOf(id: string): string {
  const bits = createHash("sha256").update(id).digest().readBigUInt64BE();
  return bits.toString(36).padStart(CODE_LENGTH, "0").slice(-CODE_LENGTH);
}
