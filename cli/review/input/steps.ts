import { isDeepStrictEqual } from "node:util";
import { groupedBy } from "../../../provider/access/grants";
import { type KindName, kindOfType } from "../../../provider/kinds";
import { urnName } from "../../../provider/pulumi/urn";
import { type Fact } from "../../../provider/review/facts";
import { type Ending, type Side, type Step } from "../kinds/step";
import { compare, optional } from "../../lists";
import { type Locate } from "../../places";
import { EngineOrder } from "./engine-order";
import { isDeletedLast } from "./operations";
import { type TenantOf, urnOf } from "./providers";
import { type RawState, type RawStep } from "./raw-preview";

/** Known from elsewhere than the step. */
export interface StepContext<Kind extends string> {
  tenantOfProvider: TenantOf;
  locate: Locate;
  /** Undefined for a step without sides. */
  kindOf: (step: RawStep) => Kind | undefined;
  /** Objects that the run creates for the inputs of a resource. */
  madeFor: (state: RawState) => Side["made"];
  isDestroy: boolean;
  /** By URN. */
  printed: ReadonlyMap<string, readonly Fact[]>;
}

/** Returns the steps of one package's resources, sorted. `own`: as they are in the preview, among `all`. */
export function stepsIn<Kind extends string>(
  own: readonly RawStep[],
  all: readonly RawStep[],
  known: StepContext<Kind>,
): Step<Kind>[] {
  // A resource deleted for its replacement still has its former name.
  const renamed = new Map(
    own.filter(({ op }) => op === "replace").map(({ urn, oldState }) => [oldState?.urn, urn] as const),
  );
  const nowUrn = ({ op, urn }: RawStep) => (op === "delete-replaced" && renamed.get(urn)) || urn;
  const order = new EngineOrder(all);
  const steps = [...groupedBy(own, nowUrn).values()].flatMap((resource) => {
    const kind = resource.map(known.kindOf).find((one) => one !== undefined);
    return kind === undefined ? [] : new StepReader(order, known, kind).stepsOf(resource);
  });
  return steps.sort(
    (one, other) =>
      compare(one.name, other.name) || compare(one.kind, other.kind) || compare(one.op, other.op),
  );
}

export function resourceKind({
  newState,
  oldState,
}: Pick<RawStep, "newState" | "oldState">): KindName | undefined {
  return kindOfType((newState ?? oldState)?.type ?? "");
}

/** A replacement and its parts, which show if and when anything is deleted. */
interface Replacement {
  whole: RawStep;
  made: RawStep;
  deleted: RawStep | undefined;
  deletesFirst: boolean;
}

const MAKES: ReadonlySet<string> = new Set(["create", "create-replacement"]);
const DELETES: ReadonlySet<string> = new Set(["delete", "delete-replaced"]);

function replacementIn(steps: readonly RawStep[]): Replacement | undefined {
  const whole = steps.find(({ op }) => op === "replace");
  const made = steps.find(({ op }) => MAKES.has(op));
  if (whole === undefined || made === undefined) return undefined;
  const deletes = steps.filter(({ op }) => DELETES.has(op));
  // An earlier run may have left another one with the same id to be deleted.
  const deleted =
    deletes.find(({ oldState }) => isSameState(oldState, whole.oldState)) ??
    deletes.find(({ oldState }) => oldState?.id === whole.oldState?.id);
  const deletesFirst = deleted !== undefined && steps.indexOf(deleted) < steps.indexOf(made);
  return { whole, made, deleted, deletesFirst };
}

function isSameState(one: RawState | undefined, other: RawState | undefined): boolean {
  return isDeepStrictEqual([one?.id, one?.outputs], [other?.id, other?.outputs]);
}

type StepOf<Kind extends string, Op extends Step["op"]> = Extract<Step<Kind>, { op: Op }>;

const LATER: Ending = { leaves: "later", mayLeave: false };

/** Turns the raw steps of one resource into the form that its reviewer reads. */
class StepReader<Kind extends string> {
  constructor(
    private readonly order: EngineOrder,
    private readonly known: StepContext<Kind>,
    private readonly kind: Kind,
  ) {}

  stepsOf(resource: readonly RawStep[]): Step<Kind>[] {
    const replacement = replacementIn(resource);
    // A run deletes leftovers of earlier ones as well.
    const alone =
      replacement === undefined
        ? resource
        : resource.filter((step) => step !== replacement.deleted && !MAKES.has(step.op));
    return [
      ...optional(replacement).map((parts) => this.#replace(parts)),
      ...alone.flatMap(
        (step) =>
          this.#alone(
            step,
            resource.some(({ op }) => op === "update"),
          ) ?? [],
      ),
    ];
  }

  /** Returns a step that is no part of a replacement. */
  #alone(step: RawStep, isUpdated: boolean): Step<Kind> | undefined {
    switch (step.op) {
      case "create":
      case "update":
        return this.#write(step, step.op);
      case "same":
        return this.#same(step);
      case "import":
      case "import-replacement":
        // One that fits the program changes nothing. Any other comes with an update, which covers the rest.
        return isUpdated ? undefined : { ...this.#same({ ...step, oldState: undefined }), isOutside: false };
      case "delete":
      case "delete-replaced":
        return this.#delete(step);
      case "read":
        if (step.oldState === undefined || step.oldState.external) return undefined;
        return { ...this.#delete(step), leaves: "get", mayLeave: false };
      default:
        return undefined;
    }
  }

  #write(step: RawStep, op: "create" | "update"): Step<Kind> {
    const { oldState, newState } = step;
    const sides = { before: this.#inState(oldState), after: this.#declared(newState) };
    return { ...this.#facts(step, oldState), op, ...sides };
  }

  #same(step: RawStep): StepOf<Kind, "same"> {
    const { oldState, newState } = step;
    return {
      ...this.#facts(step, oldState),
      op: "same",
      before: this.#inState(oldState),
      after: this.#declared(newState),
      isOutside:
        newState?.outputs !== undefined || (newState?.id === undefined && oldState?.id === undefined),
      isSpared: this.known.isDestroy,
    };
  }

  #delete(step: RawStep): StepOf<Kind, "delete"> {
    const { op, oldState } = step;
    return {
      ...this.#facts(step, oldState),
      op: "delete",
      before: this.#inState(oldState),
      ...this.order.endOf(oldState, isDeletedLast(op, oldState)),
    };
  }

  #replace({ whole, made, deleted, deletesFirst }: Replacement): Step<Kind> {
    // Deletes outside the run's targets wait for a later run, unless an earlier one has already made them.
    const isGone = deleted === undefined && whole.oldState?.pendingReplacement === true;
    const isLeft = deleted === undefined && !isGone;
    const before = isLeft ? whole.oldState : deleted?.oldState;
    // A resource that was only read can't be replaced.
    if (whole.oldState?.external === true) return this.#write({ ...made, oldState: before }, "create");
    return {
      ...this.#facts(made, before),
      ...this.#cause(whole, made),
      op: "replace",
      // One that deletes first is marked as soon as it has deleted.
      before: before && this.#inState({ ...before, pendingReplacement: false }),
      after: this.#declared(made.newState),
      ...(isLeft ? LATER : this.order.endOf(before, before?.delete === true)),
      deletesFirst,
      isGone,
    };
  }

  /** Returns why a resource is replaced. */
  #cause({ urn, diffReasons, replaceReasons }: RawStep, { newState }: RawStep) {
    const mayNotBeReplaced = this.order.mayNotBeReplaced(urn);
    return {
      // Pulumi doesn't compare inputs if an option replaces the resource, so any of them may differ.
      differs: mayNotBeReplaced ? Object.keys(newState?.inputs ?? {}) : diffReasons,
      replacedFor: replaceReasons,
      mayNotBeReplaced,
    };
  }

  /** Returns what a step of any operation has. */
  #facts(step: RawStep, before: RawState | undefined) {
    const { urn, oldState, newState, diffReasons } = step;
    const provider = (oldState ?? newState)?.provider;
    return {
      kind: this.kind,
      urn,
      name: urnName(urn),
      provider: provider === undefined ? undefined : urnOf(provider),
      isHalfDone: before !== undefined && before.initErrors.length > 0,
      differs: diffReasons,
      isAfter: (other: { urn: string }) => this.order.isAfter(urn, other.urn),
      line: newState && this.known.locate(newState.sourcePositions, urn),
      printed: this.known.printed.get(urn) ?? [],
    };
  }

  /** Returns a managed resource that exists. A new one outside the run's targets has no id. */
  #inState(state: RawState | undefined): Side | undefined {
    return state?.id === undefined || state.pendingReplacement ? undefined : this.#declared(state);
  }

  /** Returns a managed resource: one that `get` read isn't. */
  #declared(state: RawState | undefined): Side | undefined {
    if (state === undefined || state.external) return undefined;
    const { id, inputs, outputs = {}, protect, retainOnDelete, provider } = state;
    const recorded = id === undefined ? undefined : outputs["tenant"];
    const tenant = typeof recorded === "string" ? recorded : this.known.tenantOfProvider(provider);
    return { id, tenant, inputs, outputs, protect, retainOnDelete, made: this.known.madeFor(state) };
  }
}
