import { type RawInputs, withoutNulls } from "../../review/raw-inputs";
import { type Seen, seenSwitch } from "../../seen";
import { emptyValue, isShared, PROFILE_SETTINGS } from "../../service/profile-fields";
import { isEmpty, isObject, type JsonObject, own } from "../../service/record";
import { isSame, suppressEquivalent } from "./values";

/*
 * Plans a change to a profile: handlers send it, previews print it, and the review runs it over each step. A
 * setting in the program is entirely the program's. A setting that the program drops is emptied. A setting
 * that it never had is left alone.
 */

export interface Situation {
  /** The program's settings, as state last saw them on the tenant. */
  had: JsonObject;
  wanted: JsonObject;
  /** The profile's settings, if they were just read. */
  live?: JsonObject | undefined;
  /** How the service shows the settings that it doesn't show as the program writes them. */
  shown?: JsonObject;
  /** Settings that reads have found different since their last write. */
  lacking?: readonly string[];
  /** The outcome of the last change is unknown, so compare each setting with the tenant. */
  isUnconfirmed?: boolean;
}

export interface ProfilePlan {
  /** The contents of a PATCH, each setting whole. */
  settings: JsonObject;
  /** Paths that the tenant has and the program doesn't give. */
  removes: string[][];
  /** Paths that somebody else added to an object: neither state nor the program has them. */
  unseen: string[][];
}

export function plan({ had, wanted, live: seen, shown = {}, isUnconfirmed = false }: Situation): ProfilePlan {
  const live = seen && inProgramsWords(seen, had, shown);
  const isWanted = (name: string, value: unknown) => isSame(name, value, wanted[name]);
  const names = PROFILE_SETTINGS.filter((name) => {
    if (!(name in had) && !(name in wanted)) return false;
    // For a setting that is new to the program, state doesn't know the tenant's value.
    const isKnown = !isUnconfirmed && name in had;
    if (isKnown && (isWanted(name, had[name]) || (name in shown && isWanted(name, shown[name]))))
      return false;
    return live === undefined || !(isWanted(name, live[name]) || isWanted(name, seen?.[name]));
  });
  const before = live ?? had;
  return {
    settings: Object.fromEntries(names.map((name) => [name, wanted[name] ?? emptyValue(name)])),
    removes: names.flatMap((name) => pathsBeyond(name, before, [wanted])),
    unseen:
      live === undefined
        ? []
        : names.filter(isShared).flatMap((name) => pathsBeyond(name, live, [had, shown, wanted])),
  };
}

/** Replaces what the service still shows in its own form by the program's values. */
export function inProgramsWords(live: JsonObject, had: JsonObject, shown: JsonObject): JsonObject {
  const same = Object.keys(stillShown(shown, live)).map((name) => [name, had[name]]);
  return { ...live, ...Object.fromEntries(same) } as JsonObject;
}

/**
 * Returns the situation of an update. A profile is never without a name: a program that drops it leaves it as
 * it is, for others to change.
 */
export function updateOf(outputs: RawInputs, inputs: RawInputs): Situation {
  const [had, wanted] = [hadIn(outputs), settingsIn(inputs)];
  return {
    had: "name" in wanted ? had : withoutName(had),
    wanted,
    shown: shownIn(outputs),
    lacking: lackingIn(outputs),
  };
}

/** An adoption overwrites only settings that its preview has shown. */
export function adoptionOf(live: JsonObject, wanted: JsonObject): Situation {
  const had = Object.fromEntries(Object.entries(live).filter(([name]) => name in wanted));
  return { had, wanted, live };
}

/** Returns the topmost paths of a setting that none of the others has. */
function pathsBeyond(name: string, settings: JsonObject, others: readonly JsonObject[]): string[][] {
  const value = settings[name];
  if (isEmpty(value)) return [];
  const known = others.map((other) => other[name]).filter((one) => !isEmpty(one));
  return beyond(value, isObject(value) ? [{}, ...known] : known, [name]);
}

function beyond(value: unknown, known: readonly unknown[], path: string[]): string[][] {
  if (value === undefined || value === null) return [];
  if (known.every((one) => one === undefined || one === null)) return [path];
  const objects = known.filter(isObject);
  if (!isObject(value) || objects.length === 0) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    beyond(
      inner,
      objects.map((one) => own(one, key)),
      [...path, key],
    ),
  );
}

/** Returns the settings with these names as the tenant has them; unset ones as empty. */
export function recorded(names: readonly string[], live: JsonObject, wanted: JsonObject): JsonObject {
  const settings = names.map((name) => [name, withoutNulls(live[name]) ?? emptyValue(name)]);
  return suppressEquivalent(Object.fromEntries(settings) as JsonObject, wanted);
}

/** Returns the settings among values. */
export function settingsIn(values: RawInputs): JsonObject {
  return Object.fromEntries(
    PROFILE_SETTINGS.filter((name) => name in values).map((name) => [name, values[name]]),
  );
}

/** Returns the program's settings in outputs. These have the name also where it isn't the program's. */
export function hadIn(outputs: RawInputs): JsonObject {
  const settings = settingsIn(outputs);
  return outputs["ownsName"] === false ? withoutName(settings) : settings;
}

function withoutName({ name: _, ...others }: JsonObject): JsonObject {
  return others;
}

/** Returns the name that the tenant had when it was last seen. */
export function nameSeenIn(outputs: RawInputs): unknown {
  return shownIn(outputs)["name"] ?? outputs["name"];
}

export function shownIn({ shown }: RawInputs): JsonObject {
  return isObject(shown) ? settingsIn(shown) : {};
}

export function lackingIn({ lacking }: RawInputs): string[] {
  return Array.isArray(lacking) ? lacking.map(String) : [];
}

/** Returns the values of `shown` that the service still shows like that. */
export function stillShown(shown: JsonObject, live: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(shown).filter(([name, value]) => isSame(name, live[name], value)));
}

export function isAdopted(outputs: RawInputs): boolean {
  return outputs["adopted"] === true;
}

/** True if the outcome of the last change is unknown. */
export function wasUnconfirmed(outputs: RawInputs): boolean {
  return outputs["unconfirmed"] === true;
}

/** True if destroying the resource deletes the profile; with a hidden switch it may go either way. */
export function isDeletedOnDestroy(values: RawInputs): Seen<boolean> {
  return seenSwitch(values["deleteOnDestroy"], !isAdopted(values));
}
