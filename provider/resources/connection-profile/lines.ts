import { pathText } from "../../review/raw-inputs";
import { type Named } from "../../service/record";
import { differences } from "./values";

/*
 * Lines of previews about profiles, which the review reads back, and messages.
 */

/** A preview's line about the adoption of a profile. */
export type ProfileLine =
  | {
      says: "adoption";
      profileId: string;
      name: unknown;
      changes: SettingChange[];
      /** Paths in objects of the profile that the program doesn't give: `organization.showAsButton`. */
      removes: string[];
    }
  /** The tenant didn't answer what an adoption would change. */
  | { says: "not asked"; profileId: string; reason: string };

/** One setting of a profile: JSON, or undefined if it isn't set. */
export interface SettingChange {
  field: string;
  before: unknown;
  after: unknown;
}

export function formatProfileLine(line: ProfileLine): string {
  return line.says === "adoption"
    ? `adopts connection profile ${line.profileId}, named ${valueText(line.name ?? null)}: ${effectText(line)}`
    : `adopt: what changes on connection profile ${line.profileId} could not be read (${line.reason})`;
}

function effectText({ changes, removes }: ProfileLine & { says: "adoption" }): string {
  if (changes.length === 0) return "it stays as it is";
  const texts = changes.map(
    ({ field, before, after }) =>
      `${field}: ${before === undefined ? "not set" : valueText(before)} → ${valueText(after)}`,
  );
  const rest = removes.length === 0 ? "" : `; removes ${valueText(removes)}`;
  return `changes ${texts.join(", ")}${rest}`;
}

/** `values`: undefined if they are secret. */
export function shownLine(
  id: string,
  name: string,
  values: { sent: unknown; shown: unknown } | undefined,
): string {
  const start = `Connection profile ${id}: the service doesn't show ${name} as it was sent`;
  if (values === undefined)
    return `${start}. Its value is secret, so state doesn't record the difference, and each run sends it again: write it as the tenant has it.`;
  const places = differences(name, values.shown, values.sent).map(({ path, one, other }) => {
    const is = one === undefined ? "not set" : valueText(one);
    return `${pathText(path)} is ${is}${other === undefined ? ", which wasn't sent" : `, not ${valueText(other)}`}`;
  });
  return `${start}: ${places.join("; ")}. Write it like that in the program. Until you do, the difference isn't reported as drift.`;
}

function valueText(value: unknown): string {
  return JSON.stringify(shownValue(value));
}

/**
 * Shortens a value for a line: one with all settings must stay below the length at which messages are cut.
 */
export function shownValue(value: unknown): unknown {
  const length = JSON.stringify(value ?? null).length;
  return length <= LONGEST_IN_LINE ? value : `(${length} characters)`;
}

const LONGEST_IN_LINE = 500;

/** Parses a line of this file; undefined for all other lines. */
export function parseProfileLine(line: string): ProfileLine | undefined {
  const [, asked, reason] = CHANGES_NOT_ASKED.exec(line) ?? [];
  if (asked !== undefined && reason !== undefined) return { says: "not asked", profileId: asked, reason };
  // JSON has blanks only in its texts. Without those, it differs from the words around it.
  const texts: string[] = [];
  const words = line.replace(JSON_TEXT, (text) => `"${texts.push(text) - 1}"`);
  const valueOf = (json: string): unknown =>
    JSON.parse(json.replace(/"(\d+)"/g, (_text, index: string) => texts[Number(index)] ?? ""));
  const [, profileId, name, changes, removes = "[]"] = ADOPTION.exec(words) ?? [];
  if (profileId === undefined || name === undefined) return undefined;
  try {
    const parsed = changes?.split(", ").map((change) => changeIn(change, valueOf)) ?? [];
    const paths = valueOf(removes);
    return {
      says: "adoption",
      profileId,
      name: valueOf(name),
      changes: parsed,
      removes: Array.isArray(paths) ? (paths as string[]) : [],
    };
  } catch {
    return undefined;
  }
}

const CHANGES_NOT_ASKED = /^adopt: what changes on connection profile (\S+) could not be read \((.*)\)$/;
const ADOPTION =
  /^adopts connection profile ([^\s"]+), named (\S+): (?:it stays as it is|changes (.+?)(?:; removes (\S+))?)$/;
const SETTING_CHANGE = /^(\w+): (?:not set|(\S+)) → (\S+)$/;
const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;

/**
 * Parses `name: "a" → "b"` or `organization: not set → {…}`; throws for anything else, because no JSON is
 * empty.
 */
function changeIn(text: string, valueOf: (json: string) => unknown): SettingChange {
  const [, field = "", before, after = ""] = SETTING_CHANGE.exec(text) ?? [];
  return { field, before: before === undefined ? undefined : valueOf(before), after: valueOf(after) };
}

/** To the engine, another name is another resource, which it creates before it deletes the old one. */
const RENAMED = 'If the resource was only renamed, give it aliases: [{ name: "<its former name>" }].';

/** `The tenant t.example.com already holds the connection profile cop_… named "a". To manage it …` */
export function tellNamesakes(tenant: string, name: unknown, namesakes: readonly Named[]): string {
  return `The tenant ${tenant} already holds ${listed(namesakes)} named ${JSON.stringify(name)}. ${howToAdopt(namesakes)} ${RENAMED}`;
}

export function listed(profiles: readonly Named[]): string {
  const ids = profiles.map(({ id }) => id).join(", ");
  return profiles.length === 1 ? `the connection profile ${ids}` : `the connection profiles ${ids}`;
}

export function howToAdopt([first]: readonly Named[]): string {
  return `To manage it with this resource, add adopt: ${JSON.stringify(first?.id)}; otherwise choose another name.`;
}
