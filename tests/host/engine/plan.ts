import { type Values } from "../host";
import { type Difference, type Goal, Handlers } from "./handlers";
import { type Hosts } from "./hosts";
import { goalInputs, type Program, type Resource, type Transform } from "./program";
import { newState, type ResourceState, type Snapshot } from "./state";

export interface DeploymentOptions {
  preview: boolean;
  /** Steps in flight at once. */
  parallel: number;
  /** Whether resources are refreshed as they are registered. */
  refreshProgram: boolean;
  /** Names of the only resources that take part; undefined for all. */
  target: readonly string[] | undefined;
  continueOnError: boolean;
  /** Names of resources that are replaced whatever `diff` would say. */
  replace: readonly string[];
  domainOf: (provider: string | undefined) => string | undefined;
  transform: Transform | undefined;
}

/** What is done to a resource. A replacement that deletes first is two steps. */
export interface Step {
  /** Undefined when the resource stays the same. */
  label?: string;
  /** It is skipped when one of these has failed or was skipped. */
  dependsOn: readonly string[];
  run: () => Promise<void>;
}

export function isTarget({ target }: DeploymentOptions, name: string): boolean {
  return target === undefined || target.includes(name);
}

/** Finds out, by `check` and `diff`, what is to be done to the resources of a program. */
export class Planner {
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
    if (get !== undefined) {
      const inputs = goalInputs(name, program, this.options);
      return [{ label: `read ${name}`, dependsOn, run: () => this.#get(name, resource, get, inputs) }];
    }
    if (!isTarget(this.options, name)) {
      if (!this.snapshot.resources.has(name)) this.#notCreated.add(name);
      return [];
    }
    const steps = await this.#stepsOf(name, resource, goalInputs(name, program, this.options));
    const missing = dependsOn.find((dependency) => this.#notCreated.has(dependency));
    if (missing !== undefined)
      throw new Error(`It depends on ${missing}, which was not specified in --target list.`);
    return steps;
  }

  async #stepsOf(name: string, resource: Resource, given: Values): Promise<Step[]> {
    const { kind, provider, dependsOn = [], replaceOnChanges } = resource;
    const handlers = await this.handlers(provider);
    const known = this.snapshot.resources.get(name);
    const goal = (inputs: Values): Goal => ({ kind, inputs, provider, dependsOn });
    const record = (made: ResourceState) => void this.snapshot.resources.set(name, made);

    // What was only read before is not the engine's: it is created anew, and never deleted.
    if (known === undefined || known.external) {
      const inputs = await handlers.check({}, given);
      return [{ label: `create ${name}`, dependsOn, run: () => handlers.create(goal(inputs), record) }];
    }
    if (this.options.replace.includes(name)) {
      const inputs = await handlers.check({}, given);
      return this.#replacement(name, resource, known, goal(inputs), { keys: ["id"] });
    }
    const inputs = await handlers.check(known.inputs, given);
    const difference = await handlers.diff(known, inputs, replaceOnChanges);
    if ((difference.changed && difference.replace) || known.pendingReplacement) {
      const anew = await handlers.check({}, given);
      return this.#replacement(name, resource, known, goal(anew), difference);
    }
    if (difference.changed || known.initErrors.length > 0) {
      const run = () => handlers.update(known, goal(inputs), record);
      return [{ label: `update ${name}: ${difference.keys.join(", ")}`, dependsOn, run }];
    }
    // Recorded, although nothing is done: outputs stay those of the last step.
    const run = () => Promise.resolve(record({ ...known, ...goal(inputs) }));
    return [{ dependsOn, run }];
  }

  #replacement(
    name: string,
    { deleteBeforeReplace }: Resource,
    old: ResourceState,
    goal: Goal,
    difference: Pick<Difference, "keys"> & Partial<Difference>,
  ): Step[] {
    const { resources, pendingDeletes } = this.snapshot;
    const deletesFirst = deleteBeforeReplace ?? difference.deleteBeforeReplace ?? false;
    const create = async () =>
      (await this.handlers(goal.provider)).create(goal, (made) => {
        resources.set(name, made);
        // Even one that was deleted already, when its replacement failed, is deleted once more.
        if (!deletesFirst) pendingDeletes.push({ name, state: old });
      });
    const steps: Step[] = [
      { label: `replace ${name}: ${difference.keys.join(", ")}`, dependsOn: goal.dependsOn, run: create },
    ];
    if (!deletesFirst || old.pendingReplacement) return steps;
    const remove = async () => {
      await (await this.handlers(old.provider)).delete(old);
      resources.set(name, { ...old, pendingReplacement: true });
    };
    return [{ label: `delete replaced ${name}`, dependsOn: old.dependsOn, run: remove }, ...steps];
  }

  async #get(name: string, resource: Resource, id: string, inputs: Values): Promise<void> {
    const { kind, provider, dependsOn = [] } = resource;
    const found = await (await this.handlers(provider)).read(id, inputs);
    const recorded = { kind, id: found.id, inputs, outputs: found.properties, provider, dependsOn };
    this.snapshot.resources.set(name, { ...newState(recorded), external: true });
  }
}
