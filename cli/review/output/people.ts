import { type Change, type RowPeople } from "../../../provider/access/people";
import { count, grouped, say, Sentence, some, word } from "../../../provider/review/sentence";
import { MOST_PEOPLE } from "../../tenant/reader";

/** `, 12 people, 3 of them keep it through support-desk`; `hasIds`: also lists their ids. */
export function peopleSentence(
  { effect }: Pick<Change, "effect">,
  { people, groups, others: unknownKind, isMore, same, maybe, direct, notCompared }: RowPeople,
  hasIds: boolean,
): Sentence {
  const number = isMore
    ? `more than ${grouped(MOST_PEOPLE)} people`
    : count(people.length, "person", "people");
  const [one, does] = effect === "loses" ? ["keeps it", "keep it"] : ["has it already", "have it already"];
  const ofThem = (shared: typeof same, verb: string) => word(`${grouped(shared.count)} of them ${verb}`);
  const nested = `and whoever is in ${count(groups, "group")} within it`;
  const others = count(notCompared, "other group that has it", "other groups that have it");
  const parts = [
    say`, ${word(number)}`,
    groups > 0 && say`, ${word(nested)}`,
    unknownKind > 0 && say`, ${word(`and ${count(unknownKind, "member")} of an unknown kind`)}`,
    same.count > 0 && say`, ${ofThem(same, same.count === 1 ? one : does)} through ${some(same.through)}`,
    maybe.count > 0 && say`, ${ofThem(maybe, `may ${does}`)} through ${some(maybe.through)}`,
    directSentence(direct),
    notCompared > 0 && say`, ${word(`not compared with ${others}`)}`,
    hasIds && people.length > 0 && say`: ${someValues(people)}`,
  ];
  return new Sentence(parts.flatMap((part) => (part ? part.parts : [])));
}

function directSentence(direct: RowPeople["direct"]): Sentence {
  if ("reason" in direct)
    return direct.reason === undefined
      ? say``
      : say`, not compared with those who have it directly (${direct.reason})`;
  const { count: number } = direct;
  return number === 0 ? say`` : word(`, ${grouped(number)} ${number === 1 ? "has" : "have"} it directly`);
}

const MOST_IDS = 10;

/** Like `some`, for texts without a name elsewhere. */
function someValues(texts: readonly string[]): Sentence {
  const shown = texts.slice(0, MOST_IDS).flatMap((value, index) => [index === 0 ? "" : ", ", { value }]);
  const rest = texts.length - MOST_IDS;
  return new Sentence([...shown, rest > 0 ? ` and ${grouped(rest)} more` : ""]);
}
