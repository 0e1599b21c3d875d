import { LONGEST_TEXT } from "../border";
import { isObject, parseJson } from "../http/shape";

/*
 * A preview knows some facts that Pulumi's JSON lacks. A line tells them to people and ends in JSON, and
 * `pulumi-identity review` reads only that JSON. Anybody can print lines, so a fact may add a name or a
 * doubt, and never removes one.
 */

/** A line has room for this many ids; the others are counted. */
export const MOST_IN_FACT = 100;

/** Each by the member that only it has. Roles are given by their keys. */
interface Facts {
  /** The groups that an exclusive assignment takes the role from. */
  exclusive: { exclusive: string; takes: readonly string[]; more?: number | undefined };
  /** The role or profile that the tenant wasn't asked about. */
  notAsked: { notAsked: string; why: string };
  /** Groups that leave an assignment of the role, and what becomes of them. `more`: of those with a doubt. */
  leaving: {
    leaving: string;
    groups: Readonly<Record<string, "may revoke" | "may hand over" | "hands over">>;
    more?: number | undefined;
  };
  /** The profile that a resource adopts, and by setting the values before and after: null if it isn't set. */
  adopts: {
    adopts: string;
    name: unknown;
    changes: Readonly<Record<string, readonly unknown[]>>;
    /** Paths in objects that the program doesn't give: `organization.showAsButton`. */
    removes?: readonly string[] | undefined;
  };
  /** The tenant that IDENTITY_DOMAIN put in place of the configured one. */
  tenant: { tenant: string; not: string };
  /** A refresh keeps this in state, although its tenant doesn't show it, or not these groups of the role. */
  kept: { kept: string; on?: string | undefined; groups?: string | undefined };
}

type FactKind = keyof Facts;
export type FactOf<Of extends FactKind> = Facts[Of];
export type Fact = Facts[FactKind];

type Is = (value: unknown) => boolean;
const isText: Is = (value) => typeof value === "string";
/** A secret is none. */
const isId: Is = (value) => typeof value === "string" && /^[\w-]+$/.test(value);
const isNumber: Is = (value) => typeof value === "number";
const listOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
const mapOf =
  (isKey: Is, is: Is): Is =>
  (value) =>
    isObject(value) && Object.keys(value).every(isKey) && Object.values(value).every(is);
const optional =
  (is: Is): Is =>
  (value) =>
    value === undefined || is(value);

/** Without zod, which a review doesn't load. */
const SHAPES: Readonly<{ [Of in FactKind]: Record<keyof Facts[Of], Is> }> = {
  exclusive: { exclusive: isText, takes: listOf(isId), more: optional(isNumber) },
  notAsked: { notAsked: isText, why: isText },
  leaving: {
    leaving: isText,
    groups: mapOf(isId, (says) => ["may revoke", "may hand over", "hands over"].includes(says as string)),
    more: optional(isNumber),
  },
  adopts: {
    adopts: isText,
    name: () => true,
    changes: mapOf(isText, (pair) => Array.isArray(pair) && pair.length === 2),
    removes: optional(listOf(isText)),
  },
  tenant: { tenant: isText, not: isText },
  kept: { kept: isText, on: optional(isText), groups: optional(isText) },
};

function isFact(json: unknown): json is Fact {
  return (
    isObject(json) &&
    Object.values(SHAPES).some(
      (shape: Record<string, Is>) =>
        Object.keys(json).every((name) => Object.hasOwn(shape, name)) &&
        Object.entries(shape).every(([name, is]) => is(json[name])),
    )
  );
}

export function formatFact(words: string, fact: Fact): string {
  return `${words} ${JSON.stringify(fact)}`;
}

/** Undefined for a line without a fact, and for one that was cut. */
export function factIn(line: string): Fact | undefined {
  if (line.length > LONGEST_TEXT) return undefined;
  // The words may hold braces. Within the fact, no text that begins with one is JSON up to the end.
  for (let at = line.indexOf(" {"); at >= 0; at = line.indexOf(" {", at + 1)) {
    const json = parseJson(line.slice(at));
    if (json !== undefined) return isFact(json) ? json : undefined;
  }
  return undefined;
}

export function factsOf<Of extends FactKind>(facts: readonly Fact[], kind: Of): FactOf<Of>[] {
  return facts.filter((fact): fact is FactOf<Of> & Fact => kind in fact);
}

/** How many ids a fact leaves out; undefined if none. */
export function beyond(ids: readonly unknown[]): number | undefined {
  return ids.length > MOST_IN_FACT ? ids.length - MOST_IN_FACT : undefined;
}

/** Warns that a tenant isn't the one in the stack's configuration. */
export function domainLine(tenant: string, not: string): string {
  const words = `IDENTITY_DOMAIN wins over identity:domain: the tenant is ${tenant}, and not ${not}`;
  return formatFact(words, { tenant, not });
}

/** For a refresh: reads lag behind writes. */
export function keptLine(fact: FactOf<"kept">): string {
  return formatFact(keptText(fact), fact);
}

export function keptText({ kept, on = "the tenant", groups }: FactOf<"kept">): string {
  const what =
    groups === undefined
      ? `${on} doesn't show it, but this stack wrote it`
      : `${on} doesn't list ${groups}, but this stack wrote the assignment`;
  return `${kept}: ${what} less than a minute ago, so state keeps it. Refresh again in a minute.`;
}
