/*
 * Lines of a preview that tell what only the tenant knows. Pulumi's JSON holds them as text and nowhere else, so that
 * `pulumi-identity review` reads them back: what is written here is parsed here.
 */

/** A line names up to this many groups; further ones are counted. */
const MOST_NAMED = 10;

/** `grp_a, grp_b` or, of many, the first ten and `and 488 more`. */
export function groupList(groups: readonly string[]): string {
  const named = groups.slice(0, MOST_NAMED).join(", ");
  return groups.length <= MOST_NAMED ? named : `${named} and ${groups.length - MOST_NAMED} more`;
}

/** One value of a profile: JSON, or undefined where it is not set. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

export type PreviewLine =
  /** Groups that lose a role since an assignment becomes exclusive; `unnamed` of them are only counted. */
  | { kind: "exclusive"; roleId: string; groups: string[]; unnamed: number }
  | { kind: "adoption"; profileId: string; name: unknown; changes: FieldChange[] }
  /** Groups that an assignment handed over to others, and that lose the role. */
  | { kind: "handed-over"; roleId: string; groups: string[]; unnamed: number }
  /** The tenant was to be asked and gave no answer. */
  | { kind: "not-asked"; about: "exclusive" | "adoption"; id: string; reason: string };

export function exclusiveLine(roleId: string, others: readonly string[]): string {
  if (others.length === 0) return `role ${roleId}: exclusive, takes the role from no other group`;
  const count = `${others.length} ${others.length === 1 ? "group" : "groups"}`;
  return `role ${roleId}: exclusive, takes the role from ${count} that others gave it to: ${groupList(others)}`;
}

export function handedOverLine(roleId: string, groups: readonly string[]): string {
  return `role ${roleId}: − ${groupList(groups)}, handed over before, listed nowhere now`;
}

export function adoptionLine(profileId: string, name: unknown, changes: readonly FieldChange[]): string {
  const effect = changes.map(
    ({ field, before, after }) =>
      `${field}: ${before === undefined ? NOT_SET : JSON.stringify(before)} → ${JSON.stringify(after)}`,
  );
  const told = effect.length === 0 ? STAYS : `changes ${effect.join(", ")}`;
  return `adopts connection profile ${profileId}, named ${JSON.stringify(name ?? null)}: ${told}`;
}

export const exclusiveQuestion = (roleId: string) =>
  `role ${roleId}: exclusive: which other groups lose the role`;

export const adoptionQuestion = (profileId: string) =>
  `adopt: what changes on connection profile ${profileId}`;

export const notAskedLine = (question: string, reason: string) => `${question} could not be read (${reason})`;

/** The line without the resource's name before it; undefined for all other lines. */
export function parsePreviewLine(line: string): PreviewLine | undefined {
  return parseNotAsked(line) ?? parseRole(line) ?? parseAdoption(line);
}

const NOT_SET = "not set";
const STAYS = "it stays as it is";

const NOT_ASKED =
  /^(?:role (?<role>\S+): exclusive: which other groups lose the role|adopt: what changes on connection profile (?<profile>\S+)) could not be read \((?<reason>.*)\)$/;
const NO_OTHERS = /^role (?<role>\S+): exclusive, takes the role from no other group$/;
const EXCLUSIVE =
  /^role (?<role>\S+): exclusive, takes the role from \d+ groups? that others gave it to: (?<groups>.+)$/;
const HANDED_OVER = /^role (?<role>\S+): − (?<groups>.+), handed over before, listed nowhere now$/;
const ADOPTION = /^adopts connection profile (?<profile>\S+), named /;

function parseNotAsked(line: string): PreviewLine | undefined {
  const { role, profile, reason = "" } = NOT_ASKED.exec(line)?.groups ?? {};
  if (role !== undefined) return { kind: "not-asked", about: "exclusive", id: role, reason };
  return profile === undefined ? undefined : { kind: "not-asked", about: "adoption", id: profile, reason };
}

function parseRole(line: string): PreviewLine | undefined {
  const none = NO_OTHERS.exec(line)?.groups?.["role"];
  if (none !== undefined) return { kind: "exclusive", roleId: none, groups: [], unnamed: 0 };
  for (const [kind, pattern] of [
    ["exclusive", EXCLUSIVE],
    ["handed-over", HANDED_OVER],
  ] as const) {
    const { role, groups = "" } = pattern.exec(line)?.groups ?? {};
    if (role !== undefined) return { kind, roleId: role, ...parseGroups(groups) };
  }
  return undefined;
}

function parseGroups(list: string): { groups: string[]; unnamed: number } {
  const [, named = list, more = "0"] = /^(.+) and (\d+) more$/.exec(list) ?? [];
  return { groups: named.split(", "), unnamed: Number(more) };
}

function parseAdoption(line: string): PreviewLine | undefined {
  const match = ADOPTION.exec(line);
  if (match === null) return undefined;
  const rest = new Reader(line.slice(match[0].length));
  const name = rest.json();
  if (name === undefined || !rest.skip(": ")) return undefined;
  const changes = rest.is(STAYS) ? [] : rest.changes();
  if (changes === undefined) return undefined;
  return { kind: "adoption", profileId: match.groups?.["profile"] ?? "", name: name.value, changes };
}

/** Reads a text from its beginning. */
class Reader {
  constructor(private text: string) {}

  is(text: string): boolean {
    return this.text === text;
  }

  skip(prefix: string): boolean {
    if (!this.text.startsWith(prefix)) return false;
    this.text = this.text.slice(prefix.length);
    return true;
  }

  /** `changes name: "a" → "b", organization: not set → {…}`; undefined for anything else. */
  changes(): FieldChange[] | undefined {
    if (!this.skip("changes ")) return undefined;
    const changes: FieldChange[] = [];
    do {
      const field = /^(\w+): /.exec(this.text)?.[1];
      if (field === undefined) return undefined;
      this.skip(`${field}: `);
      const before = this.skip(NOT_SET) ? { value: undefined } : this.json();
      if (before === undefined || !this.skip(" → ")) return undefined;
      const after = this.json();
      if (after === undefined) return undefined;
      changes.push({ field, before: before.value, after: after.value });
    } while (this.skip(", "));
    return this.text === "" ? changes : undefined;
  }

  /** One JSON value; undefined if there is none. */
  json(): { value: unknown } | undefined {
    const end = endOfJson(this.text);
    try {
      const value = JSON.parse(this.text.slice(0, end)) as unknown;
      this.text = this.text.slice(end);
      return { value };
    } catch {
      return undefined;
    }
  }
}

/** Where the JSON value ends that a text begins with. */
function endOfJson(text: string): number {
  let depth = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]|[^\s,:"[\]{}]+/g)) {
    if (/^[[{]$/.test(token[0])) depth++;
    else if (/^[\]}]$/.test(token[0])) depth--;
    if (depth === 0) return token.index + token[0].length;
  }
  return text.length;
}
