import { type AccessEffect, grantsAfter, grantsBefore } from "../../provider/access/change";
import { type Edge } from "../../provider/access/edge";
import { type Grant, Grants } from "../../provider/access/grants";
import { type NotReviewable } from "./kinds/effects";
import { type Category } from "../../provider/review/categories";
import { say, Sentence, tail } from "../../provider/sentence";
import { listedIn } from "./kinds/assignments";
import { anyOf } from "../lists";
import { type RulesFile } from "../rules/file";
import { type Breach, isBroken } from "../rules/breach";
import { breachesIn, type Rules, type RulesVerdict, type TenantBreach } from "../rules/judge";
import { areNamesIn, resolved } from "../rules/names";
import { breachSentence, passSentence } from "../rules/sentences";
import { doubt, doubtsOf } from "./doubts";
import { keepingDoubts, mayLoseUnseen } from "./keeping";
import { grantsOfAuth0, usersEnded } from "./input/auth0-effects";
import { type AskedStack, type Review, withCategories, withUnknown } from "./review";
import { answered, edgesToday, membersIn, noAnswers, type TenantAnswers } from "./tenant/answers";
import { answersOn, hostIn, type HostOf, todayOn } from "./tenant/merged";
import { shownNames } from "./tenant/names";
import { outcomeOf } from "./tenant/outcome";

export interface Reviewed extends AskedStack {
  review: Review;
}

/** The reviews with what breaks the rules on each tenant, judged on the state after all of the changes. */
export function withRules(all: readonly Reviewed[], file: RulesFile, made: Date): Review[] {
  const asked = [...new Set(all.flatMap(({ answers }) => answers ?? []))];
  // A name that stands for nothing is an error, whatever the change is.
  if (areNamesIn(file) && asked.length === 0) resolved(file, undefined);
  const stacks = all.map((reviewed) => stackOf(reviewed, hostIn(asked)));
  const change = changeOf(stacks, asked);
  const hosts = new Set(stacks.flatMap(({ hosts: own }) => [...own]));
  const ended = stacks.flatMap((stack) => stack.ended);
  const verdicts = [...hosts].map((host) => verdictOn(host, change, { file, asked, made, ended }));
  return stacks.map((stack) => {
    const here = verdicts.filter(({ host }) => stack.hosts.has(host));
    const breaches = here.flatMap((verdict) => {
      const isFirst = stacks.find(({ hosts: own }) => own.has(verdict.host)) === stack;
      return verdict.breaches.filter((breach) => isOf(breach, stack, isFirst));
    });
    return withVerdict(
      stack,
      { file: file.file, breaches },
      { doubts: here.flatMap(({ doubts }) => doubts), mayLose: mayLoseAny(file, here) },
    );
  });
}

/** Where a stack lists nothing that shows, nothing shows that keeps a role either. */
function mayLoseAny({ require }: RulesFile, here: readonly TenantVerdict[]): boolean {
  return require.length > 0 && (here.length === 0 || here.some(({ mayLose }) => mayLose));
}

/** Each stack shows what its assignments break; the first one on a tenant shows what nobody's does. */
function isOf({ by }: Breach, { review: { stack } }: Reviewed, isFirst: boolean): boolean {
  return by.length === 0 ? isFirst : by.some((giver) => giver.stack === stack);
}

function withVerdict(
  { review, answers = noAnswers() }: Reviewed,
  rules: RulesVerdict,
  { doubts, mayLose }: Pick<TenantVerdict, "doubts" | "mayLose">,
): Review {
  const { breaches } = rules;
  const unsure = review.unknown.map((row) => orBreach(row, mayLose ? ["grant", "revoke"] : ["grant"]));
  const unknown = toldOnce([...unsure, ...doubts], answers.notConfigured);
  const ids = breaches.flatMap(({ organization, contexts = [], roles, groups }) => [
    ...[organization, ...contexts].filter((place) => place !== undefined),
    ...roles,
    ...groups,
  ]);
  const names = { ...review.names, ...shownNames(answers, { ...review, unknown }, ids) };
  const judged = withUnknown({ ...review, unknown: [], names, rules }, unknown);
  return withCategories(judged, anyOf<Category>([breaches.some(isBroken), "rules"]));
}

/** Many questions fail because the connection isn't configured: only the first row says how to do that. */
function toldOnce(rows: readonly NotReviewable[], reason: string | undefined): NotReviewable[] {
  let isTold = false;
  return rows.map((row) => {
    const parts = row.reason.parts.map((part) => {
      if (typeof part === "string" || !("value" in part) || part.value !== reason) return part;
      const shown = isTold ? "the connection is not configured" : part;
      isTold = true;
      return shown;
    });
    return { ...row, reason: new Sentence(parts) };
  });
}

/** A hidden group may break any rule that isn't about what it loses. */
function orBreach(row: NotReviewable, breaking: readonly Category[]): NotReviewable {
  const categories: readonly Category[] = [...row.categories, "rules"];
  return row.categories.some((category) => breaking.includes(category)) ? { ...row, categories } : row;
}

/** A review, with its edges on tenants by their present names. */
interface JudgedStack extends Reviewed {
  before: readonly Grant[];
  after: readonly Grant[];
  rows: readonly (Grant & Pick<AccessEffect, "effect" | "unless">)[];
  /** The users whom it deletes. */
  ended: ReturnType<typeof usersEnded>;
  /** The tenants on which it lists anything. */
  hosts: ReadonlySet<string | undefined>;
}

function stackOf(reviewed: Reviewed, hostOf: HostOf): JudgedStack {
  const { preview, review } = reviewed;
  const { stack } = review;
  const onHost = <Of extends Edge>(edges: Iterable<Of>) =>
    [...edges].map((edge) => ({ ...edge, tenant: hostOf(edge.tenant) }));
  const direct = grantsOfAuth0(preview.auth0, stack);
  const before = onHost<Grant>([...listedIn(preview.steps, "before", stack), ...direct.before]);
  const after = onHost<Grant>([...listedIn(preview.steps, "after", stack), ...direct.after]);
  const rows = onHost(review.access).map((row) => ({
    ...row,
    by: row.by.map(({ name, line }) => ({ stack, name, line, until: row.until })),
  }));
  return {
    ...reviewed,
    before,
    after,
    rows,
    ended: usersEnded(preview.auth0).map(({ tenant, user }) => ({ tenant: hostOf(tenant), user })),
    hosts: new Set([...before, ...after].map((edge) => edge.tenant)),
  };
}

interface ChangeOnTenants {
  before: Grants;
  after: Grants;
  /** What others have taken. */
  taken: Grants;
  rows: JudgedStack["rows"];
}

/** Returns what tenants have before and after all changes, as far as it is known. */
function changeOf(stacks: readonly JudgedStack[], asked: readonly TenantAnswers[]): ChangeOnTenants {
  const inState = new Grants(stacks.flatMap(({ before }) => before));
  const outcome = outcomeOf(stacks.flatMap(({ rows }) => rows));
  // It's gone if another resource takes or ends it, even if this one still lists it.
  const inProgram = new Grants(stacks.flatMap(({ after }) => after)).filter(
    (grant) => !outcome.lost.has(grant),
  );
  // A refresh found these: the tenant has them today, but no stack had them before.
  const drifts = stacks.filter(({ review }) => review.isDrift);
  const { gained: found, lost: taken } = outcomeOf(drifts.flatMap(({ rows }) => rows));
  const today = todayOn(asked);
  const read = asked.flatMap((answers) =>
    edgesToday(answers).map((edge) => ({ ...edge, tenant: answers.hosts[0] })),
  );
  const before = grantsBefore(
    inState,
    today,
    read.filter((edge) => !found.has(edge)),
  );
  const rows = stacks.flatMap((stack) => stack.rows);
  return { before, after: grantsAfter(before, inProgram, today, outcome), taken, rows };
}

interface TenantVerdict {
  host: string | undefined;
  breaches: readonly TenantBreach[];
  doubts: readonly NotReviewable[];
  /** True if a role that must be kept may be lost by what the review doesn't show. */
  mayLose: boolean;
}

interface Judging {
  file: RulesFile;
  asked: readonly TenantAnswers[];
  made: Date;
  ended: JudgedStack["ended"];
}

function verdictOn(host: string | undefined, change: ChangeOnTenants, judging: Judging): TenantVerdict {
  const { file, asked, made, ended } = judging;
  const answers = answersOn(asked, host) ?? noAnswers();
  const rules = rulesOn(host, answers, judging);
  if (!("conflicts" in rules)) return { host, breaches: [], doubts: [doubt(rules)], mayLose: false };
  const isHere = ({ tenant }: Edge) => tenant === host;
  const here = {
    before: change.before.filter(isHere),
    after: change.after.filter(isHere),
    taken: change.taken.filter(isHere),
    rows: change.rows.filter(isHere),
  };
  const isRead = (key: string) => answered(answers.groups, key) !== undefined;
  const moment = made.getTime();
  const membersToday = membersIn(answers);
  const gone = new Set(ended.filter(({ tenant }) => tenant === host).map(({ user }) => user));
  const membersAfter = (group: string) => {
    const people = membersToday(group);
    return people && new Set([...people].filter((person) => !gone.has(person)));
  };
  const members = gone.size === 0 ? membersToday : membersAfter;
  return {
    host,
    breaches: breachesIn(rules, { ...here, members, isRead }, moment).map((breach) => ({
      ...breach,
      tenant: host,
      reason: breachSentence(breach, file.file),
      passing: passSentence(breach.exception, file.file),
    })),
    doubts: [
      ...doubtsOf(rules, here, answers, file.file),
      ...keepingDoubts(rules, here, { answers, file: file.file, moment }),
    ],
    mayLose: mayLoseUnseen(rules, here, moment),
  };
}

/** Returns the rules with a tenant's ids, or why there are none. */
function rulesOn(
  host: string | undefined,
  answers: TenantAnswers,
  { file, asked }: Judging,
): Rules | Sentence {
  const { value, reason: refusal } = answers.rules ?? {};
  if (value !== undefined) return value;
  if (refusal !== undefined)
    return say`the rules of ${file.file} could not be judged: the ids of their names could not be read (${refusal})`;
  if (!areNamesIn(file)) return resolved(file, undefined);
  const reason = asked.find(({ notConfigured }) => notConfigured !== undefined)?.notConfigured;
  const why = tail`${reason}`.or(say`it was not asked for the ids of their names`);
  return say`the rules of ${file.file} on ${host ?? "a tenant that the preview doesn't tell"} could not be judged (${why})`;
}
