import { count, id, list, type Part, say, type Sentence, word } from "../../provider/sentence";
import { optional } from "../lists";
import { type Breach, type Pass } from "./breach";

/** `directory-admins has admin, which rules.yaml:3 does not allow`; `show`: formats an id. */
export function breachSentence(
  breach: Breach,
  file: string,
  show: (id: string) => Part | Sentence = id,
): Sentence {
  const { organization, contexts, rule, line, roles, groups, direct, people, problem } = breach;
  const where = say`${[file, ...optional(line)].join(":")}`;
  const there = organization === undefined ? say`` : say` in ${show(organization)}`;
  const [group = ""] = groups;
  if (rule === "require") {
    const none =
      groups.length === 1 ? say`${show(group)} doesn't have` : say`none of ${list(groups.map(show))} has`;
    return say`${none} ${list(roles.map(placed))}${there}, which ${where} requires`;
  }
  if (rule === "exception") {
    const who = people === undefined ? say`${show(group)}` : word("a person");
    return say`the exception of ${where}, for ${who} with ${list(roles.map(placed))}${there}, ${problem ?? word("counts for nothing")}`;
  }
  const has =
    people === undefined
      ? say`${show(group)} has ${list(roles.map(placed))}`
      : say`${word(count(people.length, "person has", "people have"))} ${list(ways())}`;
  return say`${has}${there}${BROKEN[rule](where, breach)}`;

  /** `payer`; of roles in several places `payer in acme`, `approver in the tenant` */
  function placed(role: string, index: number): Sentence {
    if (contexts === undefined) return say`${show(role)}`;
    const place = contexts[index];
    return place === undefined ? say`${show(role)} in the tenant` : say`${show(role)} in ${show(place)}`;
  }

  /** `payer directly`, `approver through finance`: each group stands for the next role that isn't direct. */
  function ways(): Sentence[] {
    const through = [...groups];
    // Those through groups come first.
    const isDirect = (index: number) => index >= roles.length - direct.length;
    return roles.map((role, index) =>
      isDirect(index)
        ? say`${placed(role, index)} directly`
        : say`${placed(role, index)} through ${show(through.shift() ?? group)}`,
    );
  }
}

/** `; rules.yaml:9 lets it pass until 2026-12-31: covers for a colleague (owner: treasury)`; or empty */
export function passSentence(exception: Pass | undefined, file: string): Sentence {
  if (exception === undefined) return say``;
  const { line, reason, owner, until } = exception;
  return say`; ${`${file}:${line}`} lets it pass until ${until}: ${reason} (owner: ${owner})`;
}

/** The rule that is broken. `where`: the file and line that say it. */
const BROKEN: Readonly<
  Record<Exclude<Breach["rule"], "require" | "exception">, (where: Sentence, breach: Breach) => Sentence>
> = {
  allow: (where, { line }) =>
    line === undefined ? say`, a role that ${where} keeps closed` : say`, which ${where} doesn't allow`,
  conflict: (where) => say`, which ${where} keeps apart`,
  direct: (where) => say`, which ${where} forbids`,
  end: (where, breach) => say` ${endOf(breach, where)}`,
};

function endOf({ until, days = 0 }: Breach, where: Sentence): Sentence {
  const most = word(count(days, "day"));
  return until === undefined
    ? say`without an end, and ${where} allows it for ${most} at most`
    : say`until ${until}, and ${where} allows ${most} ahead at most`;
}
