import { type Category, type Effects, type NotReviewable } from "../../pulumi/effects";
import { type Listed } from "../../pulumi/preview-lines";
import { type RawInputs } from "../../pulumi/raw-inputs";
import { id, list, say, Sentence } from "../../pulumi/sentence";
import {
  type Hidden,
  hiddenIn,
  mayBeUpdated,
  type Side,
  type Step,
  switchIn,
  whyHidden,
} from "../../pulumi/step";
import { exclusiveIn, type Held, heldBy, isTakenOnDestroy, wantedIn } from "./effects";
import { LEFT_OVER, parseRoleLine, type RoleLine } from "./lines";
import { nearEnd } from "./until";

/** One side's word on whether a group has a role. */
export interface Claim {
  when: "before" | "after";
  tenant: string | undefined;
  role: string;
  group: string;
  step: Step;
  reason: Sentence;
  /** The tenant keeps it, although no assignment has it any more. */
  stays?: boolean;
  unless?: Sentence | undefined;
  /** Whether a line says that the group loses the role, and whether it says so for certain. */
  told?: "loses" | "may lose" | undefined;
  /** Whether it may be one of those that such a line counts, and does not name. */
  isCounted?: boolean;
  /** Whether a delete takes it before all others are known, one of which may list it. */
  isTakenEarly?: boolean;
  /** Whether it is not known if an earlier change gave the role to the group. */
  isUnconfirmed?: boolean;
  /** Whether it was left to another assignment, and no line says that it is taken away now. */
  isNote?: boolean;
  /** Whether an exclusive assignment takes it from others. */
  isTaken?: boolean;
  until?: string | undefined;
}

export interface Edges extends Held {
  tenant: string | undefined;
  /** Undefined for what is hidden. */
  role: string | undefined;
  /** Why not all of it is known. */
  hidden: Hidden | undefined;
  exclusive: Hidden | boolean;
  /** When it ends, and whether it had ended when it was last checked. */
  until: string | undefined;
  ended: Hidden | boolean;
  isTakenOnDestroy: Hidden | boolean;
}

export class AssignmentStep {
  readonly before: Edges | undefined;
  readonly after: Edges | undefined;
  readonly lines: readonly RoleLine<Listed>[];

  constructor(readonly step: Step) {
    this.before = step.before && edgesOf(step.before, recordedIn(step.before));
    // What does not change stays what it is, also where an earlier run has left it half-done.
    const isSame = step.op === "same" && this.before !== undefined;
    this.after = isSame ? this.before : step.after && edgesOf(step.after, step.after.inputs);
    this.lines = step.told.flatMap((line) => parseRoleLine(line) ?? []);
  }

  get isSame(): boolean {
    return this.step.op === "same";
  }

  get isSameRole(): boolean {
    return this.before?.role === this.after?.role;
  }

  /** Whether an update leaves its role, its groups and its end what they are. */
  get isUntouched(): boolean {
    const { step, before, after } = this;
    if (step.op !== "update" || step.isHalfDone) return false;
    if (before?.ended !== after?.ended || before?.until !== after?.until) return false;
    return !step.differs.some((name) => name === "roleId" || name === "groupIds");
  }

  /** The groups that have the role already, and until when they are to have it. */
  get kept(): readonly string[] {
    const { step, before, after } = this;
    return step.op === "update" && before?.until === after?.until ? (before?.groups ?? []) : [];
  }

  get becomesExclusive(): boolean {
    const { before, after, isSame } = this;
    if (isSame || after === undefined || after.exclusive === false) return false;
    return before?.exclusive !== true || !this.isSameRole;
  }

  /** Whether it takes the role from groups that others gave it to. */
  get takesFromOthers(): boolean {
    return !this.isSame && this.after !== undefined && this.after.exclusive !== false;
  }

  /** Why its groups keep the role, whatever a value turns out to be that is not known yet. */
  get stays(): Sentence | undefined {
    return this.isEnd ? this.left : undefined;
  }

  /** Why nothing is sent for the end of what there was, and what becomes of it: its groups keep the role. */
  get left(): Sentence | undefined {
    const { step, before } = this;
    if (before === undefined || !this.ends) return undefined;
    if (step.leaves === "later") return say`until a later run deletes the old one`;
    if (step.leaves === "get") return say`from now on it is only read; ${UNMANAGED}`;
    if (step.leaves !== undefined) return say`because of ${step.leaves}; ${UNMANAGED}`;
    return before.isTakenOnDestroy === false
      ? say`because deleteOnDestroy is false; ${UNMANAGED}`
      : undefined;
  }

  /** Whether what there was is deleted, with or without a replacement. */
  get ends(): boolean {
    return this.step.op === "delete" || this.step.op === "replace";
  }

  /** Whether that is certain: what replaces it may turn out to be an update. */
  get isEnd(): boolean {
    return this.ends && !mayBeUpdated(this.step);
  }

  line<Kind extends RoleLine["kind"]>(kind: Kind): (RoleLine<Listed> & { kind: Kind })[] {
    return this.lines.filter((line) => line.kind === kind && this.concerns(line)) as (RoleLine<Listed> & {
      kind: Kind;
    })[];
  }

  /** Names are not unique, and anybody prints lines: one of another role is of another resource. */
  concerns({ roleId }: { roleId: string }): boolean {
    return [this.before, this.after].some(
      (edges) => edges !== undefined && (edges.role ?? roleId) === roleId,
    );
  }

  /** Whether a line says that a group loses the role, or may lose it. */
  tells(group: string): Claim["told"] {
    if (this.#names("revokes", group) || this.#names("has ended", group)) return "loses";
    return this.#names("may revoke", group) ? "may lose" : undefined;
  }

  /** Whether a line says that groups lose the role now which it does not name. */
  get #countsMore(): boolean {
    const lines = [...this.line("revokes"), ...this.line("may revoke"), ...this.line("has ended")];
    return lines.some(({ groups }) => groups.unnamed > 0);
  }

  #names(kind: "revokes" | "may revoke" | "revokes later" | "has ended", group: string): boolean {
    return this.line(kind).some(({ groups }) => groups.named.includes(group));
  }

  had(): Claim[] {
    const { step, before, after } = this;
    if (before?.role === undefined) return [];
    const { stays, doubt } = this;
    const claim = (group: string, reason: Sentence, unless?: Sentence): Claim => ({
      when: "before",
      tenant: before.tenant,
      role: before.role as string,
      group,
      step,
      reason,
      stays: stays !== undefined,
      unless,
      until: before.until,
    });
    const reason = this.reasonOfLoss;
    const handsOver = new Set(this.line("hands over").flatMap(({ groups }) => groups.named));
    return [
      ...before.groups.map((group) => ({
        ...claim(
          group,
          reason,
          handsOver.has(group)
            ? say`an assignment outside of this preview lists it`
            : (doubt ??
                this.#unseen(group) ??
                (before.unconfirmed.includes(group)
                  ? say`the change that was to give it was not done, which is not known`
                  : undefined)),
        ),
        told: this.tells(group),
        isCounted: this.#countsMore && !handsOver.has(group) && after?.groups.includes(group) !== true,
        isTakenEarly: step.deletesFirst && this.#names("revokes later", group),
        isUnconfirmed: before.unconfirmed.includes(group),
      })),
      ...before.handedOver.map((group) => {
        const isTold = this.line("ends").some(
          ({ groups }) => groups.named.includes(group) || groups.unnamed > 0,
        );
        const unless = isTold || this.isEnd || this.isSame ? doubt : say`another assignment lists it`;
        const note = claim(group, say`handed it over, nobody lists it now`, unless);
        return { ...note, stays: this.isEnd, isNote: !isTold };
      }),
    ];
  }

  has(): Claim[] {
    const { step, before, after, isSameRole } = this;
    if (after?.role === undefined) return [];
    const { tenant, role } = after;
    const isMoved = before !== undefined && before.role !== undefined && !isSameRole;
    const isGivenAgain = step.deletesFirst && isSameRole && this.left === undefined;
    // What was handed over stays so until something is done to the assignment.
    const notes = this.isSame ? (before?.handedOver ?? []) : [];
    return [...after.groups, ...notes].map((group, place) => ({
      when: "after",
      isNote: place >= after.groups.length,
      tenant,
      role,
      group,
      step,
      until: after.until,
      reason: isMoved
        ? say`changes its role`
        : isGivenAgain && before?.groups.includes(group)
          ? say`is deleted before it is replaced: the group is without the role for a moment`
          : say``,
    }));
  }

  /** Why its end may take the role from no group. */
  get doubt(): Sentence | undefined {
    const { step, before } = this;
    if (!this.ends) return undefined;
    if (this.left !== undefined && this.stays === undefined)
      return say`it is replaced, which a value that is not known yet decides: then its groups keep the role`;
    if (before !== undefined && typeof before.isTakenOnDestroy !== "boolean")
      return say`deleteOnDestroy is false, which is ${whyHidden(before.isTakenOnDestroy)}`;
    if (step.mayLeave) return say`what it is deletedWith is deleted`;
    if (step.op === "replace" && step.isDeleteHidden)
      return say`the old one stays: this preview does not show its delete`;
    return undefined;
  }

  /** Why its end may not take the role from a group: only its process knows what does not show. */
  #unseen(group: string): Sentence | undefined {
    const { op, areOthersHidden } = this.step;
    const isTold = op === "update" || this.#names("revokes later", group);
    return areOthersHidden && !isTold ? HIDDEN_OTHER : undefined;
  }

  get reasonOfLoss(): Sentence {
    const { step, isSameRole, after } = this;
    if (step.op === "delete") return say`is deleted`;
    if (isSameRole && after?.ended === true) return say`has ended (until ${after.until ?? ""})`;
    return step.after !== undefined && !isSameRole ? say`changes its role` : say``;
  }

  unknown(reason: Sentence, categories: readonly Category[]): NotReviewable {
    const { name, line, before } = this.step;
    const tenant = (this.after ?? this.before)?.tenant;
    return { name, tenant, ...(before?.id !== undefined && { id: before.id }), line, reason, categories };
  }
}

/** Why a group may keep a role where the preview hides resources that stay as they are. */
export const HIDDEN_OTHER = say`an assignment lists it that this preview does not show`;

const UNMANAGED = say`no resource manages it any more`;

export function roleNamed({ role }: Edges): Sentence {
  return role === undefined ? say`its role` : say`${id(role)}`;
}

/** Outputs hold all inputs. After a change that was done in part, the inputs in state are older. */
function recordedIn({ inputs, outputs }: Side): RawInputs {
  return "roleId" in outputs ? outputs : inputs;
}

function edgesOf({ tenant }: Side, values: RawInputs): Edges {
  const { roleId, until } = values;
  const role = typeof roleId === "string" && hiddenIn(roleId) === undefined ? roleId : undefined;
  return {
    ...heldBy(values),
    tenant,
    role,
    hidden: hiddenIn([roleId, wantedIn(values), values["ended"]]),
    exclusive: switchIn(exclusiveIn(values), false),
    until: typeof until === "string" && hiddenIn(until) === undefined ? until : undefined,
    ended: switchIn(values["ended"], false),
    isTakenOnDestroy: isTakenOnDestroy(values),
  };
}

/** What sends nothing now, and what later runs do otherwise. */
export function notesOf(
  assignment: AssignmentStep,
  /** Whether a group keeps the role, and no assignment gives, takes or lists it. */
  isKept: (group: string) => boolean,
): Effects["notes"] {
  const { step, before, after, isSame } = assignment;
  const reasons = [
    keptByGroups(assignment),
    keptAsHandedOver(assignment, isKept),
    ...(isSame || after === undefined
      ? []
      : [
          alreadyDeleted(assignment),
          newlyExclusive(assignment, after),
          newDeleteOnDestroy(assignment, after),
          newEnd(assignment, after),
          noLongerExclusive(assignment, after),
        ]),
  ];
  const tenant = (after ?? before)?.tenant;
  return reasons
    .filter((reason) => reason !== undefined)
    .map((reason) => ({ name: step.name, tenant, reason }));
}

function keptByGroups({ before, after, stays, isSameRole }: AssignmentStep): Sentence | undefined {
  const isTaken = isSameRole && after?.exclusive === true;
  if (before === undefined || stays === undefined || isTaken) return undefined;
  const role = before.role === undefined ? say`the role` : say`${id(before.role)}`;
  return say`nothing is sent: its groups keep ${role}, ${stays}`;
}

/** No delete takes away what was handed over: it can't know who has it by now. */
function keptAsHandedOver(
  { before, isEnd, stays }: AssignmentStep,
  isKept: (group: string) => boolean,
): Sentence | undefined {
  if (before === undefined || !isEnd || stays !== undefined) return undefined;
  const groups = before.handedOver.filter(isKept);
  if (groups.length === 0) return undefined;
  const verb = groups.length === 1 ? say`keeps` : say`keep`;
  return say`nothing is sent: ${list(groups.map(id))} ${verb} ${roleNamed(before)}, ${new Sentence([LEFT_OVER])}`;
}

/** The package does not know that: its line may say that groups lose the role now. */
function alreadyDeleted({ step }: AssignmentStep): Sentence | undefined {
  if (!step.isGone) return undefined;
  return say`an earlier run has deleted the one that it replaces: no group loses a role now`;
}

function newlyExclusive({ becomesExclusive }: AssignmentStep, after: Edges): Sentence | undefined {
  if (!becomesExclusive || after.exclusive !== true) return undefined;
  return say`from now on, each change of it takes ${roleNamed(after)} from groups that others gave it to (exclusive)`;
}

function newDeleteOnDestroy({ step, before }: AssignmentStep, after: Edges): Sentence | undefined {
  if (step.op !== "update" || before === undefined) return undefined;
  if (before.isTakenOnDestroy === after.isTakenOnDestroy) return undefined;
  return say`from now on, destroying it ${onDestroy(after, roleNamed(after))} (deleteOnDestroy)`;
}

function newEnd({ before, isSameRole }: AssignmentStep, after: Edges): Sentence | undefined {
  const role = roleNamed(after);
  if (after.ended === true) {
    if (before?.ended === true) return undefined;
    return say`has ended (until ${after.until ?? ""}): it gives ${role} to no group until it is prolonged or removed`;
  }
  if (before === undefined || !isSameRole || before.until === after.until) return undefined;
  const now = after.until === undefined ? say`without an end` : say`until ${after.until}`;
  const was = before.until === undefined ? say`there was no end` : say`it was until ${before.until}`;
  return say`its groups have ${role} ${now}; ${was}`;
}

function noLongerExclusive({ before, isSameRole }: AssignmentStep, after: Edges): Sentence | undefined {
  const leavesOthers = after.exclusive === false && after.ended === false;
  if (!isSameRole || before?.exclusive !== true || !leavesOthers) return undefined;
  return say`is no longer exclusive: groups that others give the role to keep it`;
}

/** What is about to end: it depends on the day, and not only on the preview. */
export function endsSoon(steps: readonly Step[], moment: number): Effects["notes"] {
  return steps.flatMap((step) => {
    if (step.kind !== "RoleGroupAssignment") return [];
    const { after } = new AssignmentStep(step);
    const when =
      after?.until === undefined || after.ended === true ? undefined : nearEnd(after.until, moment);
    if (after?.until === undefined || when === undefined) return [];
    const role = roleNamed(after);
    const reason = say`until ${after.until}, ${new Sentence([when])}: then its groups lose ${role}`;
    return [{ name: step.name, tenant: after.tenant, reason }];
  });
}

function onDestroy({ isTakenOnDestroy: isTaken }: Edges, role: Sentence): Sentence {
  if (isTaken === true) return say`takes ${role} from its groups`;
  if (isTaken === false) return say`leaves ${role} to its groups`;
  return say`may take ${role} from its groups: whether it does is ${whyHidden(isTaken)}`;
}
