/*
 * Values as a call or a preview shows them. If one doesn't show, the engine and Pulumi's JSON put a text in
 * its place; here it becomes a symbol.
 */

/** Known only when the change is made. */
export const UNKNOWN = Symbol("unknown");

/** Only previews hide secrets: handlers get them in clear. */
export const SECRET = Symbol("secret");

export type Hidden = typeof UNKNOWN | typeof SECRET;

/** A value as far as it shows. */
export type Seen<T> = T | Hidden;

/**
 * The engine sends this text during a preview, and sometimes in `diff` during an update, also in the place of
 * a whole list or object. Files that must not load the SDK use this copy; a test compares it with the SDK.
 */
export const UNKNOWN_VALUE = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Pulumi prints this text in the JSON of a preview. */
export const SECRET_VALUE = "[secret]";

/** Returns why a value doesn't show, as a whole or in part. */
export function hiddenIn(value: unknown): Hidden | undefined {
  if (value === UNKNOWN_VALUE) return UNKNOWN;
  if (value === SECRET_VALUE) return SECRET;
  if (typeof value !== "object" || value === null) return undefined;
  let hidden: Hidden | undefined;
  for (const inner of Object.values(value)) {
    const why = hiddenIn(inner);
    if (why === UNKNOWN) return why;
    hidden ??= why;
  }
  return hidden;
}

/** Undefined for anything but a text. */
export function seenText(value: unknown): Seen<string> | undefined {
  return hiddenIn(value) ?? (typeof value === "string" ? value : undefined);
}

/** `otherwise`: what no value means. */
export function seenSwitch(value: unknown, otherwise: boolean): Seen<boolean> {
  return hiddenIn(value) ?? (typeof value === "boolean" ? value : otherwise);
}

/** Returns the texts of a list that show; none if the whole list is hidden. */
export function shownTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((item) => ifKnown(seenText(item)) ?? []) : [];
}

export function isKnown<T>(seen: Seen<T>): seen is T {
  return seen !== UNKNOWN && seen !== SECRET;
}

/** Undefined if it's hidden. */
export function ifKnown<T>(seen: Seen<T>): T | undefined {
  return isKnown(seen) ? seen : undefined;
}
