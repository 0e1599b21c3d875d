import { type RawInputs } from "../review/raw-inputs";

/*
 * The program side sends these to the handlers, next to the inputs that a program writes. The names begin
 * with two underscores. `check` removes them, so plans, diffs and state don't show them. Only the names of
 * the secret inputs stay, because `read` and `delete` get nothing but state.
 */

/**
 * Names of the inputs that the program gave as secrets. The engine hands secrets to the handlers in clear and
 * unmarked; values of the inputs listed here never appear in a message.
 */
export const SECRET_INPUTS = "__secretInputs";

/**
 * Number, stack and name of the resource in the program, which handlers otherwise never learn: `3
 * access/prod:support`. Two resources may share a name, under components of different types, but never a
 * number.
 */
export const REGISTRATION = "__registration";

/** Pulumi keeps this text as the resource's code. */
export const PROVIDER_TEXT = "__provider";

/** `ConnectionProfile` → `exports.handler=()=>require('pulumi-identity/runtime').connectionProfile` */
export function providerText(kind: string): string {
  return `exports.handler=()=>require('pulumi-identity/runtime').${kind[0]?.toLowerCase()}${kind.slice(1)}`;
}

/** In state, marks a resource that `get` has read: a refresh reads all of it again. */
export const READ_ONLY = "__readOnly";

/** In state, the time when the package last wrote the resource: seconds since 1970. */
export const WRITTEN = "__written";

/** No input of a resource may have such a name. */
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

/** The list as state keeps it; nothing if there are no secrets. */
export function secretMarks(raw: RawInputs): RawInputs {
  const names = secretNames(raw);
  return names.length === 0 ? {} : { [SECRET_INPUTS]: names };
}

export function secretTexts(raw: RawInputs): string[] {
  return textsOf(raw, secretNames(raw));
}

/** Returns all texts within the values of these names. */
export function textsOf(values: object, names: readonly string[]): string[] {
  return names.flatMap((name) => allTexts((values as RawInputs)[name]));
}

function allTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(allTexts) : [];
}
