import { type Change, hasLess, type RowPeople } from "../../../provider/access/people";
import { count, grouped, say, Sentence, some, tail, word } from "../../../provider/sentence";
import { anyOf } from "../../lists";
import { MOST_PEOPLE } from "../../tenant/reader";
import { type RolePeople } from "../tenant/people";

/** `: 14 people`, of a role that gains or loses a permission */
export function permittedSentence(permitted: RolePeople | undefined): Sentence {
  if (permitted === undefined) return say``;
  const { people, isPart } = permitted;
  return word(`: ${isPart ? "at least " : ""}${count(people.size, "person", "people")}`);
}

const HAVE = { one: "has it already", several: "have it already" } as const;
const ALSO_HAVE = { one: "also has it", several: "also have it" } as const;
const KEEP = { one: "keeps it", several: "keep it" } as const;

/** `, 12 people, 3 of them keep it through support-desk`; empty if nobody knows. `hasIds`: lists them. */
export function peopleSentence(
  row: Pick<Change, "effect" | "ends" | "holder">,
  behind: RowPeople | undefined,
  hasIds: boolean,
): Sentence {
  if (behind === undefined) return say``;
  const { people, groups, others: unknownMembers, isMore, same, maybe, direct, notCompared } = behind;
  const { holder } = row;
  const { one, several } = hasLess(row) ? KEEP : row.ends === "later" ? ALSO_HAVE : HAVE;
  const through = (words: string, ids: readonly string[]) => say`${word(words)} through ${some(ids)}`;
  const isUser = "user" in holder;
  const keep = isUser ? one : count(same.count, `of them ${one}`, `of them ${several}`);
  const mayKeep = `may ${several}`;
  const others = count(notCompared, "other group that has it", "other groups that have it");
  const parts = anyOf(
    [
      !isUser,
      word(isMore ? `more than ${grouped(MOST_PEOPLE)} people` : count(people.length, "person", "people")),
    ],
    [groups, word(`and whoever is in ${count(groups, "group")} within it`)],
    [unknownMembers, word(`and ${count(unknownMembers, "member")} of an unknown kind`)],
    [same.count, through(keep, same.through)],
    [maybe.count, through(isUser ? mayKeep : `${grouped(maybe.count)} of them ${mayKeep}`, maybe.through)],
    directPart(direct),
    [notCompared, word(`not compared with ${others}`)],
  );
  const words = parts.flatMap((part) => [", ", ...part.parts]);
  return say`${new Sentence(words)}${tail`: ${someTexts(hasIds && !isUser ? people : [])}`}`;
}

function directPart(direct: RowPeople["direct"]): [number, Sentence] {
  if ("count" in direct)
    return [direct.count, word(count(direct.count, "has it directly", "have it directly"))];
  const { reason = "" } = direct;
  return [reason.length, say`not compared with those who have it directly (${reason})`];
}

const MOST_IDS = 10;

/** Like `some`, for texts without a name elsewhere. */
function someTexts(texts: readonly string[]): Sentence {
  const shown = texts.slice(0, MOST_IDS).flatMap((value, index) => [index === 0 ? "" : ", ", { value }]);
  const rest = texts.length - MOST_IDS;
  return new Sentence([...shown, rest > 0 ? ` and ${grouped(rest)} more` : ""]);
}
