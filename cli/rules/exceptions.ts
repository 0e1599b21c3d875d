import { type Holder } from "../../provider/access/edge";
import { DAY_MS, endOfUntil, isPast } from "../../provider/access/until";
import { list, say, type Sentence, word } from "../../provider/sentence";
import { type Breach, breachBy, grantsOf, type Pass } from "./breach";
import { type ExceptedRule, type Reasons } from "./file";

/** With ids in place of names. */
export interface Exception extends Reasons {
  line: number;
  rule: ExceptedRule | undefined;
  /** Of its roles. */
  keys: readonly string[];
  holder: Holder;
  isPending: boolean;
}

/** Who still wants it after a year says so again. */
export const MOST_EXCEPTION_DAYS = 366;

const RULE_OF = { allow: "allow", conflict: "conflicts", end: "end", direct: "direct" } as const;

/** The rule as its file calls it; undefined for those that no exception lets pass. */
export function ruleInFile({ rule }: Pick<Breach, "rule">): ExceptedRule | undefined {
  return rule === "require" || rule === "exception" ? undefined : RULE_OF[rule];
}

/**
 * Returns the breaches with the exceptions that let them pass. One holder is excepted, not all who break the
 * rule in one way, so the others are a breach of their own.
 */
export function withExceptions(
  breaches: readonly Breach[],
  exceptions: readonly Exception[],
  moment: number,
): Breach[] {
  const valid = exceptions.flatMap((exception) => {
    const pass = passOf(exception, moment);
    return pass === undefined ? [] : [{ exception, pass }];
  });
  if (valid.length === 0) return [...breaches];
  return breaches.flatMap((breach) => {
    const found = valid.filter(({ exception }) => isAbout(exception, breach));
    const [first] = found;
    if (first === undefined) return [breach];
    const { people } = breach;
    if (people === undefined) return [{ ...breach, exception: first.pass }];
    const excepted = people.flatMap((person): Breach[] => {
      const own = found.find(({ exception: { holder } }) => "user" in holder && holder.user === person);
      return own === undefined ? [] : [{ ...breach, people: [person], exception: own.pass }];
    });
    const passing = new Set(excepted.flatMap((one) => one.people ?? []));
    const others = people.filter((person) => !passing.has(person));
    return [...excepted, ...(others.length === 0 ? [] : [{ ...breach, people: others }])];
  });
}

/** Returns what is wrong with exceptions, whatever they are about. Only a change's own are new. */
export function faultsOf(exceptions: readonly Exception[], moment: number): Breach[] {
  return exceptions.flatMap((exception) => {
    const problem = problemOf(exception, moment);
    return problem === undefined ? [] : [faultOf(exception, problem, exception.isPending)];
  });
}

/** Returns exceptions that no breach needs. `before`: those that one needed then are new. */
export function unusedIn(
  exceptions: readonly Exception[],
  { before, after, isWhole }: { before: readonly Breach[]; after: readonly Breach[]; isWhole: boolean },
  moment: number,
): Breach[] {
  return exceptions.flatMap((exception) => {
    if (problemOf(exception, moment) !== undefined) return [];
    const isUsed = (breaches: readonly Breach[]) => breaches.some((breach) => isAbout(exception, breach));
    if (isUsed(after)) return [];
    const wasUsed = isUsed(before);
    return wasUsed || isWhole ? [faultOf(exception, UNUSED, wasUsed)] : [];
  });
}

const UNUSED = word("lets nothing pass, since nothing breaks the rule: remove it");

/** This holder with these roles, and no others. */
function isAbout({ rule, keys, holder }: Exception, breach: Breach): boolean {
  const name = ruleInFile(breach);
  if (name === undefined || (rule !== undefined && rule !== name)) return false;
  if (breach.keys.length !== keys.length || !keys.every((key) => breach.keys.includes(key))) return false;
  if ("user" in holder) return breach.people?.includes(holder.user) === true;
  return breach.people === undefined && breach.groups.every((group) => group === holder.group);
}

function faultOf({ line, keys, holder, until }: Exception, problem: Sentence, isNew: boolean): Breach {
  const people = "user" in holder ? [holder.user] : undefined;
  return breachBy("exception", line, grantsOf(keys, holder), { people, until, isNew, problem, direct: [] });
}

/** What is shown of an exception that counts; undefined if it doesn't. */
function passOf(exception: Exception, moment: number): Pass | undefined {
  const { line, reason, owner, until, isPending } = exception;
  if (isPending || problemOf(exception, moment) !== undefined) return undefined;
  // The problem is that one of them is missing.
  return { line, reason: reason ?? "", owner: owner ?? "", until: until ?? "" };
}

/** True if an exception counted, and its day is over: all that is wrong with it. */
export function hasEnded({ reason, owner, until }: Reasons, moment: number): boolean {
  return reason !== undefined && owner !== undefined && until !== undefined && isPast(until, moment);
}

/** Undefined if nothing is wrong with an exception as it is written. */
export function problemOf(exception: Reasons, moment: number): Sentence | undefined {
  const missing = (["reason", "owner", "until"] as const).filter((name) => exception[name] === undefined);
  const lacks = missing.map((name) => word(`no ${name}`));
  if (lacks.length > 0) return say`has ${list(lacks)}, so it lets nothing pass`;
  const { until = "" } = exception;
  if (isPast(until, moment)) return say`has ended (until ${until}): remove it, or say why it goes on`;
  const isFar = (endOfUntil(until) ?? Infinity) > moment + (MOST_EXCEPTION_DAYS + 1) * DAY_MS;
  return isFar
    ? say`ends on ${until}, more than ${word(String(MOST_EXCEPTION_DAYS))} days ahead, so it lets nothing pass`
    : undefined;
}
