import { type AccessEffect, heldAfter, heldBefore, type Today } from "../../provider/access/change";
import { type Edge } from "../../provider/access/edge";
import { type Grant, Grants } from "../../provider/access/grants";
import { type Category, type NotReviewable } from "../../provider/review/effects";
import { count, grouped, say, type Sentence, some, word } from "../../provider/review/sentence";
import { compare } from "../../provider/review/step";
import { listedIn } from "../../provider/resources/role-group-assignment/review";
import { type RulesFile } from "../rules/file";
import {
  type Breach,
  breachesIn,
  directGrants,
  groupsInConflict,
  isCompared,
  lineAgainstDirect,
  MOST_CONFLICT_GROUPS,
  type Rules,
  type RulesVerdict,
  type TenantBreach,
} from "../rules/judge";
import { areNamesIn, resolved } from "../rules/names";
import { breachSentence } from "../rules/sentences";
import { holdersToday, whyInPart } from "./tenant/people";
import { type Preview } from "./input/preview";
import { type Review } from "./review";
import { directIn, holdersIn, shownNames, type Tenant } from "./tenant/tenant";
import { type Answer } from "../tenant/questions";
import { MOST_PEOPLE } from "../tenant/reader";

export interface Reviewed {
  review: Review;
  preview: Preview;
  /** The answers to all stacks on it; undefined if it wasn't asked. */
  tenant: Tenant | undefined;
}

/** The reviews with what breaks the rules on each tenant, judged on the state after all of the changes. */
export function withRules(all: readonly Reviewed[], file: RulesFile, made: Date): Review[] {
  // A name that stands for nothing is an error, whatever the change is.
  if (areNamesIn(file) && all.every(({ tenant }) => !tenant)) resolved(file, undefined);
  const tenants = all.map(({ tenant }) => tenant);
  const named = all.map(({ preview: { steps } }) => {
    const listed = [...listedIn(steps, "before"), ...listedIn(steps, "after")];
    return new Set(listed.map(({ tenant }) => nameIn(tenants, tenant)));
  });
  const change = changeOf(all);
  const verdicts = [...new Set(named.flatMap((names) => [...names]))].map((name) =>
    verdictOn(name, change, file, made),
  );
  return all.map(({ review, tenant }, index) => {
    const here = verdicts.filter(({ name }) => named[index]?.has(name));
    const isFirst = (name: Name) => named.findIndex((names) => names.has(name)) === index;
    const breaches = here.flatMap(({ name, breaches: on }) =>
      on.filter((one) => isOf(one, review, isFirst(name))),
    );
    return withBreaches(
      review,
      tenant,
      { file: file.file, breaches },
      here.flatMap(({ doubts }) => doubts),
    );
  });
}

function withBreaches(
  review: Review,
  tenant: Tenant | undefined,
  rules: RulesVerdict,
  doubts: readonly NotReviewable[],
): Review {
  const { breaches } = rules;
  // Unknowns count: a hidden group may break any rule.
  const open = review.unknown.map((row) =>
    row.categories.includes("grant") ? { ...row, categories: [...row.categories, "rules" as const] } : row,
  );
  const unknown = [...open, ...doubts];
  const isFound =
    breaches.some(({ isNew }) => isNew) || unknown.some(({ categories }) => categories.includes("rules"));
  const ids = breaches.flatMap(({ roles, groups }) => [...roles, ...groups]);
  const names = tenant === undefined ? {} : shownNames(tenant, { ...review, unknown }, ids);
  const categories = new Set<Category>([
    ...review.categories,
    ...(isFound ? (["rules"] as const) : []),
    ...(unknown.length > 0 ? (["unknown"] as const) : []),
  ]);
  return {
    ...review,
    unknown,
    names: { ...review.names, ...names },
    categories: [...categories].sort(compare),
    rules,
  };
}

/** Each stack shows what its assignments break; the first one on a tenant shows what nobody's does. */
function isOf({ by }: Breach, { stack }: Review, isFirst: boolean): boolean {
  return by.length === 0 ? isFirst : by.some((giver) => giver.stack === stack);
}

type Name = string | undefined;

/** State may know a tenant by a former name. */
function nameIn(tenants: readonly (Tenant | undefined)[], name: Name): Name {
  return askedOf(tenants, name)?.hosts[0] ?? name;
}

function askedOf(tenants: readonly (Tenant | undefined)[], name: Name): Tenant | undefined {
  return tenants.find((tenant) => name !== undefined && tenant?.hosts.includes(name));
}

interface Verdict {
  name: Name;
  breaches: TenantBreach[];
  doubts: NotReviewable[];
}

function verdictOn(
  name: Name,
  { before, after, tenants }: ChangeOnTenants,
  file: RulesFile,
  made: Date,
): Verdict {
  const answers = askedOf(tenants, name);
  const rules = rulesFor(name, answers, file, tenants);
  if (!("conflicts" in rules)) return { name, breaches: [], doubts: [doubt(rules)] };
  const isHere = ({ tenant }: Edge) => tenant === name;
  // Nobody's direct roles change.
  const directly = answers === undefined ? [] : directGrants(answers.direct.keys(), directIn(answers));
  const here = { before: before.filter(isHere).and(directly), after: after.filter(isHere).and(directly) };
  const judged = { ...here, ...(answers && { members: membersIn(answers) }) };
  return {
    name,
    breaches: breachesIn(rules, judged, made.getTime()).map((breach) => ({
      ...breach,
      tenant: name,
      reason: breachSentence(breach, file.file),
    })),
    doubts: [...idDoubts(answers, file.file), ...conflictDoubts(rules, here, answers, file.file)],
  };
}

function rulesFor(
  name: Name,
  answers: Tenant | undefined,
  file: RulesFile,
  tenants: readonly (Tenant | undefined)[],
): Rules | Sentence {
  const answer = answers?.rules;
  if (!areNamesIn(file) && answer === undefined) return resolved(file, undefined);
  if (answer === undefined) {
    const reason = tenants.find((tenant) => tenant?.notConfigured !== undefined)?.notConfigured;
    const why = reason === undefined ? say`it was not asked for the ids of their names` : say`${reason}`;
    return say`the rules of ${file.file} on ${name ?? "a tenant that the preview doesn't tell"} could not be judged (${why})`;
  }
  return "value" in answer
    ? answer.value
    : say`the rules of ${file.file} could not be judged: the ids of their names could not be read (${answer.reason})`;
}

/** Returns a group's known members: none if it wasn't read, and only some if it has too many. */
function membersIn({ members }: Tenant): (group: string) => ReadonlySet<string> | undefined {
  const sets = new Map<string, ReadonlySet<string>>();
  for (const [group, answer] of members) if ("value" in answer) sets.set(group, new Set(answer.value.people));
  return (group) => sets.get(group);
}

/** A rule about a role that doesn't exist is never broken. */
function idDoubts(answers: Tenant | undefined, file: string): NotReviewable[] {
  if (answers?.uncheckedIds === undefined) return [];
  const { ids, reason } = answers.uncheckedIds;
  return [
    doubt(say`whether the tenant has ${some(ids)}, which ${file} names, could not be read (${reason})`),
  ];
}

/** Returns why conflicts with a new grant may have been missed. */
function conflictDoubts(
  rules: Rules,
  { before, after }: Change,
  answers: Tenant | undefined,
  file: string,
): NotReviewable[] {
  const isNew = (grant: Edge) => !before.has(grant);
  const given = new Set([...after.filter(isNew)].map(({ role }) => role));
  const open = rules.conflicts.filter(({ roles }) => roles.some((role) => given.has(role)));
  const roles = new Set(open.flatMap((conflict) => conflict.roles));
  const inConflict = groupsInConflict(rules, after, isNew);
  return [
    ...unreadHolders(roles, answers, file),
    ...unreadDirect(roles, answers, file),
    ...unreadForbidden(rules, given, answers, file),
    ...inConflict
      .filter((found) => !isCompared(found))
      .map(({ line, groups }) =>
        doubt(
          say`people in ${word(count(groups.length, "group"))} were not compared for ${`${file}:${line}`} (${word(`more than ${MOST_CONFLICT_GROUPS}`)})`,
        ),
      ),
    ...unreadPeople(new Set(inConflict.filter(isCompared).flatMap(({ groups }) => groups)), answers, file),
  ];
}

function unreadHolders(
  roles: ReadonlySet<string>,
  answers: Tenant | undefined,
  file: string,
): NotReviewable[] {
  const notAsked = answers?.notConfigured === undefined ? NOT_ASKED : say`${answers.notConfigured}`;
  const unread = byReason(roles, (role) => {
    const answer = answers?.groups.get(role);
    return answer === undefined ? notAsked : reasonIn(answer);
  });
  return unread.map(([reason, all]) =>
    doubt(say`who has ${all} today was not read, so not all conflicts of ${file} were judged (${reason})`),
  );
}

/** Whoever has a role directly may have another one of the conflict, too. */
function unreadDirect(
  roles: ReadonlySet<string>,
  answers: Tenant | undefined,
  file: string,
): NotReviewable[] {
  // If it isn't known which groups have a role, one line says so.
  const known = [...roles].filter((role) => "value" in (answers?.groups.get(role) ?? {}));
  const unread = byReason(new Set(known), (role) => whyDirectUnread(role, answers));
  return unread.map(([reason, all]) =>
    doubt(say`who has ${all} directly was not read, so not all conflicts of ${file} were judged (${reason})`),
  );
}

function unreadForbidden(
  rules: Rules,
  given: ReadonlySet<string>,
  answers: Tenant | undefined,
  file: string,
): NotReviewable[] {
  const forbidden = [...given].filter((role) => lineAgainstDirect(rules, role) !== undefined);
  const unread = byReason(new Set(forbidden), (role) => whyDirectUnread(role, answers));
  return unread.map(([reason, all]) =>
    doubt(say`who has ${all} directly was not read, and ${file} forbids it (${reason})`),
  );
}

function whyDirectUnread(role: string, answers: Tenant | undefined): Sentence | undefined {
  const answer = answers?.direct.get(role);
  if (answer === undefined) return NOT_ASKED;
  if ("reason" in answer) return reasonIn(answer);
  return answer.value.isMore ? word(`more than ${grouped(MOST_PEOPLE)} people`) : undefined;
}

/** A member who wasn't read may have both roles. */
function unreadPeople(
  groups: ReadonlySet<string>,
  answers: Tenant | undefined,
  file: string,
): NotReviewable[] {
  // One line for each role says so.
  if (answers === undefined || answers.notConfigured !== undefined) return [];
  const unread = byReason(groups, (group) => {
    const answer = answers.members.get(group);
    if (answer === undefined) return NOT_ASKED;
    if ("reason" in answer) return reasonIn(answer);
    const why = whyInPart(answer.value);
    return why === undefined ? undefined : word(why);
  });
  return unread.map(([reason, all]) =>
    doubt(say`not everyone in ${all} was compared for the conflicts of ${file} (${reason})`),
  );
}

const NOT_ASKED = word("not asked");

/** A tenant's own words may be in it. */
function reasonIn(answer: Answer<unknown>): Sentence | undefined {
  return "reason" in answer ? say`${answer.reason}` : undefined;
}

function byReason(
  ids: ReadonlySet<string>,
  reasonOf: (id: string) => Sentence | undefined,
): [reason: Sentence, ids: Sentence][] {
  const found = new Map<string, { reason: Sentence; all: string[] }>();
  for (const id of ids) {
    const reason = reasonOf(id);
    if (reason === undefined) continue;
    const { all = [] } = found.get(reason.toString()) ?? {};
    found.set(reason.toString(), { reason, all: [...all, id] });
  }
  return [...found.values()].map(({ reason, all }) => [reason, some(all)]);
}

function doubt(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: ["rules"] };
}

interface Change {
  before: Grants;
  after: Grants;
}

interface ChangeOnTenants extends Change {
  tenants: readonly (Tenant | undefined)[];
}

/** Returns what tenants have before and after all changes, as far as it is known. */
function changeOf(all: readonly Reviewed[]): ChangeOnTenants {
  const tenants = all.map(({ tenant }) => tenant);
  const on = <Of extends Edge>(edges: Iterable<Of>) =>
    [...edges].map((edge) => ({ ...edge, tenant: nameIn(tenants, edge.tenant) }));
  const listed = (when: "before" | "after") =>
    new Grants(all.flatMap(({ preview, review }) => on(listedIn(preview.steps, when, review.stack))));
  const rows = (is: (row: AccessEffect, review: Review) => boolean) =>
    new Grants(
      all.flatMap(({ review }) =>
        on(review.access.filter((row) => is(row, review)).map((row) => grantIn(row, review))),
      ),
    );
  const [inState, inProgram] = [listed("before"), listed("after")];
  const answered = new Map(
    [...new Set(tenants)].flatMap((one) => (one ? [[one, holdersIn(one)] as const] : [])),
  );
  const today: Today = {
    grants: [...answered.keys()].flatMap((tenant) =>
      [...tenant.groups.keys()].flatMap((role) =>
        holdersToday(role, tenant.groups).map((edge) => ({ ...edge, tenant: tenant.hosts[0] })),
      ),
    ),
    has: ({ tenant, role, holder }) => {
      const asked = askedOf(tenants, tenant);
      const holders = asked && answered.get(asked)?.(tenant, role);
      return "group" in holder ? holders?.has(holder.group) : undefined;
    },
  };
  const gained = rows(({ effect }) => effect === "gains");
  const lost = rows(({ effect, unless }) => effect === "loses" && unless === undefined);
  // A refresh found these: the tenant has them today, but no stack had them before.
  const found = rows(({ effect }, { isDrift }) => isDrift && effect === "gains");
  const before = heldBefore(inState, today).filter((grant) => inState.has(grant) || !found.has(grant));
  return { tenants, before, after: heldAfter(before, inProgram, today, { gained, lost }) };
}

function grantIn(row: AccessEffect, { stack }: Review): Grant {
  return { ...row, by: row.by.map(({ name, line }) => ({ stack, name, line, until: row.until })) };
}
