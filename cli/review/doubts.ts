import { type Edge, roleKey, roleOfKey, roleSentence } from "../../provider/access/edge";
import { type Grants, groupedBy } from "../../provider/access/grants";
import { type NotReviewable } from "../../provider/review/effects";
import { count, grouped, say, type Sentence, some, word } from "../../provider/sentence";
import {
  groupsInConflict,
  isCompared,
  lineAgainstDirect,
  MOST_CONFLICT_GROUPS,
  type Rules,
} from "../rules/judge";
import { type Answer } from "../tenant/questions";
import { MOST_PEOPLE } from "../tenant/reader";
import { answered, noAnswers, type TenantAnswers } from "./tenant/answers";
import { whyInPart } from "./tenant/people";

/**
 * Returns why the rules may have been broken unseen in one organization, or in the tenant itself. `answers`:
 * undefined if the tenant wasn't asked.
 */
export function doubtsOf(
  rules: Rules,
  { organization, before, after }: { organization: string | undefined; before: Grants; after: Grants },
  answers: TenantAnswers | undefined,
  file: string,
): NotReviewable[] {
  const { groups, direct, members, notConfigured, uncheckedIds } = answers ?? noAnswers();
  const isNew = (grant: Edge) => !before.has(grant);
  const given = new Set([...after.filter(isNew)].map(({ role }) => role));
  const open = rules.conflicts.filter(({ roles }) => roles.some((role) => given.has(role)));
  const keyOf = (role: string) => roleKey({ organization, role });
  const roles = [...new Set(open.flatMap((conflict) => conflict.roles))].map(keyOf);
  // If it isn't known which groups have a role, one line says so.
  const known = roles.filter((role) => answered(groups, role) !== undefined);
  const forbidden = [...given].filter((role) => lineAgainstDirect(rules, role) !== undefined).map(keyOf);
  const inConflict = groupsInConflict(rules, after, isNew);
  const compared = new Set(inConflict.filter(isCompared).flatMap((found) => found.groups));
  const notAsked = notConfigured === undefined ? NOT_ASKED : say`${notConfigured}`;
  const whyNotDirect = (role: string) =>
    whyUnread(direct.get(role), ({ isMore }) => (isMore ? MANY_PEOPLE : undefined));
  return [
    // A rule about a role that doesn't exist is never broken.
    ...unread(
      organization === undefined ? (uncheckedIds?.ids ?? []) : [],
      () => uncheckedIds && say`${uncheckedIds.reason}`,
      (ids) => say`whether the tenant has ${ids}, which ${file} names, could not be read`,
    ),
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
    // A member who wasn't read may have both roles. If nobody was asked, one line for each role says so.
    ...unread(
      answers === undefined || notConfigured !== undefined ? [] : [...compared],
      (group) => whyUnread(members.get(group), whyInPart),
      (all) => say`not everyone in ${all} was compared for the conflicts of ${file}`,
    ),
  ];
}

const NOT_ASKED = word("not asked");
const MANY_PEOPLE = `more than ${grouped(MOST_PEOPLE)} people`;

/** Returns a doubt for each reason, with all groups or keys of roles that it is about. */
function unread(
  ids: readonly string[],
  reasonOf: (id: string) => Sentence | undefined,
  what: (ids: Sentence) => Sentence,
): NotReviewable[] {
  const found = ids.flatMap((id) => {
    const reason = reasonOf(id);
    return reason === undefined ? [] : [{ id, reason }];
  });
  return [...groupedBy(found, ({ reason }) => reason.toString()).values()].flatMap((all) =>
    all.slice(0, 1).map(({ reason }) => {
      const named = some(all.map(({ id }) => roleSentence(roleOfKey(id))));
      return doubt(say`${what(named)} (${reason})`);
    }),
  );
}

/** Returns why nothing or only a part was read; a tenant's own words may be in it. */
function whyUnread<Value>(
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
