import { type Values } from "../host";
import { type Difference, Handlers } from "./handlers";
import { type Hosts } from "./hosts";
import { goalInputs, ignores, type Program, type Resource, secretPaths, type Transform } from "./program";
import { type Goal, newState, type ResourceState, type Snapshot, urnOf } from "./state";

export interface DeploymentOptions {
  preview: boolean;
  /** Steps in flight at once. */
  parallel: number;
  /** Whether resources are refreshed as they are registered. */
  refreshProgram: boolean;
  /** Keys of the only resources that take part; undefined for all. */
  target: readonly string[] | undefined;
  /** Keys of resources that take no part. */
  exclude: readonly string[] | undefined;
  continueOnError: boolean;
  /** Names of resources that are replaced whatever `diff` would say. */
  replace: readonly string[];
  domainOf: (provider: string | undefined) => string | undefined;
  transform: Transform | undefined;
  /** What the clocks of program and hosts say. Default: the time. */
  moment: number | undefined;
}

/** What the real engine shows of a step before it is made. */
export interface StepEvent {
  op: string;
  key: string;
  old?: Partial<ResourceState> & { delete?: boolean };
  new?: Partial<ResourceState>;
  difference?: Pick<Difference, "keys" | "replaceKeys" | "compared">;
}

/** What is done to a resource. A replacement that deletes first is two steps. */
export interface Step {
  /** Undefined when the resource stays the same. */
  label?: string;
  /** It is skipped when one of these has failed or was skipped. */
  dependsOn: readonly string[];
  events: StepEvent[];
  run: () => Promise<void>;
}

export function isTarget({ target, exclude = [] }: DeploymentOptions, name: string): boolean {
  return target === undefined ? !exclude.includes(name) : target.includes(name);
}

/** Finds out, by `check` and `diff`, what is to be done to the resources of a program. */
export class Planner {
  /** Replacements of protected resources, in a preview. */
  readonly refused: { name: string; error: Error }[] = [];
  /** Keys of renamed resources that are no targets, with their former keys: state keeps these. */
  readonly notRenamed = new Map<string, string>();
  /** New resources that are no targets. */
  readonly #notCreated = new Set<string>();

  constructor(
    private readonly hosts: Hosts,
    private readonly snapshot: Snapshot,
    private readonly options: DeploymentOptions,
  ) {}

  async handlers(provider: string | undefined): Promise<Handlers> {
    return new Handlers(await this.hosts.of(provider), this.options.preview);
  }

  async plan(name: string, program: Program): Promise<Step[]> {
    const resource = program[name] as Resource;
    const { dependsOn = [], get } = resource;
    if (get !== undefined) return [this.#get(name, resource, get, program)];
    const former = this.#rename(name, resource);
    if (!isTarget(this.options, name)) {
      if (former !== undefined) this.notRenamed.set(name, former);
      const known = this.snapshot.resources.get(name);
      if (known === undefined) this.#notCreated.add(name);
      const event = known === undefined ? notCreated(name, resource) : untouched(name, known);
      return [{ dependsOn: [], events: [event], run: () => Promise.resolve() }];
    }
    const steps = await this.#stepsOf(name, program);
    const missing =
      this.options.target === undefined
        ? undefined
        : dependsOn.find((dependency) => this.#notCreated.has(dependency));
    if (missing !== undefined)
      throw new Error(`It depends on ${missing}, which was not specified in --target list.`);
    return steps;
  }

  /** What had one of its former keys is this resource: answers which. */
  #rename(name: string, { aliases = [] }: Resource): string | undefined {
    const { resources } = this.snapshot;
    const former = aliases.find((alias) => resources.has(alias));
    if (former === undefined || resources.has(name)) return undefined;
    resources.set(name, resources.get(former) as ResourceState);
    resources.delete(former);
    return former;
  }

  #goal(name: string, program: Program, known: ResourceState | undefined): (inputs: Values) => Goal {
    const resource = program[name] as Resource;
    const secrets = secretPaths(name, program, this.options).filter(([key = ""]) => !ignores(resource, key));
    const kept = (known?.secrets ?? []).filter(([key = ""]) => ignores(resource, key));
    return (inputs) => ({
      kind: resource.kind,
      inputs,
      provider: resource.provider,
      dependsOn: resource.dependsOn ?? [],
      name: resource.name ?? name,
      parent: resource.parent,
      protect: resource.protect ?? false,
      retainOnDelete: resource.retainOnDelete ?? false,
      deletedWith: resource.deletedWith,
      ignoreChanges: resource.ignoreChanges ?? [],
      replaceOnChanges: resource.replaceOnChanges ?? [],
      secrets: [...secrets, ...kept],
    });
  }

  async #stepsOf(name: string, program: Program): Promise<Step[]> {
    const resource = program[name] as Resource;
    const given = goalInputs(name, program, this.options);
    const { provider, dependsOn = [], replaceOnChanges } = resource;
    const handlers = await this.handlers(provider);
    const known = this.snapshot.resources.get(name);
    const goal = this.#goal(name, program, known);
    const record = (made: ResourceState) => void this.snapshot.resources.set(name, made);

    // What was only read before is not the engine's: it is created anew, and never deleted.
    if (known === undefined || known.external) {
      const wanted = goal(await handlers.check({}, given));
      const both = { key: name, old: known, new: wanted };
      const events: StepEvent[] =
        known === undefined
          ? [{ op: "create", key: name, new: wanted }]
          : [
              { ...both, op: "create-replacement" },
              { ...both, op: "replace", old: { ...known, delete: true }, new: created(wanted) },
            ];
      const run = async () => {
        await handlers.create(wanted, record);
        if (known !== undefined) this.snapshot.pendingDeletes.push({ name, state: known, successor: wanted });
      };
      return [{ label: `create ${name}`, dependsOn, events, run }];
    }
    if (this.options.replace.includes(name) || known.taint) {
      const inputs = await handlers.check({}, given);
      const difference = { keys: [], replaceKeys: ["id"], compared: false };
      return this.#replacement(name, resource, known, goal(inputs), difference);
    }
    const inputs = await handlers.check(known.inputs, withIgnored(resource, given, known.inputs));
    const difference = await handlers.diff(
      known,
      inputs,
      replaceOnChanges,
      withIgnored(resource, inputs, known.inputs),
    );
    if ((difference.changed && difference.replace) || known.pendingReplacement) {
      this.#refuseProtected(name, resource, known);
      const anew = await handlers.check({}, given);
      return this.#replacement(name, resource, known, goal(anew), difference);
    }
    if (difference.changed || known.initErrors.length > 0) {
      const run = () => handlers.update(known, goal(inputs), record);
      const event: StepEvent = { op: "update", key: name, old: known, new: goal(inputs), difference };
      return [{ label: `update ${name}: ${difference.keys.join(", ")}`, dependsOn, events: [event], run }];
    }
    // Recorded, although nothing is done: outputs stay those of the last step.
    const run = () => Promise.resolve(record({ ...known, ...goal(inputs) }));
    return [{ dependsOn, events: [{ op: "same", key: name, old: known, new: goal(inputs) }], run }];
  }

  /** A preview tells of it, and goes on. */
  #refuseProtected(name: string, { protect = false }: Resource, known: ResourceState): void {
    if (!protect || !known.protect) return;
    const refused = new Error(
      `unable to replace resource "${urnOf(known)}"\nas it is currently marked for protection.`,
    );
    if (!this.options.preview) throw refused;
    this.refused.push({ name, error: refused });
  }

  #replacement(
    name: string,
    { deleteBeforeReplace }: Resource,
    old: ResourceState,
    goal: Goal,
    difference: Pick<Difference, "keys" | "replaceKeys" | "compared"> & Partial<Difference>,
  ): Step[] {
    const { resources, pendingDeletes } = this.snapshot;
    const deletesFirst = deleteBeforeReplace ?? difference.deleteBeforeReplace ?? false;
    const create = async () =>
      (await this.handlers(goal.provider)).create(goal, (made) => {
        resources.set(name, made);
        // Even one that was deleted already, when its replacement failed, is deleted once more.
        if (!deletesFirst) pendingDeletes.push({ name, state: old, successor: goal });
      });
    const both = { key: name, difference };
    const label = `replace ${name}: ${(difference.keys.length > 0 ? difference.keys : difference.replaceKeys).join(", ")}`;
    if (!deletesFirst) {
      const events: StepEvent[] = [
        { ...both, op: "create-replacement", old, new: goal },
        { ...both, op: "replace", old: { ...old, delete: true }, new: created(goal) },
      ];
      return [{ label, dependsOn: goal.dependsOn, events, run: create }];
    }
    const pending = { ...old, pendingReplacement: true };
    const events: StepEvent[] = [
      { ...both, op: "replace", old: pending, new: goal },
      { ...both, op: "create-replacement", old: pending, new: goal },
    ];
    const steps: Step[] = [{ label, dependsOn: goal.dependsOn, events, run: create }];
    if (old.pendingReplacement) return steps;
    const remove = async () => {
      if (!old.retainOnDelete) await (await this.handlers(old.provider)).delete(old);
      resources.set(name, pending);
    };
    const deletion = { op: "delete-replaced", key: name, old };
    return [
      { label: `delete replaced ${name}`, dependsOn: old.dependsOn, events: [deletion], run: remove },
      ...steps,
    ];
  }

  #get(name: string, resource: Resource, id: string, program: Program): Step {
    const { kind, provider, dependsOn = [] } = resource;
    const inputs = goalInputs(name, program, this.options);
    const known = this.snapshot.resources.get(name);
    const { outputs: _, ...read } = {
      ...newState({ ...this.#goal(name, program, undefined)(inputs), id, outputs: {} }),
      external: true,
    };
    // What has this id anyway is only released.
    const replaced = known !== undefined && !known.external && known.id !== id ? known : undefined;
    const done: Partial<ResourceState> = { ...read };
    const both = { key: name, old: known, new: read };
    const events: StepEvent[] =
      replaced === undefined
        ? [{ ...both, op: "read" }]
        : [
            { ...both, op: "read-replacement" },
            { ...both, op: "replace", old: { ...replaced, delete: true }, new: done },
          ];
    const run = async () => {
      const found = await (await this.handlers(provider)).read(id, inputs);
      done.outputs = found.properties;
      const recorded = { ...read, id: found.id, outputs: found.properties, kind, dependsOn };
      this.snapshot.resources.set(name, recorded);
      if (replaced !== undefined) this.snapshot.pendingDeletes.push({ name, state: replaced });
    };
    return { label: `read ${name}`, dependsOn, events, run };
  }
}

/** A new resource that takes no part: nothing shows of what it is to be. */
function notCreated(key: string, { kind, provider, name = key, parent }: Resource): StepEvent {
  const state: Partial<ResourceState> = { kind, provider, name, parent };
  return { op: "same", key, old: state, new: state };
}

/** A resource that takes no part. */
export function untouched(key: string, state: ResourceState): StepEvent {
  return { op: "same", key, old: state, new: { ...state, id: "" } };
}

/** What a preview makes of a resource that it creates. */
function created(goal: Goal): Partial<ResourceState> {
  return { ...goal, outputs: goal.inputs };
}

/** Inputs with the values of state for those that the program ignores. */
function withIgnored(resource: Resource, inputs: Values, olds: Values): Values {
  const ignored = (key: string) => !key.startsWith("__") && ignores(resource, key);
  return Object.fromEntries([
    ...Object.entries(inputs).filter(([key]) => !ignored(key)),
    ...Object.entries(olds).filter(([key]) => ignored(key)),
  ]);
}
