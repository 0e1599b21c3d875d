import { type Effects } from "../../pulumi/effects";
import { id, say, Sentence } from "../../pulumi/sentence";
import { type Step, whyHidden } from "../../pulumi/step";
import { Assignment, type Edges, roleNamed } from "./assignment-step";
import { nearEnd } from "./until";

/** What sends nothing now, and what later runs do otherwise. */
export function notesOf(assignment: Assignment): Effects["notes"] {
  const { step, before, after, isSame, stays } = assignment;
  const notes: Effects["notes"] = [];
  const note = (reason: Sentence) =>
    notes.push({ name: step.name, tenant: (after ?? before)?.tenant, reason });
  const isTaken = assignment.isSameRole && after?.exclusive === true;
  if (before !== undefined && stays !== undefined && !isTaken) {
    const role = before.role === undefined ? say`the role` : say`${id(before.role)}`;
    note(say`nothing is sent: its groups keep ${role}, ${stays}; no resource manages it any more`);
  }
  if (isSame || after === undefined) return notes;
  const role = roleNamed(after);
  if (assignment.becomesExclusive && after.exclusive === true)
    note(say`from now on, each change of it takes ${role} from groups that others gave it to (exclusive)`);
  if (before !== undefined && step.op === "update" && before.isTakenOnDestroy !== after.isTakenOnDestroy)
    note(say`from now on, destroying it ${onDestroy(after, role)} (deleteOnDestroy)`);
  const former = assignment.isSameRole ? before?.until : undefined;
  if (after.ended === true && before?.ended !== true)
    note(
      say`has ended (until ${after.until ?? ""}): it gives ${role} to no group until it is prolonged or removed`,
    );
  else if (before !== undefined && assignment.isSameRole && after.ended !== true && after.until !== former)
    note(
      say`its groups have ${role} ${after.until === undefined ? say`without an end` : say`until ${after.until}`}; ${former === undefined ? say`there was no end` : say`it was until ${former}`}`,
    );
  if (
    before?.exclusive === true &&
    after.exclusive === false &&
    after.ended === false &&
    assignment.isSameRole
  )
    note(say`is no longer exclusive: groups that others give the role to keep it`);
  return notes;
}

/** What is about to end: it depends on the day, and not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Effects["notes"] {
  return steps.flatMap((step) => {
    if (step.kind !== "RoleGroupAssignment") return [];
    const { after } = new Assignment(step);
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
