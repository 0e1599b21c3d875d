import { type Edge, holderId, type RoleAt, roleKey, roleSentence } from "../../access/edge";
import { type Category, type NotReviewable } from "../../review/effects";
import { type Listed } from "../../review/preview-lines";
import { type RawInputs } from "../../review/raw-inputs";
import { say, type Sentence } from "../../sentence";
import {
  type Hidden,
  hiddenIn,
  mayBeUpdated,
  mayStay,
  type Side,
  type Step,
  switchIn,
  TURNS_OUT_THE_SAME,
  whyHidden,
} from "../../review/step";
import { parseRoleLine, type RolePart } from "./lines";
import { exclusiveIn, type Held, heldBy, inputsOfRole, isRevokedOnDestroy, roleIn, wantedIn } from "./plan";

/** An assignment before or after a step. */
export class AssignmentSide implements Held {
  readonly groups: readonly string[];
  readonly unconfirmed: readonly string[];
  readonly tenant: string | undefined;
  /** Undefined if hidden. */
  readonly at: RoleAt | undefined;
  readonly isInOrganization: boolean;
  /** Its end date; undefined without one, and if it is hidden. */
  readonly until: string | undefined;
  /** The text of its end, also if that is hidden: a held run compares its own with it. */
  readonly endText: string | undefined;
  /** True if `check` found it to be over. */
  readonly ended: Hidden | boolean;
  readonly exclusive: Hidden | boolean;
  readonly isRevokedOnDestroy: Hidden | boolean;
  /** The reason if some of it isn't known. */
  readonly hidden: Hidden | undefined;
  #groups: ReadonlySet<string> | undefined;
  #unconfirmed: ReadonlySet<string> | undefined;

  constructor({ tenant }: Side, values: RawInputs, isInOrganization: boolean) {
    const { roleId, organizationId, until } = values;
    const { groups, unconfirmed } = heldBy(values);
    this.groups = groups;
    this.unconfirmed = unconfirmed;
    this.tenant = tenant;
    this.at = roleIn(values, isInOrganization);
    this.isInOrganization = isInOrganization;
    this.until = shownText(until);
    this.endText = typeof until === "string" ? until : undefined;
    this.ended = switchIn(values["ended"], false);
    this.exclusive = switchIn(exclusiveIn(values), false);
    this.isRevokedOnDestroy = isRevokedOnDestroy(values);
    this.hidden = hiddenIn([roleId, organizationId, wantedIn(values), values["ended"]]);
  }

  /** Its groups, as far as they show. */
  get edges(): Edge[] {
    return this.groups.flatMap((group) => this.edgeOf(group) ?? []);
  }

  edgeOf(group: string): Edge | undefined {
    const { tenant, at } = this;
    return at === undefined ? undefined : { tenant, ...at, holder: { group } };
  }

  lists(edge: Edge): boolean {
    const { tenant, holder } = edge;
    this.#groups ??= new Set(this.groups);
    const isOfRole = this.isOf(edge) && tenant === this.tenant;
    return isOfRole && "group" in holder && this.#groups.has(holder.group);
  }

  /** True if it's of this role; false if its own is hidden. */
  isOf(at: RoleAt): boolean {
    return this.at !== undefined && roleKey(this.at) === roleKey(at);
  }

  /** True if the outcome of the change that was to grant it isn't known. */
  isUnconfirmed(edge: Edge): boolean {
    this.#unconfirmed ??= new Set(this.unconfirmed);
    return this.lists(edge) && this.#unconfirmed.has(holderId(edge.holder));
  }
}

function shownText(value: unknown): string | undefined {
  return typeof value === "string" && hiddenIn(value) === undefined ? value : undefined;
}

/** One possible outcome of a step. If all its values are visible, there is only one. */
export interface Course {
  /** True for a replacement, false for an update in its place. */
  isReplaced: boolean;
  /** True if the groups of a deleted assignment lose the role. */
  revokes: boolean;
  /** True if it revokes the role of groups that it doesn't list. */
  isExclusive: boolean;
}

export function assignmentsIn(steps: readonly Step[]): AssignmentStep[] {
  return steps.filter(({ kind }) => kind in IS_IN_ORGANIZATION).map((step) => new AssignmentStep(step));
}

/** Both kinds of assignments, so that one change shows as one. */
const IS_IN_ORGANIZATION: Readonly<Record<string, boolean>> = {
  RoleGroupAssignment: false,
  OrganizationRoleGroupAssignment: true,
};

export class AssignmentStep {
  readonly before: AssignmentSide | undefined;
  readonly after: AssignmentSide | undefined;
  /** Names aren't unique and anybody prints lines, so a line about another role is another resource's. */
  readonly parts: readonly RolePart<Listed>[];

  constructor(readonly step: Step) {
    const { before, after } = step;
    const isInOrganization = IS_IN_ORGANIZATION[step.kind] === true;
    this.before = before && new AssignmentSide(before, recordedIn(before), isInOrganization);
    // A new role would mean a replacement, so an update keeps the role even if it's hidden.
    const kept = step.op === "update" ? this.before?.at : undefined;
    const wanted =
      after &&
      new AssignmentSide(after, { ...after.inputs, ...(kept && inputsOfRole(kept)) }, isInOrganization);
    // An unchanged assignment stays as it is, even if an earlier run left it half-done.
    this.after = this.isSame ? (this.before ?? wanted) : wanted;
    const sides = [this.before, this.after].filter((side) => side !== undefined);
    this.parts = step.told
      .flatMap((line) => parseRoleLine(line) ?? [])
      .filter(({ at }) => sides.some((side) => side.at === undefined || side.isOf(at)))
      .flatMap(({ parts }) => parts);
  }

  /** What the program lists after the change: outside of the targets, that is what it has in state. */
  get listed(): AssignmentSide | undefined {
    return this.step.isOutside ? this.before : this.after;
  }

  get isSame(): boolean {
    return this.step.op === "same";
  }

  get isSameRole(): boolean {
    const [before, after] = [this.before?.at, this.after?.at].map((at) => at && roleKey(at));
    return before === after;
  }

  /** True if it revokes the role of groups that it doesn't list. */
  get revokesOthers(): boolean {
    return !this.isSame && this.after !== undefined && this.after.exclusive !== false;
  }

  get becomesExclusive(): boolean {
    return this.revokesOthers && (this.before?.exclusive !== true || !this.isSameRole);
  }

  /** True if the old assignment is deleted, with or without a replacement. */
  get #ends(): boolean {
    return this.before !== undefined && (this.step.op === "delete" || this.step.op === "replace");
  }

  /** Returns why nothing is sent for the old assignment, so that its groups keep the role. */
  get #left(): Sentence | undefined {
    const { step, before } = this;
    if (before === undefined || !this.#ends) return undefined;
    if (step.leaves === "later") return say`until a later run deletes the old one`;
    if (step.leaves === "get") return say`from now on it is only read; ${UNMANAGED}`;
    if (step.leaves !== undefined) return say`because of ${step.leaves}; ${UNMANAGED}`;
    return before.isRevokedOnDestroy === false
      ? say`because deleteOnDestroy is false; ${UNMANAGED}`
      : undefined;
  }

  /** The same, unless the replacement may turn out to be an update. */
  get stays(): Sentence | undefined {
    return mayBeUpdated(this.step) ? undefined : this.#left;
  }

  /** True if the old assignment may be deleted before the run knows who else lists its groups. */
  get mayInterrupt(): boolean {
    return this.step.deletesFirst === true && this.courses.some(({ revokes }) => revokes);
  }

  /**
   * True if a group may lose the role before another assignment grants it: no listing shows it, and the order
   * of registration is another one in each run. `waits`: this one is registered after all that list it.
   */
  mayLoseFirst(edge: Edge, waits: () => boolean): boolean {
    const isTold = (kind: RolePart["kind"]) =>
      this.told(kind).some((groups) => groups.unnamed > 0 || names(groups, edge));
    return isTold("may revoke") || (isTold("may hand over") && !waits());
  }

  /** Returns all possible outcomes of the step: a hidden switch is tried with each value. */
  get courses(): Course[] {
    const { step, before, after } = this;
    const revokes = outcomes(
      this.#ends && this.#left === undefined,
      typeof before?.isRevokedOnDestroy !== "boolean" || step.mayLeave === true,
    );
    const exclusive = outcomes(this.revokesOthers, after?.exclusive !== true || mayStay(step));
    const replaced = outcomes(this.#ends, mayBeUpdated(step));
    return replaced.flatMap((isReplaced) =>
      revokes.flatMap((isRevoked) =>
        exclusive.map((isExclusive) => ({ isReplaced, revokes: isRevoked && isReplaced, isExclusive })),
      ),
    );
  }

  /** Returns why the outcomes differ. */
  get doubt(): Sentence {
    const { step, before, after } = this;
    if (mayBeUpdated(step) && this.#left !== undefined)
      return say`it is replaced, which a value that is not known yet decides: then its groups keep the role`;
    if (this.#ends && before !== undefined && typeof before.isRevokedOnDestroy !== "boolean")
      return say`deleteOnDestroy is false, which is ${whyHidden(before.isRevokedOnDestroy)}`;
    if (step.mayLeave) return say`what it is deletedWith is deleted`;
    if (after !== undefined && typeof after.exclusive !== "boolean")
      return say`it is not exclusive, which is ${whyHidden(after.exclusive)}`;
    return TURNS_OUT_THE_SAME;
  }

  /** Returns the groups in its lines of this kind. */
  told(kind: RolePart["kind"]): Listed[] {
    return this.parts.flatMap((part) => (part.kind === kind && "groups" in part ? [part.groups] : []));
  }

  unknown(reason: Sentence, categories: readonly Category[]): NotReviewable {
    const { name, line, before } = this.step;
    const sides = [this.before, this.after].filter((side) => side !== undefined);
    const roles = sides.flatMap(({ at }) => (at === undefined ? [] : [roleKey(at)]));
    return {
      name,
      tenant: sides.at(-1)?.tenant,
      ...(before?.id !== undefined && { id: before.id }),
      ...(roles.length === sides.length && { roles: [...new Set(roles)] }),
      line,
      reason,
      categories,
    };
  }
}

const UNMANAGED = say`no resource manages it any more`;

export function roleNamed({ at }: AssignmentSide): Sentence {
  return at === undefined ? say`its role` : roleSentence(at);
}

/** Outputs hold all inputs. After a change that was done in part, the inputs in state are older. */
function recordedIn({ inputs, outputs }: Side): RawInputs {
  return "roleId" in outputs ? outputs : inputs;
}

/** Returns whether something happens: both if that is open. */
function outcomes(happens: boolean, isOpen: boolean): boolean[] {
  if (!happens) return [false];
  return isOpen ? [true, false] : [true];
}

/** True if a line names an edge's group. */
export function names({ named }: Listed, { holder }: Edge): boolean {
  return "group" in holder && named.includes(holder.group);
}
