import { type Ending } from "../kinds/step";
import { hiddenIn, UNKNOWN } from "../../../provider/seen";
import { optional } from "../../lists";
import { isDeletedLast } from "./operations";
import { type RawState, type RawStep } from "./raw-preview";

/** The order in which the engine goes through a preview, and what depends on it. */
export class EngineOrder {
  readonly #dependencies: ReadonlyMap<string, readonly string[]>;
  /** URNs of resources that are deleted at the end of the run. */
  readonly #deletedLast: ReadonlySet<string>;
  /** The subset that is renamed, or replaced because of a value that may turn out unchanged. */
  readonly #maybeDeleted: ReadonlySet<string>;
  /** URNs of resources that are deleted before their replacements are created. */
  readonly #deletedFirst: ReadonlySet<string>;
  readonly #maybeReplaced: ReadonlySet<string>;

  constructor(steps: readonly RawStep[]) {
    this.#dependencies = new Map(
      steps.flatMap(({ urn, newState }) =>
        optional(newState).map(({ dependencies }) => [urn, dependencies] as const),
      ),
    );
    const last = steps.filter(({ op, oldState }) => isDeletedLast(op, oldState));
    const first = steps.filter(
      ({ op, oldState }) => op === "delete-replaced" && !isDeletedLast(op, oldState),
    );
    const open = steps.filter(
      ({ op, newState }) => op.includes("replace") && hiddenIn(newState?.inputs) === UNKNOWN,
    );
    this.#deletedLast = new Set(last.flatMap(urnsOf));
    this.#deletedFirst = new Set(first.flatMap(urnsOf));
    this.#maybeReplaced = maybeReplaced(steps, new Set(open.map(({ urn }) => urn)));
    const renamed = last.flatMap((step) => urnsOf(step).filter((urn) => urn !== step.urn));
    this.#maybeDeleted = new Set([...open.flatMap(urnsOf), ...this.#maybeReplaced, ...renamed]);
  }

  mayNotBeReplaced(urn: string): boolean {
    return this.#maybeReplaced.has(urn);
  }

  /** True if a resource depends on another one, directly or not. */
  isAfter(urn: string, other: string): boolean {
    const before = new Set(this.#dependencies.get(urn));
    // A set's loop goes on to what is added meanwhile.
    for (const dependency of before)
      for (const further of this.#dependencies.get(dependency) ?? []) before.add(further);
    return before.has(other);
  }

  /** Returns why the engine doesn't send a resource's end. `isLast`: that comes at the end of the run. */
  endOf(state: RawState | undefined, isLast: boolean): Ending {
    if (state?.retainOnDelete === true) return { leaves: "retainOnDelete", mayLeave: false };
    if (state?.deletedWith === undefined) return { mayLeave: false };
    const { deletedWith } = state;
    // If the other is deleted first, only newer versions of the CLI skip this delete too.
    if (!isLast || !this.#deletedLast.has(deletedWith))
      return { mayLeave: this.#deletedFirst.has(deletedWith) };
    return this.#maybeDeleted.has(deletedWith)
      ? { mayLeave: true }
      : { leaves: "deletedWith", mayLeave: false };
  }
}

/** A renamed resource has two. */
function urnsOf({ urn, oldState }: RawStep): string[] {
  return [urn, oldState?.urn ?? urn];
}

/**
 * Finds replacements by options that may not happen: a trigger is unknown, or the resources they follow may
 * stay. `open`: URNs of resources that an unknown input may leave as they are.
 */
function maybeReplaced(steps: readonly RawStep[], open: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const replaced = steps.filter(({ op }) => op === "replace");
  const urns = new Set(replaced.map(({ urn }) => urn));
  const isOpen = (urn: string) => open.has(urn) || found.has(urn);
  // A resource is registered after those it follows, so these come first in the preview.
  for (const { urn, replaceReasons, newState } of replaced) {
    const isOwn = replaceReasons.some((reason) => reason !== "deletedWith" && reason !== "replaceWith");
    const followed = [newState?.deletedWith ?? [], newState?.replaceWith ?? []].flat();
    const causes = followed.filter((other) => urns.has(other));
    const isTriggered = hiddenIn(newState?.replacementTrigger) === UNKNOWN;
    if (!isOwn && (isTriggered || causes.length > 0) && causes.every(isOpen)) found.add(urn);
  }
  return found;
}
