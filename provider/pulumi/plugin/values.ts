import { isDeepStrictEqual } from "node:util";
import { type RawInputs, SECRET_SIGNATURE, SIGNATURE_KEY } from "../../review/raw-inputs";
import { secretNames, SECRET_INPUTS, textsOf } from "../hidden-inputs";

/*
 * The engine marks what is secret, at any depth. Handlers are given bare values and the names of the inputs
 * that hold something secret, and what they answer is marked again.
 */

export interface Marks {
  /** Secret values by the name of the property that holds them. */
  secrets: ReadonlyMap<string, readonly unknown[]>;
  /** Names of all properties. */
  given: ReadonlySet<string>;
}

export interface Unmarked {
  /** With the names of what is secret in it, as handlers expect these. */
  values: RawInputs;
  marks: Marks;
}

export function unmark(raw: RawInputs): Unmarked {
  const marks = new Map<string, unknown[]>();
  const values = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      const found: unknown[] = [];
      const bare = bared(value, found);
      if (found.length > 0) marks.set(name, found);
      return [name, bare];
    }),
  );
  // State may lack marks for inputs that an earlier run listed as secret.
  for (const name of secretNames(values)) if (!marks.has(name) && name in values) marks.set(name, []);
  const names = [...new Set([...secretNames(values), ...marks.keys()])].sort();
  return {
    values: { ...values, ...(names.length > 0 && { [SECRET_INPUTS]: names }) },
    marks: { secrets: marks, given: new Set(Object.keys(raw)) },
  };
}

/**
 * Returns the names of outputs that the option `additionalSecretOutputs` has made secret: their inputs are
 * not. A change of the option alone is no change of the resource.
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
 * Marks what was secret, wherever it stands now within its property: a set may have been sorted. A property
 * is a secret as a whole where its secret is not found.
 */
export function mark(values: object, { secrets: marks, given }: Marks): RawInputs {
  const texts = textsOf(Object.fromEntries(marks), [...marks.keys()]);
  // The names need no place in state: the marks say as much.
  const entries = Object.entries(values).filter(
    ([name, value]) => name !== SECRET_INPUTS && value !== undefined,
  );
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => {
      const secrets = marks.get(name);
      // Other values from handlers, besides the inputs, may quote them.
      if (secrets === undefined)
        return [name, given.has(name) ? value : markedWithin(value, texts, new Set())];
      const found = new Set<unknown>();
      const marked = markedWithin(value, secrets, found);
      const isWhole = secrets.length === 0 || secrets.some((one) => !found.has(one));
      return [name, isWhole ? secret(value) : marked];
    }),
  );
}

/** The marks of both, for what a change leaves behind that was done in part. */
export function merged(one: Marks, other: Marks): Marks {
  const secrets = new Map(one.secrets);
  for (const [name, values] of other.secrets) secrets.set(name, [...(secrets.get(name) ?? []), ...values]);
  return { secrets, given: other.given };
}

export function secret(value: unknown): RawInputs {
  return { [SIGNATURE_KEY]: SECRET_SIGNATURE, value };
}

function bared(value: unknown, found: unknown[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => bared(item, found));
  const fields = value as RawInputs;
  if (fields[SIGNATURE_KEY] === SECRET_SIGNATURE) {
    const inner = bared(fields["value"], []);
    found.push(inner);
    return inner;
  }
  return Object.fromEntries(Object.entries(fields).map(([key, child]) => [key, bared(child, found)]));
}

function markedWithin(value: unknown, secrets: readonly unknown[], found: Set<unknown>): unknown {
  const same = secrets.filter((one) => isDeepStrictEqual(one, value));
  for (const one of same) found.add(one);
  if (same.length > 0) return secret(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => markedWithin(item, secrets, found));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, markedWithin(child, secrets, found)]),
  );
}
