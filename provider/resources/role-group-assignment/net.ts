import {
  type AccessEffect,
  type Category,
  type Effects,
  type HoldersOf,
  noEffects,
  type NotReviewable,
  type Repeat,
} from "../../pulumi/effects";
import { id, list, say, type Sentence, some } from "../../pulumi/sentence";
import { compare, mayStay, type Step, TURNS_OUT_THE_SAME, whyHidden } from "../../pulumi/step";
import { AssignmentStep, type Claim, type Edges, HIDDEN_OTHER, notesOf, roleNamed } from "./assignment-step";
import { latestOf } from "./until";

export { endsSoon } from "./assignment-step";

/** What all assignments do, net: a group that one of them leaves and another one lists keeps the role. */
export function roleEffects(steps: readonly Step[], isDrift: boolean, holders: HoldersOf): Effects {
  const assignments = steps
    .filter(({ kind }) => kind === "RoleGroupAssignment")
    .map((step) => new AssignmentStep(step));
  const effects = noEffects();
  if (isDrift) {
    effects.access.push(...net(assignments.flatMap(driftOf), assignments, () => undefined));
    return effects;
  }
  const claims = assignments.flatMap((assignment) => [
    ...assignment.had(),
    ...assignment.has(),
    ...takenByExclusive(assignment, holders),
  ]);
  effects.access.push(...net(claims, assignments, holders));
  const told = new Set(effects.access.filter(({ effect }) => effect !== "loses").map(edgeKey));
  const concerned = new Set(
    [...effects.access, ...claims.filter(({ when }) => when === "after")].map(edgeKey),
  );
  const early = new Set(claims.filter(({ isTakenEarly }) => isTakenEarly).map(edgeKey));
  effects.repeats.push(...assignments.flatMap((assignment) => repeatsOf(assignment, told, early)));
  for (const assignment of assignments) {
    effects.unknown.push(...hiddenOf(assignment), ...exclusiveOf(assignment, holders));
    const { tenant, role = "" } = assignment.before ?? {};
    const today = holders(tenant, role);
    const isKept = (group: string) =>
      today?.has(group) !== false && !concerned.has(edgeKey({ tenant, role, group }));
    effects.notes.push(...notesOf(assignment, isKept));
    if (assignment.becomesExclusive) effects.categories.push("exclusive");
  }
  return effects;
}

function driftOf({ step, before, after }: AssignmentStep): Claim[] {
  const claims = (when: Claim["when"], edges: Edges | undefined): Claim[] =>
    edges?.role === undefined
      ? []
      : edges.groups.map((group) => ({
          when,
          tenant: edges.tenant,
          role: edges.role as string,
          group,
          step,
          reason: when === "before" && step.op === "delete" ? say`has no group left` : say``,
        }));
  return [...claims("before", before), ...claims("after", after)];
}

/**
 * What is made or replaced is given to all of its groups, also to those that have the role. Where another one
 * takes it from them, which may not know of this one, that is what the rows say. What is deleted before it is
 * replaced takes it away first.
 */
function repeatsOf(
  assignment: AssignmentStep,
  /** Keys of what the rows let a run give. */
  told: ReadonlySet<string>,
  /** Keys of what a delete takes away before it is known who lists it: that one gives it again. */
  early: ReadonlySet<string>,
): Repeat[] {
  const { step, before, after, isSame, isSameRole } = assignment;
  if (after?.role === undefined) return [];
  const { tenant, role } = after;
  const isIn = (keys: ReadonlySet<string>, of: string, group: string) =>
    keys.has(edgeKey({ tenant, role: of, group }));
  const isTold = (of: string, group: string) => isIn(told, of, group);
  const repeat = (kind: "grant" | "revoke", of: string, groups: readonly string[]): Repeat[] =>
    groups.map((group) => ({
      kind,
      tenant,
      role: of,
      group,
      until: kind === "grant" ? after.until : undefined,
    }));
  const takenEarly = after.groups.filter((group) => isIn(early, role, group));
  if (isSame) return repeat("grant", role, takenEarly);
  const given = after.groups.filter((group) => !assignment.kept.includes(group) && !isTold(role, group));
  const again = [...new Set([...takenEarly, ...given])];
  const former = before?.role ?? role;
  const isTaken = (group: string) =>
    (step.deletesFirst && isSameRole && after.groups.includes(group)) ||
    (assignment.tells(group) !== undefined && isTold(former, group));
  const taken = (before?.groups ?? []).filter(isTaken);
  return [...repeat("grant", role, again), ...repeat("revoke", former, taken)];
}

/** Groups that lose the role since an assignment is exclusive, as a line or the tenant names them. */
function takenByExclusive(assignment: AssignmentStep, holders: HoldersOf): Claim[] {
  const { step, after, takesFromOthers } = assignment;
  if (!takesFromOthers || after?.role === undefined) return [];
  const { tenant, role } = after;
  const isOpen = mayStay(step) ? TURNS_OUT_THE_SAME : undefined;
  const unless =
    after.exclusive === true ? isOpen : say`it is not exclusive, which is ${whyExclusive(after)}`;
  const own = new Set([...after.groups, ...ownBefore(assignment)]);
  const left = leftToItself(assignment);
  const told = new Set(assignment.line("exclusive").flatMap(({ groups }) => groups.named));
  return [...new Set([...othersOf(assignment, holders).groups, ...left])]
    .filter((group) => !own.has(group))
    .map((group) => ({
      when: "before",
      tenant,
      role,
      group,
      step,
      reason: say`is exclusive`,
      isTaken: true,
      unless:
        unless ??
        (after.hidden === undefined ? undefined : say`it is among the groups that are not known`) ??
        (step.areOthersHidden && !told.has(group) ? HIDDEN_OTHER : undefined),
    }));
}

/** What a replaced assignment leaves on the tenant, an exclusive one of the same role takes away. */
function leftToItself({ before, ends, isSameRole, left }: AssignmentStep): readonly string[] {
  if (before === undefined || !ends || !isSameRole) return [];
  return left === undefined ? before.handedOver : [...before.groups, ...before.handedOver];
}

/** What stays on the tenant is nobody's own any more. */
function ownBefore({ before, isSameRole, left }: AssignmentStep): readonly string[] {
  return isSameRole && left === undefined ? (before?.groups ?? []) : [];
}

/** Whom an exclusive assignment may take the role from, as lines and the tenant tell; whether that is all. */
function othersOf(
  assignment: AssignmentStep,
  holders: HoldersOf,
): { groups: string[]; unnamed: number; isAnswered: boolean } {
  const { after } = assignment;
  const told = assignment.line("exclusive");
  const today = after?.role === undefined ? undefined : holders(after.tenant, after.role);
  const groups = [...told.flatMap((line) => line.groups.named), ...(today ?? [])];
  const unnamed = today === undefined ? Math.max(0, ...told.map((line) => line.groups.unnamed)) : 0;
  return { groups: [...new Set(groups)], unnamed, isAnswered: told.length > 0 || today !== undefined };
}

function exclusiveOf(assignment: AssignmentStep, holders: HoldersOf): NotReviewable[] {
  const { after, takesFromOthers } = assignment;
  if (!takesFromOthers || after === undefined) return [];
  const of = (reason: Sentence) => [assignment.unknown(reason, ["revoke", "exclusive"])];
  const role = roleNamed(after);
  if (after.exclusive !== true)
    return of(
      say`whether it is exclusive is ${whyExclusive(after)}; if it is, all other groups lose ${role}`,
    );
  const which = say`which other groups lose ${role}, since it is exclusive`;
  const { unnamed, isAnswered } = othersOf(assignment, holders);
  const told = assignment.line("exclusive");
  const answers = new Set(told.map(({ groups }) => JSON.stringify(groups)));
  if (answers.size > 1) return of(say`${which}: lines of the preview contradict each other`);
  if (unnamed > 0) return of(say`${which}: ${String(unnamed)} more than the preview names`);
  const today = after.role === undefined ? undefined : holders(after.tenant, after.role);
  if (after.hidden !== undefined) {
    const has = today === undefined ? say`` : say`, and today ${some([...today])} have it`;
    return of(say`${which}: its own groups are not known${has}`);
  }
  if (isAnswered) return [];
  const [refused] = assignment.line("not asked");
  return of(
    refused === undefined
      ? say`${which}: the tenant was not asked`
      : say`${which}: the tenant could not be asked (${refused.reason})`,
  );
}

function hiddenOf(assignment: AssignmentStep): NotReviewable[] {
  const { step, before, after, isSame, isUntouched } = assignment;
  if (isSame || (after === undefined && assignment.stays !== undefined)) return [];
  const shown = after ?? before;
  if (shown?.hidden !== undefined && !(isUntouched && shown.hidden === "secret")) {
    const reason = hiddenGroups(shown, whyHidden(shown.hidden), after === undefined);
    return [assignment.unknown(reason, stepCategories(step))];
  }
  if (before?.hidden === undefined || isUntouched) return [];
  return [assignment.unknown(say`the groups that it had are secret`, ["revoke"])];
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

function whyExclusive({ exclusive }: Edges): Sentence {
  return whyHidden(exclusive === "secret" ? "secret" : "unknown");
}

function namedGroups(words: Sentence, groups: readonly string[]): Sentence {
  return groups.length === 0 ? say`` : say`${words} ${list(groups.map(id))}`;
}

function edgeKey({ tenant, role, group }: Pick<AccessEffect, "tenant" | "role" | "group">): string {
  return JSON.stringify([tenant ?? null, role, group]);
}

function net(
  claims: readonly Claim[],
  assignments: readonly AssignmentStep[],
  holders: HoldersOf,
): AccessEffect[] {
  const edges = new Map<string, Claim[]>();
  for (const claim of claims) {
    const key = edgeKey(claim);
    edges.set(key, [...(edges.get(key) ?? []), claim]);
  }
  const secrets = assignments.filter(
    (assignment) => assignment.before?.hidden !== undefined && !assignment.isSame,
  );
  const hidden = assignments.filter(({ step, after, isSame }) =>
    isSame ? step.isOutside || after?.hidden === "secret" : after?.hidden !== undefined,
  );
  return [...edges.keys()].sort(compare).flatMap((key) => {
    const [first, ...others] = edges.get(key) ?? [];
    return first === undefined ? [] : new Edge(first, [first, ...others], holders).access(hidden, secrets);
  });
}

/** One group and role, and what all assignments say of it. */
class Edge {
  readonly #come: readonly Claim[];
  readonly #gone: readonly Claim[];
  /** Whether the group has the role today; undefined where that was not asked. */
  readonly #today: boolean | undefined;

  constructor(
    private readonly first: Claim,
    all: readonly Claim[],
    holders: HoldersOf,
  ) {
    // What was handed over has been another one's since, if that had it.
    const isAnothers = all.some(({ when, isNote }) => when === "before" && isNote !== true);
    const claims = isAnothers ? all.filter(({ isNote }) => isNote !== true) : all;
    this.#come = claims.filter(({ when }) => when === "after");
    this.#gone = claims.filter(({ when }) => when === "before");
    this.#today = holders(first.tenant, first.role)?.has(first.group);
  }

  /** `hidden`, `secrets`: assignments of which not all shows what they are to have, and what they had. */
  access(hidden: readonly AssignmentStep[], secrets: readonly AssignmentStep[]): AccessEffect[] {
    const [come, gone] = [this.#come, this.#gone];
    if (gone.length === 0) return this.#gained(secrets);
    const losers = gone.filter((claim) => isDeleting(claim) && !come.some(({ step }) => step === claim.step));
    const isTold = gone.some(({ told, isCounted }) => told !== undefined || isCounted === true);
    const isKeeper = (claim: Claim) =>
      losers.length > 0 ? isSeen(claim, losers) : !(claim.step.isOutside && isTold);
    const isEarly = gone.some(
      ({ isTakenEarly, step }) => isTakenEarly === true && !come.some((claim) => claim.step === step),
    );
    return isEarly || !come.some(isKeeper) ? this.#lost(hidden) : this.#kept();
  }

  #gained(secrets: readonly AssignmentStep[]): AccessEffect[] {
    const secret = secrets.find(({ before }) => this.#mayBeAmong(before));
    if (this.#today === true)
      return this.#row(
        "keeps",
        withReason(this.#come, say`adds it; it has the role already`),
        secret && say`${secret.step.name} takes it away, which had it`,
      );
    return this.#row("gains", this.#come, secret && say`it has the role already through ${secret.step.name}`);
  }

  #lost(hidden: readonly AssignmentStep[]): AccessEffect[] {
    const isRevoked = this.#gone.some(({ told }) => told === "loses");
    // What is outside of the run gives nothing again.
    const isNoKeeper = ({ step }: Claim) => step.isOutside && isRevoked;
    const losing = this.#gone.filter((claim) => claim.stays !== true && !isNoKeeper(claim));
    if (losing.every(({ step }) => step.op === "same")) return [];
    const lister = hidden.find(({ step, after }) =>
      step.isOutside
        ? !isRevoked && (after === undefined || this.#isOfTenant(after))
        : this.#mayBeAmong(after),
    );
    const unless = losing.some((claim) => claim.unless === undefined) ? undefined : losing[0]?.unless;
    const unseen = this.#come.find((claim) => !isNoKeeper(claim));
    const keeper =
      unseen === undefined ? lister && keptBy(lister, losing) : say`${unseen.step.name} lists it`;
    const by = this.#today === false ? losing.map(withoutEffect) : losing;
    return this.#row("loses", by, unless ?? keeper);
  }

  #kept(): AccessEffect[] {
    const [come, gone] = [this.#come, this.#gone];
    const isMoved = come.some(({ step }) => step.op !== "same" && gone.every((claim) => claim.step !== step));
    const isGivenAgain = come.some(({ step }) => step.op === "replace");
    if ((isMoved || isGivenAgain) && this.#today === false)
      return this.#row("gains", withReason(come, say`gives it again; it has lost the role meanwhile`));
    const isChanged = come.some(({ step }) => step.op !== "same");
    if (isChanged && gone.every(({ isUnconfirmed }) => isUnconfirmed))
      return this.#row(
        "gains",
        come,
        say`an earlier change, of which the outcome is not known, has given it`,
      );
    const isTold = come.some(({ reason, step }) => step.deletesFirst && !reason.isEmpty);
    // What ignores its groups in the program, or is declared late, is not known to the one that leaves them.
    const leaving = gone.map((claim) =>
      claim.told === undefined ? claim : { ...claim, reason: TAKEN_FIRST },
    );
    return isMoved || isTold ? this.#row("keeps", [...leaving, ...come]) : [];
  }

  #isOfTenant(edges: Edges): boolean {
    const { tenant } = this.first;
    return edges.tenant === undefined || tenant === undefined || edges.tenant === tenant;
  }

  /** Whether the group may be among those that don't show. */
  #mayBeAmong(edges: Edges | undefined): boolean {
    if (edges?.hidden === undefined || !this.#isOfTenant(edges)) return false;
    return edges.role === undefined || edges.role === this.first.role;
  }

  #row(effect: AccessEffect["effect"], by: readonly Claim[], unless?: Sentence): AccessEffect[] {
    const { tenant, role, group } = this.first;
    const steps = uniqueBy(by).map(({ step: { name, op, line }, reason, when, until }) => ({
      name,
      op,
      line,
      reason: when === "after" && until !== undefined ? withUntil(reason, until) : reason,
    }));
    const ends = {
      until: effect === "loses" ? undefined : latestOf(this.#come.map(({ until }) => until)),
      untilBefore: effect === "keeps" ? latestOf(this.#gone.map(({ until }) => until)) : undefined,
    };
    const given = Object.fromEntries(Object.entries(ends).filter(([, until]) => until !== undefined));
    return [{ tenant, role, group, effect, by: steps, ...(unless !== undefined && { unless }), ...given }];
  }
}

function withUntil(reason: Sentence, until: string): Sentence {
  return reason.isEmpty ? say`until ${until}` : say`${reason}, until ${until}`;
}

const TAKEN_FIRST = say`takes it away before another one gives it: the group is without the role for a moment`;

function withReason(claims: readonly Claim[], reason: Sentence): Claim[] {
  return claims.map((claim) => ({ ...claim, reason }));
}

/** A delete, or an exclusive assignment, takes the role from groups that nobody lists, as far as it knows. */
function isDeleting({ step, stays, isTaken }: Claim): boolean {
  if (isTaken) return true;
  return stays !== true && (step.op === "delete" || (step.op === "replace" && !step.deletesFirst));
}

/** Whether a delete takes account of an assignment: one that is in the run, under the same provider. */
function isSeen({ step }: Claim, losers: readonly Claim[]): boolean {
  return !step.isOutside && losers.every((loser) => loser.step.provider === step.provider);
}

/** How a group may keep the role through an assignment, which may be one that seems to leave it. */
function keptBy({ step, after }: AssignmentStep, losing: readonly Claim[]): Sentence {
  if (losing.every((claim) => claim.step !== step)) return say`${step.name} lists it`;
  if (after?.role === undefined) return say`it keeps its role`;
  return after.hidden === "secret"
    ? say`it is among its secret groups`
    : say`it is among its groups that are not known yet`;
}

/** A group that the state knows as one that has the role, and that has lost it since. */
function withoutEffect(claim: Claim): Claim {
  const reason = claim.reason.isEmpty ? say`removes it` : claim.reason;
  return { ...claim, reason: say`${reason}; it does not have the role today` };
}

function uniqueBy(claims: readonly Claim[]): Claim[] {
  const ofSteps = new Map<Step, Claim>();
  for (const claim of claims) {
    const known = ofSteps.get(claim.step);
    if (known === undefined || known.reason.isEmpty) ofSteps.set(claim.step, claim);
  }
  return [...ofSteps.values()];
}
