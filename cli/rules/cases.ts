import { roleOfKey } from "../../provider/access/edge";
import { Grants } from "../../provider/access/grants";
import { DAY_MS } from "../../provider/access/until";
import { count, list, say, type Sentence, tail, word } from "../../provider/sentence";
import { anyOf, optional } from "../lists";
import { AFTER, BROKEN, type Document, NEVER_CUT, rowsOf } from "../output/document";
import { hasEnded, problemOf, ruleInFile } from "./exceptions";
import { EXCEPTED, type ExceptedRule, type RulesFile } from "./file";
import { breachesIn, mayHave, type Rules } from "./judge";
import { type Case, resolvedOffline, rolesIn } from "./names";
import { breachSentence } from "./sentences";

/* Tries the cases of a rules file. Names are enough, so it needs no tenant. */

export interface Tried {
  document: Document;
  /** True if a case fails, or an exception is incomplete. One that has ended was right until then. */
  isFailed: boolean;
}

export function tried(file: RulesFile, moment: number): Tried {
  const { rules, cases, nameOf } = resolvedOffline(file);
  const trial = { rules, file: file.file, known: new Set(rolesIn(file)), nameOf, moment };
  const failing = cases.flatMap((one) => optional(failureOf(one, trial)));
  const faults = file.exceptions.flatMap((exception) =>
    optional(problemOf(exception, moment)).map((problem) => ({
      sentence: say`${`${file.file}:${exception.line}`} ${problem}`,
      isEnded: hasEnded(exception, moment),
    })),
  );
  const sentences = faults.map(({ sentence }) => sentence);
  return {
    document: {
      title: say`Rules of ${file.file}`,
      summary: [
        word(verdictOn(cases.length, failing.length)),
        ...anyOf([
          faults.length,
          word(count(faults.length, "exception doesn't count", "exceptions don't count")),
        ]),
      ],
      gaps: [],
      remarks: [],
      sections: [
        { id: "cases", title: word("Fails"), ...BROKEN, rows: rowsOf(NEVER_CUT, failing) },
        { id: "exceptions", title: word("Exceptions"), ...AFTER, rows: rowsOf(NEVER_CUT, sentences) },
      ].filter(({ rows }) => rows.length > 0),
    },
    isFailed: failing.length > 0 || faults.some(({ isEnded }) => !isEnded),
  };
}

function verdictOn(cases: number, failing: number): string {
  if (cases === 0) return "no test cases; add some under tests";
  if (failing > 0) return `⛔ ${failing} of ${count(cases, "case")} ${failing === 1 ? "fails" : "fail"}`;
  return cases === 1 ? "1 case passes" : `all ${cases} cases pass`;
}

interface Trial {
  rules: Rules;
  file: string;
  /** Roles that rules name. */
  known: ReadonlySet<string>;
  nameOf: (id: string) => string;
  moment: number;
}

/** Returns how a case differs from what it says; undefined if it doesn't. */
function failureOf(one: Case, { rules, file, known, nameOf, moment }: Trial): Sentence | undefined {
  const { line, groups, isUser, has, breaks } = one;
  // What lets a holder pass for a while is no rule, and a case doesn't know who else has a role.
  const alone = { ...rules, exceptions: [], require: new Map() };
  const members = (group: string) => new Set(isUser && groups.includes(group) ? [PERSON] : []);
  const after = grantsOf(one, rules, moment);
  const breaches = breachesIn(alone, { before: new Grants(), after, members }, moment);
  const broken = new Set(breaches.flatMap((breach) => optional(ruleInFile(breach))));
  if (broken.size === new Set(breaks).size && breaks.every((rule) => broken.has(rule))) return undefined;
  const roles = list(has.map((key) => roleNamed(key, nameOf)));
  const where = say`${`${file}:${line}`}: ${holderNamed(one, nameOf)} with ${roles}`;
  const [is, should] = [broken, new Set(breaks)].map(rulesNamed) as [Sentence, Sentence];
  const why = list(breaches.map((breach) => breachSentence(breach, file, (id) => say`${nameOf(id)}`)));
  const unruled = has.map((key) => nameOf(roleOfKey(key).role)).filter((name) => !known.has(name));
  const because = breaches.length > 0 ? why : tail`no rule names ${list(unruled)}`;
  return say`${where} should break ${should}, and breaks ${is}${tail` (${because})`}`;
}

const PERSON = "person";

/** A user has each role through a group that may have it, if there is one. */
function grantsOf({ groups, has, days }: Case, rules: Rules, moment: number): Grants {
  const until = days === undefined ? undefined : new Date(moment + days * DAY_MS).toISOString().slice(0, 10);
  return new Grants(
    has.map((key) => {
      const at = roleOfKey(key);
      const group = groups.find((own) => mayHave(rules, at, own)) ?? groups[0];
      const holder = group === undefined ? { user: PERSON } : { group };
      return { ...at, holder, by: [{ name: "", line: undefined, until }] };
    }),
  );
}

function rulesNamed(rules: ReadonlySet<ExceptedRule>): Sentence {
  return rules.size === 0 ? word("nothing") : list(EXCEPTED.filter((rule) => rules.has(rule)).map(word));
}

function holderNamed({ groups, isUser }: Case, nameOf: Trial["nameOf"]): Sentence {
  const names = list(groups.map(nameOf));
  if (!isUser) return names;
  return groups.length === 0 ? word("a user in no group") : say`a user in ${names}`;
}

function roleNamed(key: string, nameOf: Trial["nameOf"]): Sentence {
  const { organization, role } = roleOfKey(key);
  return organization === undefined ? say`${nameOf(role)}` : say`${nameOf(role)} in ${nameOf(organization)}`;
}
