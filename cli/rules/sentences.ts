import { count, id, list, type Part, say, type Sentence, word } from "../../provider/sentence";
import { type Breach } from "./judge";

/** `directory-admins has admin, which rules.yaml:3 does not allow`; `show`: formats an id. */
export function breachSentence(
  breach: Breach,
  file: string,
  show: (id: string) => Part | Sentence = id,
): Sentence {
  const { organization, contexts, rule, line, roles, groups, direct, people } = breach;
  const where = line === undefined ? say`${file}` : say`${file + ":" + String(line)}`;
  const there = organization === undefined ? say`` : say` in ${show(organization)}`;
  const [group = ""] = groups;
  const has = say`${show(group)} has ${list(roles.map(placed))}${there}`;
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

function haveOf(people: Breach["people"] = []): Sentence {
  return word(count(people.length, "person has", "people have"));
}

function endOf({ until, days = 0 }: Breach, where: Sentence): Sentence {
  const most = word(count(days, "day"));
  return until === undefined
    ? say`without an end, and ${where} allows it for ${most} at most`
    : say`until ${until}, and ${where} allows ${most} ahead at most`;
}
