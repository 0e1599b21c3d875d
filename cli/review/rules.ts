import { type NotReviewable } from "../../provider/review/effects";
import { say, type Sentence, some, word } from "../../provider/review/sentence";
import { compare } from "../../provider/review/step";
import { type Granted, grantedIn, latestOf } from "../../provider/resources/role-group-assignment/review";
import { type RulesFile } from "../rules/file";
import {
  type Breach,
  breachesIn,
  edgeKey,
  type Giver,
  type Grant,
  groupsInConflict,
  type Rules,
  type TenantBreach,
} from "../rules/judge";
import { areNamesIn, resolved } from "../rules/names";
import { breachSentence } from "../rules/sentences";
import { mergedTenants } from "./merged";
import { MOST_CONFLICT_GROUPS, whyInPart } from "./people";
import { type Preview } from "./preview";
import { type Review } from "./review";
import { holdersIn, shownNames, type Tenant } from "./tenant";

export interface Reviewed {
  review: Review;
  preview: Preview;
  /** Undefined if no tenant was asked. */
  tenant: Tenant | undefined;
}

/** The reviews with what breaks the rules on each tenant, judged on the state after all of the changes. */
export function withRules(reviewed: readonly Reviewed[], file: RulesFile, made: Date): Review[] {
  const tenants = mergedTenants(reviewed.map(({ tenant }) => tenant));
  const all = reviewed.map((one, index) => ({ ...one, tenant: tenants[index] }));
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
  const judged = { ...grants, ...(answers && { members: membersIn(answers) }) };
  return {
    breaches: breachesIn(rules, judged, made.getTime()).map((breach) => ({
      ...breach,
      tenant: name,
      reason: breachSentence(breach, file.file),
    })),
    doubts:
      answers === undefined
        ? []
        : [...unreadBeside(answers), ...readInPart(rules, grants, answers, file.file)],
  };
}

function rulesFor(
  name: Name,
  answers: Tenant | undefined,
  file: RulesFile,
  tenants: readonly (Tenant | undefined)[],
): Rules | Sentence {
  if (!areNamesIn(file)) return resolved(file, undefined);
  const answer = answers?.rules;
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

/** Notes conflicting roles whose holders aren't known. */
function unreadBeside({ beside, groups }: Tenant): NotReviewable[] {
  const byReason = new Map<string, string[]>();
  for (const role of beside) {
    const answer = groups.get(role);
    if (answer !== undefined && "reason" in answer)
      byReason.set(answer.reason, [...(byReason.get(answer.reason) ?? []), role]);
  }
  return [...byReason].map(([reason, roles]) =>
    doubt(
      say`who has ${some(roles)} today, which conflicts with a role that changes, could not be read (${reason})`,
    ),
  );
}

/** Doubts groups that a new grant puts into a conflict: a member who wasn't read may have both roles. */
function readInPart(
  rules: Rules,
  { before, after }: { before: readonly Grant[]; after: readonly Grant[] },
  { members }: Tenant,
  file: string,
): NotReviewable[] {
  const had = new Set(before.map(edgeKey));
  const found = groupsInConflict(rules, after, (grant) => !had.has(edgeKey(grant)), MOST_CONFLICT_GROUPS);
  return [...new Set(found.flatMap((groups) => groups ?? []))].flatMap((group) => {
    const answer = members.get(group);
    const why = answer !== undefined && "value" in answer ? whyInPart(answer.value) : undefined;
    if (why === undefined) return [];
    return [
      doubt(say`not everyone in ${{ id: group }} was compared for the conflicts of ${file} (${word(why)})`),
    ];
  });
}

function doubt(reason: Sentence): NotReviewable {
  return { name: undefined, line: undefined, reason, categories: ["rules"] };
}

/** Returns the groups' roles on a tenant before and after all changes, as far as they are known. */
function grantsOn(
  name: Name,
  all: readonly Reviewed[],
  answers: Tenant | undefined,
): { before: Grant[]; after: Grant[] } {
  const tenants = all.map(({ tenant }) => tenant);
  const isHere = ({ tenant }: { tenant: Name }) => nameIn(tenants, tenant) === name;
  const [state, after] = [new Grants(), new Grants()];
  for (const { review, preview } of all) {
    for (const one of grantedIn(preview.steps, "before").filter(isHere)) state.add(one, review.stack);
    for (const one of grantedIn(preview.steps, "after").filter(isHere)) after.add(one, review.stack);
  }
  const gained = all.flatMap(({ review }) =>
    review.access.filter((one) => isHere(one) && one.effect === "gains").map((row) => ({ row, review })),
  );
  // A refresh finds grants by others.
  for (const { row, review } of gained.filter(({ row }) => !after.has(row)))
    for (const { name: by, line } of row.by)
      after.add({ ...row, until: row.until, name: by, line }, review.stack);
  const before = asToday(state, name, answers);
  // The refresh found these: the tenant has them today, but no stack had them before.
  for (const { row, review } of gained) if (review.isDrift && !state.has(row)) before.drop(row);
  const lost = new Set(
    all
      .flatMap(({ review }) => review.access.filter(isHere))
      .filter(({ effect, unless }) => effect === "loses" && unless === undefined)
      .map(edgeKey),
  );
  for (const grant of before.all())
    if (!after.has(grant) && !lost.has(edgeKey(grant))) after.keep({ ...grant, until: undefined });
  return { before: before.all(), after: after.all() };
}

/** Combines the grants in state with the tenant's answer. */
function asToday(state: Grants, name: Name, answers: Tenant | undefined): Grants {
  const holders = answers === undefined ? () => undefined : holdersIn(answers);
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
