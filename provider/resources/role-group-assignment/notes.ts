import { type Note } from "../../review/effects";
import { say, Sentence } from "../../sentence";
import { type Step, whyHidden } from "../../review/step";
import { type AssignmentSide, assignmentsIn, type AssignmentStep, roleNamed } from "./assignment-step";
import { nearEnd } from "../../access/until";

/** Returns notes on steps that send nothing now but change what later runs do. */
export function notesOf(assignment: AssignmentStep): Note[] {
  const { step, before, after, isSame } = assignment;
  const tenant = (after ?? before)?.tenant;
  return [
    keptByGroups(assignment),
    ...(isSame || after === undefined ? [] : lastingChanges(assignment, after)),
  ].flatMap((reason) => (reason === undefined ? [] : [{ name: step.name, tenant, reason }]));
}

function keptByGroups({ before, after, stays, isSameRole }: AssignmentStep): Sentence | undefined {
  const isTaken = isSameRole && after?.exclusive === true;
  if (before === undefined || stays === undefined || isTaken) return undefined;
  return say`nothing is sent: its groups keep ${roleNamed(before)}, ${stays}`;
}

function lastingChanges(assignment: AssignmentStep, after: AssignmentSide): (Sentence | undefined)[] {
  return [
    replaced(assignment, after),
    exclusivity(assignment, after),
    laterDestroy(assignment, after),
    newEnd(assignment, after),
  ];
}

function replaced(assignment: AssignmentStep, after: AssignmentSide): Sentence | undefined {
  const { step, before, isSameRole } = assignment;
  // The package doesn't know that, so its line may say that groups lose the role now.
  if (step.isGone) return say`an earlier run has deleted the one that it replaces: no group loses a role now`;
  if (step.op !== "replace" || before === undefined || !isSameRole) return undefined;
  if (keptByGroups(assignment) !== undefined) return undefined;
  return say`is replaced by one of the same role: groups that both list keep ${roleNamed(after)}`;
}

function exclusivity(
  { before, isSameRole, becomesExclusive }: AssignmentStep,
  after: AssignmentSide,
): Sentence | undefined {
  if (becomesExclusive && after.exclusive === true)
    return say`from now on, each change of it takes ${roleNamed(after)} from groups that others gave it to (exclusive)`;
  const leavesOthers = after.exclusive === false && after.ended === false;
  if (!isSameRole || before?.exclusive !== true || !leavesOthers) return undefined;
  return say`is no longer exclusive: groups that others give the role to keep it`;
}

function laterDestroy({ step, before }: AssignmentStep, after: AssignmentSide): Sentence | undefined {
  if (step.op !== "update" || before?.isRevokedOnDestroy === after.isRevokedOnDestroy) return undefined;
  return say`from now on, destroying it ${onDestroy(after, roleNamed(after))} (deleteOnDestroy)`;
}

function onDestroy({ isRevokedOnDestroy: isRevoked }: AssignmentSide, role: Sentence): Sentence {
  if (isRevoked === true) return say`takes ${role} from its groups`;
  if (isRevoked === false) return say`leaves ${role} to its groups`;
  return say`may take ${role} from its groups: whether it does is ${whyHidden(isRevoked)}`;
}

function newEnd({ before, isSameRole }: AssignmentStep, after: AssignmentSide): Sentence | undefined {
  const role = roleNamed(after);
  if (after.ended === true) {
    if (before?.ended === true) return undefined;
    return say`has ended (until ${after.until ?? ""}): it gives ${role} to no group until it is prolonged or removed`;
  }
  if (before === undefined || !isSameRole || before.until === after.until) return undefined;
  const now = after.until === undefined ? say`without an end` : say`until ${after.until}`;
  const was = before.until === undefined ? say`there was no end` : say`it was until ${before.until}`;
  return say`its groups have ${role} ${now}; ${was}`;
}

/** Notes grants that end soon: this depends on the day, not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Note[] {
  return assignmentsIn(steps).flatMap(({ step, after }) => {
    if (after?.until === undefined || after.ended === true) return [];
    const when = nearEnd(after.until, moment);
    if (when === undefined) return [];
    const reason = say`until ${after.until}, ${new Sentence([when])}: then its groups lose ${roleNamed(after)}`;
    return [{ name: step.name, tenant: after.tenant, reason }];
  });
}
