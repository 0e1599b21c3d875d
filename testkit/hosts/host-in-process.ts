import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync } from "node:fs";
import { type IdentityClient } from "../../provider/http/client";
import { type Handlers } from "../../provider/pulumi/host/lifecycle";
import { type Door, type HostConfig } from "../../provider/pulumi/host/door";
import { runOf } from "../../provider/pulumi/host/run-of-host";
import { hostsFilePath } from "../../provider/pulumi/hosts-file";
import {
  type CheckAnswer,
  type DiffAnswer,
  HandlerError,
  type ProviderHost,
  type ReadAnswer,
  type Values,
} from "./host";
import { RESOURCES } from "../../provider/contents";
import { json } from "../tenant";

/**
 * A provider host in this process, so that hundreds can run at once: the handlers of `provider/runtime.ts`,
 * called as the SDK's host calls them. tests/host/faults.test.ts compares a sample with the SDK's own host.
 */
export class HostInProcess implements ProviderHost {
  readonly messages: string[] = [];
  readonly stderr = "";
  readonly processId = process.pid;
  #fail: (error: Error) => void = () => {};
  readonly #killed = new Promise<never>((_, reject) => (this.#fail = reject));
  readonly #handlers: Record<string, Handlers>;

  readonly #door: Door;
  #config: HostConfig | undefined;

  /** `engine`: its address. `moment`: the fixed time of its clock. `folder`: the program's. */
  constructor(
    private readonly engine?: string,
    private readonly moment?: number,
    folder?: string,
  ) {
    this.#door = {
      engine,
      runs: new Map(),
      whenCancelled: () => {},
      namesResources: false,
      ...(folder && { folder }),
    };
    this.#handlers = Object.fromEntries(
      Object.entries(RESOURCES).map(([kind, handlers]) => [
        `${kind[0]?.toLowerCase()}${kind.slice(1)}`,
        handlers(this.#door),
      ]),
    );
    this.#killed.catch(() => undefined);
  }

  /** All calls end as if the process were gone, and nothing else is sent. */
  kill(): void {
    this.#fail(new Error("The host was killed."));
    if (this.#config !== undefined) runOf(this.#config, this.#door).cancel("the host was killed");
  }

  /** Its clients, with which a test can go on once its run has ended. */
  get clients(): IdentityClient[] {
    return [...this.#door.runs.values()].map(({ client }) => client);
  }

  configure(config: Record<string, string>): Promise<void> {
    const get = (key: string) => config[key];
    const values = { get, require: (key: string) => config[key] as string, rawConfig: config };
    this.#config = values;
    for (const handlers of Object.values(this.#handlers)) void handlers.configure({ config: values });
    return Promise.resolve();
  }

  async check(olds: Values, news: Values): Promise<CheckAnswer> {
    const checked = await this.#call(news, (handlers) => handlers.check(sent(olds), sent(news)));
    return {
      inputs: sent({ ...checked.inputs, __provider: news["__provider"] }),
      failures: (checked.failures ?? []).map(({ property, reason }) => ({ property, reason })),
    };
  }

  async diff(id: string, olds: Values, news: Values): Promise<DiffAnswer> {
    const { changes, replaces, deleteBeforeReplace } = await this.#call(news, (handlers) =>
      handlers.diff(id, sent(olds), sent(news)),
    );
    return {
      changes: changes === undefined ? "unknown" : changes ? "some" : "none",
      replaces: replaces ?? [],
      diffs: [],
      deleteBeforeReplace: deleteBeforeReplace ?? false,
    };
  }

  async create(inputs: Values): Promise<{ id: string; properties: Values }> {
    const made = await this.#call(inputs, (handlers) => handlers.create(sent(inputs)));
    return { id: made.id, properties: withProvider(made.outs as Values, inputs) };
  }

  async read(id: string, properties: Values): Promise<ReadAnswer> {
    const found = await this.#call(properties, (handlers) => handlers.read(id, sent(properties)));
    return {
      id: found.id ?? "",
      properties: withProvider(found.props as Values, properties),
      inputs: found.inputs === undefined ? undefined : withProvider(found.inputs as Values, properties),
    };
  }

  async update(id: string, olds: Values, news: Values): Promise<Values> {
    const changed = await this.#call(news, (handlers) => handlers.update(id, sent(olds), sent(news)));
    return withProvider(changed.outs as Values, news);
  }

  async delete(id: string, properties: Values): Promise<void> {
    await this.#call(properties, (handlers) => handlers.delete(id, sent(properties)));
  }

  /** Each host looks through the files of all runs, and there are ten thousand runs. */
  stop(): Promise<void> {
    if (this.engine !== undefined) rmSync(hostsFilePath(this.engine), { force: true });
    return Promise.resolve();
  }

  async #call<Answer>(raw: Values, call: (handlers: Handlers) => Promise<Answer>): Promise<Answer> {
    const name = /runtime'\)\.(\w+)/.exec(String(raw["__provider"]))?.[1] ?? "";
    const handlers = this.#handlers[name];
    if (handlers === undefined) throw new Error(`There are no handlers ${name}.`);
    try {
      const run = () => printing.run(this.messages, () => call(handlers));
      return await Promise.race([this.#killed, atMoment(this.moment, run)]);
    } catch (error) {
      const { message, id, properties, reasons } = error as Error & NonNullable<HandlerError["partial"]>;
      throw new HandlerError(
        message,
        id === undefined ? undefined : { id, properties: sent(properties), reasons },
      );
    }
  }
}

/** For `EngineOptions.startHost`, with `catchLines`: searches of many runs don't need the SDK's process. */
export const inProcess = (engine: string, moment?: number): ProviderHost => new HostInProcess(engine, moment);

/** The clock of each host, because many run at once. */
const clock = new AsyncLocalStorage<number>();
const time = Date.now.bind(Date);

/** Runs something at a fixed time of the clock. `moment`: undefined for the present. */
export function atMoment<T>(moment: number | undefined, run: () => T): T {
  if (moment === undefined) return run();
  Date.now = () => clock.getStore() ?? time();
  return clock.run(moment, run);
}

/** Collects the lines of each host's handlers, because many run at once. */
const printing = new AsyncLocalStorage<string[]>();

/** Gives each host the lines of its own handlers, outside of Jest. */
export function divertLines(): void {
  const { log } = console;
  console.log = (...line: unknown[]) => {
    const lines = printing.getStore();
    if (lines === undefined) log(...line);
    else lines.push(String(line[0]));
  };
}

/** Gives each host the lines of its own handlers, until the tests of a file have ended. */
export function catchLines(): void {
  let lines: jest.SpyInstance;
  beforeAll(() => {
    lines = jest.spyOn(console, "log").mockImplementation((line: string) => {
      printing.getStore()?.push(line);
    });
  });
  afterAll(() => lines.mockRestore());
}

/**
 * Returns a value as it is after the engine's protocol, which sorts keys, made of objects in Jest's realm
 * like the handlers' own.
 */
function sent(values: Values): Values {
  return JSON.parse(json(values)) as Values;
}

function withProvider(values: Values | undefined, { __provider }: Values): Values {
  return sent({ ...values, __provider });
}
