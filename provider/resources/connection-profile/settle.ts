import { emptyValue } from "../../service/profile-fields";
import { isEmpty, type JsonObject } from "../../service/record";
import { inProgramsWords, plan, recorded, type Situation, storedStill } from "./plan";
import { isSame } from "./values";

/*
 * Decides what state records of a profile, after a change and after a read.
 */

/** What came of a change. */
export interface Changed {
  /** The profile's settings afterwards; those before it if nothing came back. */
  live: JsonObject;
  /** Settings in which the service kept values that the change was to remove. */
  kept?: readonly string[];
  /** The reason if it isn't done. */
  failure?: unknown;
  isUnconfirmed?: boolean;
}

export interface Settled {
  /** The program's settings, as the tenant has them. */
  settings: JsonObject;
  /** Those of them that the service stores differently, as it stores them. `settings` has the program's. */
  stored: JsonObject;
}

/** A setting that was sent, and that the service stores differently. */
export interface StoredOtherwise {
  name: string;
  sent: unknown;
  stored: unknown;
}

/**
 * Settles a change. A setting outside it stays as state had it, since nobody has seen what others added to
 * it. If the service kept part of a setting, it stays the program's. `secrets`: names of secret settings, of
 * which state never records another value than the tenant's.
 */
export function settle(
  situation: Situation,
  { live, kept = [], failure }: Changed,
  secrets: readonly string[] = [],
): Settled & { news: StoredOtherwise[] } {
  const { held, wanted, stored = {} } = situation;
  const { settings: sent } = plan({ ...situation, live: undefined });
  const isAsBefore = (name: string) => isSame(name, held[name], wanted[name]);
  const untouched = Object.entries(held)
    .filter(([name]) => !(name in sent))
    .map(([name, value]): [string, unknown] => [name, isAsBefore(name) ? value : (stored[name] ?? value)]);
  const seen: JsonObject = { ...live, ...Object.fromEntries(untouched) };
  const isOtherwise = (name: string) =>
    name in sent
      ? failure === undefined && !isSame(name, live[name], wanted[name])
      : name in stored && isAsBefore(name);
  const now = Object.keys(wanted)
    .filter((name) => isOtherwise(name) && !kept.includes(name))
    .map((name) => ({
      name,
      sent: wanted[name],
      stored: name in sent ? (live[name] ?? emptyValue(name)) : stored[name],
    }));
  // State would show the program's secrets in clear.
  const shown = now.filter(({ name }) => !secrets.includes(name));
  const left = Object.keys(held).filter((name) => !isEmpty(seen[name]));
  return {
    settings: {
      ...recorded([...new Set([...Object.keys(wanted), ...left])], seen, wanted),
      ...Object.fromEntries(shown.map(({ name, sent: value }) => [name, value])),
    },
    stored: Object.fromEntries(shown.map(({ name, stored: value }) => [name, value])),
    news: now.filter(({ name, stored: value }) => !isSame(name, stored[name], value)),
  };
}

/** Settles a read: what others have changed since is drift. */
export function settleRead(held: JsonObject, stored: JsonObject, live: JsonObject): Settled {
  const settings = recorded(Object.keys(held), inProgramsWords(live, held, stored), held);
  return { settings, stored: storedStill(stored, live) };
}
