import { type KindName } from "../kinds";
import { type RawInputs } from "../review/raw-inputs";

/*
 * The program side sends these to the handlers, next to the inputs that a program writes. The names begin
 * with two underscores. `check` removes them, so plans, diffs and state don't show them. Only two stay: the
 * names of the secret inputs, because `read` and `delete` get nothing but state, and the resource's own name.
 */

/**
 * Names of the inputs that the program gave as secrets. The engine hands secrets to the handlers in clear and
 * unmarked; values of the inputs listed here never appear in a message.
 */
export const SECRET_INPUTS = "__secretInputs";

/**
 * Who the resource is: its stack, the types of its parents and its name, `access/prod acme:index:Team
 * support`. Two resources may share a name, under parents of different types.
 */
export const REGISTRATION = "__registration";

/**
 * The resource's name within its stack, as `check` leaves it in the inputs: `support`, or
 * `acme:index:Team::support`. The SDK's host gives `diff`, `create` and `update` nothing but inputs, and two
 * resources may have equal ones. It has no number, because saved plans compare it. Outputs have it too, or
 * drift would show its removal.
 */
export const QUALIFIED_NAME = "__name";

/** The sets that the program gives, before options and transforms change them (see sets.ts). */
export const GIVEN_SETS = "__sets";

/** The option `ignoreChanges`, which only the plugin gets. */
export const IGNORED = "__ignoreChanges";

/** Names of the ids among the inputs, by which the program has found them: for lines, and nothing else. */
export const FOUND_NAMES = "__names";

/** Pulumi keeps this text as the resource's code. */
export const PROVIDER_TEXT = "__provider";

/** `ConnectionProfile` → `exports.handler=()=>require('pulumi-identity/runtime').connectionProfile` */
export function providerText(kind: KindName): string {
  return `exports.handler=()=>require('pulumi-identity/runtime').${kind[0]?.toLowerCase()}${kind.slice(1)}`;
}

/** In state, marks a resource that `get` has read: a refresh reads all of it again. */
export const READ_ONLY = "__readOnly";

/** In state, the time when the package last wrote the resource: seconds since 1970. */
export const WRITTEN = "__written";

/**
 * In state that the SDK's host wrote, the stack's name: a destroy without the program looks for the stack's
 * configuration by it.
 */
export const STACK = "__stack";

/** No input of a resource may have such a name. */
export function isHidden(name: string): boolean {
  return name.startsWith("__");
}

export interface Registered {
  /** As in `QUALIFIED_NAME`. */
  qualifiedName: string;
  /** For messages. */
  name: string;
  /** Project and stack, `access/prod`. */
  stack: string;
}

export function formatRegistration(stack: string, parentTypes: string, name: string): string {
  return `${stack} ${parentTypes} ${name}`;
}

/** Undefined if nobody has said who the resource is. */
export function registered(raw: RawInputs): Registered | undefined {
  const [, stack, parents, name] = /^(\S*) (\S*) (.*)$/s.exec(String(raw[REGISTRATION])) ?? [];
  if (stack === undefined || name === undefined) return undefined;
  return { qualifiedName: parents ? `${parents}::${name}` : name, name, stack };
}

/** Undefined for inputs that `check` hasn't seen. */
export function qualifiedName(raw: RawInputs): string | undefined {
  const kept = raw[QUALIFIED_NAME];
  return registered(raw)?.qualifiedName ?? (typeof kept === "string" ? kept : undefined);
}

export function secretNames(raw: RawInputs): string[] {
  return textsAt(raw, SECRET_INPUTS);
}

export function foundNamesIn(raw: RawInputs): ReadonlyMap<string, string> {
  const names = raw[FOUND_NAMES];
  const entries = typeof names === "object" && names !== null ? Object.entries(names) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

export function ignoredIn(raw: RawInputs): string[] {
  return textsAt(raw, IGNORED);
}

function textsAt(raw: RawInputs, name: string): string[] {
  const texts = raw[name];
  return Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
}

/** The hidden inputs that state keeps, if there are any. */
export function keptMarks(raw: RawInputs): RawInputs {
  const names = secretNames(raw);
  const name = raw[QUALIFIED_NAME];
  return {
    ...(names.length > 0 && { [SECRET_INPUTS]: names }),
    ...(typeof name === "string" && { [QUALIFIED_NAME]: name }),
  };
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
