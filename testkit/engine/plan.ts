import { PROVIDER_TEXT, REGISTRATION } from "../../provider/pulumi/hidden-inputs";
import { type Values } from "../hosts/host";
import { type Difference, Handlers } from "./handlers";
import { type Hosts } from "./hosts";
import { withIgnored } from "./ignored";
import { goalInputs, ignoredIn, type Program, type Resource, secretPaths, type Transform } from "./program";
import { type Goal, keyOf, newState, type ResourceState, type Snapshot, urnOf } from "./state";

export interface DeploymentOptions {
  preview: boolean;
  /** Steps in flight at once. */
  parallel: number;
  /** True if resources are refreshed as they are registered. */
  refreshProgram: boolean;
  /** Keys of the only resources that take part; undefined for all. */
  target: readonly string[] | undefined;
  /** Keys of resources that take no part. */
  exclude: readonly string[] | undefined;
  continueOnError: boolean;
  /** Names of resources that are replaced regardless of `diff`. */
  replace: readonly string[];
  domainOf: (provider: string | undefined) => string | undefined;
  transform: Transform | undefined;
  /** The time on the clocks of program and hosts. Default: now. */
  moment: number | undefined;
  listings: boolean;
}

/** The step as the real engine shows it before it's made. */
export interface StepEvent {
  op: string;
  key: string;
  old?: Partial<ResourceState> & { delete?: boolean };
  new?: Partial<ResourceState>;
  difference?: Pick<Difference, "keys" | "replaceKeys" | "compared">;
}

/** One action on a resource. A replacement that deletes first is two steps. */
export interface Step {
  /** Undefined if the resource stays the same. */
  label?: string;
  /** Skipped if one of these has failed or was skipped. */
  dependsOn: readonly string[];
  events: StepEvent[];
  run: () => Promise<void>;
}

/** Nobody compared the resource. */
const FOLLOWS = { keys: [], replaceKeys: [], compared: false };

function replaceLabel(name: string, { keys, replaceKeys }: Pick<Difference, "keys" | "replaceKeys">): string {
  return `replace ${name}: ${(keys.length > 0 ? keys : replaceKeys).join(", ")}`;
}

export function isTarget({ target, exclude = [] }: DeploymentOptions, name: string): boolean {
  return target === undefined ? !exclude.includes(name) : target.includes(name);
}

/** Plans the steps for a program's resources, by `check` and `diff`. */
export class Planner {
  /** Replacements of protected resources, in a preview. */
  readonly refused: { name: string; error: Error }[] = [];
  /** Keys of renamed resources that aren't targets, with their former keys, which state keeps. */
  readonly notRenamed = new Map<string, string>();
  /** New resources that are no targets. */
  readonly #notCreated = new Set<string>();
  /** Keys of resources that this run replaces. Others may have to follow. */
  readonly #replaced = new Set<string>();
  /** Keys of resources deleted because they follow another one; registering them creates them again. */
  readonly #deletedAhead = new Set<string>();
  /** Former keys of resources that were deleted first: resources `deletedWith` them get no delete. */
  readonly deletedFirst = new Set<string>();

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
    const steps = [
      ...(resource.import === undefined ? [] : await this.#import(name, resource, resource.import, program)),
      ...(await this.#stepsOf(name, program)),
    ];
    const missing =
      this.options.target === undefined
        ? undefined
        : dependsOn.find((dependency) => this.#notCreated.has(dependency));
    if (missing !== undefined)
      throw new Error(`It depends on ${missing}, which was not specified in --target list.`);
    return steps;
  }

  /** Finds this resource by one of its former keys, and returns that key. */
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
    const ignored = ignoredIn(resource);
    const isKept = (key: string) => ignored.includes("*") || ignored.includes(key);
    const secrets = secretPaths(name, program, this.options).filter(([key = ""]) => !isKept(key));
    const kept = (known?.secrets ?? []).filter(([key = ""]) => isKept(key));
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
      replaceWith: resource.replaceWith ?? [],
      replacementTrigger: resource.replacementTrigger,
      ignoreChanges: ignored,
      replaceOnChanges: resource.replaceOnChanges ?? [],
      importId: resource.import,
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

    // A resource that was only read isn't the engine's: it's created anew, and never deleted.
    if (known === undefined || known.external) {
      const wanted = goal(remediated(resource, await handlers.check({}, given)));
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
    if (this.#deletedAhead.delete(keyOf(known))) {
      this.deletedFirst.delete(keyOf(known));
      this.#replaced.add(name);
      const wanted = goal(await handlers.check({}, given));
      return [this.#creation(name, known, wanted)];
    }
    if (this.options.replace.includes(name) || known.taint) {
      const inputs = await handlers.check({}, given);
      const difference = { keys: [], replaceKeys: ["id"], compared: false };
      return this.#replacement(name, resource, known, goal(inputs), difference);
    }
    const ignored = ignoredIn(resource);
    const checked = await handlers.check(known.inputs, withIgnored(ignored, given, known.inputs));
    const inputs = remediated(resource, checked);
    const difference =
      this.#replacedByOptions(goal(inputs), known) ??
      (await handlers.diff(known, inputs, { replaceOnChanges, ignoreChanges: ignored }));
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
    // Recorded although nothing is done: outputs stay those of the last step.
    const run = () => Promise.resolve(record({ ...known, ...goal(inputs) }));
    return [{ dependsOn, events: [{ op: "same", key: name, old: known, new: goal(inputs) }], run }];
  }

  /** Returns a replacement asked for by options: the engine then doesn't call the provider's `diff`. */
  #replacedByOptions(goal: Goal, known: ResourceState): Difference | undefined {
    const replaced = { keys: [], changed: true, replace: true, compared: false, deleteBeforeReplace: false };
    const { replacementTrigger } = goal;
    if (
      ![replacementTrigger, known.replacementTrigger].includes(undefined) &&
      replacementTrigger !== known.replacementTrigger
    )
      return { ...replaced, replaceKeys: [] };
    if (goal.replaceWith.some((key) => this.#replaced.has(key)))
      return { ...replaced, replaceKeys: ["replaceWith"] };
    return goal.deletedWith !== undefined && this.#replaced.has(goal.deletedWith)
      ? { ...replaced, replaceKeys: ["deletedWith"] }
      : undefined;
  }

  /** A preview reports it, and goes on. */
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
    this.#replaced.add(name);
    if (deleteBeforeReplace ?? difference.deleteBeforeReplace ?? false) {
      const deletion = old.pendingReplacement ? [] : [this.#deletion(name, old)];
      return [...this.#deleteAhead(name, old), ...deletion, this.#creation(name, old, goal, difference)];
    }
    // An earlier run has deleted it, and then failed.
    if (old.pendingReplacement) return [this.#creation(name, old, goal, difference)];
    const both = { key: name, difference };
    const events: StepEvent[] = [
      { ...both, op: "create-replacement", old, new: goal },
      { ...both, op: "replace", old: { ...old, delete: true }, new: created(goal) },
    ];
    const run = async () =>
      (await this.handlers(goal.provider)).create(goal, (made) => {
        resources.set(name, made);
        pendingDeletes.push({ name, state: old, successor: goal });
      });
    return [{ label: replaceLabel(name, difference), dependsOn: goal.dependsOn, events, run }];
  }

  /** Deletes the resources that follow one, which itself is deleted right afterwards. */
  #deleteAhead(name: string, old: ResourceState): Step[] {
    const { resources } = this.snapshot;
    const gone = new Set([name, keyOf(old)]);
    const ahead: [string, ResourceState][] = [];
    for (const [key, state] of resources) {
      const follows = state.replaceWith.includes(name) || gone.has(state.deletedWith ?? "");
      if (key === name || !follows || state.pendingReplacement || state.external) continue;
      if (state.protect)
        throw new Error(
          `unable to replace resource "${urnOf(state)}" as part of replacing "${name}" as it is currently marked for protection`,
        );
      if (gone.has(state.deletedWith ?? "")) gone.add(key);
      ahead.unshift([key, state]);
    }
    for (const [, state] of ahead) this.#deletedAhead.add(keyOf(state));
    return ahead.map(([key, state]) => this.#deletion(key, state));
  }

  #deletion(name: string, old: ResourceState): Step {
    this.deletedFirst.add(keyOf(old));
    const run = async () => {
      const isSpared = old.deletedWith !== undefined && this.deletedFirst.has(old.deletedWith);
      if (!old.retainOnDelete && !isSpared) await (await this.handlers(old.provider)).delete(old);
      this.snapshot.resources.set(name, { ...old, pendingReplacement: true });
    };
    const events: StepEvent[] = [{ op: "delete-replaced", key: name, old }];
    return { label: `delete replaced ${name}`, dependsOn: old.dependsOn, events, run };
  }

  /** Creates a resource that was deleted first, in this run or an earlier one. */
  #creation(
    name: string,
    old: ResourceState,
    goal: Goal,
    difference: Pick<Difference, "keys" | "replaceKeys" | "compared"> = FOLLOWS,
  ): Step {
    const both = { key: name, old: { ...old, pendingReplacement: true }, new: goal, difference };
    const events: StepEvent[] = [
      { ...both, op: "replace" },
      { ...both, op: "create-replacement" },
    ];
    const run = async () =>
      (await this.handlers(goal.provider)).create(
        goal,
        (made) => void this.snapshot.resources.set(name, made),
      );
    return { label: replaceLabel(name, difference), dependsOn: goal.dependsOn, events, run };
  }

  /**
   * Records what is there. What the program has otherwise is another step. What the resource was until now is
   * deleted at the end of the run.
   */
  async #import(name: string, { provider }: Resource, id: string, program: Program): Promise<Step[]> {
    const { resources, pendingDeletes } = this.snapshot;
    const known = resources.get(name);
    if (known !== undefined && !known.external && (known.importId ?? known.id) === id) return [];
    const handlers = await this.handlers(provider);
    const goal = this.#goal(name, program, undefined);
    const { [PROVIDER_TEXT]: text, [REGISTRATION]: who } = goalInputs(name, program, this.options);
    const found = await handlers.read(id, { [PROVIDER_TEXT]: text, [REGISTRATION]: who });
    const imported = goal({ ...found.inputs });
    const state = newState({ ...imported, id: found.id, outputs: found.properties });
    resources.set(name, state);
    if (known !== undefined) pendingDeletes.push({ name, state: known, successor: imported });
    const events: StepEvent[] =
      known === undefined
        ? [{ op: "import", key: name, new: imported }]
        : [
            { op: "import-replacement", key: name, old: known, new: state },
            { op: "replace", key: name, old: { ...known, delete: true }, new: state },
          ];
    return [{ label: `import ${name}`, dependsOn: [], events, run: () => Promise.resolve() }];
  }

  #get(name: string, resource: Resource, id: string, program: Program): Step {
    const { kind, provider, dependsOn = [] } = resource;
    const inputs = goalInputs(name, program, this.options);
    const known = this.snapshot.resources.get(name);
    const { outputs: _, ...read } = {
      ...newState({ ...this.#goal(name, program, undefined)(inputs), id, outputs: {} }),
      external: true,
    };
    // If the resource has this id anyway, it's only released.
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

/** A new resource that takes no part: none of its values are shown. */
function notCreated(key: string, { kind, provider, name = key, parent }: Resource): StepEvent {
  const state: Partial<ResourceState> = { kind, provider, name, parent };
  return { op: "same", key, old: state, new: state };
}

/** A resource that takes no part. */
export function untouched(key: string, state: ResourceState): StepEvent {
  return { op: "same", key, old: state, new: { ...state, id: "" } };
}

/** Returns a preview's version of a resource that it creates. */
function created(goal: Goal): Partial<ResourceState> {
  return { ...goal, outputs: goal.inputs };
}

/** A policy pack sees the create of a new resource, but not that of a replacement. */
function remediated({ remediate }: Resource, inputs: Values): Values {
  return { ...inputs, ...remediate };
}
