import {
  type ClaimAfter,
  type ClaimBefore,
  type ClaimInChange,
  type ClaimsOfChange,
  effectsOfChange,
  effectsOfDrift,
  type Loss,
  type Today,
} from "../../../provider/access/change";
import { type Edge, roleKey } from "../../../provider/access/edge";
import { type Claim, type Grant, Grants } from "../../../provider/access/grants";
import { type Effects, noEffects } from "./effects";
import { SECRET } from "../../../provider/seen";
import { type Cases, firstOf, say, type Sentence } from "../../../provider/sentence";
import { type Step } from "./step";
import { type AssignmentSide, assignmentsIn, type AssignmentStep, type Course } from "./assignment-step";
import { doubtsOf, hiddenEndOf } from "./doubts";
import { notesOf } from "./notes";
import { type Listed, plan } from "../../../provider/resources/role-group-assignment/plan";

export { Assignment } from "../../../provider/resources/role-group-assignment/assignment";
export { listedIn, type ListedRole, openRolesIn, rolesListed } from "./listed";
export { endsSoon } from "./notes";

/**
 * Returns the net effect of all assignments: the plan of each step, next to all other steps of the preview.
 * `direct`: the claims on users' roles that other resources make in the same change.
 */
export function roleEffects(
  steps: readonly Step[],
  isDrift: boolean,
  today: Today,
  direct?: ClaimsOfChange,
): Effects {
  const assignments = assignmentsIn(steps);
  if (isDrift) {
    const [before, after] = [claimsOf(assignments, "before", seen), claimsOf(assignments, "after", seen)];
    return { ...noEffects(), access: effectsOfDrift({ before, after }) };
  }
  const hiding = assignments.filter(({ before, isSame }) => !isSame && before?.hidden !== undefined);
  const taking = assignments.filter(({ exclusive }) => exclusive !== false);
  const access = effectsOfChange({
    before: claimsOf(assignments, "before", claimsBefore(assignments)).and(direct?.before ?? []),
    after: claimsOf(assignments, "after", claimAfter).and(direct?.after ?? []),
    losses: lossesOf(assignments, today).and(direct?.losses ?? []),
    today,
    secretly: (edge) => hiding.find(({ before }) => before && mayBeOf(before, edge))?.step.name,
    taker: (edge) => taking.find(({ after }) => after && mayBeOf(after, edge))?.step.name,
  });
  const lost = new Grants(
    access.filter(({ effect }) => effect === "loses").map((row) => ({ ...row, by: [] })),
  );
  return {
    ...noEffects(),
    access,
    unknown: assignments.flatMap((assignment) => [
      ...doubtsOf(assignment, today),
      ...hiddenEndOf(assignment, (edge) => lost.has(edge)),
    ]),
    notes: assignments.flatMap(notesOf),
    categories: assignments.some(({ becomesExclusive }) => becomesExclusive) ? ["exclusive"] : [],
  };
}

function claimsOf<Of>(
  assignments: readonly AssignmentStep[],
  when: "before" | "after",
  claimOf: (assignment: AssignmentStep, edge: Edge) => Of,
): Grants<Claim & Of> {
  return new Grants(
    assignments.flatMap((assignment) => {
      const { name, line } = assignment.step;
      const { edges = [], until, hiddenEnd } = assignment[when] ?? {};
      const end = { until, ...(hiddenEnd !== undefined && { isEndHidden: true }) };
      return edges.map((edge) => ({
        ...edge,
        by: [{ name, line, ...end, ...claimOf(assignment, edge) }],
      }));
    }),
  );
}

function seen({ step: { op } }: AssignmentStep): Omit<ClaimInChange, keyof Claim> {
  return { op, reason: op === "delete" ? say`has no group left` : say`` };
}

function claimsBefore(assignments: readonly AssignmentStep[]) {
  return (assignment: AssignmentStep, edge: Edge): Omit<ClaimBefore, keyof Claim> => {
    const { step, before, after, mayInterrupt } = assignment;
    const isLeaving = after?.lists(edge) !== true;
    const isTakenFirst =
      isLeaving &&
      assignment.mayLoseFirst(edge, () =>
        assignments.every((other) => other.after?.lists(edge) !== true || step.isAfter(other.step)),
      );
    return {
      op: step.op,
      reason:
        firstOf([
          [mayInterrupt, () => FOR_A_MOMENT],
          [isTakenFirst, () => TAKEN_FIRST],
        ]) ?? reasonOfLoss(assignment),
      isUnconfirmed: before?.isUnconfirmed(edge) === true,
      isLeaving,
      mayInterrupt: mayInterrupt || isTakenFirst,
      // A later run still deletes what waits for it.
      left: isLeaving && step.leaves !== "later" ? assignment.left : undefined,
    };
  };
}

function claimAfter(assignment: AssignmentStep, edge: Edge): Omit<ClaimAfter, keyof Claim> {
  const { step, before, isSame, isSameRole, mayInterrupt } = assignment;
  const cases: Cases<Sentence> = [
    [before?.at !== undefined && !isSameRole, () => CHANGES_ROLE],
    [mayInterrupt, () => FOR_A_MOMENT],
  ];
  return {
    op: step.op,
    reason: firstOf(cases) ?? say``,
    isChanged: !isSame,
    isNew: before?.lists(edge) !== true,
  };
}

const IS_DELETED = say`is deleted`;

const CHANGES_ROLE = say`changes its role`;

const FOR_A_MOMENT = say`is deleted before it is replaced: the group may be without the role for a moment`;

const TAKEN_FIRST = say`may take it first: the group may be without the role for a moment`;

function reasonOfLoss({ step, isSameRole, after }: AssignmentStep): Sentence {
  return (
    firstOf([
      [step.op === "delete", () => IS_DELETED],
      [isSameRole && after?.hasEnded === true, () => say`has ended (until ${after?.until ?? ""})`],
      [!isSameRole && after !== undefined, () => CHANGES_ROLE],
    ]) ?? say``
  );
}

/** Returns what the steps revoke, either certainly or in some of their possible outcomes. */
function lossesOf(assignments: readonly AssignmentStep[], today: Today): Grants<Loss> {
  const program = new Program(assignments);
  const changing = assignments.filter(({ isSame }) => !isSame);
  return new Grants(changing.flatMap((assignment) => lossesOfStep(assignment, program, today)));
}

function lossesOfStep(assignment: AssignmentStep, program: Program, today: Today): Grant<Loss>[] {
  const { step, before, courses, doubt } = assignment;
  const { name, line, op } = step;
  const lost = courses.map((course) => new Grants(lostBy(assignment, course, program, today)));
  const [all = new Grants(), ...others] = lost;
  return [...others.reduce((union, ofCourse) => union.and(ofCourse), all)].map((edge) => {
    const isCertain = lost.every((ofCourse) => ofCourse.has(edge));
    const reason = before?.lists(edge) === true ? reasonOfLoss(assignment) : say`is exclusive`;
    const unless = isCertain
      ? (program.whyUnknown(assignment, edge) ?? whyNotThere(assignment, edge))
      : doubt;
    return { ...edge, by: [{ name, line, op, reason, unless }] };
  });
}

/** Returns what one outcome of a step revokes: an update, or a delete with or without a create. */
function lostBy(
  assignment: AssignmentStep,
  { isReplaced, revokes, isExclusive }: Course,
  program: Program,
  today: Today,
): Edge[] {
  const { before, after } = assignment;
  const deleted = revokes && before ? program.lostFrom(before, []) : [];
  if (after === undefined) return deleted;
  const kept = isReplaced ? undefined : before;
  const side = kept ?? after;
  const live = isExclusive ? everyone(assignment, side, today) : (kept?.groups ?? []);
  return [...program.lostFrom(side, after.groups, live), ...deleted];
}

/** Returns all groups that are known to have the role. */
function everyone(assignment: AssignmentStep, side: AssignmentSide, today: Today): string[] {
  const own = assignment.isSameRole ? (assignment.before?.groups ?? []) : [];
  const named = assignment.told.exclusive.flatMap(({ takes }) => takes);
  return [...new Set([...own, ...named, ...(side.groupsToday(today) ?? [])])];
}

function whyNotThere(assignment: AssignmentStep, edge: Edge): Sentence | undefined {
  const says = assignment.saidOf(edge);
  return firstOf([
    [
      says.includes("hands over") || says.includes("may hand over"),
      () => say`an assignment outside of this preview lists it`,
    ],
    [
      assignment.before?.isUnconfirmed(edge) === true,
      () => say`the change that was to give it was not done, which is not known`,
    ],
  ]);
}

/** The program's assignments after the change. */
class Program {
  readonly #listed: Grants;
  readonly #hidden: readonly AssignmentStep[];
  /** By tenant and role. */
  readonly #mayList = new Map<string, AssignmentStep | undefined>();

  constructor(assignments: readonly AssignmentStep[]) {
    const declared = assignments.filter(({ step }) => !step.isSpared);
    const inTargets = declared.filter(({ step }) => !step.isOutside);
    this.#listed = new Grants(inTargets.flatMap(({ after }) => after?.edges ?? []));
    this.#hidden = declared.filter(({ step, after }) => step.isOutside || after?.hidden !== undefined);
  }

  /** Returns what leaves an assignment, or the `live` groups. Groups that it lists itself never do. */
  lostFrom(side: AssignmentSide, listed: readonly string[], live = side.groups): Edge[] {
    const elsewhere = { of: (group: string) => this.#of(side.edgeOf(group)) };
    const { revoke } = plan(side, listed, elsewhere, live);
    return side.edgesOf(revoke);
  }

  /** `edge`: undefined for a role that doesn't show. */
  #of(edge: Edge | undefined): Listed {
    if (edge === undefined) return { listed: "unknown" };
    if (this.#listed.has(edge)) return { listed: "yes", isSure: true };
    return { listed: this.#mayBeListedBy(edge) === undefined ? "no" : "unknown" };
  }

  /** The answer is one for all groups of a role. */
  #mayBeListedBy(edge: Edge): AssignmentStep | undefined {
    const key = JSON.stringify([edge.tenant, roleKey(edge)]);
    if (!this.#mayList.has(key))
      this.#mayList.set(
        key,
        this.#hidden.find((hidden) => mayList(hidden, edge)),
      );
    return this.#mayList.get(key);
  }

  /** Returns why a group may keep a role that it seems to lose. */
  whyUnknown(self: AssignmentStep, edge: Edge): Sentence | undefined {
    const one = this.#mayBeListedBy(edge);
    if (one === undefined) return undefined;
    const { step, after } = one;
    return (
      firstOf([
        [step.isOutside === true, () => say`${step.name} lists it, which is not a target of this run`],
        [one !== self, () => say`${step.name} lists it`],
        [after?.at === undefined, () => say`it keeps its role`],
        [after?.hidden === SECRET, () => say`it is among its secret groups`],
      ]) ?? say`it is among its groups that are not known yet`
    );
  }
}

/** True if an assignment with hidden values may list a group of a role. */
function mayList({ step, after }: AssignmentStep, edge: Edge): boolean {
  if (after === undefined) return step.isOutside === true;
  // For a step outside the targets, the preview shows the state, and the program may say something else by
  // now.
  return mayBeOf(after, edge, step.isOutside);
}

/** True if an assignment is of this role, or may turn out to be. `isOpen`: whatever role it has now. */
function mayBeOf(side: AssignmentSide, edge: Edge, isOpen = false): boolean {
  const isOfTenant = side.tenant === undefined || edge.tenant === undefined || side.tenant === edge.tenant;
  const isOfKind = side.isInOrganization === (edge.organization !== undefined);
  return isOfTenant && isOfKind && (isOpen || side.at === undefined || side.isOf(edge));
}
