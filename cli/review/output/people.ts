import { type Change, type RowPeople } from "../../../provider/access/people";
import { count, grouped, type Part, say, Sentence, some, word } from "../../../provider/sentence";
import { MOST_PEOPLE } from "../../tenant/reader";

/** `, 12 people, 3 of them keep it through support-desk`; `hasIds`: also lists their ids. */
export function peopleSentence(
  { effect }: Pick<Change, "effect">,
  { people, groups, others: unknownKind, isMore, same, maybe, direct, notCompared }: RowPeople,
  hasIds: boolean,
): Sentence {
  const all = isMore ? `more than ${grouped(MOST_PEOPLE)} people` : count(people.length, "person", "people");
  const [singular, plural] =
    effect === "loses" ? ["keeps it", "keep it"] : ["has it already", "have it already"];
  const through = (shared: typeof same, verb: string) =>
    say`${word(`${grouped(shared.count)} of them ${verb}`)} through ${some(shared.through)}`;
  const others = count(notCompared, "other group that has it", "other groups that have it");
  const parts: [number: number, sentence: Sentence][] = [
    [1, word(all)],
    [groups, word(`and whoever is in ${count(groups, "group")} within it`)],
    [unknownKind, word(`and ${count(unknownKind, "member")} of an unknown kind`)],
    [same.count, through(same, same.count === 1 ? singular : plural)],
    [maybe.count, through(maybe, `may ${plural}`)],
    ...directPart(direct),
    [notCompared, word(`not compared with ${others}`)],
  ];
  const words = parts.filter(([number]) => number > 0).flatMap(([, sentence]) => [", ", ...sentence.parts]);
  return new Sentence([...words, ...(hasIds && people.length > 0 ? [": ", ...someValues(people)] : [])]);
}

function directPart(direct: RowPeople["direct"]): [number: number, sentence: Sentence][] {
  if ("count" in direct) {
    const { count: number } = direct;
    return [[number, word(`${grouped(number)} ${number === 1 ? "has" : "have"} it directly`)]];
  }
  const { reason } = direct;
  return reason === undefined ? [] : [[1, say`not compared with those who have it directly (${reason})`]];
}

const MOST_IDS = 10;

/** Like `some`, for texts without a name elsewhere. */
function someValues(texts: readonly string[]): Part[] {
  const shown = texts.slice(0, MOST_IDS).flatMap((value, index) => [index === 0 ? "" : ", ", { value }]);
  const rest = texts.length - MOST_IDS;
  return [...shown, rest > 0 ? ` and ${grouped(rest)} more` : ""];
}
