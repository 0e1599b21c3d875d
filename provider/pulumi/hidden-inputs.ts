import { type RawInputs } from "../review/raw-inputs";

/*
 * What the program side sends along for the handlers, beside the inputs that a program writes. The names
 * begin with two underscores. `check` takes them out again, so that plans, diffs and state don't show them;
 * only the names of the secret inputs stay, since `read` and `delete` are given nothing but state.
 */

/**
 * Names of the inputs that the program gave as secrets. The engine hands secrets to the handlers in clear and
 * unmarked: what this list names never appears in a message.
 */
export const SECRET_INPUTS = "__secretInputs";

/**
 * Number, stack and name of the resource in the program, which handlers otherwise never learn: `3
 * access/prod:support`. Two resources may have one name, under components of different types; the number is
 * only theirs.
 */
export const REGISTRATION = "__registration";

/** The text that Pulumi keeps as the resource's code. */
export const PROVIDER_TEXT = "__provider";

/** In state, marks what `get` has read: a refresh reads all of it again. */
export const READ_ONLY = "__readOnly";

/** In state, when the package last wrote the resource: seconds since 1970. */
export const WRITTEN = "__written";

/** Names that no input of a resource may have. */
export function isHidden(name: string): boolean {
  return name.startsWith("__");
}

export interface Registered {
  /** Tells the resources of a program apart. */
  key: string;
  /** For messages. */
  name: string;
  /** Project and stack; undefined for programs of an earlier release. */
  stack?: string | undefined;
}

/** Undefined for programs of an earlier release. */
export function registered(raw: RawInputs): Registered | undefined {
  const [key, stack, name] = /^\d+(?: ([^:]+))?:(.*)$/s.exec(String(raw[REGISTRATION])) ?? [];
  return key === undefined || name === undefined ? undefined : { key, name, stack };
}

export function secretNames(raw: RawInputs): string[] {
  const names = raw[SECRET_INPUTS];
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** The list as it is kept in state; nothing without any secret. */
export function secretMarks(raw: RawInputs): RawInputs {
  const names = secretNames(raw);
  return names.length === 0 ? {} : { [SECRET_INPUTS]: names };
}

export function secretTexts(raw: RawInputs): string[] {
  return textsOf(raw, secretNames(raw));
}

/** All texts within the values of these names. */
export function textsOf(values: object, names: readonly string[]): string[] {
  return names.flatMap((name) => allTexts((values as RawInputs)[name]));
}

function allTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(allTexts) : [];
}
