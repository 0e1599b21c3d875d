import { type HoldersOf, type NotReviewable } from "../../provider/review/effects";
import { count, grouped, say, type Sentence, some, word } from "../../provider/review/sentence";
import { compare } from "../../provider/review/step";
import { type Granted, grantedIn, latestOf } from "../../provider/resources/role-group-assignment/review";
import { type RulesFile } from "../rules/file";
import {
  type Breach,
  breachesIn,
  directGrants,
  edgeKey,
  type Giver,
  type Grant,
  groupsInConflict,
  type Rules,
  type TenantBreach,
} from "../rules/judge";
import { areNamesIn, resolved } from "../rules/names";
import { breachSentence } from "../rules/sentences";
import { isCompared, MOST_CONFLICT_GROUPS, whyInPart } from "./people";
import { type Preview } from "./preview";
import { type Review } from "./review";
import { directIn, holdersIn, shownNames, type Tenant } from "./tenant";
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
  const found = new Map(tenantsOf(all).map((name) => [name, verdictOn(name, all, file, made)]));
  return all.map(({ review, tenant }, index) => {
    const names = new Set(reviewTenants(all, index));
    const verdicts = [...found].filter(([name]) => names.has(name)).map(([, verdict]) => verdict);
    const isFirst = (name: Name) => all.findIndex((_, at) => reviewTenants(all, at).includes(name)) === index;
    const breaches = verdicts.flatMap(({ breaches: on }) =>
      on.filter((one) => isOf(one, review, isFirst(one.tenant))),
    );
    const unknown = [
      ...review.unknown.map((row) =>
        // Unknowns count: a hidden group may break any rule.
        row.categories.includes("grant")
          ? { ...row, categories: [...row.categories, "rules" as const] }
          : row,
      ),
      ...verdicts.flatMap(({ doubts }) => doubts),
    ];
    const isFound =
      breaches.some(({ isNew }) => isNew) || unknown.some(({ categories }) => categories.includes("rules"));
    const ids = breaches.flatMap(({ roles, groups }) => [...roles, ...groups]);
    return {
      ...review,
      unknown,
      names: {
        ...review.names,
        ...(tenant === undefined ? {} : shownNames(tenant, { ...review, unknown }, ids)),
      },
      categories: [
        ...review.categories,
        ...(isFound ? (["rules"] as const) : []),
        ...(unknown.length > 0 && !review.categories.includes("unknown") ? (["unknown"] as const) : []),
      ].sort(compare),
      rules: { file: file.file, breaches },
    };
  });
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

function tenantsOf(all: readonly Reviewed[]): Name[] {
  return [...new Set(all.flatMap((_, index) => reviewTenants(all, index)))];
}

function reviewTenants(all: readonly Reviewed[], index: number): Name[] {
  const tenants = all.map(({ tenant }) => tenant);
  const steps = all[index]?.preview.steps ?? [];
  const named = [...grantedIn(steps, "before"), ...grantedIn(steps, "after")].map(({ tenant }) => tenant);
  const names = new Set(named.map((name) => nameIn(tenants, name)));
  return [...names];
}

interface Verdict {
  breaches: TenantBreach[];
  doubts: NotReviewable[];
}

function verdictOn(name: Name, all: readonly Reviewed[], file: RulesFile, made: Date): Verdict {
  const tenants = all.map(({ tenant }) => tenant);
  const answers = askedOf(tenants, name);
  const rules = rulesFor(name, answers, file, tenants);
  if (!("conflicts" in rules)) return { breaches: [], doubts: [doubt(rules)] };
  const grants = grantsOn(name, all, answers);
  const judged = { ...grants, ...(answers && { members: membersIn(answers), direct: directIn(answers) }) };
  return {
    breaches: breachesIn(rules, judged, made.getTime()).map((breach) => ({
      ...breach,
      tenant: name,
      reason: breachSentence(breach, file.file),
    })),
    doubts: [...idDoubts(answers, file.file), ...conflictDoubts(rules, grants, answers, file.file)],
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

interface Change {
  before: readonly Grant[];
  after: readonly Grant[];
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
  const had = new Set(before.map(edgeKey));
  const isNew = (grant: Edge) => !had.has(edgeKey(grant));
  const given = new Set(after.filter(isNew).map(({ role }) => role));
  const open = rules.conflicts.filter(({ roles }) => roles.some((role) => given.has(role)));
  const roles = new Set(open.flatMap((conflict) => conflict.roles));
  const directly = answers === undefined ? [] : directGrants([...answers.direct.keys()], directIn(answers));
  const inConflict = groupsInConflict(rules, [...after, ...directly], isNew);
  return [
    ...unreadHolders(roles, answers, file),
    ...unreadDirect(roles, answers, file),
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
  const unread = byReason(new Set(known), (role) => {
    const answer = answers?.direct.get(role);
    if (answer === undefined) return NOT_ASKED;
    if ("reason" in answer) return reasonIn(answer);
    return answer.value.isMore ? word(`more than ${grouped(MOST_PEOPLE)} people`) : undefined;
  });
  return unread.map(([reason, all]) =>
    doubt(say`who has ${all} directly was not read, so not all conflicts of ${file} were judged (${reason})`),
  );
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

/** Returns the groups' roles on a tenant before and after all changes, as far as they are known. */
function grantsOn(name: Name, all: readonly Reviewed[], answers: Tenant | undefined): Change {
  const tenants = all.map(({ tenant }) => tenant);
  const isHere = ({ tenant }: { tenant: Name }) => nameIn(tenants, tenant) === name;
  const [state, after] = [new Grants(), new Grants()];
  for (const { review, preview } of all) {
    for (const one of grantedIn(preview.steps, "before").filter(isHere)) state.add(one, review.stack);
    for (const one of grantedIn(preview.steps, "after").filter(isHere)) after.add(one, review.stack);
  }
  const rows = all.flatMap(({ review }) =>
    review.access.filter(isHere).map((row): ReviewedRow => ({ row, review })),
  );
  const gained = rows.filter(({ row }) => row.effect === "gains");
  const holders = answers === undefined ? () => undefined : holdersIn(answers);
  const before = asToday(state, name, answers, holders);
  // The refresh found these: the tenant has them today, but no stack had them before.
  for (const { row, review } of gained) if (review.isDrift && !state.has(row)) before.drop(row);

  addFound(after, gained);
  dropLost(after, gained, (grant) => holders(name, grant.role)?.has(grant.group) === false);
  const lost = rows.filter(({ row: { effect, unless } }) => effect === "loses" && unless === undefined);
  const isLost = new Set(lost.map(({ row }) => edgeKey(row)));
  for (const grant of before.all())
    if (!after.has(grant) && !isLost.has(edgeKey(grant))) after.keep({ ...grant, until: undefined });
  return { before: before.all(), after: after.all() };
}

interface ReviewedRow {
  row: Review["access"][number];
  review: Review;
}

/** A refresh finds grants by others. */
function addFound(after: Grants, gained: readonly ReviewedRow[]): void {
  for (const { row, review } of gained.filter(({ row }) => !after.has(row)))
    for (const { name, line } of row.by) after.add({ ...row, until: row.until, name, line }, review.stack);
}

/** State may list a group that lost the role since: unless the change gives it back, it stays without. */
function dropLost(after: Grants, gained: readonly ReviewedRow[], hasLost: (grant: Grant) => boolean): void {
  const isGained = new Set(gained.map(({ row }) => edgeKey(row)));
  for (const grant of after.all()) if (hasLost(grant) && !isGained.has(edgeKey(grant))) after.drop(grant);
}

/** Combines the grants in state with the tenant's answer. */
function asToday(state: Grants, name: Name, answers: Tenant | undefined, holders: HoldersOf): Grants {
  const today = new Grants();
  for (const grant of state.all())
    if (holders(name, grant.role)?.has(grant.group) !== false) today.keep(grant);
  for (const role of answers?.groups.keys() ?? [])
    for (const group of holders(name, role) ?? [])
      if (!today.has({ role, group })) today.keep({ role, group, until: undefined, by: [] });
  return today;
}

type Edge = Pick<Grant, "role" | "group">;

class Grants {
  readonly #grants = new Map<string, Grant>();

  has(edge: Edge): boolean {
    return this.#grants.has(edgeKey(edge));
  }

  drop(edge: Edge): void {
    this.#grants.delete(edgeKey(edge));
  }

  keep(grant: Grant): void {
    this.#grants.set(edgeKey(grant), grant);
  }

  add({ role, group, until, name, line }: Omit<Granted, "tenant">, stack: string | undefined): void {
    const known = this.#grants.get(edgeKey({ role, group }));
    const by: Giver[] = [...(known?.by ?? []), { stack, name, line }];
    this.keep({ role, group, until: known === undefined ? until : latestOf([known.until, until]), by });
  }

  all(): Grant[] {
    return [...this.#grants.values()];
  }
}
