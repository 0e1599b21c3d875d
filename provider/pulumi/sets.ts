import { isDeepStrictEqual } from "node:util";
import { misspelt } from "../near-names";
import { pathText, type RawInputs } from "../review/raw-inputs";
import { hashOf } from "./hosts-file";

/*
 * Some lists among the inputs stand for sets: `check` sorts them, because their order means nothing. The
 * engine doesn't know that. With `ignoreChanges: ["groupIds[0]"]` it puts the first group of state in the
 * place of the program's first, whichever that is: [D, A] over [A, B] becomes [A, A].
 *
 * So an index into a set is refused where the option is seen: by the class, and by the plugin's `diff`. If a
 * transform sets the option, the class doesn't see it, so the class sends what the program gives, as hashes,
 * and `check` compares.
 */

/** The place of a set among a kind's inputs; `*` stands for any key. */
export type SetPath = readonly string[];

/**
 * Returns the reason against `ignoreChanges`: it names a single element of a set, or a name is misspelt.
 * `values`: what the program gives, and what the last update did.
 */
export function ignoredProblem(
  sets: readonly SetPath[],
  ignoreChanges: readonly string[],
  values: readonly unknown[],
): string | undefined {
  return indexProblem(sets, ignoreChanges) ?? spellingProblem(ignoreChanges, values);
}

function indexProblem(sets: readonly SetPath[], ignoreChanges: readonly string[]): string | undefined {
  for (const option of ignoreChanges) {
    const path = parsePath(option);
    const set = sets.find((set) => reachesInto(set, path));
    if (set === undefined) continue;
    const whole = pathText(path.slice(0, set.length));
    return (
      `ignoreChanges can't name ${option}: ${whole} is a set, so its elements have no fixed places, and Pulumi would mix ` +
      `the program's with those of the last update. Ignore ${whole} as a whole, or remove the option.`
    );
  }
  return undefined;
}

/** For a misspelt name the engine ignores nothing, in silence. Python and HCL leave members in snake case. */
function spellingProblem(ignoreChanges: readonly string[], values: readonly unknown[]): string | undefined {
  for (const option of ignoreChanges) {
    const meant = spelledRight(parsePath(option), values);
    if (meant === undefined) continue;
    const right = pathText(meant.map((key) => (/^\d+$/.test(key) ? Number(key) : key)));
    return `ignoreChanges: ${option} is not an input: did you mean ${right}?`;
  }
  return undefined;
}

/** Undefined if no name of the path is misspelt. */
function spelledRight([name, ...rest]: readonly string[], values: readonly unknown[]): string[] | undefined {
  if (name === undefined) return undefined;
  const objects = values.filter((value) => typeof value === "object" && value !== null) as RawInputs[];
  const meant = misspelt(name, objects.flatMap(Object.keys));
  const key = meant ?? name;
  const after = spelledRight(
    rest,
    objects.map((object) => (Object.hasOwn(object, key) ? object[key] : undefined)),
  );
  return meant === undefined && after === undefined ? undefined : [key, ...(after ?? rest)];
}

function reachesInto(set: SetPath, path: readonly string[]): boolean {
  return path.length > set.length && set.every((key, i) => key === "*" || path[i] === "*" || path[i] === key);
}

const STEP = /\.?(?:(?<name>[^.[]+)|\["(?<quoted>(?:\\"|[^"])+)"\]|\[(?<index>\*|-?\d+)\])/y;

/** Parses a property path of Pulumi's, e.g. `a["b.c"][0]`. An invalid one is empty: the engine skips it. */
function parsePath(text: string): string[] {
  const path: string[] = [];
  const step = new RegExp(STEP);
  while (step.lastIndex < text.length) {
    const { name, quoted, index } = step.exec(text)?.groups ?? {};
    const key = name ?? quoted?.replaceAll('\\"', '"') ?? index;
    if (key === undefined) return [];
    path.push(key);
  }
  return path;
}

/** Returns the sets among inputs that a program gives, in its order, for `check`; undefined without any. */
export function formatSets(sets: readonly SetPath[], inputs: RawInputs): string | undefined {
  return textOf(hashesIn(sets, inputs));
}

function textOf(hashes: ReadonlyMap<string, readonly string[]>): string | undefined {
  const given = [...hashes].map(([place, all]): [string, string] => [place, all.join("")]);
  return given.length === 0 ? undefined : new URLSearchParams(given).toString();
}

/** A set whose elements aren't those that the program gave. */
export interface ReplacedSet {
  /** The place among the inputs: `strategyOverrides.okta.enabledFeatures`. */
  place: string;
  /** True if some elements are the program's, and some are those of the last update. */
  isMixture: boolean;
  /** Hashes of the elements that the program gave, and the inputs lack. */
  withheld: string[];
}

/**
 * Returns the sets that options or transforms have changed on the way from the program to `check`. `given`:
 * the text of `formatSets`; undefined for programs in other languages. `before`: inputs of the last update.
 */
export function replacedSets(
  sets: readonly SetPath[],
  given: unknown,
  { inputs, before = {} }: { inputs: RawInputs; before: RawInputs | undefined },
): ReplacedSet[] {
  if (typeof given !== "string") return [];
  const nows = hashesIn(sets, inputs);
  // Nearly always, and then the rest needn't be hashed.
  if (given === textOf(nows)) return [];
  const olds = hashesIn(sets, before);
  const all = [...new URLSearchParams(given)].map(([place, hashes]) => ({
    place,
    program: hashes.match(/[\w-]{8}/g) ?? [],
    now: nows.get(place) ?? [],
    old: olds.get(place) ?? [],
  }));
  return all
    .filter(({ program, now }) => !isSameSet(now, program))
    .map(({ place, program, now, old }) => ({
      place,
      isMixture: isMixtureOf(now, program, old),
      withheld: lacking(program, now),
    }));
}

type Hashes = readonly string[];

function isMixtureOf(now: Hashes, program: Hashes, old: Hashes): boolean {
  const isElementwise =
    now.length === program.length && now.every((hash, i) => hash === program[i] || hash === old[i]);
  return isElementwise && !isDeepStrictEqual(now, old);
}

export function mixtureProblem(place: string): string {
  return (
    `${place}: holds some elements of the program and some of the last update: an ignoreChanges with an index, or ` +
    `another transform, has changed it. It is a set, so its elements have no fixed places. Ignore ${place} as a whole, or ` +
    "make the change in the program."
  );
}

/** Returns the elements of each set, in their order, by its place. */
function hashesIn(sets: readonly SetPath[], inputs: RawInputs): Map<string, string[]> {
  const lists = sets.flatMap((set) => listsWithin(set, inputs, []));
  return new Map(lists.map(([path, list]) => [pathText(path), list.map(hashOfItem)]));
}

function listsWithin([key, ...rest]: SetPath, value: unknown, path: string[]): [string[], unknown[]][] {
  if (key === undefined) return Array.isArray(value) ? [[path, value]] : [];
  if (typeof value !== "object" || value === null) return [];
  const keys = key === "*" ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
  return keys.flatMap((name) => listsWithin(rest, (value as RawInputs)[name], [...path, name]));
}

function hashOfItem(item: unknown): string {
  return hashOf(typeof item === "string" ? item : JSON.stringify([item]));
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return lacking(one, other).length + lacking(other, one).length === 0;
}

/** Returns what the other list lacks. */
function lacking(one: readonly string[], other: readonly string[]): string[] {
  const there = new Set(other);
  return one.filter((hash) => !there.has(hash));
}
