import { grantsAfter } from "../../../provider/access/change";
import {
  type Edge,
  groupIn,
  holderId,
  holderKey,
  isOfGroup,
  roleKey,
  roleOfKey,
} from "../../../provider/access/edge";
import { Grants, groupedBy } from "../../../provider/access/grants";
import {
  type Change,
  concernsPeople,
  isChange,
  isKnownWhole,
  hasLess,
  type Members,
  membersOfHolder,
  peopleBehind,
  type RowPeople,
} from "../../../provider/access/people";
import { count, grouped } from "../../../provider/sentence";
import { type DirectHolders } from "../../../provider/service/roles";
import { anyOf, optional } from "../../lists";
import { groupsInConflict, isCompared } from "../../rules/judge";
import { type Answer } from "../../tenant/questions";
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

/**
 * Returns the groups whose members these rows need, each once, changing groups first. `whole`: roles of which
 * all groups count.
 */
export function groupsToRead(
  rows: readonly Change[],
  answers: Asked,
  whole: readonly string[] = [],
): string[] {
  const changes = rows.filter(concernsPeople);
  const roles = [...new Set(changes.map(roleKey))];
  const others = roles.map((role) => othersOf(role, changes, answers)).filter(isFew);
  const having = whole.flatMap((role) => groupsWith(role, answers));
  const groups = [...changes, ...others.flat(), ...having].flatMap(({ holder }) => groupIn(holder));
  return [...new Set([...groups, ...groupsInNewConflict(changes, answers)])];
}

/** Returns the groups of conflicts with a gained role, by what the tenant has after the change. */
function groupsInNewConflict(changes: readonly Change[], answers: Asked): string[] {
  return optional(answers.rules?.value).flatMap((rules) => {
    const outcome = outcomeOf(changes.map(({ tenant: _, ...row }) => row));
    const today = grantsOf(edgesToday(answers));
    const after = grantsAfter(today, new Grants(), { has: () => undefined }, outcome);
    return groupsInConflict(rules, after, (edge) => outcome.gained.has(edge))
      .filter(isCompared)
      .flatMap(({ groups }) => groups);
  });
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
    const read = rows.filter(
      (row) => concernsPeople(row) && isHere(row) && membersOfHolder(row.holder, known),
    );
    return new Map(
      read.flatMap((row) => {
        const people = peopleOf(row, byRole.get(roleKey(row)) ?? [], answers);
        return optional(people).map((behind) => [row, behind] as const);
      }),
    );
  };
}

/** `ofRole`: the rows of the same role. */
function peopleOf(row: Change, ofRole: readonly Change[], answers: TenantAnswers): RowPeople | undefined {
  const role = roleKey(row);
  const rows = asAnswered(ofRole, answered(answers.groups, role));
  // Groups whose grants end together keep nothing through each other.
  const changes = rows.filter((one) => isChange(one) || (row.ends !== undefined && one.ends === row.ends));
  const others = othersOf(role, changes, answers);
  const compared = isFew(others) ? { rows, others } : { rows: changes, others: [] };
  // Those who have it directly are counted apart.
  const people = peopleBehind(row, compared.rows.filter(isOfGroup), compared.others, membersOf(answers));
  if (people === undefined) return undefined;
  return {
    ...people,
    direct: isOfGroup(row)
      ? directAmong(new Set(people.people), row, { changes, answer: answers.direct.get(role) })
      : { count: 0 },
    notCompared: people.notCompared + others.length - compared.others.length,
  };
}

/** Returns rows of one role, as the tenant's answer makes them certain. */
function asAnswered(
  rows: readonly Change[],
  today: readonly { id: string }[] | undefined,
): readonly Change[] {
  if (today === undefined) return rows;
  const holders = new Set(today.map(({ id }) => id));
  // State may list a group that has lost the role since: nobody has it through that one.
  const isThere = (row: Change) =>
    !isOfGroup(row) || row.effect !== "loses" || holders.has(holderId(row.holder));
  const isCertain = (row: Change) => isOfGroup(row) && row.effect === "gains";
  return rows.filter(isThere).map((row) => (isCertain(row) ? { ...row, unless: undefined } : row));
}

/** Returns who keeps directly what a row takes, or has directly what it gives. */
function directAmong(
  people: ReadonlySet<string>,
  row: Change,
  { changes, answer }: { changes: readonly Change[]; answer: Answer<DirectHolders> | undefined },
): RowPeople["direct"] {
  if (answer === undefined) return { reason: undefined };
  if (answer.reason !== undefined) return { reason: answer.reason };
  if (answer.value.isMore) return { reason: `more than ${grouped(MOST_PEOPLE)} people` };
  const today = answer.value.people;
  const direct = new Set(hasLess(row) ? directAfter(today, changes) : today);
  return { count: [...direct].filter((person) => people.has(person)).length };
}

function directAfter(people: readonly string[], changes: readonly Change[]): string[] {
  const certain = changes.filter((row) => !isOfGroup(row) && row.unless === undefined);
  const usersOf = (effect: Change["effect"]) =>
    certain.filter((row) => row.effect === effect).map(({ holder }) => holderId(holder));
  const lost = new Set(usersOf("loses"));
  return [...people, ...usersOf("gains")].filter((person) => !lost.has(person));
}

/** The people who have a role in the tenant, or in an organization that was asked. */
export interface RolePeople {
  people: ReadonlySet<string>;
  /** True if there may be more. */
  isPart: boolean;
}

/**
 * Returns everyone who has a role before the changes or after them; undefined if nobody was asked. `all`: the
 * changes on the tenant, by any stack.
 */
export function peopleWith(
  role: string,
  answers: TenantAnswers,
  all: readonly Change[],
): Readonly<Record<"before" | "after", RolePeople>> | undefined {
  const keys = [...answers.groups.keys()].filter((key) => roleOfKey(key).role === role);
  if (keys.length === 0) return undefined;
  const changes = all.filter((row) => row.role === role && isChange(row) && isAsked(answers, row.tenant));
  const today = grantsOf([
    ...keys.flatMap((key) => groupsWith(key, answers)),
    ...edgesToday({ groups: new Map(), direct: answers.direct }).filter((edge) => edge.role === role),
  ]);
  const { gained, lost } = outcomeOf(changes.map(({ tenant: _, ...row }) => row));
  const isOpen =
    changes.some(({ unless }) => unless !== undefined) ||
    keys.some((key) => {
      const direct = answered(answers.direct, key);
      return answered(answers.groups, key) === undefined || direct === undefined || direct.isMore;
    });
  const known = membersOf(answers);
  const peopleOfAll = (grants: Grants): RolePeople => {
    const ofHolders = [...grants].map(({ holder }) => membersOfHolder(holder, known));
    return {
      people: new Set(ofHolders.flatMap((members) => members?.people ?? [])),
      isPart: isOpen || !ofHolders.every(isKnownWhole),
    };
  };
  return {
    before: peopleOfAll(today),
    after: peopleOfAll(today.and(gained).filter((grant) => !lost.has(grant))),
  };
}
