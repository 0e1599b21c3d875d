import { isDeepStrictEqual } from "node:util";
import { type Call } from "../http/call";
import { fromWire, isSet, PROFILE_FIELDS } from "./profile-fields";
import { isEmpty, isObject, type JsonObject } from "./record";

/** What a call changes on the tenant, if it succeeds. */
export type Write =
  | { kind: "grant" | "revoke"; role: string; groups: readonly string[] }
  | { kind: "create profile"; settings: JsonObject }
  /** `settings`: each is complete in itself; undefined where it is to be empty. */
  | { kind: "change profile"; id: string; settings: JsonObject }
  | { kind: "delete profile" | "remove credential"; id: string };

/** The write that a call is; undefined for one that is none of these. */
export function writeOf({ method, path, ids, body }: Call<unknown>): Write | undefined {
  const { id = "" } = ids ?? {};
  switch (`${method} ${path}`) {
    case "POST /roles/{id}/groups":
      return { kind: "grant", role: id, groups: groupsIn(body) };
    case "DELETE /roles/{id}/groups":
      return { kind: "revoke", role: id, groups: groupsIn(body) };
    case "POST /connection-profiles":
      return settingsOf(body, (settings) => ({ kind: "create profile", settings }));
    case "PATCH /connection-profiles/{id}":
      return settingsOf(body, (settings) => ({ kind: "change profile", id, settings }));
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
function settingsOf(body: unknown, write: (settings: JsonObject) => Write): Write | undefined {
  if (!isObject(body)) return undefined;
  const names = Object.entries(PROFILE_FIELDS).flatMap(([name, { wire }]) => (wire in body ? [name] : []));
  if (names.length < Object.keys(body).length) return undefined;
  const set = fromWire(body);
  return write(Object.fromEntries(names.map((name) => [name, set[name]])));
}

/** What a reviewed program sets on a profile, and what else may be done to it. */
export interface Reviewed {
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
 * The first path at which settings are neither what is there already nor what was reviewed; undefined where there is none.
 * `before`: what is on the profile, undefined for one that is to be made, and which is to have all that was reviewed.
 */
export function deviation(
  settings: JsonObject,
  before: JsonObject | undefined,
  { wanted, mayGo = () => false, mayBe }: Reviewed,
): string[] | undefined {
  const at = (path: readonly string[], { now, before: was, wanted }: Sides): string[] | undefined => {
    const isWanted = wanted !== undefined && (isSame(path, now, wanted) || mayBe(wanted, now));
    // What is to be made has to have what was reviewed.
    const isLess = before === undefined && !isNothing(path, wanted);
    if (isWanted || (isSame(path, now, was) && !isLess)) return undefined;
    const [are, were, own] = [treeOf(now), treeOf(was), treeOf(wanted) ?? {}];
    const names = are === undefined || were === undefined ? [] : namesIn(are, were, before ? {} : own);
    for (const name of names) {
      const inner = { now: are?.[name], before: were?.[name], wanted: own[name] };
      const found = at([...path, name], inner);
      if (found !== undefined) return found;
    }
    return names.length > 0 || (isNothing(path, now) && mayGo(path)) ? undefined : [...path];
  };
  const all = before === undefined ? { ...nothingFor(wanted), ...settings } : settings;
  const names = Object.keys(all);
  for (const name of names) {
    const found = at([name], { now: all[name], before: before?.[name], wanted: wanted[name] });
    if (found !== undefined) return found;
  }
  return undefined;
}

function nothingFor(wanted: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, undefined]));
}

function namesIn(are: JsonObject, were: JsonObject, wanted: JsonObject): string[] {
  // Nulls are the other way to say that values are to go: then nothing else is said.
  const isRemoval = Object.keys(are).length > 0 && holdsNothing(are);
  return [...new Set([are, ...(isRemoval ? [] : [were]), wanted].flatMap(Object.keys))];
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

function isSame(path: readonly string[], one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(written(path, one), written(path, other));
}

function written(path: readonly string[], value: unknown): unknown {
  if (isNothing(path, value)) return undefined;
  if (Array.isArray(value)) return isSet(path) ? [...(value as unknown[])].sort() : (value as unknown);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, written([...path, key], inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}
