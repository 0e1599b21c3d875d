import { isDeepStrictEqual } from "node:util";
import { type RawInputs, SECRET_SIGNATURE, SIGNATURE_KEY, withChildren } from "../../review/raw-inputs";
import { secretNames, SECRET_INPUTS, textsOf } from "../hidden-inputs";

/*
 * The engine marks secrets, at any depth. Handlers get bare values, and the names of the inputs with a secret
 * in them. Their answers are marked again.
 */

export interface Marks {
  /** Secret values by the name of the property that holds them. */
  secrets: ReadonlyMap<string, readonly unknown[]>;
  /** Names of all properties. */
  given: ReadonlySet<string>;
}

export interface Unmarked {
  /** Among them the names of secret inputs, as handlers expect them. */
  values: RawInputs;
  marks: Marks;
}

export function unmark(raw: RawInputs): Unmarked {
  const secrets = new Map<string, unknown[]>();
  const values = withChildren(raw, (value, name) => {
    const found: unknown[] = [];
    const bare = bared(value, found);
    if (found.length > 0) secrets.set(name, found);
    return bare;
  });
  // State may lack marks for inputs that an earlier run listed as secret.
  for (const name of secretNames(values)) if (!secrets.has(name) && name in values) secrets.set(name, []);
  return {
    values: withSecretNames(values, [...secrets.keys()]),
    marks: { secrets, given: new Set(Object.keys(raw)) },
  };
}

/**
 * Returns the names of outputs that are secret only by the option `additionalSecretOutputs`. If just the
 * option changes, the resource doesn't.
 */
export function secretByOption(outputs: RawInputs, inputs: RawInputs): string[] {
  const ofProgram = secretNames(inputs);
  return secretNames(outputs).filter((name) => name in inputs && !ofProgram.includes(name));
}

export function withSecretNames(values: RawInputs, names: readonly string[]): RawInputs {
  if (names.length === 0) return values;
  return { ...values, [SECRET_INPUTS]: [...new Set([...secretNames(values), ...names])].sort() };
}

/**
 * Marks secrets again, wherever they are in their property by now: a set may have been sorted. If one can't
 * be found, the whole property becomes secret.
 */
export function mark(values: object, { secrets: marks, given }: Marks): RawInputs {
  const texts = textsOf(Object.fromEntries(marks), [...marks.keys()]);
  return withChildren(values as RawInputs, (value, name) => {
    // State needs no names: the marks say the same.
    if (name === SECRET_INPUTS || value === undefined) return undefined;
    const secrets = marks.get(name);
    // Other outputs may quote the secrets.
    if (secrets === undefined) return given.has(name) ? value : markedWithin(value, texts, new Set());
    const seen = new Set<unknown>();
    const marked = markedWithin(value, secrets, seen);
    const isWhole = secrets.length === 0 || secrets.some((hidden) => !seen.has(hidden));
    return isWhole ? secret(value) : marked;
  });
}

/** Returns the marks of both, for an update that was done in part. */
export function merged(one: Marks, other: Marks): Marks {
  const secrets = new Map(one.secrets);
  for (const [name, values] of other.secrets) secrets.set(name, [...(secrets.get(name) ?? []), ...values]);
  return { secrets, given: other.given };
}

export function secret(value: unknown): RawInputs {
  return { [SIGNATURE_KEY]: SECRET_SIGNATURE, value };
}

function bared(value: unknown, secrets: unknown[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ((value as RawInputs)[SIGNATURE_KEY] === SECRET_SIGNATURE) {
    const inner = bared((value as RawInputs)["value"], []);
    secrets.push(inner);
    return inner;
  }
  return withChildren(value, (child) => bared(child, secrets));
}

function markedWithin(value: unknown, secrets: readonly unknown[], seen: Set<unknown>): unknown {
  const same = secrets.filter((hidden) => isDeepStrictEqual(hidden, value));
  for (const hidden of same) seen.add(hidden);
  if (same.length > 0) return secret(value);
  if (typeof value !== "object" || value === null) return value;
  return withChildren(value, (child) => markedWithin(child, secrets, seen));
}
