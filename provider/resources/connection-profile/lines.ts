import { type Fact } from "../../pulumi/run-folder";

/*
 * What is said of profiles: lines of previews, which the review reads; facts, which processes of a run leave
 * each other; messages.
 */

export type ProfileLine =
  | { kind: "adoption"; profileId: string; name: unknown; changes: SettingChange[] }
  /** The tenant was to be asked what an adoption changes, and gave no answer. */
  | { kind: "not asked"; profileId: string; reason: string }
  /** An earlier change may have been done, or not. */
  | { kind: "unconfirmed"; profileId: string };

/** One setting of a profile: JSON, or undefined where it is not set. */
export interface SettingChange {
  field: string;
  before: unknown;
  after: unknown;
}

export function formatProfileLine(line: ProfileLine): string {
  switch (line.kind) {
    case "adoption":
      return `adopts connection profile ${line.profileId}, named ${valueText(line.name ?? null)}: ${effectText(line.changes)}`;
    case "not asked":
      return `adopt: what changes on connection profile ${line.profileId} could not be read (${line.reason})`;
    case "unconfirmed":
      return `connection profile ${line.profileId}: ${UNCONFIRMED}`;
  }
}

function effectText(changes: readonly SettingChange[]): string {
  if (changes.length === 0) return STAYS;
  const texts = changes.map(
    ({ field, before, after }) =>
      `${field}: ${before === undefined ? NOT_SET : valueText(before)} → ${valueText(after)}`,
  );
  return `changes ${texts.join(", ")}`;
}

/** As JSON. A line of all settings must be shorter than what is cut when it leaves the process. */
function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_IN_LINE ? text : JSON.stringify(`(${text.length} characters)`);
}

const LONGEST_IN_LINE = 500;
const NOT_SET = "not set";
const STAYS = "it stays as it is";
const UNCONFIRMED =
  "whether its last change was done is not known; it is read, and what is missing is sent again";

/** What a line of this file says; undefined for all other lines. */
export function parseProfileLine(line: string): ProfileLine | undefined {
  const [, asked, reason] = CHANGES_NOT_ASKED.exec(line) ?? [];
  if (asked !== undefined && reason !== undefined) return { kind: "not asked", profileId: asked, reason };
  const unconfirmed = /^connection profile (\S+): (.*)$/.exec(line);
  if (unconfirmed?.[2] === UNCONFIRMED) return { kind: "unconfirmed", profileId: unconfirmed[1] ?? "" };
  return parseAdoption(line);
}

const CHANGES_NOT_ASKED = /^adopt: what changes on connection profile (\S+) could not be read \((.*)\)$/;
const ADOPTION = /^adopts connection profile (\S+), named /;

function parseAdoption(line: string): ProfileLine | undefined {
  const match = ADOPTION.exec(line);
  if (match === null) return undefined;
  const rest = new TextReader(line.slice(match[0].length));
  const name = rest.json();
  if (name === undefined || !rest.skip(": ")) return undefined;
  const changes = rest.is(STAYS) ? [] : rest.changes();
  if (changes === undefined) return undefined;
  return { kind: "adoption", profileId: match[1] ?? "", name: name.value, changes };
}

class TextReader {
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
  changes(): SettingChange[] | undefined {
    if (!this.skip("changes ")) return undefined;
    const changes: SettingChange[] = [];
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

/** What a host leaves in the folder of the run for the others, and the program for all: `declared`. */
export type ProfileFactKind = "adopting" | "adopted" | "declared";

const PROFILE_FACT = "profiles";

export function profileFactOf(what: ProfileFactKind, tenant: string, hash: string): Fact {
  return [`${PROFILE_FACT} ${what}`, tenant, hash];
}

export function parseProfileFact([kind, tenant, hash = ""]: Fact):
  { what: ProfileFactKind; tenant: string; hash: string } | undefined {
  const [of, what] = kind.split(" ");
  return of === PROFILE_FACT ? { what: what as ProfileFactKind, tenant, hash } : undefined;
}

interface Namesake {
  id: string;
}

/** Under another name it is another resource to the engine, which creates it before it deletes the former. */
const RENAMED = 'If the resource was only renamed, give it aliases: [{ name: "<its former name>" }].';

/** `The tenant t.example.com already holds the connection profile cop_… named "a". To manage it …` */
export function tellNamesakes(
  tenant: string,
  name: unknown,
  namesakes: readonly [Namesake, ...Namesake[]],
): string {
  return `The tenant ${tenant} already holds ${listed(namesakes)} named ${JSON.stringify(name)}. ${howToAdopt(namesakes[0])} ${RENAMED}`;
}

export function listed(profiles: readonly Namesake[]): string {
  const ids = profiles.map(({ id }) => id).join(", ");
  return profiles.length === 1 ? `the connection profile ${ids}` : `the connection profiles ${ids}`;
}

export function howToAdopt({ id }: Namesake): string {
  return `To manage it with this resource, add adopt: ${JSON.stringify(id)}; otherwise choose another name.`;
}
