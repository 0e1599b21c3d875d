import { isDeepStrictEqual } from "node:util";
import { emptyValue } from "../../service/profile-fields";
import { isEmpty, type JsonObject } from "../../service/record";
import { inProgramsWords, plan, recorded, type Situation, stillShown } from "./plan";
import { type ValueDifference, differences, isSame } from "./values";

/*
 * Decides what state records of a profile, after a change and after a read. Drift is what differs from how
 * the service answered the last write, or from how it showed the same write when looked at again.
 */

/** The outcome of a change. */
export interface Changed {
  /** The profile's settings afterwards; those before it if nothing came back. */
  live: JsonObject;
  /** The profile's settings in a read after the write, if its answer doesn't settle them. */
  look?: JsonObject | undefined;
  /** Settings in which the service kept values that the change was to remove. */
  kept?: readonly string[];
  /** The reason if it isn't done. */
  failure?: unknown;
  isUnconfirmed?: boolean;
}

export interface Settled {
  /** The program's settings, as the tenant has them. */
  settings: JsonObject;
  /** The service's own form of a setting that it shows differently. `settings` has the program's form. */
  shown: JsonObject;
  /** Names of settings that reads have found different since their last write. */
  lacking: readonly string[];
}

/** A setting that was sent, and that the service shows differently. */
export interface Shown {
  name: string;
  sent: unknown;
  shown: unknown;
}

/**
 * Settles a change. A setting outside it stays as state had it, since nobody has seen what others added to
 * it. If the service kept part of a setting, it stays the program's. `secrets`: names of secret settings, of
 * which state never records another value than the tenant's.
 */
export function settle(
  situation: Situation,
  { live, look, kept = [], failure }: Changed,
  secrets: readonly string[] = [],
): Settled & { news: Shown[] } {
  const { had, wanted, shown = {}, lacking = [] } = situation;
  const { settings: sent } = plan({ ...situation, live: undefined });
  const isAsBefore = (name: string) => isSame(name, had[name], wanted[name]);
  const untouched = Object.entries(had)
    .filter(([name]) => !(name in sent))
    .map(([name, value]): [string, unknown] => [name, isAsBefore(name) ? value : (shown[name] ?? value)]);
  const seen: JsonObject = { ...live, ...Object.fromEntries(untouched) };
  const shownNow = (name: string): unknown => {
    if (!(name in sent)) return isAsBefore(name) ? shown[name] : undefined;
    if (failure !== undefined || kept.includes(name)) return undefined;
    const value = shownAfter(name, situation, live, look);
    return isSame(name, value, wanted[name]) ? undefined : value;
  };
  const now = Object.keys(wanted)
    .map((name) => ({ name, sent: wanted[name], shown: shownNow(name) }))
    .filter(({ shown: value }) => value !== undefined);
  // State would show the program's secrets in clear.
  const open = now.filter(({ name }) => !secrets.includes(name));
  const left = Object.keys(had).filter((name) => !isEmpty(seen[name]));
  const isNews = (one: Shown) =>
    !(one.name in shown) ||
    !isDeepStrictEqual(differences(one.name, one.shown, one.sent), differenceBefore(one.name, situation));
  return {
    settings: {
      ...recorded([...new Set([...Object.keys(wanted), ...left])], seen, wanted),
      ...Object.fromEntries(open.map(({ name, sent: value }) => [name, value])),
    },
    shown: Object.fromEntries(open.map(({ name, shown: value }) => [name, value])),
    lacking: failure === undefined ? [] : lacking,
    news: now.filter(isNews),
  };
}

/** Returns the settings of a write whose answer doesn't settle how reads show them. */
export function unsettled(
  { wanted, shown = {}, lacking = [] }: Situation,
  sent: readonly string[],
  answer: JsonObject,
): string[] {
  return sent.filter(
    (name) => lacking.includes(name) || (name in shown && isSame(name, answer[name], wanted[name])),
  );
}

/** As a look shows a setting if that is how reads have shown it before; else as the write was answered. */
function shownAfter(
  name: string,
  situation: Situation,
  answer: JsonObject,
  look: JsonObject | undefined,
): unknown {
  const answered = answer[name] ?? emptyValue(name);
  if (look === undefined || unsettled(situation, [name], answer).length === 0) return answered;
  const seen = look[name] ?? emptyValue(name);
  const difference = differences(name, seen, situation.wanted[name]);
  return isDeepStrictEqual(difference, differenceBefore(name, situation)) ? seen : answered;
}

/** Returns in what reads have shown a setting differently: a known form, or else drift. */
function differenceBefore(name: string, { had, wanted, shown = {} }: Situation): ValueDifference[] {
  return name in shown
    ? differences(name, shown[name], had[name])
    : differences(name, had[name], wanted[name]);
}

/** Settles a read: what others have changed since is drift. */
export function settleRead(
  { had, shown = {}, lacking = [] }: Omit<Situation, "wanted">,
  live: JsonObject,
  secrets: readonly string[] = [],
): Settled {
  const seen = inProgramsWords(live, had, shown);
  const isLacking = (name: string) => lacking.includes(name) || !isSame(name, seen[name], had[name]);
  return {
    settings: recorded(Object.keys(had), seen, had),
    shown: stillShown(shown, live),
    lacking: Object.keys(had).filter((name) => isLacking(name) && !secrets.includes(name)),
  };
}
