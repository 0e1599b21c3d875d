import {
  type Category,
  type Effects,
  type HoldersOf,
  noEffects,
  type NotReviewable,
  type Repeat,
} from "../../pulumi/effects";
import { id, list, say, type Sentence } from "../../pulumi/sentence";
import { type Step, whyHidden } from "../../pulumi/step";
import { AssignmentStep, type Edges, roleNamed } from "./assignment-step";
import { claimsOfChange, driftOf, isTakenEarly } from "./claims";
import { edgeKey, net } from "./edge";
import { exclusiveOf, takenByExclusive } from "./exclusive";
import { notesOf } from "./notes";

export { endsSoon } from "./notes";

/** What all assignments do, net: a group that one of them leaves and another one lists keeps the role. */
export function roleEffects(steps: readonly Step[], isDrift: boolean, holders: HoldersOf): Effects {
  const assignments = steps
    .filter(({ kind }) => kind === "RoleGroupAssignment")
    .map((step) => new AssignmentStep(step));
  if (isDrift)
    return { ...noEffects(), access: net(assignments.flatMap(driftOf), assignments, () => undefined) };
  const claims = assignments.flatMap((assignment) => [
    ...claimsOfChange(assignment),
    ...takenByExclusive(assignment, holders),
  ]);
  const access = net(claims, assignments, holders);
  const given = new Set(access.filter(({ effect }) => effect !== "loses").map(edgeKey));
  const early = new Set(claims.filter(isTakenEarly).map(edgeKey));
  const concerned = new Set([...access, ...claims.filter(({ when }) => when === "after")].map(edgeKey));
  return {
    ...noEffects(),
    access,
    unknown: assignments.flatMap((assignment) => [
      ...hiddenOf(assignment),
      ...exclusiveOf(assignment, holders),
    ]),
    notes: assignments.flatMap((assignment) => {
      const { tenant, role = "" } = assignment.before ?? {};
      const today = holders(tenant, role);
      const isKept = (group: string) =>
        today?.has(group) !== false && !concerned.has(edgeKey({ tenant, role, group }));
      return notesOf(assignment, isKept);
    }),
    repeats: assignments.flatMap((assignment) => repeatsOf(assignment, given, early)),
    categories: assignments.some(({ becomesExclusive }) => becomesExclusive) ? ["exclusive"] : [],
  };
}

/**
 * What is made or replaced is given to all of its groups, also to those that have the role. Where another one
 * takes it from them, which may not know of this one, that is what the rows say. What is deleted before it is
 * replaced takes it away first. `given`: keys of what the rows let a run give. `early`: keys of what a delete
 * takes away before it is known who lists it: that one gives it again.
 */
function repeatsOf(
  assignment: AssignmentStep,
  given: ReadonlySet<string>,
  early: ReadonlySet<string>,
): Repeat[] {
  const { step, before, after, isSame, isSameRole } = assignment;
  if (after?.role === undefined) return [];
  const { tenant, role, until } = after;
  const { groups: had = [], role: former = role } = before ?? {};
  const isEndKept = step.op === "update" && before?.until === until;
  const again = after.groups.filter((group) => {
    const key = edgeKey({ tenant, role, group });
    return early.has(key) || !(isSame || given.has(key) || (isEndKept && had.includes(group)));
  });
  const taken = had.filter(
    (group) =>
      (step.deletesFirst && isSameRole && after.groups.includes(group)) ||
      (assignment.tells(group) !== undefined && given.has(edgeKey({ tenant, role: former, group }))),
  );
  return [
    ...again.map((group) => ({ kind: "grant" as const, tenant, role, group, until })),
    ...(isSame ? [] : taken).map((group) => ({ kind: "revoke" as const, tenant, role: former, group })),
  ];
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

/** Whether an update leaves its role, its groups and its end what they are. */
function leavesGroups({ step, before, after }: AssignmentStep): boolean {
  if (step.op !== "update" || step.isHalfDone) return false;
  if (before?.ended !== after?.ended || before?.until !== after?.until) return false;
  return !step.differs.some((name) => name === "roleId" || name === "groupIds");
}

function hiddenGroups(edges: Edges, why: Sentence, isEnd: boolean): Sentence {
  const { role, groups } = edges;
  if (isEnd) return say`which groups lose ${roleNamed(edges)} is ${why}`;
  if (role === undefined) return say`its role is ${why}${namedGroups(say`; it goes to`, groups)}`;
  return say`which groups get ${id(role)} is ${why}${namedGroups(say`, beside`, groups)}`;
}

function stepCategories({ op }: Step): Category[] {
  if (op === "create") return ["grant"];
  return op === "delete" ? ["revoke"] : ["grant", "revoke"];
}

function namedGroups(words: Sentence, groups: readonly string[]): Sentence {
  return groups.length === 0 ? say`` : say`${words} ${list(groups.map(id))}`;
}
