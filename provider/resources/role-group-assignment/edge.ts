import { type AccessEffect, type HoldersOf } from "../../pulumi/effects";
import { say, type Sentence } from "../../pulumi/sentence";
import { compare } from "../../pulumi/step";
import { type AssignmentStep, type Edges } from "./assignment-step";
import { type Claim, isTakenEarly } from "./claims";
import { latestOf } from "./until";

/** What becomes of groups and roles, by the claims of all assignments. */
export function net(
  claims: readonly Claim[],
  assignments: readonly AssignmentStep[],
  holders: HoldersOf,
): AccessEffect[] {
  const edges = new Map<string, [Claim, ...Claim[]]>();
  for (const claim of claims) {
    const key = edgeKey(claim);
    const others = edges.get(key);
    if (others === undefined) edges.set(key, [claim]);
    else others.push(claim);
  }
  const secrets = assignments.filter(({ before, isSame }) => before?.hidden !== undefined && !isSame);
  const hidden = assignments.filter(({ step, after, isSame }) =>
    isSame ? step.isOutside || after?.hidden === "secret" : after?.hidden !== undefined,
  );
  return [...edges]
    .sort(([one], [other]) => compare(one, other))
    .flatMap(([, ofEdge]) => new Edge(ofEdge, holders).access(hidden, secrets));
}

export function edgeKey({ tenant, role, group }: Pick<AccessEffect, "tenant" | "role" | "group">): string {
  return JSON.stringify([tenant ?? null, role, group]);
}

/** One group and role, and what all assignments say of it. */
class Edge {
  readonly #edge: Pick<Claim, "tenant" | "role" | "group">;
  readonly #come: readonly Claim[];
  readonly #gone: readonly Claim[];
  /** Those of assignments that had the group themselves: lines of these tell of it. */
  readonly #own: readonly Claim[];
  /** Whether the group has the role today; undefined where that was not asked. */
  readonly #today: boolean | undefined;

  constructor(all: readonly [Claim, ...Claim[]], holders: HoldersOf) {
    const [{ tenant, role, group }] = all;
    this.#edge = { tenant, role, group };
    // What was handed over has been another one's since, if that had it.
    const isAnothers = all.some(({ when, kind }) => when === "before" && kind !== "handed over");
    const claims = isAnothers ? all.filter(({ kind }) => kind !== "handed over") : all;
    this.#come = claims.filter(({ when }) => when === "after");
    this.#gone = claims.filter(({ when }) => when === "before");
    this.#own = this.#gone.filter(({ kind }) => kind === "own");
    this.#today = holders(tenant, role)?.has(group);
  }

  /** `hidden`, `secrets`: assignments of which not all shows what they are to have, and what they had. */
  access(hidden: readonly AssignmentStep[], secrets: readonly AssignmentStep[]): AccessEffect[] {
    const [come, gone] = [this.#come, this.#gone];
    if (gone.length === 0) return this.#gained(secrets);
    const leaves = ({ assignment }: Claim) => come.every((claim) => claim.assignment !== assignment);
    const losers = gone.filter((claim) => isDeleting(claim) && leaves(claim));
    const isTold = this.#own.some(({ assignment, group }) => assignment.mayTell(group));
    const isKeeper = (claim: Claim) =>
      losers.length > 0 ? isSeen(claim, losers) : !(claim.assignment.step.isOutside && isTold);
    const isEarly = gone.some((claim) => isTakenEarly(claim) && leaves(claim));
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
    const isRevoked = this.#own.some(({ assignment, group }) => assignment.tells(group) === "loses");
    // What is outside of the run gives nothing again.
    const isNoKeeper = ({ assignment }: Claim) => assignment.step.isOutside && isRevoked;
    const losing = this.#gone.filter((claim) => claim.stays !== true && !isNoKeeper(claim));
    if (losing.every(({ assignment }) => assignment.isSame)) return [];
    const lister = hidden.find(({ step, after }) =>
      step.isOutside
        ? !isRevoked && (after === undefined || this.#isOfTenant(after))
        : this.#mayBeAmong(after),
    );
    const unless = losing.every((claim) => claim.unless !== undefined) ? losing[0]?.unless : undefined;
    const unseen = this.#come.find((claim) => !isNoKeeper(claim));
    const keeper =
      unseen === undefined ? lister && keptBy(lister, losing) : say`${unseen.assignment.step.name} lists it`;
    const by = this.#today === false ? losing.map(withoutEffect) : losing;
    return this.#row("loses", by, unless ?? keeper);
  }

  #kept(): AccessEffect[] {
    const [come, gone] = [this.#come, this.#gone];
    const changed = come.filter(({ assignment }) => !assignment.isSame);
    const isMoved = changed.some(({ assignment }) => gone.every((claim) => claim.assignment !== assignment));
    const isGivenAgain = come.some(({ assignment }) => assignment.step.op === "replace");
    if ((isMoved || isGivenAgain) && this.#today === false)
      return this.#row("gains", withReason(come, say`gives it again; it has lost the role meanwhile`));
    const isUnconfirmed = ({ kind, assignment, group }: Claim) =>
      kind === "own" && assignment.before?.unconfirmed.includes(group) === true;
    if (changed.length > 0 && gone.every(isUnconfirmed))
      return this.#row(
        "gains",
        come,
        say`an earlier change, of which the outcome is not known, has given it`,
      );
    const isTold = come.some(({ reason, assignment }) => assignment.step.deletesFirst && !reason.isEmpty);
    // What ignores its groups in the program, or is declared late, is not known to the one that leaves them.
    const leaving = gone.map((claim) =>
      this.#own.includes(claim) && claim.assignment.tells(claim.group) !== undefined
        ? { ...claim, reason: TAKEN_FIRST }
        : claim,
    );
    return isMoved || isTold ? this.#row("keeps", [...leaving, ...come]) : [];
  }

  #isOfTenant(edges: Edges): boolean {
    const { tenant } = this.#edge;
    return edges.tenant === undefined || tenant === undefined || edges.tenant === tenant;
  }

  #mayBeAmong(edges: Edges | undefined): boolean {
    if (edges?.hidden === undefined || !this.#isOfTenant(edges)) return false;
    return edges.role === undefined || edges.role === this.#edge.role;
  }

  #row(effect: AccessEffect["effect"], by: readonly Claim[], unless?: Sentence): AccessEffect[] {
    const row = {
      ...this.#edge,
      effect,
      by: uniqueBy(by).map(({ assignment: { step }, reason, when, until }) => ({
        name: step.name,
        op: step.op,
        line: step.line,
        reason: when === "after" && until !== undefined ? withUntil(reason, until) : reason,
      })),
      unless,
      until: effect === "loses" ? undefined : latestOf(this.#come.map(({ until }) => until)),
      untilBefore: effect === "keeps" ? latestOf(this.#gone.map(({ until }) => until)) : undefined,
    };
    return [row];
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
function isDeleting({ assignment: { step }, stays, kind }: Claim): boolean {
  if (kind === "taken") return true;
  return stays !== true && (step.op === "delete" || (step.op === "replace" && !step.deletesFirst));
}

/** Whether a delete takes account of an assignment: one that is in the run, under the same provider. */
function isSeen({ assignment: { step } }: Claim, losers: readonly Claim[]): boolean {
  return !step.isOutside && losers.every(({ assignment }) => assignment.step.provider === step.provider);
}

/** How a group may keep the role through an assignment, which may be one that seems to leave it. */
function keptBy(assignment: AssignmentStep, losing: readonly Claim[]): Sentence {
  const { step, after } = assignment;
  if (losing.every((claim) => claim.assignment !== assignment)) return say`${step.name} lists it`;
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

/** One claim of each assignment; one that says why, if there is any. */
function uniqueBy(claims: readonly Claim[]): Claim[] {
  const unique = new Map<AssignmentStep, Claim>();
  for (const claim of claims) {
    const known = unique.get(claim.assignment);
    if (known === undefined || known.reason.isEmpty) unique.set(claim.assignment, claim);
  }
  return [...unique.values()];
}
