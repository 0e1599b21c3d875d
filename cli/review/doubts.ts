import { roleKey, roleOfKey, roleSentence } from "../../provider/access/edge";
import { type Grants, groupedBy } from "../../provider/access/grants";
import { type NotReviewable } from "./kinds/effects";
import { count, grouped, say, type Sentence, some, tail, word } from "../../provider/sentence";
import {
  concernsAll,
  conflictsWith,
  groupsInConflict,
  isCompared,
  keysBeside,
  keysIn,
  lineAgainstDirect,
  MOST_CONFLICT_GROUPS,
  placesIn,
  type Rules,
} from "../rules/judge";
import { anyOf, optional } from "../lists";
import { type Answer } from "../tenant/questions";
import { MOST_PEOPLE } from "../tenant/reader";
import { answered, type TenantAnswers } from "./tenant/answers";
import { whyInPart } from "./tenant/people";

/** Returns why the rules may have been broken unseen. `answers`: undefined if the tenant wasn't asked. */
export function doubtsOf(
  rules: Rules,
  { before, after }: { before: Grants; after: Grants },
  answers: TenantAnswers,
  file: string,
): NotReviewable[] {
  const { uncheckedIds } = answers;
  const across = rules.conflicts.filter(({ anyContext }) => anyContext);
  const alone = { ...rules, conflicts: rules.conflicts.filter(({ anyContext }) => !anyContext) };
  return [
    // A rule about a role that doesn't exist is never broken.
    ...uncheckedIds.flatMap(({ ids, reason }) =>
      unread(
        ids,
        () => say`${reason}`,
        (all) => say`whether the tenant has ${all}, which ${file} names, could not be read`,
      ),
    ),
    ...placesIn(before, after).flatMap((place) => {
      const here = { before: before.in(place), after: after.in(place) };
      const given = givenIn(here);
      const open = conflictsWith(alone.conflicts, given);
      const keys = open.flatMap((conflict) => keysIn(conflict, [place]));
      const forbidden = given.filter((key) => lineAgainstDirect(rules, roleOfKey(key)) !== undefined);
      return doubtsAbout(alone, here, { keys, forbidden, file }, answers);
    }),
    ...doubtsAcross({ ...rules, conflicts: across }, { before, after }, answers, file),
  ];
}

/** Returns the keys of roles that somebody gains. */
function givenIn({ before, after }: { before: Grants; after: Grants }): string[] {
  return [...new Set([...after.filter((grant) => !before.has(grant))].map(roleKey))];
}

/** The same for conflicts that compare organizations. */
function doubtsAcross(
  rules: Rules,
  change: { before: Grants; after: Grants },
  answers: TenantAnswers,
  file: string,
): NotReviewable[] {
  const given = givenIn(change);
  const { organizations, notConfigured } = answers;
  const open = conflictsWith(rules.conflicts, given);
  const inOpen = given.filter((key) => conflictsWith(open, [key]).length > 0);
  const reason = organizations === undefined ? (notConfigured ?? NOT_ASKED.toString()) : organizations.reason;
  const elsewhere = tail`who has roles in other organizations was not read, so not all conflicts of ${file} were judged (${reason})`;
  return [
    ...anyOf([concernsAll({ conflicts: open }) && !elsewhere.isEmpty, doubt(elsewhere)]),
    ...doubtsAbout(
      rules,
      change,
      {
        keys: [...inOpen, ...keysBeside({ conflicts: open }, given, organizations?.value)],
        forbidden: [],
        file,
      },
      answers,
    ),
  ];
}

/** Returns the doubts about these keys of roles, and about the people who are compared for conflicts. */
function doubtsAbout(
  rules: Rules,
  { before, after }: { before: Grants; after: Grants },
  { keys, forbidden, file }: { keys: readonly string[]; forbidden: readonly string[]; file: string },
  { groups, direct, members, notConfigured }: TenantAnswers,
): NotReviewable[] {
  const roles = [...new Set(keys)];
  // If it isn't known which groups have a role, one line says so.
  const known = roles.filter((role) => answered(groups, role) !== undefined);
  const inConflict = groupsInConflict(rules, after, (grant) => !before.has(grant));
  const compared = new Set(inConflict.filter(isCompared).flatMap((found) => found.groups));
  const notAsked = tail`${notConfigured}`.or(NOT_ASKED);
  const whyNotDirect = (role: string) =>
    whyUnread(direct.get(role), ({ isMore }) => (isMore ? MANY_PEOPLE : undefined));
  return [
    ...unread(
      roles,
      (role) => whyUnread(groups.get(role), () => undefined, notAsked),
      (all) => say`who has ${all} today was not read, so not all conflicts of ${file} were judged`,
    ),
    // Whoever has a role directly may have another one of the conflict, too.
    ...unread(
      known,
      whyNotDirect,
      (all) => say`who has ${all} directly was not read, so not all conflicts of ${file} were judged`,
    ),
    ...unread(
      forbidden,
      whyNotDirect,
      (all) => say`who has ${all} directly was not read, and ${file} forbids it`,
    ),
    ...inConflict.filter((found) => !isCompared(found)).map((found) => notCompared(found, file)),
    // A member who wasn't read may have both roles. If no role was read, one line for each says so.
    ...unread(
      known.length > 0 ? [...compared] : [],
      (group) => whyUnread(members.get(group), whyInPart),
      (all) => say`not everyone in ${all} was compared for the conflicts of ${file}`,
    ),
  ];
}

export const NOT_ASKED = word("not asked");
const MANY_PEOPLE = `more than ${grouped(MOST_PEOPLE)} people`;

/** Returns a doubt for each reason, with all groups or keys of roles that it is about. */
function unread(
  ids: readonly string[],
  reasonOf: (id: string) => Sentence | undefined,
  what: (ids: Sentence) => Sentence,
): NotReviewable[] {
  const found = ids.flatMap((id) => optional(reasonOf(id)).map((reason) => ({ id, reason })));
  return [...groupedBy(found, ({ reason }) => reason.toString()).values()].flatMap((all) =>
    all.slice(0, 1).map(({ reason }) => {
      const named = some(all.map(({ id }) => roleSentence(roleOfKey(id))));
      return doubt(say`${what(named)} (${reason})`);
    }),
  );
}

/** Returns why nothing or only a part was read; a tenant's own words may be in it. */
export function whyUnread<Value>(
  answer: Answer<Value> | undefined,
  whyPart: (value: Value) => string | undefined,
  notAsked = NOT_ASKED,
): Sentence | undefined {
  if (answer === undefined) return notAsked;
  if (answer.reason !== undefined) return say`${answer.reason}`;
  const why = whyPart(answer.value);
  return why === undefined ? undefined : word(why);
}

function notCompared(
  { line, groups }: { line: number; groups: readonly string[] },
  file: string,
): NotReviewable {
  const people = word(count(groups.length, "group"));
  const place = `${file}:${line}`;
  return doubt(
    say`people in ${people} were not compared for ${place} (${word(`more than ${MOST_CONFLICT_GROUPS}`)})`,
  );
}

export function doubt(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: ["rules"] };
}
