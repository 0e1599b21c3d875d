import { say, type Sentence } from "../../pulumi/sentence";
import { type AssignmentStep } from "./assignment-step";

/** One side's word on whether a group has a role. */
export interface Claim {
  when: "before" | "after";
  /**
   * `own`: a group of the assignment. `handed over`: one that it left to another assignment; `ends`: and a
   * line says that it is taken away now. `taken`: one that others gave the role to, and an exclusive
   * assignment takes away. `seen`: one that a refresh tells.
   */
  kind: "own" | "handed over" | "ends" | "taken" | "seen";
  tenant: string | undefined;
  role: string;
  group: string;
  assignment: AssignmentStep;
  reason: Sentence;
  /** The tenant keeps it, although no assignment has it any more. */
  stays?: boolean;
  unless?: Sentence | undefined;
  until?: string | undefined;
}

/** Of a change: what there was, and what there is to be. */
export function claimsOfChange(assignment: AssignmentStep): Claim[] {
  return [...had(assignment), ...has(assignment)];
}

/** Of a refresh: what state had, and what the tenant has. */
export function driftOf(assignment: AssignmentStep): Claim[] {
  const isGone = assignment.step.op === "delete";
  return (["before", "after"] as const).flatMap((when) => {
    const { tenant, role, groups = [] } = assignment[when] ?? {};
    if (role === undefined) return [];
    const reason = when === "before" && isGone ? say`has no group left` : say``;
    return groups.map((group) => ({ when, kind: "seen", tenant, role, group, assignment, reason }) as const);
  });
}

/** Whether a delete takes the role from a group before all others are known, one of which may list it. */
export function isTakenEarly({ when, kind, assignment, group }: Claim): boolean {
  const isOwn = when === "before" && kind === "own";
  return isOwn && assignment.step.deletesFirst && assignment.names(group, "revokes later");
}

function had(assignment: AssignmentStep): Claim[] {
  const { before, doubt, stays, isEnd, isSame } = assignment;
  if (before?.role === undefined) return [];
  const { tenant, role, until } = before;
  const claim = { when: "before", tenant, role, until, assignment } as const;
  const reason = reasonOfLoss(assignment);
  const ends = assignment.told("ends");
  return [
    ...before.groups.map((group) => {
      const unless = whyNotLost(assignment, group);
      return { ...claim, kind: "own", group, reason, stays: stays !== undefined, unless } as const;
    }),
    ...before.handedOver.map((group) => {
      const isTold = ends.some(({ named, unnamed }) => named.includes(group) || unnamed > 0);
      return {
        ...claim,
        kind: isTold ? "ends" : "handed over",
        group,
        reason: say`handed it over, nobody lists it now`,
        stays: isEnd,
        unless: isTold || isEnd || isSame ? doubt : say`another assignment lists it`,
      } as const;
    }),
  ];
}

function reasonOfLoss({ step, isSameRole, after }: AssignmentStep): Sentence {
  if (step.op === "delete") return say`is deleted`;
  if (isSameRole && after?.ended === true) return say`has ended (until ${after.until ?? ""})`;
  return step.after !== undefined && !isSameRole ? say`changes its role` : say``;
}

function whyNotLost(assignment: AssignmentStep, group: string): Sentence | undefined {
  const { before, doubt } = assignment;
  if (assignment.names(group, "hands over")) return say`an assignment outside of this preview lists it`;
  if (doubt !== undefined) return doubt;
  return before?.unconfirmed.includes(group)
    ? say`the change that was to give it was not done, which is not known`
    : undefined;
}

function has(assignment: AssignmentStep): Claim[] {
  const { step, before, after, isSame, isSameRole } = assignment;
  if (after?.role === undefined) return [];
  const { tenant, role, until } = after;
  const isMoved = before?.role !== undefined && !isSameRole;
  const isGivenAgain = step.deletesFirst && isSameRole && assignment.left === undefined;
  const reasonFor = (group: string) => {
    if (isMoved) return say`changes its role`;
    return isGivenAgain && before?.groups.includes(group)
      ? say`is deleted before it is replaced: the group is without the role for a moment`
      : say``;
  };
  const claim = (kind: Claim["kind"]) => (group: string) =>
    ({ when: "after", kind, tenant, role, group, assignment, until, reason: reasonFor(group) }) as const;
  // What was handed over stays so until something is done to the assignment.
  const handedOver = isSame ? (before?.handedOver ?? []) : [];
  return [...after.groups.map(claim("own")), ...handedOver.map(claim("handed over"))];
}
