import { type Category, type NotReviewable } from "../../pulumi/effects";
import { type Listed } from "../../pulumi/preview-lines";
import { type RawInputs } from "../../pulumi/raw-inputs";
import { id, say, type Sentence } from "../../pulumi/sentence";
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
import { parseRoleLine, type RolePart } from "./lines";

/** One side of an assignment's step. */
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
  /** Names are not unique, and anybody prints lines: one of another role is of another resource. */
  readonly parts: readonly RolePart<Listed>[];

  constructor(readonly step: Step) {
    const { before, after } = step;
    this.before = before && edgesOf(before, recordedIn(before));
    // Another role replaces an assignment: an update keeps it, also where it does not show.
    const kept = step.op === "update" ? this.before?.role : undefined;
    const wanted = after && edgesOf(after, { ...after.inputs, ...(kept !== undefined && { roleId: kept }) });
    // What does not change stays what it is, also where an earlier run has left it half-done.
    this.after = this.isSame ? (this.before ?? wanted) : wanted;
    const sides = [this.before, this.after].filter((edges) => edges !== undefined);
    this.parts = step.told
      .flatMap((line) => parseRoleLine(line) ?? [])
      .filter(({ roleId }) => sides.some(({ role }) => role === undefined || role === roleId))
      .flatMap(({ parts }) => parts);
  }

  get isSame(): boolean {
    return this.step.op === "same";
  }

  get isSameRole(): boolean {
    return this.before?.role === this.after?.role;
  }

  /** Whether it takes the role from groups that others gave it to. */
  get takesFromOthers(): boolean {
    return !this.isSame && this.after !== undefined && this.after.exclusive !== false;
  }

  get becomesExclusive(): boolean {
    return this.takesFromOthers && (this.before?.exclusive !== true || !this.isSameRole);
  }

  /** Whether what there was is deleted, with or without a replacement. */
  get ends(): boolean {
    return this.step.op === "delete" || this.step.op === "replace";
  }

  /** Whether that is certain: what replaces it may turn out to be an update. */
  get isEnd(): boolean {
    return this.ends && !mayBeUpdated(this.step);
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

  /** Why its groups keep the role, whatever a value turns out to be that is not known yet. */
  get stays(): Sentence | undefined {
    return this.isEnd ? this.left : undefined;
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
    return undefined;
  }

  /** The groups of its lines of these kinds. */
  told(...kinds: RolePart["kind"][]): Listed[] {
    return this.parts.flatMap((part) => (kinds.includes(part.kind) && "groups" in part ? [part.groups] : []));
  }

  names(group: string, ...kinds: RolePart["kind"][]): boolean {
    return this.told(...kinds).some(({ named }) => named.includes(group));
  }

  /** Whether a line says that a group loses the role now: certainly, or perhaps. */
  tells(group: string): "loses" | "may lose" | undefined {
    if (this.names(group, "revokes", "has ended")) return "loses";
    return this.names(group, "may revoke") ? "may lose" : undefined;
  }

  /** Whether a line says so, or may: it counts groups that it does not name. */
  mayTell(group: string): boolean {
    if (this.tells(group) !== undefined) return true;
    if (this.names(group, "hands over") || this.after?.groups.includes(group)) return false;
    return this.told("revokes", "may revoke", "has ended").some(({ unnamed }) => unnamed > 0);
  }

  unknown(reason: Sentence, categories: readonly Category[]): NotReviewable {
    const { name, line, before } = this.step;
    const tenant = (this.after ?? this.before)?.tenant;
    return { name, tenant, ...(before?.id !== undefined && { id: before.id }), line, reason, categories };
  }
}

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
