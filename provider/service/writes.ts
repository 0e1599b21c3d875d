import { isDeepStrictEqual } from "node:util";
import { type Call } from "../http/call";
import { settingsFromWire, isSet, PROFILE_FIELDS } from "./profile-fields";
import { isEmpty, isObject, type JsonObject } from "./record";

export type Write =
  | { kind: "grant" | "revoke"; role: string; groups: readonly string[] }
  | { kind: "create profile"; settings: JsonObject }
  /** `settings`: each is complete in itself; undefined where it is to be empty. */
  | { kind: "change profile"; id: string; settings: JsonObject }
  | { kind: "delete profile" | "remove credential"; id: string };

export function writeOf({ method, path, ids, body }: Call<unknown>): Write | undefined {
  const { id = "" } = ids ?? {};
  switch (`${method} ${path}`) {
    case "POST /roles/{id}/groups":
      return { kind: "grant", role: id, groups: groupsIn(body) };
    case "DELETE /roles/{id}/groups":
      return { kind: "revoke", role: id, groups: groupsIn(body) };
    case "POST /connection-profiles":
      return settingsInBody(body, (settings) => ({ kind: "create profile", settings }));
    case "PATCH /connection-profiles/{id}":
      return settingsInBody(body, (settings) => ({ kind: "change profile", id, settings }));
    case "DELETE /connection-profiles/{id}":
      return { kind: "delete profile", id };
    case "DELETE /device-credentials/{id}":
      return { kind: "remove credential", id };
    default:
      return undefined;
  }
}

/** The profile that a call reads or changes, of which its answer tells the settings. */
export function profileOf({ path, ids }: Call<unknown>): string | undefined {
  return path === "/connection-profiles/{id}" ? ids?.["id"] : undefined;
}

function groupsIn(body: unknown): string[] {
  return (body as { groups: string[] }).groups;
}

/** Undefined where the body has something else. */
function settingsInBody(body: unknown, write: (settings: JsonObject) => Write): Write | undefined {
  if (!isObject(body)) return undefined;
  const names = Object.entries(PROFILE_FIELDS).flatMap(([name, { wire }]) => (wire in body ? [name] : []));
  if (names.length < Object.keys(body).length) return undefined;
  const set = settingsFromWire(body);
  return write(Object.fromEntries(names.map((name) => [name, set[name]])));
}

/** What a reviewed program sets on a profile, and what else may be done to it. */
interface Reviewed {
  wanted: JsonObject;
  /** Whether the value at a path may be taken away. */
  mayGo?: (path: readonly string[]) => boolean;
  /** Whether a value that did not show may turn out to be this one. */
  mayBe: (wanted: unknown, now: unknown) => boolean;
}

/** A value on a profile: as it is to be, as it is, and as it was reviewed. */
interface Sides {
  now: unknown;
  before: unknown;
  wanted: unknown;
}

/**
 * The first path at which settings are neither what is there already nor what was reviewed; undefined where
 * there is none. `before`: what is on the profile, undefined for one that is to be made, and which is to have
 * all that was reviewed.
 */
export function deviation(
  settings: JsonObject,
  before: JsonObject | undefined,
  reviewed: Reviewed,
): string[] | undefined {
  const { wanted } = reviewed;
  const isNew = before === undefined;
  const names = Object.keys(isNew ? { ...wanted, ...settings } : settings);
  return deviationAmong(names, [], { now: settings, before, wanted }, { ...reviewed, isNew });
}

type Rules = Reviewed & { isNew: boolean };

function deviationAmong(
  names: readonly string[],
  path: readonly string[],
  { now, before, wanted }: Sides,
  rules: Rules,
): string[] | undefined {
  for (const name of names) {
    const inner = { now: entry(now, name), before: entry(before, name), wanted: entry(wanted, name) };
    const found = deviationAt([...path, name], inner, rules);
    if (found !== undefined) return found;
  }
  return undefined;
}

function deviationAt(path: string[], sides: Sides, rules: Rules): string[] | undefined {
  const { now, before, wanted } = sides;
  const isWanted = wanted !== undefined && (isWrittenAlike(path, now, wanted) || rules.mayBe(wanted, now));
  const isLess = rules.isNew && !isNothing(path, wanted);
  if (isWanted || (isWrittenAlike(path, now, before) && !isLess)) return undefined;
  const names = comparedNames(sides, rules.isNew);
  if (names.length > 0) return deviationAmong(names, path, sides, rules);
  return isNothing(path, now) && rules.mayGo?.(path) === true ? undefined : path;
}

/** Names of what is to be compared one by one; none where the values are no objects. */
function comparedNames({ now, before, wanted }: Sides, isNew: boolean): string[] {
  const [are, were] = [treeOf(now), treeOf(before)];
  if (are === undefined || were === undefined) return [];
  // Nulls are the other way to say that values are to go: then nothing else is said.
  const isRemoval = Object.keys(are).length > 0 && holdsNothing(are);
  const own = isNew ? (treeOf(wanted) ?? {}) : {};
  return [...new Set([are, isRemoval ? {} : were, own].flatMap(Object.keys))];
}

function entry(value: unknown, name: string): unknown {
  return treeOf(value)?.[name];
}

/** An object; nothing is one without entries. */
function treeOf(value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isObject(value) ? value : undefined;
}

function holdsNothing(value: unknown): boolean {
  return isObject(value) ? Object.values(value).every(holdsNothing) : value === null || value === undefined;
}

/** A setting that is empty is not set; inside a setting an empty value is a value. */
function isNothing(path: readonly string[], value: unknown): boolean {
  return path.length === 1 ? isEmpty(value) : value === undefined || value === null;
}

function isWrittenAlike(path: readonly string[], one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(written(path, one), written(path, other));
}

function written(path: readonly string[], value: unknown): unknown {
  if (isNothing(path, value)) return undefined;
  if (Array.isArray(value)) return isSet(path) ? [...(value as unknown[])].sort() : (value as unknown);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, written([...path, key], inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}
