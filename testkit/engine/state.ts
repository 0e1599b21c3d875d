import { isDeepStrictEqual } from "node:util";
import { type Values } from "../hosts/host";
import { type KindName } from "../../provider/kinds";

/** A resource as state has it. */
export interface ResourceState {
  kind: KindName;
  id: string;
  inputs: Values;
  outputs: Values;
  /**
   * The reasons why the last create or update was left half-done; the next `up` updates the resource even
   * without a change.
   */
  initErrors: string[];
  external: boolean;
  /** Deleted for a replacement that then failed. */
  pendingReplacement: boolean;
  /** The explicit provider. */
  provider: string | undefined;
  /** Keys of its dependencies when it was last registered. */
  dependsOn: readonly string[];
  name: string;
  /** The type of its parent component. */
  parent: string | undefined;
  protect: boolean;
  retainOnDelete: boolean;
  deletedWith: string | undefined;
  replaceWith: readonly string[];
  replacementTrigger: string | undefined;
  ignoreChanges: readonly string[];
  replaceOnChanges: readonly string[];
  /** The option `import` when it was last registered. */
  importId: string | undefined;
  /** The next `up` replaces it: `pulumi state taint`. */
  taint: boolean;
  /** The paths of secrets in its inputs and outputs. */
  secrets: readonly (readonly string[])[];
}

/** The wanted resource; `inputs` come from `check`. */
export type Goal = Omit<
  ResourceState,
  "id" | "outputs" | "initErrors" | "external" | "pendingReplacement" | "taint"
>;

export interface PendingDelete {
  name: string;
  state: ResourceState;
  /** Its replacement, whose name it takes once the run ends. */
  successor?: Pick<ResourceState, "name" | "parent">;
}

/** A run's starting point and result. */
export interface Snapshot {
  /** In the order of creation. */
  readonly resources: Map<string, ResourceState>;
  /** Replaced resources that are still to be deleted. */
  readonly pendingDeletes: PendingDelete[];
}

export function newState(recorded: Goal & Pick<ResourceState, "id" | "outputs">): ResourceState {
  return { ...recorded, initErrors: [], external: false, pendingReplacement: false, taint: false };
}

/** Returns the resources that it needs. */
export function needsOf({ dependsOn, deletedWith, replaceWith }: ResourceState): readonly string[] {
  return [...dependsOn, ...(deletedWith === undefined ? [] : [deletedWith]), ...replaceWith];
}

/** Returns these resources with everything they need. */
export function withDependencies(
  names: Iterable<string>,
  states: ReadonlyMap<string, ResourceState>,
): Set<string> {
  const found = new Set(names);
  // Iterating over a set includes entries added on the way.
  for (const name of found) {
    const state = states.get(name);
    for (const needed of state === undefined ? [] : needsOf(state)) found.add(needed);
  }
  return found;
}

/** Returns these resources with everything that needs them. */
export function withDependents(
  names: Iterable<string>,
  states: ReadonlyMap<string, ResourceState>,
): Set<string> {
  const found = new Set(names);
  for (const needed of found) {
    for (const [name, state] of states) if (needsOf(state).includes(needed)) found.add(name);
  }
  return found;
}

/** Its identity for the real engine. */
export function urnOf({ kind, name, parent }: Pick<ResourceState, "kind" | "name" | "parent">): string {
  const type = `pulumi-nodejs:dynamic/identity:${kind}`;
  return `urn:pulumi:test::test::${parent === undefined ? "" : `${parent}$`}${type}::${name}`;
}

/** The key of a resource that has not been renamed. */
export function keyOf({ name, parent }: Pick<ResourceState, "name" | "parent">): string {
  return parent === undefined ? name : `${parent}/${name}`;
}

export function changedKeys(olds: Values, news: Values): string[] {
  const [before, after] = [withoutNulls(olds) as Values, withoutNulls(news) as Values];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

/** The engine treats a null property as missing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null && child !== undefined)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}
