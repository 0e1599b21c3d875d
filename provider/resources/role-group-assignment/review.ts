import {
  type ClaimAfter,
  type ClaimBefore,
  type ClaimInChange,
  effectsOfChange,
  effectsOfDrift,
  type Loss,
} from "../../access/change";
import { type Edge, edgeKey, sortedEdges } from "../../access/edge";
import { type Claim, Grants } from "../../access/grants";
import { type Effects, type HoldersOf, noEffects } from "../../review/effects";
import { say, type Sentence } from "../../sentence";
import { type Step } from "../../review/step";
import {
  type AssignmentSide,
  assignmentsIn,
  type AssignmentStep,
  type Course,
  names,
} from "./assignment-step";
import { doubtsOf } from "./doubts";
import { notesOf } from "./notes";
import { plan } from "./plan";

export { listedIn, type ListedRole, openRolesIn, rolesListed } from "./listed";
export { endsSoon } from "./notes";

/**
 * Returns the net effect of all assignments: the plan of each step, next to all other steps of the preview.
 */
export function roleEffects(steps: readonly Step[], isDrift: boolean, holders: HoldersOf): Effects {
  const assignments = assignmentsIn(steps);
  if (isDrift) {
    const [before, after] = [claimsOf(assignments, "before", seen), claimsOf(assignments, "after", seen)];
    return { ...noEffects(), access: effectsOfDrift({ before, after }) };
  }
  const hiding = assignments.filter(({ before, isSame }) => !isSame && before?.hidden !== undefined);
  return {
    ...noEffects(),
    access: effectsOfChange({
      before: claimsOf(assignments, "before", claimsBefore(assignments)),
      after: claimsOf(assignments, "after", claimAfter),
      losses: lossesOf(assignments, holders),
      isThere: (edge) =>
        "group" in edge.holder ? holders(edge.tenant, edge)?.has(edge.holder.group) : undefined,
      secretly: (edge) => hiding.find(({ before }) => before && mayBeOf(before, edge))?.step.name,
    }),
    unknown: assignments.flatMap((assignment) => doubtsOf(assignment, holders)),
    notes: assignments.flatMap(notesOf),
    categories: assignments.some(({ becomesExclusive }) => becomesExclusive) ? ["exclusive"] : [],
  };
}

function claimsOf<Of>(
  assignments: readonly AssignmentStep[],
  when: "before" | "after",
  claimOf: (assignment: AssignmentStep, edge: Edge) => Of,
): Grants<Claim & Of> {
  const grants = new Grants<Claim & Of>();
  for (const assignment of assignments) {
    const { step, [when]: side } = assignment;
    for (const edge of side?.edges ?? [])
      grants.add(edge, {
        name: step.name,
        line: step.line,
        until: side?.until,
        ...claimOf(assignment, edge),
      });
  }
  return grants;
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
      reason: mayInterrupt ? FOR_A_MOMENT : isTakenFirst ? TAKEN_FIRST : reasonOfLoss(assignment),
      isUnconfirmed: before?.isUnconfirmed(edge) === true,
      isLeaving,
      mayInterrupt: mayInterrupt || isTakenFirst,
    };
  };
}

function claimAfter(assignment: AssignmentStep, edge: Edge): Omit<ClaimAfter, keyof Claim> {
  const { step, before, isSame, isSameRole, mayInterrupt } = assignment;
  const isOfNewRole = before?.at !== undefined && !isSameRole;
  return {
    op: step.op,
    reason: isOfNewRole ? say`changes its role` : mayInterrupt ? FOR_A_MOMENT : say``,
    isChanged: !isSame,
    isNew: before?.lists(edge) !== true,
  };
}

const FOR_A_MOMENT = say`is deleted before it is replaced: the group may be without the role for a moment`;

const TAKEN_FIRST = say`may take it first: the group may be without the role for a moment`;

function reasonOfLoss({ step, isSameRole, after }: AssignmentStep): Sentence {
  if (step.op === "delete") return say`is deleted`;
  if (isSameRole && after?.ended === true) return say`has ended (until ${after.until ?? ""})`;
  return after !== undefined && !isSameRole ? say`changes its role` : say``;
}

/** Returns what the steps revoke, either certainly or in some of their possible outcomes. */
function lossesOf(assignments: readonly AssignmentStep[], holders: HoldersOf): Grants<Loss> {
  const program = new Program(assignments);
  const losses = new Grants<Loss>();
  for (const assignment of assignments.filter(({ isSame }) => !isSame)) {
    const { step, before, courses, doubt } = assignment;
    const lost = courses.map((course) => lostBy(assignment, course, program, holders));
    const keys = lost.map((edges) => new Set(edges.map(edgeKey)));
    for (const edge of sortedEdges(lost.flat())) {
      const isOwn = before?.lists(edge) === true;
      const isInAll = keys.every((ofCourse) => ofCourse.has(edgeKey(edge)));
      losses.add(edge, {
        name: step.name,
        line: step.line,
        op: step.op,
        reason: isOwn ? reasonOfLoss(assignment) : say`is exclusive`,
        unless: isInAll ? (program.whyUnknown(assignment, edge) ?? whyNotHeld(assignment, edge)) : doubt,
      });
    }
  }
  return losses;
}

/** Returns what one outcome of a step revokes: an update, or a delete with or without a create. */
function lostBy(
  assignment: AssignmentStep,
  { isReplaced, revokes, isExclusive }: Course,
  program: Program,
  holders: HoldersOf,
): Edge[] {
  const { before, after } = assignment;
  const deleted = revokes && before ? program.lostFrom(before, []) : [];
  if (after === undefined) return deleted;
  const kept = isReplaced ? undefined : before;
  const side = kept ?? after;
  const live = isExclusive ? everyone(assignment, side, holders) : (kept?.groups ?? []);
  return [...program.lostFrom(side, after.groups, live), ...deleted];
}

/** Returns all groups that are known to have the role. */
function everyone(assignment: AssignmentStep, { tenant, at }: AssignmentSide, holders: HoldersOf): string[] {
  const own = assignment.isSameRole ? (assignment.before?.groups ?? []) : [];
  const told = assignment.told("exclusive").flatMap(({ named }) => named);
  const today = at === undefined ? undefined : holders(tenant, at);
  return [...new Set([...own, ...told, ...(today ?? [])])];
}

function whyNotHeld(assignment: AssignmentStep, edge: Edge): Sentence | undefined {
  const handedOver = [...assignment.told("hands over"), ...assignment.told("may hand over")];
  if (handedOver.some((groups) => names(groups, edge)))
    return say`an assignment outside of this preview lists it`;
  return assignment.before?.isUnconfirmed(edge) === true
    ? say`the change that was to give it was not done, which is not known`
    : undefined;
}

/** The program's assignments after the change. */
class Program {
  readonly #listed: ReadonlySet<string>;
  readonly #hidden: readonly AssignmentStep[];

  constructor(assignments: readonly AssignmentStep[]) {
    const declared = assignments.filter(({ step }) => !step.isSpared);
    const inTargets = declared.filter(({ step }) => !step.isOutside);
    this.#listed = new Set(inTargets.flatMap(({ after }) => after?.edges ?? []).map(edgeKey));
    this.#hidden = declared.filter(({ step, after }) => step.isOutside || after?.hidden !== undefined);
  }

  /** Returns what leaves an assignment, or the `live` groups. Groups that it lists itself never do. */
  lostFrom(side: AssignmentSide, wanted: readonly string[], live = side.groups): Edge[] {
    const isListed = (edge: Edge | undefined) => edge !== undefined && this.#listed.has(edgeKey(edge));
    const { revoke } = plan(side, wanted, { lists: (group) => isListed(side.edgeOf(group)) }, live);
    return revoke.flatMap((group) => side.edgeOf(group) ?? []);
  }

  /** Returns why a group may keep a role that it seems to lose. */
  whyUnknown(self: AssignmentStep, edge: Edge): Sentence | undefined {
    const one = this.#hidden.find((hidden) => mayList(hidden, edge));
    if (one === undefined) return undefined;
    const { step, after } = one;
    if (step.isOutside) return say`${step.name} lists it, which is not a target of this run`;
    if (one !== self) return say`${step.name} lists it`;
    if (after?.at === undefined) return say`it keeps its role`;
    return after.hidden === "secret"
      ? say`it is among its secret groups`
      : say`it is among its groups that are not known yet`;
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
