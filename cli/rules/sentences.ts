import { count, id, list, type Part, say, type Sentence, word } from "../../provider/sentence";
import { type Breach } from "./judge";

/** `directory-admins has admin, which rules.yaml:3 does not allow`; `show`: formats an id. */
export function breachSentence(
  breach: Breach,
  file: string,
  show: (id: string) => Part | Sentence = id,
): Sentence {
  const { organization, rule, line, roles, groups, direct, people } = breach;
  const where = line === undefined ? say`${file}` : say`${file + ":" + String(line)}`;
  const there = organization === undefined ? say`` : say` in ${show(organization)}`;
  const [group = ""] = groups;
  const has = say`${show(group)} has ${list(roles.map(show))}${there}`;
  switch (rule) {
    case "allow":
      return line === undefined
        ? say`${has}, a role that ${where} keeps closed`
        : say`${has}, which ${where} doesn't allow`;
    case "end":
      return say`${has} ${endOf(breach, where)}`;
    case "direct":
      return say`${haveOf(people)} ${list(roles.map(show))} directly${there}, which ${where} forbids`;
    case "conflict":
      if (people === undefined) return say`${has}, which ${where} keeps apart`;
      return say`${haveOf(people)} ${list(ways())}${there}, which ${where} keeps apart`;
  }

  /** `payer directly`, `approver through finance`: each group stands for the next role that isn't direct. */
  function ways(): Sentence[] {
    const through = [...groups];
    return roles.map((role) =>
      direct.includes(role)
        ? say`${show(role)} directly`
        : say`${show(role)} through ${show(through.shift() ?? group)}`,
    );
  }
}

function haveOf(people: Breach["people"] = []): Sentence {
  return word(count(people.length, "person has", "people have"));
}

function endOf({ until, days = 0 }: Breach, where: Sentence): Sentence {
  const most = word(count(days, "day"));
  return until === undefined
    ? say`without an end, and ${where} allows it for ${most} at most`
    : say`until ${until}, and ${where} allows ${most} ahead at most`;
}
