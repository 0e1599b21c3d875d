import { compare, SECRET, type Side, type Step, UNKNOWN } from "./preview";
import { type Access, type NotReviewable } from "./effects";
import { id, list, type Place, say, type Sentence, some } from "./sentence";
import { type Holders } from "./tenant";

export interface AccessEffects {
  access: Access[];
  unknown: NotReviewable[];
}

/** One assignment's word on whether a group has a role. */
interface Claim {
  tenant: string | undefined;
  role: string;
  group: string;
  step: Step;
  reason: Sentence;
  /** The tenant keeps it, although no assignment has it any more. */
  stays?: boolean;
}

/** Which groups gain and lose which roles, net over all assignments. `holders`: what the tenant was asked besides. */
export function accessEffects(
  steps: readonly Step[],
  isDrift: boolean,
  holders: Holders = () => undefined,
): AccessEffects {
  const assignments = steps.filter(({ kind }) => kind === "RoleGroupAssignment").map(toAssignment);
  const had = assignments.flatMap((assignment) => [
    ...hadBy(assignment, isDrift),
    ...(isDrift ? [] : takenBy(assignment, holders)),
  ]);
  const has = assignments.flatMap(hasBy);
  const unknown = assignments.flatMap((assignment) =>
    isDrift
      ? []
      : [...unknownOf(assignment), ...notAskedOf(assignment, holders), ...handedOverOf(assignment, has)],
  );
  return { access: net(had, has, isDrift ? undefined : holders), unknown };
}

/** An assignment's sides, and what can't be told from them. */
interface Assignment {
  step: Step;
  before: Edges;
  after: Edges;
}

interface Edges {
  side: Side | undefined;
  role: string | undefined;
  groups: string[];
  /** Why not all of it is known. */
  hidden: "unknown" | "secret" | undefined;
}

function toAssignment(step: Step): Assignment {
  return { step, before: edgesOf(step.before), after: edgesOf(step.after) };
}

function edgesOf(side: Side | undefined): Edges {
  if (side === undefined) return { side, role: undefined, groups: [], hidden: undefined };
  const { roleId, groupIds } = side.inputs;
  const groups = Array.isArray(groupIds) ? groupIds.map(String) : [String(groupIds)];
  const all = [String(roleId), ...groups];
  const hidden = all.includes(UNKNOWN) ? "unknown" : all.includes(SECRET) ? "secret" : undefined;
  const isPlain = (text: string) => text !== UNKNOWN && text !== SECRET;
  return {
    side,
    role: isPlain(String(roleId)) ? String(roleId) : undefined,
    groups: groups.filter(isPlain),
    hidden,
  };
}

function hadBy({ step, before, after }: Assignment, isDrift: boolean): Claim[] {
  // Where a part of the new list is hidden, what leaves it can't be told.
  const isSameRole = after.role === undefined || after.role === before.role;
  if (!isDrift && after.hidden !== undefined && isSameRole)
    return claims(step, before, say``, { stays: true });
  const isRetained = !isDrift && step.op === "delete" && before.side?.retainOnDelete === true;
  return claims(step, before, reasonOfLoss({ step, before, after }, isDrift), { stays: isRetained });
}

function hasBy({ step, before, after }: Assignment): Claim[] {
  const isOtherRole = before.role !== undefined && before.role !== after.role;
  return claims(step, after, isOtherRole ? say`changes its role` : say``);
}

function reasonOfLoss({ step, before, after }: Assignment, isDrift: boolean): Sentence {
  if (isDrift) return step.op === "delete" ? say`has no group left` : say``;
  if (step.op === "delete") return say`is deleted`;
  return before.role !== after.role ? say`changes its role` : say``;
}

function claims(
  step: Step,
  { side, role, groups }: Edges,
  reason: Sentence,
  more: { stays?: boolean } = {},
): Claim[] {
  if (role === undefined) return [];
  return groups.map((group) => ({ tenant: side?.tenant, role, group, step, reason, ...more }));
}

/** What an assignment takes from groups that it never had: only the tenant knows it. */
function takenBy(assignment: Assignment, holders: Holders): Claim[] {
  const { step, after } = assignment;
  const { role, side } = after;
  if (role === undefined || side === undefined) return [];
  const claimsOf = (groups: readonly string[], reason: Sentence) =>
    groups.map((group) => ({ tenant: side.tenant, role, group, step, reason }));
  const handedOver = step.told.flatMap((line) =>
    line.kind === "handed-over" && line.roleId === role ? line.groups : [],
  );
  return [
    ...claimsOf(handedOver, say`handed it over, nobody lists it now`),
    ...claimsOf(othersOf(assignment, holders)?.groups ?? [], say`is exclusive`),
  ];
}

/**
 * Groups that lose the role because an assignment is exclusive; undefined where nobody told. The preview, which knows the
 * whole program, has the first word.
 */
function othersOf(
  { step, before, after }: Assignment,
  holders: Holders,
): { groups: readonly string[]; unnamed: number } | undefined {
  const { role, side, hidden } = after;
  const told = step.told
    .filter((line) => line.kind === "exclusive")
    .filter(({ roleId }) => role === undefined || roleId === role);
  const groups = told.flatMap((line) => line.groups);
  const unnamed = told.reduce((sum, line) => sum + line.unnamed, 0);
  if (told.length > 0 && unnamed === 0) return { groups, unnamed };
  const today = role === undefined ? undefined : holders(side?.tenant, role);
  if (side?.inputs["exclusive"] === true && hidden === undefined && today !== undefined) {
    const own = new Set([...after.groups, ...(before.role === role ? before.groups : [])]);
    return { groups: [...today].filter((group) => !own.has(group)), unnamed: 0 };
  }
  return told.length === 0 ? undefined : { groups, unnamed };
}

function net(had: readonly Claim[], has: readonly Claim[], holders: Holders | undefined): Access[] {
  const before = byKey(had);
  const after = byKey(has);
  return [...new Set([...before.keys(), ...after.keys()])].sort(compare).flatMap((key) => {
    const [gone = [], come = []] = [before.get(key), after.get(key)];
    const [first] = [...come, ...gone];
    if (first === undefined) return [];
    const { tenant, role, group } = first;
    const today = holders?.(tenant, role)?.has(group);
    const isThere = gone.length === 0 && today === true;
    const [effect, by] = isThere
      ? ([
          "keeps",
          come.map((claim) => ({ ...claim, reason: say`adds it; it has the role already` })),
        ] as const)
      : gone.length === 0
        ? (["gains", come] as const)
        : come.length === 0
          ? (["loses", today === false ? gone.map(withoutEffect) : gone] as const)
          : (["keeps", [...gone, ...come]] as const);
    if (effect === "loses" && by.every(({ stays }) => stays)) return [];
    const isUntouched = effect === "keeps" && !isThere && new Set(by.map(({ step }) => step)).size === 1;
    if (isUntouched) return [];
    return [{ tenant, role, group, effect, by: by.map(({ step, reason }) => reference(step, reason)) }];
  });
}

/** A group that the state knows as one that has the role, and that has lost it since. */
function withoutEffect(claim: Claim): Claim {
  const reason = claim.reason.isEmpty ? say`removes it` : claim.reason;
  return { ...claim, reason: say`${reason}; it does not have the role today` };
}

function reference({ name, op, line }: Step, reason: Sentence): Access["by"][number] {
  return { name, op, line, reason };
}

function byKey(claims: readonly Claim[]): Map<string, Claim[]> {
  const groups = new Map<string, Claim[]>();
  for (const claim of claims) {
    const key = keyOf(claim);
    groups.set(key, [...(groups.get(key) ?? []), claim]);
  }
  return groups;
}

function keyOf({ tenant = "", role, group }: Claim): string {
  return JSON.stringify([tenant, role, group]);
}

/** Unknown and secret roles and groups. */
function unknownOf({ step, before, after }: Assignment): NotReviewable[] {
  const { role, groups, hidden } = step.op === "delete" ? before : after;
  if (hidden === undefined) return secretBefore({ step, before, after });
  const why = hidden === "secret" ? say`secret` : say`known only when the change is made`;
  const reason =
    role === undefined
      ? say`its role is ${why}${named(say`; it goes to`, groups)}`
      : say`which groups get ${id(role)} is ${why}${named(say`, beside`, groups)}`;
  return [notReviewable(step, say`${reason}${mayLose({ step, before, after })}`, categoriesOf(step))];
}

/** Groups that lose the role unless they are among those that are hidden. */
function mayLose({ step, before, after }: Assignment): Sentence {
  if (step.op === "delete" || before.role === undefined) return say``;
  if (after.role !== undefined && after.role !== before.role) return say``;
  const kept = after.role === before.role ? after.groups : [];
  const lost = before.groups.filter((group) => !kept.includes(group));
  return lost.length === 0 ? say`` : say`; ${list(lost.map(id))} may lose ${id(before.role)}`;
}

/** A list that was secret and isn't any more: who was on it can't be told. */
function secretBefore({ step, before }: Assignment): NotReviewable[] {
  if (before.hidden === undefined || step.op === "create") return [];
  return [notReviewable(step, say`the groups that it had are secret`, ["revoke"])];
}

function categoriesOf({ op }: Step): NotReviewable["categories"] {
  if (op === "create") return ["grant"];
  return op === "delete" ? ["revoke"] : ["grant", "revoke"];
}

function named(words: Sentence, groups: readonly string[]): Sentence {
  return groups.length === 0 ? say`` : say`${words} ${list(groups.map(id))}`;
}

/** An assignment that becomes exclusive takes the role from groups that only the tenant knows. */
function notAskedOf(assignment: Assignment, holders: Holders): NotReviewable[] {
  const { step, before, after } = assignment;
  const { side, role } = after;
  if (side?.inputs["exclusive"] !== true) return [];
  const which = say`which other groups lose ${role === undefined ? say`its role` : id(role)}, since it is exclusive`;
  const of = (reason: Sentence) => [notReviewable(step, say`${which}: ${reason}`, ["revoke", "exclusive"])];
  const others = othersOf(assignment, holders);
  if (others !== undefined) {
    const { groups, unnamed } = others;
    if (unnamed > 0) return of(say`${String(unnamed)} more than the preview names`);
    return role === undefined && groups.length > 0 ? of(say`${some(groups)}`) : [];
  }
  const today = role === undefined ? undefined : holders(side.tenant, role);
  if (today !== undefined)
    return of(say`its own groups are not known, and today ${some([...today])} have it`);
  if (before.side?.inputs["exclusive"] === true && before.role === role) return [];
  const refused = step.told.find(
    (line) =>
      line.kind === "not-asked" && line.about === "exclusive" && (role === undefined || line.id === role),
  );
  if (refused?.kind === "not-asked") return of(say`the tenant could not be asked (${refused.reason})`);
  return of(say`the tenant was not asked`);
}

/** What was handed over before is taken away only if nobody lists it: an unchanged assignment is not in a preview. */
function handedOverOf({ step, before }: Assignment, has: readonly Claim[]): NotReviewable[] {
  const { role, side } = before;
  const notes = side?.outputs["handedOver"];
  if (step.op !== "delete" || role === undefined || !Array.isArray(notes)) return [];
  const open = notes
    .map(String)
    .filter((group) => !has.some((claim) => claim.role === role && claim.group === group));
  if (open.length === 0) return [];
  const reason = say`${list(open.map(id))} loses ${id(role)} unless an unchanged assignment lists it: it was handed over before`;
  return [notReviewable(step, reason, ["revoke"])];
}

function notReviewable(
  { name, line }: { name: string; line: Place | undefined },
  reason: Sentence,
  categories: NotReviewable["categories"],
): NotReviewable {
  return { name, line, reason, categories };
}
