import { grantsAfter } from "../../../provider/access/change";
import { type Edge, holderId, holderKey, roleKey } from "../../../provider/access/edge";
import { Grants, groupedBy } from "../../../provider/access/grants";
import {
  type Change,
  isChange,
  type Members,
  membersOfHolder,
  peopleBehind,
  type RowPeople,
} from "../../../provider/access/people";
import { count, grouped } from "../../../provider/sentence";
import { anyOf } from "../../lists";
import { groupsInConflict, isCompared, placesIn } from "../../rules/judge";
import { MOST_PEOPLE } from "../../tenant/reader";
import { answered, edgesToday, groupsWith, isAsked, membersOf, type TenantAnswers } from "./answers";
import { grantsOf, outcomeOf } from "./outcome";

/** Returns why some of a group's people are unknown; undefined if all are known. */
export function whyInPart({ isMore, groups, others }: Omit<Members, "people">): string | undefined {
  const why = anyOf(
    [isMore, `more than ${grouped(MOST_PEOPLE)} people`],
    [groups, `${count(groups, "group")} within it`],
    [others, `${count(others, "member")} of an unknown kind`],
  );
  return why.length === 0 ? undefined : why.join(", ");
}

/** If more other groups have the changing role, their members aren't read. */
export const MOST_OTHER_GROUPS = 10;

type Asked = Pick<TenantAnswers, "groups" | "rules" | "direct">;

/** Returns the groups whose members these rows need, each once, changing groups first. */
export function groupsToRead(rows: readonly Change[], answers: Asked): string[] {
  const changes = rows.filter(isChange);
  const roles = [...new Set(changes.map(roleKey))];
  const others = roles.map((role) => othersOf(role, changes, answers)).filter(isFew);
  const groups = [...changes, ...others.flat()].flatMap(({ holder }) =>
    "group" in holder ? [holder.group] : [],
  );
  return [...new Set([...groups, ...groupsInNewConflict(changes, answers)])];
}

/** Returns the groups of conflicts with a gained role, by what the tenant has after the change. */
function groupsInNewConflict(changes: readonly Change[], answers: Asked): string[] {
  const { rules } = answers;
  const found = rules?.value;
  if (found === undefined) return [];
  const outcome = outcomeOf(changes.map(({ tenant: _, ...row }) => row));
  const today = grantsOf(edgesToday(answers));
  const after = grantsAfter(today, new Grants(), { has: () => undefined }, outcome);
  return placesIn(after)
    .flatMap((place) => groupsInConflict(found, after.in(place), (edge) => outcome.gained.has(edge)))
    .filter(isCompared)
    .flatMap(({ groups }) => groups);
}

function isFew(holders: readonly unknown[]): boolean {
  return holders.length <= MOST_OTHER_GROUPS;
}

/** Returns who has a role today and doesn't change. `role`: its key. */
function othersOf(role: string, changes: readonly Change[], answers: Pick<TenantAnswers, "groups">): Edge[] {
  const ofRole = changes.filter((row) => roleKey(row) === role);
  const changed = new Set(ofRole.map(({ holder }) => holderKey(holder)));
  return groupsWith(role, answers).filter(({ holder }) => !changed.has(holderKey(holder)));
}

/**
 * Returns the people behind rows, as far as they are known. `all`: the changes on the tenant, by any stack.
 */
export function peopleIn(
  answers: TenantAnswers,
  all: readonly Change[],
): <Row extends Change>(rows: readonly Row[]) => Map<Row, RowPeople> {
  const isHere = (row: Change) => isAsked(answers, row.tenant);
  const byRole = groupedBy(all.filter(isHere), roleKey);
  const known = membersOf(answers);
  return (rows) => {
    // Most rows of a large change are about groups that weren't read.
    const read = rows.filter((row) => isChange(row) && isHere(row) && membersOfHolder(row.holder, known));
    return new Map(
      read.flatMap((row) => {
        const people = peopleOf(row, byRole.get(roleKey(row)) ?? [], answers);
        return people === undefined ? [] : [[row, people]];
      }),
    );
  };
}

/** `ofRole`: the rows of the same role. */
function peopleOf(row: Change, ofRole: readonly Change[], answers: TenantAnswers): RowPeople | undefined {
  const role = roleKey(row);
  const rows = asAnswered(ofRole, answered(answers.groups, role));
  const changes = rows.filter(isChange);
  const others = othersOf(role, changes, answers);
  const compared = isFew(others) ? { rows, others } : { rows: changes, others: [] };
  const people = peopleBehind(row, compared.rows, compared.others, membersOf(answers));
  return (
    people && {
      ...people,
      direct: directAmong(new Set(people.people), role, answers),
      notCompared: people.notCompared + others.length - compared.others.length,
    }
  );
}

/** Returns rows of one role, as the tenant's answer makes them certain. */
function asAnswered(
  rows: readonly Change[],
  today: readonly { id: string }[] | undefined,
): readonly Change[] {
  if (today === undefined) return rows;
  const holders = new Set(today.map(({ id }) => id));
  // State may list a group that has lost the role since: nobody has it through that one.
  const isThere = ({ effect, holder }: Change) => effect !== "loses" || holders.has(holderId(holder));
  return rows.filter(isThere).map((row) => (row.effect === "gains" ? { ...row, unless: undefined } : row));
}

function directAmong(
  people: ReadonlySet<string>,
  role: string,
  { direct }: Pick<TenantAnswers, "direct">,
): RowPeople["direct"] {
  const answer = direct.get(role);
  if (answer === undefined) return { reason: undefined };
  if (answer.reason !== undefined) return { reason: answer.reason };
  if (answer.value.isMore) return { reason: `more than ${grouped(MOST_PEOPLE)} people` };
  return { count: answer.value.people.filter((person) => people.has(person)).length };
}
