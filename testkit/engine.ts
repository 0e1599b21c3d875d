import { randomUUID } from "node:crypto";
import { WRITTEN } from "../provider/pulumi/hidden-inputs";
import { EXPLICIT_PROVIDER_KEY } from "../provider/pulumi/settings";
import { type Simulator } from "../simulator";
import { Deployment } from "./engine/deployment";
import { Hosts } from "./engine/hosts";
import { previewJson } from "./engine/preview-json";
import { type DeploymentOptions } from "./engine/plan";
import { type Program, type Transform } from "./engine/program";
import { type PendingDelete, type ResourceState, urnOf } from "./engine/state";
import { Host, type HostOptions, type ProviderHost } from "./hosts/host";

export {
  assignment,
  later,
  organizationAssignment,
  plainInputs,
  profile,
  type Program,
  removal,
  signOut,
  type Resource,
  secret,
  type Transform,
  UNKNOWN,
} from "./engine/program";
export { type ResourceState } from "./engine/state";

export interface Run {
  /** Done or planned steps, e.g. `update p: name`; unchanged resources are left out. */
  steps: string[];
  /** Lines from handlers for the person at the CLI. */
  messages: string[];
  /** `p: message` for each resource that failed. */
  errors: string[];
  /** The hosts' output on stderr. */
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
  /** Explicit providers by name, each with its configuration: `identity:domain` and so on. */
  providers?: Record<string, Record<string, string>>;
  /** Steps in flight at once. Default 8. */
  parallel?: number;
  /** A host process for each run, not a warm one, as with the real engine. `env` and `folder` imply it. */
  ownProcess?: boolean;
  /** The next run follows at once. Default: after a minute, when the service's reads have caught up. */
  isNextAtOnce?: boolean;
  /** Starts another host than the SDK's. */
  startHost?: (engine: string, moment?: number) => ProviderHost | Promise<ProviderHost>;
}

export interface RefreshOptions {
  /** Only these resources take part: `--target`. */
  target?: string[];
  /** These resources take no part: `--exclude`. */
  exclude?: string[];
}

export interface DestroyOptions extends RefreshOptions {
  /** Refreshes all of state before anything else: `--refresh`. */
  refresh?: boolean;
  /** After a failure, only its dependents are skipped: `--continue-on-error`. */
  continueOnError?: boolean;
}

export interface UpOptions extends DestroyOptions {
  /** With `refresh`: refreshes each resource only when the program registers it: `--run-program`. */
  runProgram?: boolean;
  /** Replaced regardless of `diff`: `--replace`. The same happens to a tainted resource. */
  replace?: string[];
  /** A transformation of all resources of the stack. */
  transform?: Transform;
  /** Once it settles, the hosts are killed. */
  killed?: Promise<unknown>;
}

/**
 * The Pulumi engine's treatment of dynamic resources, in memory: which handlers it calls with which
 * arguments, and how it uses the answers. Each run has its own hosts, one for each provider. Runs with errors
 * throw `RunFailed`.
 *
 * test/beliefs.ts lists the observed behaviour of both engines. They differ in two points: here a refresh
 * and a destroy see the present configuration, there that of the last `up`; and there, `up --refresh` has a
 * second host if the configuration has changed.
 */
export class Engine {
  config: Record<string, string>;
  readonly providers: Record<string, Record<string, string>>;
  /** Steps in flight at once. */
  parallel: number;
  /** The time on the clocks at the beginning of the next runs. Default: now. */
  moment: number | undefined;
  /** True if assignments come with the listing of a TypeScript program. */
  listings = true;
  /** In the order of creation. */
  readonly state = new Map<string, ResourceState>();
  /** Replaced resources that are still to be deleted. */
  readonly pendingDeletes: PendingDelete[] = [];
  /** Settings of the explicit providers, from the last `up`. */
  readonly #providers = new Map<string, Record<string, string>>();
  #hasRun = false;

  constructor(
    simulator: Pick<Simulator, "url" | "clientId" | "clientSecret">,
    private readonly options: EngineOptions = {},
  ) {
    this.config = options.config ?? {
      "identity:domain": simulator.url,
      "identity:clientId": simulator.clientId,
      "identity:clientSecret": simulator.clientSecret,
    };
    this.providers = options.providers ?? {};
    this.parallel = options.parallel ?? 8;
  }

  /** State of a resource; throws if there is none. */
  resource(name: string): ResourceState {
    const state = this.state.get(name);
    if (state === undefined) throw new Error(`The state has no resource ${name}.`);
    return state;
  }

  up(program: Program, options: UpOptions = {}): Promise<Run> {
    return this.#deploy(program, options, false);
  }

  preview(program: Program, options: UpOptions = {}): Promise<Run> {
    return this.#deploy(program, options, true);
  }

  /** Returns the JSON of the preview for the review, even if it fails. */
  async previewJson(program: Program, options: UpOptions = {}): Promise<string> {
    const before = new Map(this.#providers);
    const { run, deployment } = await this.#attempt((deployment) => deployment.deploy(program), {
      ...options,
      preview: true,
    });
    const urns = new Map(
      [...this.state, ...this.pendingDeletes.map(({ name, state }) => [name, state] as const)].map(
        ([key, state]) => [key, urnOf(state)],
      ),
    );
    for (const [key, { kind, name = key, parent }] of Object.entries(program))
      urns.set(key, urnOf({ kind, name, parent }));
    const parentsOf = (resources: Iterable<{ parent?: string | undefined }>) =>
      new Set([...resources].flatMap(({ parent }) => parent ?? []));
    const componentsBefore = parentsOf(this.state.values());
    const components = parentsOf(Object.values(program));
    const { events, failures } = deployment;
    const { messages } = run;
    const { config, providers } = this;
    const planned = {
      config,
      providers,
      providersBefore: before,
      hasStack: this.#hasRun,
      events,
      failures,
      messages,
      urns,
      components,
      componentsBefore,
      isPartial: options.target !== undefined || options.exclude !== undefined,
    };
    return JSON.stringify(previewJson(planned));
  }

  /** Marks a resource for replacement: `pulumi state taint`. */
  taint(name: string): void {
    this.state.set(name, { ...this.resource(name), taint: true });
  }

  refresh(options: RefreshOptions = {}): Promise<Run> {
    return this.#run((deployment) => deployment.refresh(), options);
  }

  destroy(options: DestroyOptions = {}): Promise<Run> {
    return this.#deploy({}, options, false);
  }

  #deploy(program: Program, options: UpOptions, preview: boolean): Promise<Run> {
    const { refresh = false, runProgram = false } = options;
    const work = async (deployment: Deployment) => {
      if (refresh && !runProgram) await deployment.refresh();
      if (deployment.errors.length === 0) await deployment.deploy(program);
    };
    return this.#run(work, { ...options, preview, refreshProgram: refresh && runProgram });
  }

  async #run(
    work: (deployment: Deployment) => Promise<void>,
    options: Partial<DeploymentOptions> & Pick<UpOptions, "killed">,
  ): Promise<Run> {
    const { run } = await this.#attempt(work, options);
    if (run.errors.length > 0) throw new RunFailed(run);
    return run;
  }

  async #attempt(
    work: (deployment: Deployment) => Promise<void>,
    options: Partial<DeploymentOptions> & Pick<UpOptions, "killed">,
  ): Promise<{ run: Run; deployment: Deployment }> {
    const address = `127.0.0.1:0/${randomUUID()}`;
    const hosts = new Hosts(
      (provider) => this.#startHost(provider, address),
      (provider) => this.#configOf(provider),
    );
    const { preview = false } = options;
    if (!preview) {
      this.#hasRun = true;
      for (const [name, settings] of Object.entries(this.providers)) this.#providers.set(name, settings);
    }
    void options.killed?.then(() => hosts.kill());
    const resources = preview ? new Map(this.state) : this.state;
    const pendingDeletes = preview ? [...this.pendingDeletes] : this.pendingDeletes;
    const deployment = new Deployment(
      hosts,
      { resources, pendingDeletes },
      {
        preview,
        parallel: this.parallel,
        refreshProgram: options.refreshProgram ?? false,
        target: options.target,
        exclude: options.exclude,
        continueOnError: options.continueOnError ?? false,
        replace: options.replace ?? [],
        domainOf: (provider) => this.#configOf(provider)["identity:domain"],
        transform: options.transform,
        moment: this.moment,
        listings: this.listings,
      },
    );
    try {
      await work(deployment);
    } finally {
      await hosts.stop();
      if (this.options.isNextAtOnce !== true)
        for (const { outputs } of resources.values()) delete outputs[WRITTEN];
    }
    const { steps, errors } = deployment;
    return { run: { steps, errors, messages: hosts.messages, stderr: hosts.stderr }, deployment };
  }

  #startHost(provider: string | undefined, engine: string): Promise<ProviderHost> {
    const { env, folder, startHost } = this.options;
    const { ownProcess = env !== undefined || folder !== undefined } = this.options;
    if (startHost !== undefined) return Promise.resolve(startHost(engine, this.moment));
    return ownProcess
      ? Host.start({ engine, ...(env !== undefined && { env }), ...(folder !== undefined && { folder }) })
      : Host.warm(provider, engine, this.moment);
  }

  #configOf(provider: string | undefined): Record<string, string> {
    if (provider === undefined) return this.config;
    const config = this.providers[provider];
    if (config === undefined) throw new Error(`The engine was given no provider ${provider}.`);
    return { ...config, [EXPLICIT_PROVIDER_KEY]: provider };
  }
}

/** Returns the run of an operation that is expected to fail. */
export async function failed(operation: Promise<Run>): Promise<Run> {
  const outcome = await operation.then(
    (run) => new Error(`The run was expected to fail, but did: ${run.steps.join("; ") || "nothing"}.`),
    (error: unknown) => error,
  );
  if (outcome instanceof RunFailed) return outcome.run;
  throw outcome;
}
