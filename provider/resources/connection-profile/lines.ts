import { formatFact } from "../../review/facts";
import { pathText } from "../../review/raw-inputs";
import { type JsonObject, type Named } from "../../service/record";
import { type ProfilePlan } from "./plan";
import { differences } from "./values";

/*
 * Lines of previews about profiles, and messages.
 */

/** `live`: the settings of the profile that is adopted. */
export function adoptionLine(id: string, live: JsonObject, { settings, removes }: Adoption): string {
  const paths = removes.filter(({ length }) => length > 1).map(pathText);
  const changes = Object.entries(settings).map(
    ([name, value]) =>
      `${name}: ${live[name] === undefined ? "not set" : wordOf(live[name])} → ${wordOf(value)}`,
  );
  const gone = paths.length === 0 ? "" : `; removes ${wordOf(paths.sort())}`;
  const effect = changes.length === 0 ? "it stays as it is" : `changes ${changes.join(", ")}${gone}`;
  const shown = (value: unknown) => shownValue(value ?? null);
  return formatFact(`adopts connection profile ${id}, named ${wordOf(live["name"] ?? null)}: ${effect}`, {
    adopts: id,
    name: shown(live["name"]),
    changes: Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [name, [shown(live[name]), shown(value)]]),
    ),
    removes: paths.length > 0 && shownValue(paths) === paths ? paths : undefined,
  });
}

type Adoption = Pick<ProfilePlan, "settings" | "removes">;

/** The tenant didn't answer what an adoption would change. */
export function notAskedLine(profileId: string, why: string): string {
  const words = `adopt: what changes on connection profile ${profileId} could not be read (${why})`;
  return formatFact(words, { notAsked: profileId, why });
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

function wordOf(value: unknown): string {
  return JSON.stringify(shownValue(value, LONGEST_WORD));
}

/** Shortens a value for a fact: one with all settings must stay below the length at which lines are cut. */
export function shownValue(value: unknown, longest = LONGEST_IN_FACT): unknown {
  const { length } = JSON.stringify(value ?? null);
  return length <= longest ? value : `(${length} characters)`;
}

const LONGEST_IN_FACT = 500;

/** In the words before it. */
const LONGEST_WORD = 100;

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
