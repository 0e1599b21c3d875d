import { isDeepStrictEqual } from "node:util";
import { type Category, type HoldersOf, type NotReviewable } from "../../review/effects";
import { id, list, say, type Sentence, some } from "../../sentence";
import { type Step, whyHidden } from "../../review/step";
import { roleSentence } from "../../access/edge";
import { type AssignmentSide, type AssignmentStep, roleNamed } from "./assignment-step";

/** Returns everything in a step that can't be reviewed, with reasons. */
export function doubtsOf(assignment: AssignmentStep, holders: HoldersOf): NotReviewable[] {
  return [...hiddenOf(assignment), ...exclusiveOf(assignment, holders)];
}

function hiddenOf(assignment: AssignmentStep): NotReviewable[] {
  const { step, before, after, isSame, stays } = assignment;
  if (isSame || (after === undefined && stays !== undefined)) return [];
  const isUntouched = leavesGroups(assignment);
  const shown = after ?? before;
  if (shown?.hidden !== undefined && !(isUntouched && shown.hidden === "secret")) {
    const reason = hiddenGroups(shown, whyHidden(shown.hidden), after === undefined);
    return [assignment.unknown(reason, stepCategories(step))];
  }
  if (before?.hidden === undefined || isUntouched) return [];
  return [assignment.unknown(say`the groups that it had are secret`, ["revoke"])];
}

/** True if an update changes neither role, groups nor end. */
function leavesGroups({ step, before, after }: AssignmentStep): boolean {
  if (step.op !== "update" || step.isHalfDone) return false;
  if (before?.ended !== after?.ended || before?.until !== after?.until) return false;
  return !step.differs.some((name) => ["organizationId", "roleId", "groupIds"].includes(name));
}

function hiddenGroups(grants: AssignmentSide, why: Sentence, isEnd: boolean): Sentence {
  const { at, groups } = grants;
  if (isEnd) return say`which groups lose ${roleNamed(grants)} is ${why}`;
  if (at === undefined) {
    const what = grants.isInOrganization ? say`its role or its organization` : say`its role`;
    return say`${what} is ${why}${namedGroups(say`; it goes to`, groups)}`;
  }
  return say`which groups get ${roleSentence(at)} is ${why}${namedGroups(say`, beside`, groups)}`;
}

function stepCategories({ op }: Step): Category[] {
  if (op === "create") return ["grant"];
  return op === "delete" ? ["revoke"] : ["grant", "revoke"];
}

function namedGroups(words: Sentence, groups: readonly string[]): Sentence {
  return groups.length === 0 ? say`` : say`${words} ${list(groups.map(id))}`;
}

/** Returns what isn't known about the groups that an exclusive assignment takes the role from. */
function exclusiveOf(assignment: AssignmentStep, holders: HoldersOf): NotReviewable[] {
  const { after, revokesOthers } = assignment;
  const reason = revokesOthers && after ? whyOpen(assignment, after, holders) : undefined;
  return reason === undefined ? [] : [assignment.unknown(reason, ["revoke", "exclusive"])];
}

function whyOpen(
  assignment: AssignmentStep,
  after: AssignmentSide,
  holders: HoldersOf,
): Sentence | undefined {
  const role = roleNamed(after);
  if (typeof after.exclusive !== "boolean")
    return say`whether it is exclusive is ${whyHidden(after.exclusive)}; if it is, all other groups lose ${role}`;
  const today = after.at === undefined ? undefined : holders(after.tenant, after.at);
  const why = whyNotTold(assignment, after, today);
  return why && say`which other groups lose ${role}, since it is exclusive: ${why}`;
}

/** Anybody can print lines: a line may add a name or a doubt, but never remove one. */
function whyNotTold(
  assignment: AssignmentStep,
  { hidden }: AssignmentSide,
  today: ReadonlySet<string> | undefined,
): Sentence | undefined {
  const isAsked = today !== undefined;
  const refused = assignment.parts.find((part) => part.kind === "not asked");
  if (refused !== undefined && !isAsked) return say`the tenant could not be asked (${refused.reason})`;
  const [told, ...others] = assignment.told("exclusive");
  if (others.some((other) => !isDeepStrictEqual(other, told)))
    return say`lines of the preview contradict each other`;
  if (told !== undefined && told.unnamed > 0 && !isAsked)
    return say`${String(told.unnamed)} more than the preview names`;
  if (hidden !== undefined) {
    const has = isAsked ? say`, and today ${some([...today])} have it` : say``;
    return say`its own groups are not known${has}`;
  }
  return told !== undefined || isAsked ? undefined : say`the tenant was not asked`;
}
