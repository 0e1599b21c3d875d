import { emptyValue } from "../../service/profile-fields";
import { isEmpty, isObject, type JsonObject } from "../../service/record";
import { type RawInputs } from "../../review/raw-inputs";
import { inProgramsWords, pathsBeyond, plan, recorded, type Situation, stillStoredAs } from "./plan";
import { isSame } from "./values";

/*
 * Decides what state records of a profile, after a change and after a read.
 */

/** The outcome of a change. */
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
  storedAs: JsonObject;
  /** Those of which reads lack a part. */
  notShown?: NotShownSettings;
}

/** A setting that was sent, and that the service stores differently. */
export interface StoredAs {
  name: string;
  sent: unknown;
  storedAs: unknown;
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
): Settled & { news: StoredAs[] } {
  const { had, wanted, storedAs = {} } = situation;
  const { settings: sent } = plan({ ...situation, live: undefined });
  const isAsBefore = (name: string) => isSame(name, had[name], wanted[name]);
  const untouched = Object.entries(had)
    .filter(([name]) => !(name in sent))
    .map(([name, value]): [string, unknown] => [name, isAsBefore(name) ? value : (storedAs[name] ?? value)]);
  const seen: JsonObject = { ...live, ...Object.fromEntries(untouched) };
  const isOtherwise = (name: string) =>
    name in sent
      ? failure === undefined && !isSame(name, live[name], wanted[name])
      : name in storedAs && isAsBefore(name);
  const now = Object.keys(wanted)
    .filter((name) => isOtherwise(name) && !kept.includes(name))
    .map((name) => ({
      name,
      sent: wanted[name],
      storedAs: name in sent ? (live[name] ?? emptyValue(name)) : storedAs[name],
    }));
  // State would show the program's secrets in clear.
  const shown = now.filter(({ name }) => !secrets.includes(name));
  const left = Object.keys(had).filter((name) => !isEmpty(seen[name]));
  return {
    settings: {
      ...recorded([...new Set([...Object.keys(wanted), ...left])], seen, wanted),
      ...Object.fromEntries(shown.map(({ name, sent: value }) => [name, value])),
    },
    storedAs: Object.fromEntries(shown.map(({ name, storedAs: value }) => [name, value])),
    news: now.filter(({ name, storedAs: value }) => !isSame(name, storedAs[name], value)),
  };
}

/** Settles a read: what others have changed since is drift. `before`: what earlier reads lacked. */
export function settleRead(
  had: JsonObject,
  storedAs: JsonObject,
  live: JsonObject,
  before: NotShownSettings = {},
): Settled {
  const seen = inProgramsWords(live, had, storedAs);
  const notShown = notShownBy(seen, had, before);
  return {
    settings: recorded(Object.keys(had), seen, had),
    storedAs: stillStoredAs(storedAs, live),
    ...(!isEmpty(notShown) && { notShown }),
  };
}

/**
 * A setting of which reads lack a part that the answer to the last write had: somebody has removed it, or the
 * service's reads leave it out. `as`: the setting in reads. `times`: 0 after the first such read, 1 after a
 * write that put it back, 2 after a read that lacks it again.
 */
export interface NotShown {
  as: unknown;
  times: 0 | 1 | 2;
}

export type NotShownSettings = Readonly<Record<string, NotShown>>;

export function notShownIn({ notShown }: RawInputs): NotShownSettings {
  const entries = isObject(notShown) ? Object.entries(notShown) : [];
  return Object.fromEntries(entries.filter(([, one]) => isObject(one))) as NotShownSettings;
}

/** Returns the settings of which a read lacks a part. `had`: as the answer to the last write had them. */
function notShownBy(live: JsonObject, had: JsonObject, before: NotShownSettings): NotShownSettings {
  const entries = Object.keys(had).flatMap((name): [string, NotShown][] => {
    const known = before[name];
    if (known !== undefined && isSame(name, known.as, live[name]))
      return [[name, { as: known.as, times: known.times === 0 ? 0 : 2 }]];
    const isLacking = pathsBeyond(name, had, [live]).length > 0;
    return isLacking ? [[name, { as: live[name] ?? emptyValue(name), times: 0 }]] : [];
  });
  return Object.fromEntries(entries);
}

/** The same after a write of these settings: one that was put back twice is left to a look. */
export function notShownAfter(names: readonly string[], before: NotShownSettings): NotShownSettings {
  const entries = Object.entries(before).flatMap(([name, one]): [string, NotShown][] => {
    if (!names.includes(name)) return [[name, one]];
    return one.times === 2 ? [] : [[name, { ...one, times: 1 }]];
  });
  return Object.fromEntries(entries);
}
