import { isDeepStrictEqual } from "node:util";
import { type Today } from "../../../provider/access/change";
import { type Edge } from "../../../provider/access/edge";
import { type NotReviewable } from "./effects";
import { type Category } from "../../../provider/review/categories";
import { firstOf, id, list, optional, say, type Sentence, some, tail } from "../../../provider/sentence";
import { type Step, whyHidden } from "./step";
import { type Hidden, isKnown, UNKNOWN } from "../../../provider/seen";
import { type AssignmentSide, type AssignmentStep, roleNamed } from "./assignment-step";

/** Returns everything in a step that can't be reviewed, with reasons. */
export function doubtsOf(assignment: AssignmentStep, today: Today): NotReviewable[] {
  return [...hiddenOf(assignment), ...exclusiveOf(assignment, today)];
}

function hiddenOf(assignment: AssignmentStep): NotReviewable[] {
  const { step, before, after, isSame, left } = assignment;
  if (after === undefined && left !== undefined) return hiddenGroupsLeft(assignment);
  if (isSame || leavesGroups(assignment)) return [];
  const shown = after ?? before;
  if (shown?.hidden !== undefined)
    return [assignment.unknown(hiddenGroups(shown, shown.hidden, after === undefined), CATEGORIES[step.op])];
  return optional(before?.hidden).map(() =>
    assignment.unknown(say`the groups that it had are secret`, ["revoke"]),
  );
}

/** Groups that keep the role keep it without an end, since no resource manages it any more. */
function hiddenGroupsLeft(assignment: AssignmentStep): NotReviewable[] {
  const { step, before } = assignment;
  const { hidden, until, endText } = before ?? {};
  if (hidden === undefined || endText === undefined || step.leaves === "later") return [];
  const end = tail` (it was until ${until})`;
  const reason = say`which groups keep ${roleNamed(before)} without an end${end} is ${whyHidden(hidden)}`;
  return [assignment.unknown(reason, ["grant"])];
}

/** Returns a doubt if nobody sees how the end of its grants moves. `isLost`: a row has what is revoked. */
export function hiddenEndOf(assignment: AssignmentStep, isLost: (edge: Edge) => boolean): NotReviewable[] {
  const { before, after, isSame, mayMoveEnd } = assignment;
  if (isSame) return [];
  const mayMove = (side: AssignmentSide | undefined, other: AssignmentSide | undefined) =>
    side?.hiddenEnd !== undefined &&
    side.edges.some((edge) => !isLost(edge) && (mayMoveEnd || other?.lists(edge) !== true));
  const role = roleNamed(after ?? before);
  return (
    firstOf([
      [
        mayMove(after, before),
        () => [
          assignment.unknown(
            say`until when its groups have ${role} is ${whyHidden(after?.hiddenEnd)}`,
            before === undefined ? ["grant"] : ["grant", "revoke"],
          ),
        ],
      ],
      [
        mayMove(before, after),
        () => [
          assignment.unknown(say`until when its groups had ${role} is ${whyHidden(before?.hiddenEnd)}`, [
            "grant",
            "revoke",
          ]),
        ],
      ],
    ]) ?? []
  );
}

/** True if an update changes neither role, groups nor end. */
function leavesGroups({ step, after, mayMoveEnd }: AssignmentStep): boolean {
  // Pulumi gives no reasons for the update that empties the list after the end.
  const mayEnd = step.differs.length === 0 && after?.endText !== undefined;
  return (
    step.op === "update" &&
    !step.isHalfDone &&
    after?.hidden !== UNKNOWN &&
    !mayEnd &&
    !mayMoveEnd &&
    !step.differs.some((name) => ["organizationId", "roleId", "groupIds"].includes(name))
  );
}

function hiddenGroups(side: AssignmentSide, hidden: Hidden, isEnd: boolean): Sentence {
  const { at, groups, isInOrganization, newRole } = side;
  const [why, named] = [whyHidden(hidden), list(groups.map(id))];
  const role = isInOrganization ? say`its role or its organization` : say`its role`;
  const what = newRole === undefined ? role : say`the id of the new role ${newRole}`;
  return (
    firstOf([
      [isEnd, () => say`which groups lose ${roleNamed(side)} is ${why}`],
      [at === undefined, () => say`${what} is ${why}${tail`; it goes to ${named}`}`],
    ]) ?? say`which groups get ${roleNamed(side)} is ${why}${tail`, beside ${named}`}`
  );
}

const CATEGORIES: Readonly<Record<Step["op"], readonly Category[]>> = {
  create: ["grant"],
  update: ["grant", "revoke"],
  replace: ["grant", "revoke"],
  delete: ["revoke"],
  same: [],
};

/** Returns what isn't known about the groups that an exclusive assignment takes the role from. */
function exclusiveOf(assignment: AssignmentStep, today: Today): NotReviewable[] {
  const { after, exclusive } = assignment;
  return optional(after)
    .filter(() => exclusive !== false)
    .flatMap((side) => optional(whyOpen(assignment, side, today)))
    .map((reason) => assignment.unknown(reason, ["revoke", "exclusive"]));
}

function whyOpen(assignment: AssignmentStep, after: AssignmentSide, today: Today): Sentence | undefined {
  const role = roleNamed(after);
  if (!isKnown(after.exclusive))
    return say`whether it is exclusive is ${whyHidden(after.exclusive)}; if it is, all other groups lose ${role}`;
  const why = whyNotKnown(assignment, after, after.groupsToday(today));
  return why && say`which other groups lose ${role}, since it is exclusive: ${why}`;
}

/** A line may add a name or a doubt, but never remove one. */
function whyNotKnown(
  assignment: AssignmentStep,
  { hidden }: AssignmentSide,
  today: ReadonlySet<string> | undefined,
): Sentence | undefined {
  const isAsked = today !== undefined;
  const [refused] = assignment.told.notAsked;
  const [shown, ...others] = assignment.told.exclusive;
  const more = shown?.more ?? 0;
  const has = isAsked ? say`, and today ${whoHas(today)} it` : say``;
  return firstOf([
    [!isAsked && refused !== undefined, () => say`the tenant could not be asked (${refused?.why ?? ""})`],
    [
      others.some((other) => !isDeepStrictEqual(other, shown)),
      () => say`lines of the preview contradict each other`,
    ],
    [!isAsked && more > 0, () => say`${String(more)} more than the preview names`],
    [hidden !== undefined, () => say`its own groups are not known${has}`],
    [!isAsked && shown === undefined, () => say`the tenant was not asked`],
  ]);
}

function whoHas(groups: ReadonlySet<string>): Sentence {
  return groups.size === 0 ? say`nobody has` : say`${some([...groups])} have`;
}
