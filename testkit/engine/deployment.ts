import { CheckFailed } from "./handlers";
import { type Hosts } from "./hosts";
import { type DeploymentOptions, isTarget, Planner, type Step, type StepEvent, untouched } from "./plan";
import { type Program } from "./program";
import { Slots } from "./slots";
import {
  keyOf,
  needsOf,
  type ResourceState,
  type Snapshot,
  urnOf,
  withDependencies,
  withDependents,
} from "./state";

/** A resource to be deleted: it was replaced, or the program no longer has it. */
interface Condemned {
  name: string;
  /** Its key before this run. */
  key: string;
  state: ResourceState;
  label: string;
  event: StepEvent | undefined;
  run: () => Promise<void>;
}

/** The error of one resource, or of the run. */
export interface Failure {
  key: string;
  /** True if `check` has refused its inputs. */
  isCheck: boolean;
  message: string;
}

/** One run of the engine, on a snapshot that it changes. */
export class Deployment {
  readonly steps: string[] = [];
  readonly events: StepEvent[] = [];
  readonly failures: Failure[] = [];
  readonly #planner: Planner;
  readonly #slots: Slots;
  /** Resources are planned one at a time. */
  readonly #planning = new Slots(1);
  /** Resources as the run, or its refresh, found them. */
  readonly #olds: Map<string, ResourceState>;
  readonly #failed: string[] = [];
  readonly #skipped = new Set<string>();
  /** Nothing new may start. */
  #stopped = false;

  constructor(
    hosts: Hosts,
    private readonly snapshot: Snapshot,
    private readonly options: DeploymentOptions,
  ) {
    this.#planner = new Planner(hosts, snapshot, options);
    this.#slots = new Slots(options.parallel);
    this.#olds = new Map(snapshot.resources);
  }

  get errors(): string[] {
    return this.failures.map(({ key, message }) => `${key}: ${message}`);
  }

  #fail(key: string, message: string, isCheck = false): void {
    this.failures.push({ key, message, isCheck });
  }

  /** Refreshes everything in state, without the program. After a failure the rest is still read. */
  async refresh(): Promise<void> {
    if (!this.#findTargets({})) return;
    const { resources, pendingDeletes } = this.snapshot;
    const refreshes: Promise<boolean>[] = [];
    const refresh = (name: string, old: ResourceState, record: (found?: ResourceState) => void) => {
      if (!isTarget(this.options, name)) return;
      const run = async () => record(await this.#refreshOne(name, old));
      refreshes.push(this.#attempt(name, () => this.#slots.run(run), "continue"));
    };
    for (const [name, old] of resources) refresh(name, old, (found) => this.#record(name, found));
    for (const pending of [...pendingDeletes]) {
      const { name, state } = pending;
      refresh(name, state, (found) => {
        const now = found === undefined ? [] : [{ name, state: found }];
        pendingDeletes.splice(pendingDeletes.indexOf(pending), 1, ...now);
      });
    }
    await Promise.all(refreshes);
  }

  /** Applies the program to its resources, and deletes those it doesn't have. */
  async deploy(program: Program): Promise<void> {
    const registered = new Map<string, Promise<void>>();
    for (const [name, { dependsOn = [], deletedWith = [], replaceWith = [] }] of Object.entries(program)) {
      const needed = [dependsOn, deletedWith, replaceWith].flat();
      const dependencies = Promise.all(needed.flatMap((dependency) => registered.get(dependency) ?? []));
      registered.set(
        name,
        dependencies.then(() => this.#register(name, program)),
      );
    }
    await Promise.all(registered.values());
    for (const { name, error } of this.#planner.refused) this.#fail(name, error.message);
    if (!this.#stopped) {
      this.#findTargets(program);
      await this.#deleteOthers(program);
    }
    this.#settleNames();
  }

  /** Gives resources their final names in state. */
  #settleNames(): void {
    const { resources, pendingDeletes } = this.snapshot;
    for (const [name, former] of this.#planner.notRenamed) {
      const state = resources.get(name);
      if (state === undefined) continue;
      resources.set(former, state);
      resources.delete(name);
    }
    for (const [place, { name, state, successor = state }] of pendingDeletes.entries())
      pendingDeletes[place] = { name, state: { ...state, name: successor.name, parent: successor.parent } };
  }

  async #register(name: string, program: Program): Promise<void> {
    const { dependsOn = [] } = program[name] ?? {};
    // Dependents of a failure aren't registered.
    if (dependsOn.some((dependency) => this.#skipped.has(dependency))) {
      this.#skipped.add(name);
      return;
    }
    await this.#planning.acquire();
    if (this.options.refreshProgram && program[name]?.get === undefined) await this.#refreshRegistered(name);
    let steps: Step[] = [];
    const plan = async () => {
      steps = await this.#planner.plan(name, program);
    };
    if (!this.#stopped) await this.#attempt(name, plan, "stop");
    // The next resource is planned once this one's steps have begun, not earlier.
    if (steps.length > 0) await this.#slots.acquire();
    this.#planning.release();
    if (steps.length === 0) return;
    await this.#execute(name, steps);
    this.#slots.release();
  }

  /** Others are planned while the resource is read. */
  async #refreshRegistered(name: string): Promise<void> {
    const old = this.snapshot.resources.get(name);
    if (old === undefined || !isTarget(this.options, name)) return;
    await this.#slots.acquire();
    this.#planning.release();
    const run = async () => this.#record(name, await this.#refreshOne(name, old));
    if (!this.#stopped) await this.#attempt(name, run, "stop");
    this.#slots.release();
    await this.#planning.acquire({ first: true });
  }

  async #execute(name: string, planned: Step[]): Promise<void> {
    const steps = this.#stopped ? [] : planned.filter((step) => !this.#skips(name, step));
    this.steps.push(...steps.flatMap(({ label = [] }) => label));
    for (const { label, run, events } of steps) {
      this.events.push(...events);
      if (this.#stopped) {
        // Another resource has failed between the two steps of a replacement.
        if (label !== undefined) this.steps.splice(this.steps.lastIndexOf(label), 1);
      } else if (!(await this.#attempt(name, run))) {
        this.#failed.push(name);
        this.#skipped.add(name);
        return;
      }
    }
  }

  #skips(name: string, { dependsOn }: Step): boolean {
    const skips = dependsOn.some((dependency) => this.#skipped.has(dependency));
    if (skips) this.#skipped.add(name);
    return skips;
  }

  async #deleteOthers(program: Program): Promise<void> {
    const { target, exclude = [], preview, continueOnError } = this.options;
    const allowed = target && withDependents(target, this.#olds);
    const kept = withDependencies(exclude, this.#olds);
    const condemned = this.#condemned(program, (key) => allowed?.has(key) ?? !kept.has(key));
    const skipped = ([name]: [string, ResourceState]) =>
      program[name] === undefined && !condemned.some((one) => one.name === name);
    for (const [name, state] of [...this.snapshot.resources].filter(skipped))
      this.events.push(untouched(name, state));
    const unnamed = condemned.filter(({ name }) => target?.includes(name) === false);
    for (const { name } of unnamed)
      this.#fail(name, "It will be destroyed but was not specified in --target list.");
    if (unnamed.length > 0 && !preview) return;

    for (const together of dependentsFirst(condemned)) {
      // Dependencies of a failed resource must stay.
      const spared = withDependencies(this.#dependenciesOfFailed(), this.#olds);
      const one = async ({ name, state, label, event, run }: Condemned) => {
        if (this.#stopped) return;
        this.steps.push(label);
        if (event !== undefined) this.events.push(event);
        const isProtected = event?.op === "delete" && state.protect;
        const delete_ = isProtected ? () => Promise.reject(protectedError(state)) : run;
        if (!(await this.#attempt(name, delete_, isProtected || continueOnError ? "continue" : "stop")))
          this.#failed.push(name);
      };
      await Promise.all(
        together
          .filter(({ name }) => !spared.has(name))
          .map((resource) => this.#slots.run(() => one(resource))),
      );
    }
  }

  #condemned(program: Program, isIncluded: (key: string) => boolean): Condemned[] {
    const { resources, pendingDeletes } = this.snapshot;
    const gone = [...resources].filter(([name]) => program[name] === undefined);
    // URNs deleted in this run: the engine also counts replaced resources.
    const deleted = new Set(this.#planner.deletedFirst);
    const remove = async (state: ResourceState) => {
      const { retainOnDelete, deletedWith } = state;
      if (retainOnDelete || (deletedWith !== undefined && deleted.has(deletedWith))) return;
      await (await this.#planner.handlers(state.provider)).delete(state);
    };
    const replaced = pendingDeletes.map((pending): Condemned => {
      const op = pending.state.external ? "discard-replaced" : "delete-replaced";
      const { name, state, successor = state } = pending;
      const isRenamed = keyOf(successor) !== keyOf(state);
      return {
        name,
        key: isRenamed ? keyOf(state) : name,
        state,
        label: `delete replaced ${pending.name}`,
        event: { op, key: pending.name, old: { ...pending.state, delete: true } },
        run: async () => {
          await remove(pending.state);
          pendingDeletes.splice(pendingDeletes.indexOf(pending), 1);
        },
      };
    });
    const removed = gone.map(([name, state]): Condemned => {
      const op = state.external ? "discard" : "delete";
      return {
        name,
        key: name,
        state,
        label: `delete ${name}`,
        // A resource that is already deleted only leaves the state, which isn't shown.
        event: state.pendingReplacement ? undefined : { op, key: name, old: state },
        run: async () => {
          if (!state.pendingReplacement) await remove(state);
          resources.delete(name);
        },
      };
    });
    const condemned = [...replaced, ...removed].filter(({ key }) => isIncluded(key)).reverse();
    for (const { name } of condemned) deleted.add(name);
    return condemned;
  }

  #dependenciesOfFailed(): string[] {
    return this.#failed.flatMap((name) => [...(this.#olds.get(name)?.dependsOn ?? [])]);
  }

  /** Undefined if it's gone. */
  async #refreshOne(name: string, old: ResourceState): Promise<ResourceState | undefined> {
    if (old.pendingReplacement) return old;
    const handlers = await this.#planner.handlers(old.provider);
    const { id, properties, inputs = old.inputs } = await handlers.read(old.id, old.outputs);
    if (id === "") {
      this.steps.push(`gone ${name}`);
      return undefined;
    }
    const found: ResourceState = { ...old, id, inputs, outputs: properties, initErrors: [] };
    if (old.external) return found;
    // Compares as an `up` of an unchanged program would: the engine finds drift to show this way.
    const difference = await handlers.diff(found, old.inputs);
    if (difference.changed) this.steps.push(`drift ${name}: ${difference.keys.join(", ")}`);
    return found;
  }

  #record(name: string, found: ResourceState | undefined): void {
    for (const states of [this.snapshot.resources, this.#olds]) {
      if (found === undefined) states.delete(name);
      else states.set(name, found);
    }
  }

  /** Returns true if every target is known. */
  #findTargets(program: Program): boolean {
    const unknown = (this.options.target ?? []).filter(
      (name) => program[name] === undefined && !this.snapshot.resources.has(name),
    );
    for (const name of unknown) this.#fail(name, "The target could not be found in the stack.");
    return unknown.length === 0;
  }

  /** Returns true on success. A failed step stops the run, unless the run continues on error. */
  async #attempt(
    name: string,
    run: () => Promise<void>,
    onFailure: "stop" | "continue" = this.options.continueOnError ? "continue" : "stop",
  ): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const isCheck = error instanceof CheckFailed;
      for (const reason of isCheck ? error.reasons : [error.message]) this.#fail(name, reason, isCheck);
      if (onFailure === "stop") this.#stopped = true;
      return false;
    }
  }
}

function protectedError(state: ResourceState): Error {
  return new Error(`resource "${urnOf(state)}" cannot be deleted\nbecause it is protected.`);
}

/** Returns groups of resources that can be deleted together, each after its dependents. */
function dependentsFirst(condemned: Condemned[]): Condemned[][] {
  const rest = new Set(condemned);
  const groups: Condemned[][] = [];
  while (rest.size > 0) {
    const names = new Set([...rest].map(({ name }) => name));
    const free = ({ name, state }: Condemned) =>
      !needsOf(state).some((dependency) => dependency !== name && names.has(dependency));
    const group = [...rest].filter(free);
    // Only resources that an earlier run could not delete may form a circle with the present ones.
    groups.unshift(group.length > 0 ? group : [...rest]);
    for (const resource of groups[0] ?? []) rest.delete(resource);
  }
  return groups;
}
