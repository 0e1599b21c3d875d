import { type Note } from "../../pulumi/effects";
import { id, list, say, Sentence } from "../../pulumi/sentence";
import { type Step, whyHidden } from "../../pulumi/step";
import { AssignmentStep, type Edges, roleNamed } from "./assignment-step";
import { LEFT_OVER } from "./lines";
import { nearEnd } from "./until";

/**
 * What sends nothing now, and what later runs do otherwise. `isKept`: whether a group keeps the role, and no
 * assignment gives, takes or lists it.
 */
export function notesOf(assignment: AssignmentStep, isKept: (group: string) => boolean): Note[] {
  const { step, before, after, isSame } = assignment;
  const tenant = (after ?? before)?.tenant;
  return [
    keptByGroups(assignment),
    keptAsHandedOver(assignment, isKept),
    ...(isSame || after === undefined ? [] : lastingChanges(assignment, after)),
  ].flatMap((reason) => (reason === undefined ? [] : [{ name: step.name, tenant, reason }]));
}

function keptByGroups({ before, after, stays, isSameRole }: AssignmentStep): Sentence | undefined {
  const isTaken = isSameRole && after?.exclusive === true;
  if (before === undefined || stays === undefined || isTaken) return undefined;
  const role = before.role === undefined ? say`the role` : say`${id(before.role)}`;
  return say`nothing is sent: its groups keep ${role}, ${stays}`;
}

/** No delete takes away what was handed over: it can't know who has it by now. */
function keptAsHandedOver(
  { before, isEnd, stays }: AssignmentStep,
  isKept: (group: string) => boolean,
): Sentence | undefined {
  if (before === undefined || !isEnd || stays !== undefined) return undefined;
  const groups = before.handedOver.filter(isKept);
  if (groups.length === 0) return undefined;
  const verb = groups.length === 1 ? say`keeps` : say`keep`;
  return say`nothing is sent: ${list(groups.map(id))} ${verb} ${roleNamed(before)}, ${new Sentence([LEFT_OVER])}`;
}

function lastingChanges(assignment: AssignmentStep, after: Edges): (Sentence | undefined)[] {
  const { step, before, isSameRole, becomesExclusive } = assignment;
  const role = roleNamed(after);
  const leavesOthers = after.exclusive === false && after.ended === false;
  return [
    // The package does not know that: its line may say that groups lose the role now.
    step.isGone
      ? say`an earlier run has deleted the one that it replaces: no group loses a role now`
      : undefined,
    becomesExclusive && after.exclusive === true
      ? say`from now on, each change of it takes ${role} from groups that others gave it to (exclusive)`
      : undefined,
    step.op === "update" && before !== undefined && before.isTakenOnDestroy !== after.isTakenOnDestroy
      ? say`from now on, destroying it ${onDestroy(after, role)} (deleteOnDestroy)`
      : undefined,
    newEnd(assignment, after),
    isSameRole && before?.exclusive === true && leavesOthers
      ? say`is no longer exclusive: groups that others give the role to keep it`
      : undefined,
  ];
}

function onDestroy({ isTakenOnDestroy: isTaken }: Edges, role: Sentence): Sentence {
  if (isTaken === true) return say`takes ${role} from its groups`;
  if (isTaken === false) return say`leaves ${role} to its groups`;
  return say`may take ${role} from its groups: whether it does is ${whyHidden(isTaken)}`;
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

/** What is about to end: it depends on the day, and not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Note[] {
  return steps.flatMap((step) => {
    if (step.kind !== "RoleGroupAssignment") return [];
    const { after } = new AssignmentStep(step);
    if (after?.until === undefined || after.ended === true) return [];
    const when = nearEnd(after.until, moment);
    if (when === undefined) return [];
    const reason = say`until ${after.until}, ${new Sentence([when])}: then its groups lose ${roleNamed(after)}`;
    return [{ name: step.name, tenant: after.tenant, reason }];
  });
}
