import { HandlerError, type ProviderHost, type ReadAnswer, type Values } from "../hosts/host";
import { withIgnored } from "./ignored";
import { UNKNOWN } from "./program";
import { changedKeys, type Goal, newState, type ResourceState } from "./state";

export interface Difference {
  changed: boolean;
  keys: string[];
  /** True if the engine has compared the inputs; otherwise it doesn't show which have changed. */
  compared: boolean;
  replace: boolean;
  /** Inputs whose change replaces the resource. */
  replaceKeys: string[];
  deleteBeforeReplace: boolean;
}

export class CheckFailed extends Error {
  constructor(readonly reasons: string[]) {
    super(reasons.join(" "));
  }
}

/** Pulumi's name for the change of a resource that was created in part. */
const INIT_ERROR = "#initerror";

/** The engine's calls to one host, and its use of the answers. A preview only reads, checks and compares. */
export class Handlers {
  constructor(
    private readonly host: ProviderHost,
    private readonly preview: boolean,
  ) {}

  async check(olds: Values, news: Values): Promise<Values> {
    const { inputs, failures } = await this.host.check(olds, news);
    if (failures.length > 0) throw new CheckFailed(failures.map(({ reason }) => reason));
    return inputs;
  }

  async diff(
    old: ResourceState,
    news: Values,
    {
      replaceOnChanges = [],
      ignoreChanges = [],
    }: Partial<Pick<ResourceState, "replaceOnChanges" | "ignoreChanges">> = {},
  ): Promise<Difference> {
    const answer = await this.host.diff(old.id, old.outputs, news, ignoreChanges, old.inputs);
    // The engine itself compares the values in state for ignored changes.
    const keys = changedKeys(old.inputs, withIgnored(ignoreChanges, news, old.inputs));
    // The engine knows the changed inputs only if it has to compare them itself.
    const isCompared = answer.changes === "unknown";
    const isReplaced = (key: string) => replaceOnChanges.some((name) => name === "*" || name === key);
    const replaceKeys = [
      ...new Set([
        ...answer.replaces,
        ...(isCompared ? keys : answer.diffs).filter(isReplaced),
        ...(old.initErrors.length > 0 && isReplaced(INIT_ERROR) ? [INIT_ERROR] : []),
      ]),
    ];
    return {
      changed: (isCompared ? keys.length > 0 : answer.changes === "some") || replaceKeys.includes(INIT_ERROR),
      keys,
      compared: isCompared,
      replace: replaceKeys.length > 0,
      replaceKeys,
      deleteBeforeReplace: answer.deleteBeforeReplace,
    };
  }

  read(id: string, properties: Values): Promise<ReadAnswer> {
    return this.host.read(id, properties);
  }

  /** `record` gets the result, even if the resource was created only in part. */
  async create(goal: Goal, record: (made: ResourceState) => void): Promise<void> {
    if (this.preview) return record(newState({ ...goal, id: UNKNOWN, outputs: goal.inputs }));
    try {
      const { id, properties } = await this.host.create(goal.inputs);
      if (id === "") throw new Error("provider did not return an ID from Create");
      record(newState({ ...goal, id, outputs: properties }));
    } catch (error) {
      if (error instanceof HandlerError && error.partial !== undefined) {
        const { id, properties, reasons } = error.partial;
        record({ ...newState({ ...goal, id, outputs: properties }), initErrors: reasons });
      }
      throw error;
    }
  }

  /** `record`: see `create`. */
  async update(old: ResourceState, goal: Goal, record: (made: ResourceState) => void): Promise<void> {
    const { id, inputs } = old;
    if (this.preview) return record(newState({ ...goal, id, outputs: goal.inputs }));
    try {
      record(newState({ ...goal, id, outputs: await this.host.update(id, old.outputs, goal.inputs) }));
    } catch (error) {
      if (error instanceof HandlerError && error.partial !== undefined) {
        const { properties, reasons } = error.partial;
        record({ ...newState({ ...goal, id, inputs, outputs: properties }), initErrors: reasons });
      }
      throw error;
    }
  }

  async delete({ id, outputs, external }: ResourceState): Promise<void> {
    if (!this.preview && !external) await this.host.delete(id, outputs);
  }
}
