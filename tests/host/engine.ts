import { runtime } from "@pulumi/pulumi";
import { isDeepStrictEqual } from "node:util";
import { handlerText } from "../../provider/pulumi/program/resource";
import { type Simulator } from "../simulator";
import { HandlerError, Host, type HostOptions, type Values } from "./host";

/** Stands for a value that is not known during a preview, at any depth of the inputs. */
export const UNKNOWN = runtime.unknownValue;

export type Kind = "ConnectionProfile" | "RoleGroupAssignment" | "DeviceCredentialRemoval";

/** A resource as a program declares it. */
export interface Resource {
  kind: Kind;
  inputs: Values;
  /** Names of the inputs that the program marked as secrets. */
  secrets?: string[];
  /** Names of resources that must be done first. */
  dependsOn?: string[];
  /** An existing resource is read by this id, as `Kind.get` does; it has no inputs then. */
  get?: string;
}

/** Resources by name, in the order of their declaration. */
export type Program = Record<string, Resource>;

export const profile = (inputs: Values, options: Partial<Resource> = {}): Resource => ({
  kind: "ConnectionProfile",
  inputs,
  ...options,
});

export const assignment = (inputs: Values, options: Partial<Resource> = {}): Resource => ({
  kind: "RoleGroupAssignment",
  inputs,
  ...options,
});

export const removal = (deviceCredentialId: string, options: Partial<Resource> = {}): Resource => ({
  kind: "DeviceCredentialRemoval",
  inputs: { deviceCredentialId },
  ...options,
});

/** A resource as state has it. */
export interface ResourceState {
  kind: Kind;
  id: string;
  inputs: Values;
  outputs: Values;
  /** Why the last create or update was left half-done; the next `up` updates the resource even without a change. */
  initErrors: string[];
  external: boolean;
  /** Deleted for a replacement that then failed. */
  pendingReplacement: boolean;
}

export interface Run {
  /** What was done or planned, e.g. `update p: name`; resources that stay the same are left out. */
  steps: string[];
  /** Lines that handlers showed to the person at the CLI. */
  messages: string[];
  /** `p: message` for each resource that failed. */
  errors: string[];
  /** What the host wrote to stderr. */
  stderr: string;
}

/** An engine run with errors. */
export class RunFailed extends Error {
  constructor(readonly run: Run) {
    super(run.errors.join("\n"));
  }
}

export interface EngineOptions extends HostOptions {
  /** Stack configuration. Default: domain and credentials of the simulator. */
  config?: Record<string, string>;
  /** Steps in flight at once. Default 8. */
  parallel?: number;
  /** A host process for each run, as the real engine has it, instead of a warm one. `env` implies it. */
  ownProcess?: boolean;
}

/**
 * What the Pulumi engine does with dynamic resources, in memory: which handlers it calls with what, and what it makes
 * of the answers. Each run has a host of its own. Runs with errors throw `RunFailed`.
 */
export class Engine {
  config: Record<string, string>;
  /** In the order of creation. */
  readonly state = new Map<string, ResourceState>();
  /** Replaced resources that are still to be deleted. */
  readonly pendingDeletes: { name: string; state: ResourceState }[] = [];

  constructor(
    simulator: Pick<Simulator, "url" | "clientId" | "clientSecret">,
    private readonly options: EngineOptions = {},
  ) {
    this.config = options.config ?? {
      "identity:domain": simulator.url,
      "identity:clientId": simulator.clientId,
      "identity:clientSecret": simulator.clientSecret,
    };
  }

  /** State of a resource; throws when there is none. */
  resource(name: string): ResourceState {
    const state = this.state.get(name);
    if (state === undefined) throw new Error(`The state has no resource ${name}.`);
    return state;
  }

  up(program: Program): Promise<Run> {
    return this.#run((deployment) => deployment.deploy(program, false));
  }

  preview(program: Program): Promise<Run> {
    return this.#run((deployment) => deployment.deploy(program, true));
  }

  refresh(): Promise<Run> {
    return this.#run((deployment) => deployment.refresh());
  }

  destroy(): Promise<Run> {
    return this.#run((deployment) => deployment.deploy({}, false));
  }

  async #run(work: (deployment: Deployment) => Promise<void>): Promise<Run> {
    const { env, ownProcess = env !== undefined, parallel = 8 } = this.options;
    const host = ownProcess ? await Host.start(env === undefined ? {} : { env }) : await Host.warm();
    const deployment = new Deployment(host, this, parallel);
    try {
      await host.configure(this.config);
      await work(deployment);
    } finally {
      await host.stop();
    }
    const { steps, errors } = deployment;
    const run: Run = { steps, errors, messages: host.messages, stderr: host.stderr };
    if (errors.length > 0) throw new RunFailed(run);
    return run;
  }
}

/** The run of an operation that is expected to fail. */
export async function failed(operation: Promise<Run>): Promise<Run> {
  const outcome = await operation.then(
    (run) => new Error(`The run was expected to fail, but did: ${run.steps.join("; ") || "nothing"}.`),
    (error: unknown) => error,
  );
  if (outcome instanceof RunFailed) return outcome.run;
  throw outcome;
}

interface Difference {
  changed: boolean;
  keys: string[];
  replace: boolean;
  deleteBeforeReplace: boolean;
}

class Deployment {
  readonly steps: string[] = [];
  readonly errors: string[] = [];
  readonly #slots: Slots;

  constructor(
    private readonly host: Host,
    private readonly engine: Engine,
    parallel: number,
  ) {
    this.#slots = new Slots(parallel);
  }

  /** Check and diff go one at a time in the order of declaration; the steps that they lead to run at once. */
  async deploy(program: Program, preview: boolean): Promise<void> {
    const obsolete = this.engine.pendingDeletes.splice(0);
    const running = new Map<string, Promise<void>>();
    for (const [name, resource] of Object.entries(program)) {
      for (const dependency of resource.dependsOn ?? []) await running.get(dependency);
      // A failure ends the run: nothing new is begun.
      if (this.errors.length > 0) break;
      await this.#attempt(name, async () => {
        const step = await this.#plan(name, resource, preview, obsolete);
        if (step !== undefined)
          running.set(
            name,
            this.#attempt(name, () => this.#slots.run(step)),
          );
      });
    }
    await Promise.all(running.values());
    if (this.errors.length > 0) {
      this.engine.pendingDeletes.push(...obsolete);
      return;
    }
    const removed = [...this.engine.state.entries()]
      .filter(([name]) => program[name] === undefined)
      .map(([name, state]) => ({ name, state }));
    await this.#deleteAll(obsolete, removed, preview);
  }

  async refresh(): Promise<void> {
    const { state } = this.engine;
    await Promise.all(
      [...state].map(([name, old]) =>
        this.#attempt(name, () => this.#slots.run(() => this.#refreshOne(name, old))),
      ),
    );
  }

  async #plan(
    name: string,
    resource: Resource,
    preview: boolean,
    obsolete: { name: string; state: ResourceState }[],
  ): Promise<(() => Promise<void>) | undefined> {
    const { state } = this.engine;
    const given = goalInputs(resource);
    if (resource.get !== undefined) return () => this.#get(name, resource, resource.get as string, given);
    const old = state.get(name);
    const inputs = await this.#check(old?.inputs ?? {}, given);
    if (old === undefined) {
      this.steps.push(`create ${name}`);
      return preview ? undefined : () => this.#create(name, resource.kind, inputs);
    }
    const difference = await this.#diff(old.id, old.inputs, old.outputs, inputs);
    if ((difference.changed && difference.replace) || old.pendingReplacement) {
      const anew = await this.#check({}, given);
      const keys = difference.keys.join(", ");
      if (difference.deleteBeforeReplace || old.pendingReplacement) {
        this.steps.push(...(old.pendingReplacement ? [] : [`delete replaced ${name}`]));
        this.steps.push(`replace ${name}: ${keys}`);
        if (preview) return undefined;
        return async () => {
          if (!old.pendingReplacement) await this.host.delete(old.id, old.outputs);
          state.set(name, { ...old, pendingReplacement: true });
          await this.#create(name, resource.kind, anew);
        };
      }
      this.steps.push(`replace ${name}: ${keys}`);
      if (preview) {
        obsolete.push({ name, state: old });
        return undefined;
      }
      return async () => {
        await this.#create(name, resource.kind, anew).finally(() => {
          if (state.get(name) !== old) obsolete.push({ name, state: old });
        });
      };
    }
    if (difference.changed || old.initErrors.length > 0) {
      this.steps.push(`update ${name}: ${difference.keys.join(", ")}`);
      return preview ? undefined : () => this.#update(name, old, inputs);
    }
    // Recorded, although nothing is done: outputs stay those of the last step.
    if (!preview) state.set(name, { ...old, inputs });
    return undefined;
  }

  async #get(name: string, resource: Resource, id: string, inputs: Values): Promise<void> {
    this.steps.push(`read ${name}`);
    const found = await this.host.read(id, inputs);
    this.engine.state.set(name, {
      ...newState(resource.kind, found.id, inputs, found.properties),
      external: true,
    });
  }

  async #create(name: string, kind: Kind, inputs: Values): Promise<void> {
    const { state } = this.engine;
    try {
      const { id, properties } = await this.host.create(inputs);
      if (id === "") throw new Error("provider did not return an ID from Create");
      state.set(name, newState(kind, id, inputs, properties));
    } catch (error) {
      if (error instanceof HandlerError && error.partial !== undefined) {
        const { id, properties, reasons } = error.partial;
        state.set(name, { ...newState(kind, id, inputs, properties), initErrors: reasons });
      }
      throw error;
    }
  }

  async #update(name: string, old: ResourceState, inputs: Values): Promise<void> {
    const { state } = this.engine;
    try {
      const outputs = await this.host.update(old.id, old.outputs, inputs);
      state.set(name, newState(old.kind, old.id, inputs, outputs));
    } catch (error) {
      if (error instanceof HandlerError && error.partial !== undefined) {
        const { properties, reasons } = error.partial;
        state.set(name, { ...newState(old.kind, old.id, old.inputs, properties), initErrors: reasons });
      }
      throw error;
    }
  }

  async #deleteAll(
    replaced: { name: string; state: ResourceState }[],
    removed: { name: string; state: ResourceState }[],
    preview: boolean,
  ): Promise<void> {
    const { state, pendingDeletes } = this.engine;
    const one = async (old: ResourceState, forget: () => void) => {
      if (!preview && !old.external && !old.pendingReplacement) await this.host.delete(old.id, old.outputs);
      if (!preview) forget();
    };
    const deletions = [
      ...replaced.map(({ name, state: old }) => ({
        name,
        label: `delete replaced ${name}`,
        run: () =>
          one(old, () =>
            pendingDeletes.splice(
              pendingDeletes.findIndex((pending) => pending.state === old),
              1,
            ),
          ),
      })),
      ...removed.map(({ name, state: old }) => ({
        name,
        label: `delete ${name}`,
        run: () => one(old, () => state.delete(name)),
      })),
    ];
    if (!preview) pendingDeletes.push(...replaced);
    await Promise.all(
      deletions.reverse().map(({ name, label, run }) => {
        this.steps.push(label);
        return this.#attempt(name, () => this.#slots.run(run));
      }),
    );
  }

  async #refreshOne(name: string, old: ResourceState): Promise<void> {
    if (old.pendingReplacement) return;
    const { state } = this.engine;
    const found = await this.host.read(old.id, old.outputs);
    if (found.id === "") {
      this.steps.push(`gone ${name}`);
      state.delete(name);
      return;
    }
    const inputs = found.inputs ?? old.inputs;
    state.set(name, { ...old, id: found.id, inputs, outputs: found.properties, initErrors: [] });
    if (old.external) return;
    // What an `up` of an unchanged program would do now, which is how the engine finds drift to show.
    const difference = await this.#diff(found.id, inputs, found.properties, old.inputs);
    if (difference.changed) this.steps.push(`drift ${name}: ${difference.keys.join(", ")}`);
  }

  async #check(olds: Values, news: Values): Promise<Values> {
    const { inputs, failures } = await this.host.check(olds, news);
    if (failures.length > 0) throw new CheckFailed(failures.map(({ reason }) => reason));
    return inputs;
  }

  async #diff(id: string, oldInputs: Values, oldOutputs: Values, news: Values): Promise<Difference> {
    const answer = await this.host.diff(id, oldOutputs, news);
    const keys = changedKeys(oldInputs, news);
    return {
      changed: answer.changes === "some" || (answer.changes === "unknown" && keys.length > 0),
      keys,
      replace: answer.replaces.length > 0,
      deleteBeforeReplace: answer.deleteBeforeReplace,
    };
  }

  async #attempt(name: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (error instanceof CheckFailed)
        this.errors.push(...error.reasons.map((reason) => `${name}: ${reason}`));
      else if (error instanceof Error) this.errors.push(`${name}: ${error.message}`);
      else throw error;
    }
  }
}

class CheckFailed extends Error {
  constructor(readonly reasons: string[]) {
    super(reasons.join(" "));
  }
}

/** Lets only so many run at once, in the order of their arrival. */
class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

/** What the base class of the resources registers. */
function goalInputs({ kind, inputs, secrets = [] }: Resource): Values {
  return {
    ...inputs,
    ...(secrets.length > 0 && { __secretInputs: secrets }),
    __provider: handlerText(kind),
  };
}

function newState(kind: Kind, id: string, inputs: Values, outputs: Values): ResourceState {
  return { kind, id, inputs, outputs, initErrors: [], external: false, pendingReplacement: false };
}

function changedKeys(olds: Values, news: Values): string[] {
  const [before, after] = [withoutNulls(olds) as Values, withoutNulls(news) as Values];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

/** The engine takes a property that is null for one that is missing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== null && child !== undefined)
      .map(([key, child]) => [key, withoutNulls(child)]),
  );
}
