import { type Note } from "./effects";
import {
  allOf,
  type Cases,
  firstOf,
  optional,
  say,
  type Sentence,
  tail,
  word,
} from "../../../provider/sentence";
import { mayBeUpdated, type Step, whyHidden } from "./step";
import { type AssignmentSide, assignmentsIn, type AssignmentStep, roleNamed } from "./assignment-step";
import { nearEnd } from "../../../provider/access/until";

/** Returns notes on steps that send nothing now but change what later runs do. */
export function notesOf(assignment: AssignmentStep): Note[] {
  const { step, before, after, isSame, isSameRole, sides } = assignment;
  if (isSame) return [];
  const isTaken = isSameRole && after?.exclusive === true;
  const left = optional(assignment.left).filter(() => !isTaken && !mayBeUpdated(step));
  const reasons = [
    ...left.map((why) => say`nothing is sent: its groups keep ${roleNamed(before)}, ${why}`),
    ...optional(after).flatMap((side) => lastingChanges(assignment, side, left.length > 0)),
  ];
  return reasons.map((reason) => ({ name: step.name, tenant: sides.at(-1)?.tenant, reason }));
}

/** `isLeft`: its groups before keep the role. */
function lastingChanges(assignment: AssignmentStep, after: AssignmentSide, isLeft: boolean): Sentence[] {
  const { step, before, isSameRole, becomesExclusive } = assignment;
  const role = roleNamed(after);
  const ofRole = isSameRole ? before : undefined;
  return allOf([
    [
      // The package doesn't know that, so its line may say that groups lose the role now.
      step.isGone === true,
      () => say`an earlier run has deleted the one that it replaces: no group loses a role now`,
    ],
    [
      step.op === "replace" && !step.isGone && ofRole !== undefined && !isLeft,
      () => say`is replaced by one of the same role: groups that both list keep ${role}`,
    ],
    [
      becomesExclusive && after.exclusive === true,
      () => say`from now on, each change of it takes ${role} from groups that others gave it to (exclusive)`,
    ],
    [
      ofRole?.exclusive === true && after.exclusive === false && !after.hasEnded,
      () => say`is no longer exclusive: groups that others give the role to keep it`,
    ],
    [
      step.op === "update" && before?.isRevokedOnDestroy !== after.isRevokedOnDestroy,
      () => say`from now on, destroying it ${onDestroy(after, role)} (deleteOnDestroy)`,
    ],
    ...endCases(after, before?.hasEnded === true, ofRole),
  ]);
}

/** `ofRole`: the assignment before, if its role stays. */
function endCases(
  after: AssignmentSide,
  hadEnded: boolean,
  ofRole: AssignmentSide | undefined,
): Cases<Sentence> {
  const [was, is] = [ofRole?.until, after.until];
  const { hasEnded } = after;
  const isEndShown = ofRole?.hiddenEnd === undefined && after.hiddenEnd === undefined;
  return [
    [
      hasEnded && !hadEnded,
      () =>
        say`has ended (until ${is ?? ""}): it gives ${roleNamed(after)} to no group until it is prolonged or removed`,
    ],
    [
      // Rows have the ends of groups that show.
      !hasEnded && ofRole !== undefined && after.hidden !== undefined && isEndShown && was !== is,
      () => {
        const end = tail`until ${is}`.or(say`without an end`);
        return say`its groups have ${roleNamed(after)} ${end}; ${tail`it was until ${was}`.or(say`there was no end`)}`;
      },
    ],
  ];
}

function onDestroy({ isRevokedOnDestroy: isRevoked }: AssignmentSide, role: Sentence): Sentence {
  return (
    firstOf([
      [isRevoked === true, () => say`takes ${role} from its groups`],
      [isRevoked === false, () => say`leaves ${role} to its groups`],
    ]) ?? say`may take ${role} from its groups: whether it does is ${whyHidden(isRevoked)}`
  );
}

/** Notes grants that end soon: this depends on the day, not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Note[] {
  return assignmentsIn(steps).flatMap(({ step: { name }, after }) =>
    optional(after)
      .filter(({ hasEnded }) => !hasEnded)
      .flatMap((side) => {
        const { tenant, until = "" } = side;
        return optional(nearEnd(until, moment)).map((when) => {
          const reason = say`until ${until}, ${word(when)}: then its groups lose ${roleNamed(side)}`;
          return { name, tenant, reason };
        });
      }),
  );
}
