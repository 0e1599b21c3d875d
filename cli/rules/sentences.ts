import { count, id, list, type Part, say, type Sentence, word } from "../../provider/review/sentence";
import { type Breach } from "./judge";

/** `directory-admins has admin, which rules.yaml:3 does not allow`; `show`: formats an id. */
export function breachSentence(
  breach: Breach,
  file: string,
  show: (id: string) => Part | Sentence = id,
): Sentence {
  const { rule, line, roles, holders, people } = breach;
  const where = line === undefined ? say`${file}` : say`${file + ":" + String(line)}`;
  const [[holder = "", other = ""], [role = "", second = ""]] = [holders, roles];
  const has = say`${show(holder)} has ${list(roles.map(show))}`;
  switch (rule) {
    case "allow":
      return line === undefined
        ? say`${has}, a role that ${where} keeps closed`
        : say`${has}, which ${where} doesn't allow`;
    case "end":
      return say`${has} ${endOf(breach, where)}`;
    case "conflict":
      if (people === undefined) return say`${has}, which ${where} keeps apart`;
      return say`${word(count(people.length, "person has", "people have"))} ${show(role)} through ${show(holder)} and ${show(second)} through ${show(other)}, which ${where} keeps apart`;
  }
}

function endOf({ until, days = 0 }: Breach, where: Sentence): Sentence {
  const most = word(count(days, "day"));
  return until === undefined
    ? say`without an end, and ${where} allows it for ${most} at most`
    : say`until ${until}, and ${where} allows ${most} ahead at most`;
}
