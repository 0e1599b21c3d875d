import { inProcess } from "../hosts/host-in-process";
import { Engine, type Program, RunFailed, type UpOptions } from "../engine";
import { type ResourceState } from "../engine/state";
import { EU, momentIn } from "./universe";

export interface Outcome {
  errors: string[];
  /** The run's output. */
  output: string;
}

/** Pulumi has written a state that it refuses to read, so the world can't go on. */
export class StateBroken extends Error {}

/** A resource in state, including pending deletes. */
export interface Known {
  key: string;
  state: ResourceState;
  isPendingDelete: boolean;
}

/** Runs programs: the tests' engine, or the Pulumi CLI. */
export interface Stage {
  up(
    program: Program,
    options: UpOptions & { parallel: number },
    limits?: Limits,
    held?: Held,
  ): Promise<Outcome>;
  previewJson(program: Program, options: UpOptions, limits?: Limits): Promise<string>;
  /** Sets the time of the next runs, in days from the judged one. */
  begin?(days: number): void;
  /** Returns the drift it shows. */
  refresh(): Promise<string[]>;
  taint(key: string): Promise<void>;
  states(): Promise<Known[]>;
  /** Set if runs can be killed, and state can be restored. */
  readonly standIn: Engine | undefined;
  close(): Promise<void>;
}

/** `maxRevocations` of the stack, and of the explicit provider. */
export interface Limits {
  main: number | undefined;
  eu: number | undefined;
}

/** The review to which a run is held. */
export interface Held {
  reviewFile: string;
  /** True if the tenants of stack and explicit provider have been swapped since the review. */
  isSwapped?: boolean;
}

export type Settings = Record<string, string>;

/** The tests' engine, with the handlers in this process. */
export class StandIn implements Stage {
  readonly standIn: Engine;
  readonly #main: Settings;
  readonly #eu: Settings;

  constructor(main: Settings, eu: Settings) {
    [this.#main, this.#eu] = [main, eu];
    const nowhere = { url: "", clientId: "", clientSecret: "" };
    this.standIn = new Engine(nowhere, { config: main, providers: { [EU]: eu }, startHost: inProcess });
  }

  async up(
    program: Program,
    options: UpOptions & { parallel: number },
    limits?: Limits,
    held?: Held,
  ): Promise<Outcome> {
    return this.#limited(limits, held, async () => {
      this.standIn.parallel = options.parallel;
      try {
        const { messages } = await this.standIn.up(program, options);
        return { errors: [], output: messages.join("\n") };
      } catch (error) {
        if (!(error instanceof RunFailed)) throw error;
        const { errors, messages } = error.run;
        return { errors, output: [...messages, ...errors].join("\n") };
      }
    });
  }

  previewJson(program: Program, options: UpOptions, limits?: Limits): Promise<string> {
    return this.#limited(limits, undefined, () => {
      this.standIn.parallel = 8;
      return this.standIn.previewJson(program, options);
    });
  }

  async #limited<T>(limits: Limits | undefined, held: Held | undefined, run: () => Promise<T>): Promise<T> {
    const limited = (settings: Settings, limit: number | undefined) => ({
      ...settings,
      ...(limit !== undefined && { "identity:maxRevocations": String(limit) }),
      ...(held !== undefined && { "identity:reviewFile": held.reviewFile }),
    });
    const engine = this.standIn;
    const [main, eu] = held?.isSwapped ? [this.#eu, this.#main] : [this.#main, this.#eu];
    engine.config = limited(main, limits?.main);
    engine.providers[EU] = limited(eu, limits?.eu);
    try {
      return await run();
    } finally {
      engine.config = this.#main;
      engine.providers[EU] = this.#eu;
    }
  }

  begin(days: number): void {
    this.standIn.moment = momentIn(days);
  }

  async refresh(): Promise<string[]> {
    try {
      return (await this.standIn.refresh()).steps;
    } catch (error) {
      if (error instanceof RunFailed) return error.run.errors;
      throw error;
    }
  }

  taint(key: string): Promise<void> {
    if (this.standIn.state.get(key)?.external === false) this.standIn.taint(key);
    return Promise.resolve();
  }

  states(): Promise<Known[]> {
    const { state, pendingDeletes } = this.standIn;
    return Promise.resolve([
      ...[...state].map(([key, one]) => ({ key, state: one, isPendingDelete: false })),
      ...pendingDeletes.map(({ name, state }) => ({ key: name, state, isPendingDelete: true })),
    ]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
