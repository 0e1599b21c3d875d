import { type AccessEffect } from "../../provider/review/effects";
import { count, grouped, say, type Sentence, some, word } from "../../provider/review/sentence";
import { type Members } from "../../provider/service/groups";
import { directGrants, edgeKey, type GroupsInConflict, groupsInConflict } from "../rules/judge";
import { MOST_PEOPLE } from "../tenant/reader";
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

/** The people behind a gain or a loss. */
export interface RowPeople {
  people: readonly string[];
  /** Groups within the group; their people aren't counted. */
  groups: number;
  /** Members of the group that may be people or not. */
  others: number;
  isMore: boolean;
  /**
   * People who keep what the group loses, or already have what it gains, with the groups they have it
   * through.
   */
  same: { count: number; through: readonly string[] };
  /** People who have the role directly; or why that is unknown, undefined if nobody asked. */
  direct: { count: number } | { reason: string | undefined };
  /** Other groups with the role whose members weren't read. */
  notCompared: number;
}

/** A row about who gains and who loses. */
export type Change = Pick<AccessEffect, "tenant" | "role" | "group" | "effect">;

export function isChange({ effect }: Pick<AccessEffect, "effect">): boolean {
  return effect !== "keeps";
}

/** In a conflict with more groups, compare only the groups, not their members. */
export const MOST_CONFLICT_GROUPS = 20;

export function isCompared({ groups }: GroupsInConflict): boolean {
  return groups.length <= MOST_CONFLICT_GROUPS;
}

/** Returns the groups in conflict after the change, based on today's holders. */
function conflictGroups(
  rows: readonly Change[],
  { groups, rules, direct }: Pick<Tenant, "groups" | "rules" | "direct">,
): GroupsInConflict[] {
  if (rules === undefined || !("value" in rules)) return [];
  const is = (effect: Change["effect"]) => new Set(rows.filter((row) => row.effect === effect).map(edgeKey));
  const [gained, lost] = [is("gains"), is("loses")];
  const today = [...groups].flatMap(([role, answer]) =>
    "value" in answer ? answer.value.map((group) => ({ role, group: group.id })) : [],
  );
  const after = [...today, ...rows.filter((row) => row.effect === "gains")].filter(
    (edge) => !lost.has(edgeKey(edge)),
  );
  const directly = directGrants([...direct.keys()], directIn({ direct }));
  return groupsInConflict(rules.value, [...after, ...directly], (edge) => gained.has(edgeKey(edge)));
}

/** Returns the groups whose members these rows need, each once, changing groups first. */
export function groupsToRead(
  rows: readonly Change[],
  tenant: Pick<Tenant, "groups" | "rules" | "direct">,
): string[] {
  const { groups } = tenant;
  const changes = rows.filter(isChange);
  const roles = [...new Set(changes.map(({ role }) => role))];
  const others = roles.map((role) => othersOf(role, changes, groups)).filter(isFew);
  const inConflict = conflictGroups(rows, tenant).filter(isCompared);
  const all = [
    ...changes.map(({ group }) => group),
    ...others.flat(),
    ...inConflict.flatMap(({ groups: found }) => found),
  ];
  return [...new Set(all)];
}

function isFew(groups: readonly string[]): boolean {
  return groups.length <= MOST_OTHER_GROUPS;
}

/** Returns groups that have a role today and don't change. */
function othersOf(role: string, changes: readonly Change[], groups: Tenant["groups"]): string[] {
  const changed = new Set(changes.filter((row) => row.role === role).map(({ group }) => group));
  return (holdersOf(role, groups) ?? []).filter((group) => !changed.has(group));
}

/** Returns the groups that have a role today; undefined if nobody asked, or there was no answer. */
function holdersOf(role: string, groups: Tenant["groups"]): string[] | undefined {
  const answer = groups.get(role);
  return answer !== undefined && "value" in answer ? answer.value.map((group) => group.id) : undefined;
}

/** Undefined if the tenant wasn't asked, or didn't answer. `all`: the changes on the tenant, by any stack. */
export function peopleOf(row: Change, all: readonly Change[], tenant: Tenant): RowPeople | undefined {
  const members = membersOf(row.group, tenant);
  const isHere = (one: Change) => one.tenant !== undefined && tenant.hosts.includes(one.tenant);
  if (members === undefined || !isChange(row) || !isHere(row)) return undefined;
  const changes = all.filter((one) => isChange(one) && isHere(one));
  const others = othersOf(row.role, changes, tenant.groups);
  // People who also gain it by the same change don't lose it, and the other way round.
  const opposite = row.effect === "loses" ? "gains" : "loses";
  const held = holdersOf(row.role, tenant.groups);
  const moved = changes.filter(
    (one) =>
      one.role === row.role &&
      one.effect === opposite &&
      // State may list a group that has lost the role since: nobody has it through that one.
      (opposite === "gains" || held === undefined || held.includes(one.group)),
  );
  const beside = [...new Set([...(isFew(others) ? others : []), ...moved.map(({ group }) => group)])];
  const same = new Set<string>();
  const here = new Set(members.people);
  const through = beside.filter((group) => {
    const found = membersOf(group, tenant)?.people ?? [];
    const both = found.filter((person) => here.has(person));
    for (const person of both) same.add(person);
    return both.length > 0;
  });
  const { people, groups, others: unknownKind, isMore } = members;
  // Members who weren't read may be in any of the other groups.
  const notCompared = isUnknown(row.group, tenant)
    ? beside.length
    : beside.filter((group) => isUnknown(group, tenant)).length;
  return {
    people,
    groups,
    others: unknownKind,
    isMore,
    same: { count: same.size, through },
    direct: directAmong(here, row.role, tenant),
    notCompared: notCompared + (isFew(others) ? 0 : others.length),
  };
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

function isUnknown(group: string, tenant: Tenant): boolean {
  const members = membersOf(group, tenant);
  return members === undefined || whyInPart(members) !== undefined;
}

/** `, 12 people, 3 of them keep it through support-desk`; `hasIds`: also lists their ids. */
export function peopleSentence(
  { effect }: Pick<Change, "effect">,
  { people, groups, others, isMore, same, direct, notCompared }: RowPeople,
  hasIds: boolean,
): Sentence {
  const number = isMore
    ? `more than ${grouped(MOST_PEOPLE)} people`
    : count(people.length, "person", "people");
  const nested = groups === 0 ? say`` : word(`, and whoever is in ${count(groups, "group")} within it`);
  const unknownKind = others === 0 ? say`` : word(`, and ${count(others, "member")} of an unknown kind`);
  const does = effect === "loses" ? "keep it" : "have it already";
  const one = effect === "loses" ? "keeps it" : "has it already";
  const kept =
    same.count === 0
      ? say``
      : say`, ${word(`${grouped(same.count)} of them ${same.count === 1 ? one : does}`)} through ${some(same.through)}`;
  const compared =
    notCompared === 0
      ? say``
      : word(
          `, not compared with ${count(notCompared, "other group that has it", "other groups that have it")}`,
        );
  const ids = hasIds && people.length > 0 ? say`: ${someValues(people)}` : say``;
  return say`, ${word(number)}${nested}${unknownKind}${kept}${directSentence(direct)}${compared}${ids}`;
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
