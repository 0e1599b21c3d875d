import { heldAfter } from "../../../provider/access/change";
import { type Edge, holderId, holderKey } from "../../../provider/access/edge";
import { Grants } from "../../../provider/access/grants";
import {
  type Change,
  isChange,
  type MembersOf,
  membersOfHolder,
  peopleBehind,
  type RowPeople,
} from "../../../provider/access/people";
import { count, grouped, say, Sentence, some, word } from "../../../provider/review/sentence";
import { type Members } from "../../../provider/service/groups";
import { directGrants, groupsInConflict, isCompared } from "../../rules/judge";
import { MOST_PEOPLE } from "../../tenant/reader";
import { directIn, type Tenant } from "./tenant";

/** Returns why some of a group's people are unknown; undefined if all are known. */
export function whyInPart({ isMore, groups, others }: Omit<Members, "people">): string | undefined {
  const why = [
    ...(isMore ? [`more than ${grouped(MOST_PEOPLE)} people`] : []),
    ...(groups > 0 ? [`${count(groups, "group")} within it`] : []),
    ...(others > 0 ? [`${count(others, "member")} of an unknown kind`] : []),
  ];
  return why.length === 0 ? undefined : why.join(", ");
}

/** If more other groups have the changing role, their members aren't read. */
export const MOST_OTHER_GROUPS = 10;

/** Returns the groups whose members these rows need, each once, changing groups first. */
export function groupsToRead(
  rows: readonly Change[],
  tenant: Pick<Tenant, "groups" | "rules" | "direct">,
): string[] {
  const changes = rows.filter(isChange);
  const roles = [...new Set(changes.map(({ role }) => role))];
  const others = roles.map((role) => othersOf(role, changes, tenant)).filter(isFew);
  const groups = [...changes, ...others.flat()].flatMap(({ holder }) =>
    "group" in holder ? [holder.group] : [],
  );
  return [...new Set([...groups, ...groupsInNewConflict(changes, tenant)])];
}

/** Returns the groups of conflicts with a gained role, by what the tenant has after the change. */
function groupsInNewConflict(
  changes: readonly Change[],
  { groups, rules, direct }: Pick<Tenant, "groups" | "rules" | "direct">,
): string[] {
  if (rules === undefined || !("value" in rules)) return [];
  const granted = (edges: readonly Edge[]) =>
    new Grants(edges.map(({ role, holder }) => ({ role, holder, by: [] })));
  const gained = granted(changes.filter(({ effect }) => effect === "gains"));
  const lost = granted(changes.filter(({ effect, unless }) => effect === "loses" && unless === undefined));
  const today = granted([
    ...[...groups.keys()].flatMap((role) => holdersToday(role, groups)),
    ...directGrants(direct.keys(), directIn({ direct })),
  ]);
  const after = heldAfter(today, new Grants(), { has: () => undefined }, { gained, lost });
  return groupsInConflict(rules.value, after, (edge) => gained.has(edge))
    .filter(isCompared)
    .flatMap((found) => found.groups);
}

function isFew(holders: readonly unknown[]): boolean {
  return holders.length <= MOST_OTHER_GROUPS;
}

export function holdersToday(role: string, groups: Tenant["groups"]): Edge[] {
  const answer = groups.get(role);
  const found = answer !== undefined && "value" in answer ? answer.value : [];
  return found.map(({ id }) => ({ role, holder: { group: id } }));
}

/** Returns who has a role today and doesn't change. */
function othersOf(role: string, changes: readonly Change[], { groups }: Pick<Tenant, "groups">): Edge[] {
  const ofRole = changes.filter((row) => row.role === role);
  const changed = new Set(ofRole.map(({ holder }) => holderKey(holder)));
  return holdersToday(role, groups).filter(({ holder }) => !changed.has(holderKey(holder)));
}

/** Undefined if the tenant wasn't asked, or didn't answer. `all`: the changes on the tenant, by any stack. */
export function peopleOf(row: Change, all: readonly Change[], tenant: Tenant): RowPeople | undefined {
  const isHere = (one: Change) => one.tenant !== undefined && tenant.hosts.includes(one.tenant);
  const known: MembersOf = (group) => membersOf(group, tenant);
  // Most rows of a large change are about groups that weren't read.
  if (!isChange(row) || !isHere(row) || !membersOfHolder(row.holder, known)) return undefined;
  const held = tenant.groups.get(row.role);
  // State may list a group that has lost the role since: nobody has it through that one.
  const isLost = ({ role, effect, holder }: Change) =>
    role === row.role &&
    effect === "loses" &&
    held !== undefined &&
    "value" in held &&
    !held.value.some(({ id }) => id === holderId(holder));
  // Whoever gains it, and may have it already, has it if the tenant says so.
  const isTold = ({ effect }: Change) => effect === "gains" && held !== undefined && "value" in held;
  const here = all
    .filter((one) => isHere(one) && !isLost(one))
    .map((one) => (one.role === row.role && isTold(one) ? { ...one, unless: undefined } : one));
  const changes = here.filter(isChange);
  const others = othersOf(row.role, changes, tenant);
  const people = isFew(others)
    ? peopleBehind(row, here, others, known)
    : peopleBehind(row, changes, [], known);
  return (
    people && {
      ...people,
      direct: directAmong(new Set(people.people), row.role, tenant),
      notCompared: people.notCompared + (isFew(others) ? 0 : others.length),
    }
  );
}

function directAmong(people: ReadonlySet<string>, role: string, { direct }: Tenant): RowPeople["direct"] {
  const answer = direct.get(role);
  if (answer === undefined) return { reason: undefined };
  if ("reason" in answer) return { reason: answer.reason };
  if (answer.value.isMore) return { reason: `more than ${grouped(MOST_PEOPLE)} people` };
  return { count: answer.value.people.filter((person) => people.has(person)).length };
}

function membersOf(group: string, { members }: Tenant): Members | undefined {
  const answer = members.get(group);
  return answer !== undefined && "value" in answer ? answer.value : undefined;
}

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
  const told = [
    say`, ${word(number)}`,
    groups > 0 && say`, ${word(nested)}`,
    unknownKind > 0 && say`, ${word(`and ${count(unknownKind, "member")} of an unknown kind`)}`,
    same.count > 0 && say`, ${ofThem(same, same.count === 1 ? one : does)} through ${some(same.through)}`,
    maybe.count > 0 && say`, ${ofThem(maybe, `may ${does}`)} through ${some(maybe.through)}`,
    directSentence(direct),
    notCompared > 0 && say`, ${word(`not compared with ${others}`)}`,
    hasIds && people.length > 0 && say`: ${someValues(people)}`,
  ];
  return new Sentence(told.flatMap((part) => (part ? part.parts : [])));
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
  const shown = texts.slice(0, MOST_IDS).map((text, index) => (index === 0 ? say`${text}` : say`, ${text}`));
  const rest = texts.length - MOST_IDS;
  const all = shown.reduce((before, next) => say`${before}${next}`, say``);
  return rest > 0 ? say`${all} ${word(`and ${grouped(rest)} more`)}` : all;
}
