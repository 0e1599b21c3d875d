import { type Effects } from "../../pulumi/effects";
import { id, say, Sentence } from "../../pulumi/sentence";
import { type Step, whyHidden } from "../../pulumi/step";
import { AssignmentStep, type Edges, roleNamed } from "./assignment-step";
import { nearEnd } from "./until";

/** What sends nothing now, and what later runs do otherwise. */
export function notesOf(assignment: AssignmentStep): Effects["notes"] {
  const { step, before, after, isSame } = assignment;
  const reasons = [
    keptByGroups(assignment),
    ...(isSame || after === undefined
      ? []
      : [
          alreadyDeleted(assignment),
          newlyExclusive(assignment, after),
          newDeleteOnDestroy(assignment, after),
          newEnd(assignment, after),
          noLongerExclusive(assignment, after),
        ]),
  ];
  const tenant = (after ?? before)?.tenant;
  return reasons
    .filter((reason) => reason !== undefined)
    .map((reason) => ({ name: step.name, tenant, reason }));
}

function keptByGroups({ before, after, stays, isSameRole }: AssignmentStep): Sentence | undefined {
  const isTaken = isSameRole && after?.exclusive === true;
  if (before === undefined || stays === undefined || isTaken) return undefined;
  const role = before.role === undefined ? say`the role` : say`${id(before.role)}`;
  return say`nothing is sent: its groups keep ${role}, ${stays}`;
}

/** The package does not know that: its line may say that groups lose the role now. */
function alreadyDeleted({ step }: AssignmentStep): Sentence | undefined {
  if (!step.isGone) return undefined;
  return say`an earlier run has deleted the one that it replaces: no group loses a role now`;
}

function newlyExclusive({ becomesExclusive }: AssignmentStep, after: Edges): Sentence | undefined {
  if (!becomesExclusive || after.exclusive !== true) return undefined;
  return say`from now on, each change of it takes ${roleNamed(after)} from groups that others gave it to (exclusive)`;
}

function newDeleteOnDestroy({ step, before }: AssignmentStep, after: Edges): Sentence | undefined {
  if (step.op !== "update" || before === undefined) return undefined;
  if (before.isTakenOnDestroy === after.isTakenOnDestroy) return undefined;
  return say`from now on, destroying it ${onDestroy(after, roleNamed(after))} (deleteOnDestroy)`;
}

function newEnd({ before, isSameRole }: AssignmentStep, after: Edges): Sentence | undefined {
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

function noLongerExclusive({ before, isSameRole }: AssignmentStep, after: Edges): Sentence | undefined {
  const leavesOthers = after.exclusive === false && after.ended === false;
  if (!isSameRole || before?.exclusive !== true || !leavesOthers) return undefined;
  return say`is no longer exclusive: groups that others give the role to keep it`;
}

/** What is about to end: it depends on the day, and not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Effects["notes"] {
  return steps.flatMap((step) => {
    if (step.kind !== "RoleGroupAssignment") return [];
    const { after } = new AssignmentStep(step);
    const when =
      after?.until === undefined || after.ended === true ? undefined : nearEnd(after.until, moment);
    if (after?.until === undefined || when === undefined) return [];
    const role = roleNamed(after);
    const reason = say`until ${after.until}, ${new Sentence([when])}: then its groups lose ${role}`;
    return [{ name: step.name, tenant: after.tenant, reason }];
  });
}

function onDestroy({ isTakenOnDestroy }: Edges, role: Sentence): Sentence {
  if (isTakenOnDestroy === true) return say`takes ${role} from its groups`;
  if (isTakenOnDestroy === false) return say`leaves ${role} to its groups`;
  return say`may take ${role} from its groups: whether it does is ${whyHidden(isTakenOnDestroy)}`;
}
