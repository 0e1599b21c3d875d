import { type AccessEffect, type Effects, type HoldersOf, noEffects } from "../../review/effects";
import { say, type Sentence } from "../../review/sentence";
import { compare, type Step } from "../../review/step";
import { AssignmentStep, type Course, type Grants } from "./assignment-step";
import { doubtsOf } from "./doubts";
import { notesOf } from "./notes";
import { type Others, plan } from "./plan";
import { latestOf } from "./until";

export { type Granted, grantedIn, rolesAfter } from "./after";
export { endsSoon } from "./notes";
export { latestOf } from "./until";

/**
 * Returns the net effect of all assignments: the plan of each step, next to all other steps of the preview.
 */
export function roleEffects(steps: readonly Step[], isDrift: boolean, holders: HoldersOf): Effects {
  const assignments = steps
    .filter(({ kind }) => kind === "RoleGroupAssignment")
    .map((step) => new AssignmentStep(step));
  if (isDrift) return { ...noEffects(), access: driftOf(assignments) };
  return {
    ...noEffects(),
    access: edgesOf(assignments, holders).flatMap((edge) => rowOf(edge, assignments, holders)),
    unknown: assignments.flatMap((assignment) => doubtsOf(assignment, holders)),
    notes: assignments.flatMap(notesOf),
    categories: assignments.some(({ becomesExclusive }) => becomesExclusive) ? ["exclusive"] : [],
  };
}

type EdgeId = Pick<AccessEffect, "tenant" | "role" | "group">;

/** A group's grant of a role, and the steps that concern it. */
interface Edge extends EdgeId {
  /** Steps with the grant in state. */
  had: AssignmentStep[];
  /** Steps that want it afterwards. */
  wanted: AssignmentStep[];
  removed: Removal[];
}

interface Removal {
  assignment: AssignmentStep;
  reason: Sentence;
  /** The reason if it may not happen. */
  unless: Sentence | undefined;
}

class Edges {
  readonly #edges = new Map<string, Edge>();

  constructor(assignments: readonly AssignmentStep[]) {
    for (const assignment of assignments) {
      this.#add("had", assignment.before, assignment);
      this.#add("wanted", assignment.after, assignment);
    }
  }

  of({ tenant, role = "" }: Pick<Grants, "tenant" | "role">, group: string): Edge {
    const key = JSON.stringify([tenant ?? null, role, group]);
    const edge = this.#edges.get(key) ?? { tenant, role, group, had: [], wanted: [], removed: [] };
    this.#edges.set(key, edge);
    return edge;
  }

  #add(side: "had" | "wanted", grants: Grants | undefined, assignment: AssignmentStep): void {
    if (grants?.role === undefined) return;
    for (const group of grants.groups) this.of(grants, group)[side].push(assignment);
  }

  sorted(): Edge[] {
    return [...this.#edges].sort(([one], [other]) => compare(one, other)).map(([, edge]) => edge);
  }
}

function edgesOf(assignments: readonly AssignmentStep[], holders: HoldersOf): Edge[] {
  const edges = new Edges(assignments);
  const all = new Program(assignments);
  for (const assignment of assignments)
    for (const { grants, group, reason, unless } of lossesOf(assignment, all, holders))
      edges.of(grants, group).removed.push({ assignment, reason, unless });
  return edges.sorted();
}

/** The program's assignments after the change. */
class Program {
  readonly #listed = new Set<string>();
  readonly #hidden: readonly AssignmentStep[];

  constructor(assignments: readonly AssignmentStep[]) {
    for (const { step, after } of assignments)
      if (after?.role !== undefined && !step.isOutside)
        for (const group of after.groups) this.#listed.add(keyOf(after, group));
    this.#hidden = assignments.filter(({ step, after }) => step.isOutside || after?.hidden !== undefined);
  }

  /**
   * Returns the other assignments next to these grants. Groups that it lists itself never count as leaving.
   */
  othersOf(grants: Grants): Others {
    return {
      lists: (group) => {
        if (this.#listed.has(keyOf(grants, group))) return true;
        return this.#hidden.some((one) => mayList(one, grants)) ? "unknown" : false;
      },
    };
  }

  /** Returns why a group may keep a role that it seems to lose. */
  whyUnknown(self: AssignmentStep, grants: Grants): Sentence | undefined {
    const one = this.#hidden.find((hidden) => mayList(hidden, grants));
    if (one === undefined) return undefined;
    const { step, after } = one;
    if (step.isOutside) return say`${step.name} lists it, which is not a target of this run`;
    if (one !== self) return say`${step.name} lists it`;
    if (after?.role === undefined) return say`it keeps its role`;
    return after.hidden === "secret"
      ? say`it is among its secret groups`
      : say`it is among its groups that are not known yet`;
  }
}

/** True if an assignment with hidden values may list a group of a role. */
function mayList({ step, after }: AssignmentStep, { tenant, role }: Grants): boolean {
  if (after === undefined) return step.isOutside;
  const isOfTenant = after.tenant === undefined || tenant === undefined || after.tenant === tenant;
  // For a step outside the targets, the preview shows the state, and the program may say something else by
  // now.
  return isOfTenant && (step.isOutside || after.role === undefined || after.role === role);
}

function keyOf({ tenant, role }: Grants, group: string): string {
  return JSON.stringify([tenant ?? null, role, group]);
}

interface PlannedLoss extends Omit<Removal, "assignment"> {
  grants: Grants;
  group: string;
}

/** Returns what a step takes away, either certainly or in some of its possible outcomes. */
function lossesOf(assignment: AssignmentStep, all: Program, holders: HoldersOf): PlannedLoss[] {
  if (assignment.isSame) return [];
  const { courses, before, doubt } = assignment;
  const planned = courses.map((course) => removedBy(assignment, course, all, holders));
  const counts = new Map<string, { grants: Grants; group: string; count: number }>();
  for (const { grants, group } of planned.flat()) {
    const key = keyOf(grants, group);
    counts.set(key, { grants, group, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(({ grants, group, count }) => {
    const isItsRole = grants === before || assignment.isSameRole;
    const isOwn = isItsRole && before?.groups.includes(group) === true;
    const unless =
      count < courses.length
        ? doubt
        : (all.whyUnknown(assignment, grants) ?? whyNotHeld(assignment, isOwn, group));
    return { grants, group, reason: isOwn ? reasonOfLoss(assignment) : say`is exclusive`, unless };
  });
}

interface Taken {
  grants: Grants;
  group: string;
}

/** Returns what one outcome of a step takes away. A replacement is a create and a delete. */
function removedBy(assignment: AssignmentStep, course: Course, all: Program, holders: HoldersOf): Taken[] {
  const { step, before } = assignment;
  const isDeleted = step.op === "delete" || course.isReplaced;
  const deleted = isDeleted && course.takes && before !== undefined ? removedFrom(before, [], all) : [];
  const made = madeBy(assignment, course, all, holders);
  const known = new Set(made.map(({ grants, group }) => keyOf(grants, group)));
  return [...made, ...deleted.filter(({ grants, group }) => !known.has(keyOf(grants, group)))];
}

/** Returns what an update, or the create of a replacement, takes away. */
function madeBy(assignment: AssignmentStep, course: Course, all: Program, holders: HoldersOf): Taken[] {
  const { before, after, isSameRole } = assignment;
  if (after === undefined) return [];
  const isKept = before !== undefined && !course.isReplaced;
  const grants = isKept ? before : after;
  if (!course.isExclusive) return isKept ? removedFrom(before, after.groups, all) : [];
  const { tenant, role = "" } = grants;
  const live = [
    ...(before !== undefined && isSameRole ? before.groups : []),
    ...toldLosers(assignment),
    ...(holders(tenant, role) ?? []),
  ];
  return removedFrom(grants, after.groups, all, [...new Set(live)]);
}

function removedFrom(grants: Grants, wanted: readonly string[], all: Program, live = grants.groups): Taken[] {
  if (grants.role === undefined) return [];
  const { remove } = plan(grants, wanted, all.othersOf(grants), live);
  return remove.map((group) => ({ grants, group }));
}

/** Returns the groups that lose the role to an exclusive assignment, according to its lines. */
function toldLosers(assignment: AssignmentStep): string[] {
  return assignment.told("exclusive").flatMap(({ named }) => named);
}

function reasonOfLoss({ step, isSameRole, after }: AssignmentStep): Sentence {
  if (step.op === "delete") return say`is deleted`;
  if (isSameRole && after?.ended === true) return say`has ended (until ${after.until ?? ""})`;
  return after !== undefined && !isSameRole ? say`changes its role` : say``;
}

function whyNotHeld(assignment: AssignmentStep, isOwn: boolean, group: string): Sentence | undefined {
  if (assignment.told("hands over").some(({ named }) => named.includes(group)))
    return say`an assignment outside of this preview lists it`;
  return isOwn && assignment.before?.unconfirmed.includes(group)
    ? say`the change that was to give it was not done, which is not known`
    : undefined;
}

/** Returns at most one row, for the change to a group's role. */
function rowOf(edge: Edge, assignments: readonly AssignmentStep[], holders: HoldersOf): AccessEffect[] {
  const { tenant, role, group, had, wanted, removed } = edge;
  const today = holders(tenant, role)?.has(group);
  if (removed.length > 0) return lostRow(edge, today);
  if (had.length === 0 && wanted.some(({ isSame }) => !isSame))
    return [gainedRow(edge, assignments, today === true)];
  return wanted.length === 0 ? [] : keptRow(edge, today);
}

function gainedRow(edge: Edge, assignments: readonly AssignmentStep[], hasIt: boolean): AccessEffect {
  const changed = changedIn(edge);
  const secret = assignments.find((one) => isSecretHolder(one, edge));
  if (hasIt) {
    const unless = secret && say`${secret.step.name} takes it away, which had it`;
    return row(edge, "keeps", because(changed, say`adds it; it has the role already`), unless);
  }
  const unless = secret && say`it has the role already through ${secret.step.name}`;
  return row(edge, "gains", because(changed, say``), unless);
}

function keptRow(edge: Edge, today: boolean | undefined): AccessEffect[] {
  const { group, had, wanted } = edge;
  const changed = changedIn(edge);
  const isMoved = changed.some((assignment) => !had.includes(assignment));
  const isRepeated = isMoved || changed.some(({ step }) => step.op === "replace");
  if (isRepeated && today === false)
    return [row(edge, "gains", because(changed, say`gives it again; it has lost the role meanwhile`))];
  if (changed.length > 0 && had.every(({ before }) => before?.unconfirmed.includes(group))) {
    const unless = say`an earlier change, of which the outcome is not known, has given it`;
    return [row(edge, "gains", because(changed, say``), unless)];
  }
  const leaving = had.filter((assignment) => !wanted.includes(assignment));
  const mayLoseFirst = leaving.some((assignment) => assignment.mayLoseFirst(group));
  if (!isMoved && !mayLoseFirst && !had.some(({ mayInterrupt }) => mayInterrupt)) return [];
  const by = [
    ...leaving.map((assignment) => ({
      assignment,
      reason: assignment.mayInterrupt
        ? FOR_A_MOMENT
        : assignment.mayLoseFirst(group)
          ? TAKEN_FIRST
          : reasonOfLoss(assignment),
    })),
    ...because(wanted, say``),
  ];
  return [row(edge, "keeps", by)];
}

function changedIn({ wanted }: Edge): AssignmentStep[] {
  return wanted.filter(({ isSame }) => !isSame);
}

function lostRow(edge: Edge, today: boolean | undefined): AccessEffect[] {
  const { removed } = edge;
  const by = removed.map(({ assignment, reason }) => ({
    assignment,
    reason:
      today === false
        ? say`${reason.isEmpty ? say`removes it` : reason}; it does not have the role today`
        : reason,
  }));
  const unless = removed.every((one) => one.unless !== undefined) ? removed[0]?.unless : undefined;
  return [row(edge, "loses", by, unless)];
}

/** True if state may have this grant as a secret. */
function isSecretHolder({ before, isSame }: AssignmentStep, { tenant, role }: Edge): boolean {
  if (isSame || before?.hidden === undefined) return false;
  const isOfTenant = before.tenant === undefined || tenant === undefined || before.tenant === tenant;
  return isOfTenant && (before.role === undefined || before.role === role);
}

interface Because {
  assignment: AssignmentStep;
  reason: Sentence;
}

function because(assignments: readonly AssignmentStep[], reason: Sentence): Because[] {
  return assignments.map((assignment) => {
    const { after, before, isSameRole, mayInterrupt } = assignment;
    const isMoved = before?.role !== undefined && !isSameRole;
    const own = isMoved ? say`changes its role` : mayInterrupt ? FOR_A_MOMENT : say``;
    return { assignment, reason: withUntil(reason.isEmpty ? own : reason, after?.until) };
  });
}

const FOR_A_MOMENT = say`is deleted before it is replaced: the group may be without the role for a moment`;

const TAKEN_FIRST = say`may take it first: the group may be without the role for a moment`;

function withUntil(reason: Sentence, until: string | undefined): Sentence {
  if (until === undefined) return reason;
  return reason.isEmpty ? say`until ${until}` : say`${reason}, until ${until}`;
}

function row(
  { tenant, role, group, had, wanted }: Edge,
  effect: AccessEffect["effect"],
  by: readonly Because[],
  unless?: Sentence,
): AccessEffect {
  const untils = (assignments: readonly AssignmentStep[], side: "before" | "after") =>
    latestOf(assignments.map((assignment) => assignment[side]?.until));
  return {
    tenant,
    role,
    group,
    effect,
    by: by.map(({ assignment: { step }, reason }) => ({
      name: step.name,
      op: step.op,
      line: step.line,
      reason,
    })),
    unless,
    until: effect === "loses" ? undefined : untils(wanted, "after"),
    untilBefore: effect === "keeps" ? untils(had, "before") : undefined,
  };
}

/** Compares state and tenant after a refresh. */
function driftOf(assignments: readonly AssignmentStep[]): AccessEffect[] {
  return new Edges(assignments).sorted().flatMap((edge) => {
    const { had, wanted } = edge;
    const seen = (of: readonly AssignmentStep[]) =>
      of.map((assignment) => ({
        assignment,
        reason: assignment.step.op === "delete" ? say`has no group left` : say``,
      }));
    if (wanted.length === 0) return [row(edge, "loses", seen(had))];
    return had.length === 0 ? [row(edge, "gains", seen(wanted))] : [];
  });
}
