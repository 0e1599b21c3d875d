import { type Today } from "../../../provider/access/change";
import { type Edge, holderId, type RoleAt, roleKey, roleSentence } from "../../../provider/access/edge";
import { KINDS } from "../../../provider/kinds";
import { type NotReviewable } from "./effects";
import { type Category } from "../../../provider/review/categories";
import { type FactOf, factsOf } from "../../../provider/review/facts";
import { type RawInputs } from "../../../provider/review/raw-inputs";
import { type Hidden, isKnown, type Seen, UNKNOWN_VALUE } from "../../../provider/seen";
import { firstOf, say, type Sentence } from "../../../provider/sentence";
import { mayBeUpdated, mayStay, type Side, type Step, TURNS_OUT_THE_SAME, whyHidden } from "./step";
import { Assignment, inputsOfRole } from "../../../provider/resources/role-group-assignment/assignment";

/** An assignment before or after a step. */
export class AssignmentSide extends Assignment {
  readonly tenant: string | undefined;
  /** Name of a role that the same run creates for it; undefined if that isn't so, or doesn't show. */
  readonly newRole: string | undefined;
  /** The text of its end, also if that is hidden: a held run compares its own with it. */
  readonly endText: string | undefined;
  #edges: readonly Edge[] | undefined;
  #groups: ReadonlySet<string> | undefined;

  constructor(
    { tenant, made = {} }: Side,
    values: RawInputs,
    readonly isInOrganization: boolean,
  ) {
    super(values, isInOrganization);
    const { roleId, until } = values;
    this.tenant = tenant;
    const [role, ...otherRoles] = made["roleId"] ?? [];
    const isNew = roleId === UNKNOWN_VALUE && otherRoles.length === 0 && role?.what === "role";
    this.newRole = isNew ? role.title : undefined;
    this.endText = typeof until === "string" ? until : undefined;
  }

  /** Why its end doesn't show. */
  get hiddenEnd(): Hidden | undefined {
    return isKnown(this.end) ? undefined : this.end;
  }

  /** Its groups' roles, as far as they show. */
  get edges(): readonly Edge[] {
    return (this.#edges ??= this.edgesOf(this.groups));
  }

  edgeOf(group: string): Edge | undefined {
    const { tenant, at } = this;
    return at && { tenant, ...at, holder: { group } };
  }

  lists(edge: Edge): boolean {
    const { tenant, holder } = edge;
    this.#groups ??= new Set(this.groups);
    return tenant === this.tenant && this.isOf(edge) && "group" in holder && this.#groups.has(holder.group);
  }

  /** The groups that have its role today; undefined if it's hidden, or nobody knows. */
  groupsToday({ groups }: Today): ReadonlySet<string> | undefined {
    return this.at && groups(this.tenant, this.at);
  }

  /** True if it's of this role; false if its own is hidden. */
  isOf(at: RoleAt): boolean {
    return this.at !== undefined && roleKey(this.at) === roleKey(at);
  }

  /** True if the outcome of the change that was to grant it isn't known. */
  isUnconfirmed(edge: Edge): boolean {
    return this.lists(edge) && this.unconfirmed.includes(holderId(edge.holder));
  }

  /** Returns the role of groups; empty if it's hidden. */
  edgesOf(groups: readonly string[]): Edge[] {
    return groups.flatMap((group) => this.edgeOf(group) ?? []);
  }
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

/** Steps never change, and a review of many looks at each of them several times. */
const ASSIGNMENTS = new WeakMap<Step, AssignmentStep>();

/** Both kinds of assignments, so that one change shows as one. */
export function assignmentsIn(steps: readonly Step[]): AssignmentStep[] {
  return steps.filter(({ kind }) => KINDS[kind].manages === "grants").map(assignmentOf);
}

function assignmentOf(step: Step): AssignmentStep {
  const known = ASSIGNMENTS.get(step);
  if (known !== undefined) return known;
  const assignment = new AssignmentStep(step);
  ASSIGNMENTS.set(step, assignment);
  return assignment;
}

export class AssignmentStep {
  readonly before: AssignmentSide | undefined;
  readonly after: AssignmentSide | undefined;
  /** The assignment before and after the step, as far as there is one. */
  readonly sides: readonly AssignmentSide[];
  readonly isSame: boolean;
  /** Facts about its role, from lines of the preview. */
  readonly told: {
    exclusive: readonly FactOf<"exclusive">[];
    leaving: readonly FactOf<"leaving">[];
    notAsked: readonly FactOf<"notAsked">[];
  };
  /** True if it takes the role from groups that it doesn't list. */
  readonly exclusive: Seen<boolean>;
  /** Why nothing is sent for the old assignment, so that its groups keep the role. */
  readonly left: Sentence | undefined;

  constructor(readonly step: Step) {
    const { op, before, after } = step;
    const isInOrganization = KINDS[step.kind].isInOrganization === true;
    this.isSame = op === "same";
    this.before = before && new AssignmentSide(before, recordedIn(before), isInOrganization);
    // A new role would mean a replacement, so an update keeps the role even if it's hidden.
    const kept = op === "update" && this.before?.at ? inputsOfRole(this.before.at) : {};
    const declared = after && new AssignmentSide(after, { ...after.inputs, ...kept }, isInOrganization);
    // An unchanged assignment stays as it is, even if an earlier run left it half-done.
    this.after = this.isSame ? (this.before ?? declared) : declared;
    this.sides = [this.before, this.after].filter((side) => side !== undefined);
    // Names aren't unique and anybody prints lines, so a line about another role is another resource's.
    const isOwn = (role: string) => this.sides.some(({ at }) => at === undefined || roleKey(at) === role);
    this.told = {
      exclusive: factsOf(step.printed, "exclusive").filter(({ exclusive }) => isOwn(exclusive)),
      leaving: factsOf(step.printed, "leaving").filter(({ leaving }) => isOwn(leaving)),
      notAsked: factsOf(step.printed, "notAsked").filter(({ notAsked }) => isOwn(notAsked)),
    };
    this.exclusive = !this.isSame && (this.after?.exclusive ?? false);
    this.left = this.#ends ? whyLeft(step, this.before) : undefined;
  }

  /** The program's assignment after the change: outside of the targets, the one in state. */
  get listed(): AssignmentSide | undefined {
    return this.step.isOutside ? this.before : this.after;
  }

  get isSameRole(): boolean {
    const [before, after] = [this.before?.at, this.after?.at].map((at) => at && roleKey(at));
    return before === after;
  }

  /** True if its groups may have the role until another day. */
  get mayMoveEnd(): boolean {
    const { step, before, after } = this;
    return before?.endText !== after?.endText || step.differs.includes("until");
  }

  get becomesExclusive(): boolean {
    return this.exclusive !== false && (this.before?.exclusive !== true || !this.isSameRole);
  }

  /** True if the old assignment is deleted, with or without a replacement. */
  get #ends(): boolean {
    return this.before !== undefined && ["delete", "replace"].includes(this.step.op);
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
    const says = this.saidOf(edge);
    const isOpen = this.told.leaving.some(({ more = 0 }) => more > 0);
    return isOpen || says.includes("may revoke") || (says.includes("may hand over") && !waits());
  }

  /** Returns what lines say of a group that leaves it. */
  saidOf({ holder }: Edge): string[] {
    return this.told.leaving.flatMap(({ groups }) => groups[holderId(holder)] ?? []);
  }

  /** Returns all possible outcomes of the step: a hidden switch is tried with each value. */
  get courses(): Course[] {
    const { step, before } = this;
    const revokes = outcomes(
      this.#ends && this.left === undefined,
      !isKnown(before?.isRevokedOnDestroy) || step.mayLeave === true,
    );
    const exclusive = outcomes(this.exclusive !== false, this.exclusive !== true || mayStay(step));
    const replaced = outcomes(this.#ends, mayBeUpdated(step));
    return replaced.flatMap((isReplaced) =>
      revokes.flatMap((isRevoked) =>
        exclusive.map((isExclusive) => ({ isReplaced, revokes: isRevoked && isReplaced, isExclusive })),
      ),
    );
  }

  /** Returns why the outcomes differ. */
  get doubt(): Sentence {
    const { step, before, exclusive, left } = this;
    const deletes = before?.isRevokedOnDestroy;
    return (
      firstOf([
        [
          mayBeUpdated(step) && left !== undefined,
          () =>
            say`it is replaced, which a value that is not known yet decides: then its groups keep the role`,
        ],
        [
          this.#ends && !isKnown(deletes),
          () => say`deleteOnDestroy is false, which is ${whyHidden(deletes)}`,
        ],
        [step.mayLeave === true, () => say`what it is deletedWith is deleted`],
        [!isKnown(exclusive), () => say`it is not exclusive, which is ${whyHidden(exclusive)}`],
      ]) ?? TURNS_OUT_THE_SAME
    );
  }

  unknown(reason: Sentence, categories: readonly Category[]): NotReviewable {
    const { name, line, before } = this.step;
    const roles = this.sides.map(({ at }) => at && roleKey(at));
    const isHidden = roles.includes(undefined);
    return {
      name,
      tenant: this.sides.at(-1)?.tenant,
      ...(before?.id !== undefined && { id: before.id }),
      roles: isHidden ? undefined : ([...new Set(roles)] as string[]),
      line,
      reason,
      categories,
    };
  }
}

const UNMANAGED = say`no resource manages it any more`;

const WHY_LEFT = {
  later: say`until a later run deletes the old one`,
  get: say`from now on it is only read; ${UNMANAGED}`,
  retainOnDelete: say`because of ${"retainOnDelete"}; ${UNMANAGED}`,
  deletedWith: say`because of ${"deletedWith"}; ${UNMANAGED}`,
} as const satisfies Record<NonNullable<Step["leaves"]>, Sentence>;

function whyLeft({ leaves }: Step, before: AssignmentSide | undefined): Sentence | undefined {
  if (leaves !== undefined) return WHY_LEFT[leaves];
  const isLeft = before?.isRevokedOnDestroy === false;
  return isLeft ? say`because deleteOnDestroy is false; ${UNMANAGED}` : undefined;
}

export function roleNamed(side: AssignmentSide | undefined): Sentence {
  return side?.at === undefined ? say`its role` : roleSentence(side.at);
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
