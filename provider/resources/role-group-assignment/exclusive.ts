import { isDeepStrictEqual } from "node:util";
import { type HoldersOf, type NotReviewable } from "../../pulumi/effects";
import { say, type Sentence, some } from "../../pulumi/sentence";
import { mayStay, TURNS_OUT_THE_SAME, whyHidden } from "../../pulumi/step";
import { type AssignmentStep, type Edges, roleNamed } from "./assignment-step";
import { type Claim } from "./claims";

/** Groups that lose the role since an assignment is exclusive, as a line or the tenant names them. */
export function takenByExclusive(assignment: AssignmentStep, holders: HoldersOf): Claim[] {
  const { step, before, after, isSameRole, left } = assignment;
  if (!assignment.takesFromOthers || after?.role === undefined) return [];
  const { tenant, role } = after;
  // What a replaced one leaves on the tenant is nobody's own any more. It takes that away, too.
  const { groups = [], handedOver = [] } = isSameRole ? (before ?? {}) : {};
  const own = new Set([...after.groups, ...(left === undefined ? groups : [])]);
  const former = [...(left === undefined ? [] : groups), ...(assignment.ends ? handedOver : [])];
  const told = assignment.told("exclusive").flatMap(({ named }) => named);
  const whyNotTaken = () => {
    if (after.exclusive !== true) return say`it is not exclusive, which is ${whyExclusive(after)}`;
    if (mayStay(step)) return TURNS_OUT_THE_SAME;
    return after.hidden === undefined ? undefined : say`it is among the groups that are not known`;
  };
  return [...new Set([...told, ...(holders(tenant, role) ?? []), ...former])]
    .filter((group) => !own.has(group))
    .map((group) => ({
      when: "before",
      kind: "taken",
      tenant,
      role,
      group,
      assignment,
      reason: say`is exclusive`,
      unless: whyNotTaken(),
    }));
}

/** What is not known of whom it takes the role from. */
export function exclusiveOf(assignment: AssignmentStep, holders: HoldersOf): NotReviewable[] {
  const { after, takesFromOthers } = assignment;
  const reason = takesFromOthers && after ? whyOpen(assignment, after, holders) : undefined;
  return reason === undefined ? [] : [assignment.unknown(reason, ["revoke", "exclusive"])];
}

function whyOpen(assignment: AssignmentStep, after: Edges, holders: HoldersOf): Sentence | undefined {
  const role = roleNamed(after);
  if (after.exclusive !== true)
    return say`whether it is exclusive is ${whyExclusive(after)}; if it is, all other groups lose ${role}`;
  const which = say`which other groups lose ${role}, since it is exclusive`;
  const [told, ...others] = assignment.told("exclusive");
  if (others.some((other) => !isDeepStrictEqual(other, told)))
    return say`${which}: lines of the preview contradict each other`;
  const today = after.role === undefined ? undefined : holders(after.tenant, after.role);
  if (told !== undefined && told.unnamed > 0 && today === undefined)
    return say`${which}: ${String(told.unnamed)} more than the preview names`;
  if (after.hidden !== undefined) {
    const has = today === undefined ? say`` : say`, and today ${some([...today])} have it`;
    return say`${which}: its own groups are not known${has}`;
  }
  if (told !== undefined || today !== undefined) return undefined;
  const refused = assignment.parts.find((part) => part.kind === "not asked");
  return refused === undefined
    ? say`${which}: the tenant was not asked`
    : say`${which}: the tenant could not be asked (${refused.reason})`;
}

function whyExclusive({ exclusive }: Edges): Sentence {
  return whyHidden(exclusive === "secret" ? "secret" : "unknown");
}
