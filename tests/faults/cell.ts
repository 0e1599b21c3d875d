import { setTimeout as sleep } from "node:timers/promises";
import { getUser } from "../../provider";
import { Engine, type EngineOptions, type ResourceState, type Run, RunFailed } from "../../testkit/engine";
import { type ProviderHost } from "../../testkit/hosts/host";
import { NotFoundError } from "../../provider/http/errors";
import { readUser } from "../../provider/service/users";
import {
  type Fault,
  type LoggedRequest,
  recordsOf,
  type SeedInput,
  type Simulator,
  type SimulatorState,
} from "../../simulator";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { ELSEWHERE, type FaultKind, type Place } from "./faults";
import { catchLines, HostInProcess, inProcess } from "../../testkit/hosts/host-in-process";
import { type Operation } from "./operations";
import { type CredentialKind, credentialsOf, Strangers, Tenants } from "./tenants";

/**
 * Short, so that hanging or endlessly refused requests end soon; with `maxConcurrency` 1, a lost permit is
 * noticed at once.
 */
const LIMITS = {
  "identity:requestTimeoutSeconds": "3",
  "identity:maxWaitSeconds": "4",
  "identity:maxConcurrency": "1",
  "identity:rateLimitReserve": "0",
};

const REFUSED_ONCE_MS = 75;
const PROBE = "auth0|probe";
const FOREVER_MS = 10 * 60_000;

/** The fault or faults that hit an operation. */
export interface Hit {
  kind: FaultKind;
  place: Place;
  times: "once" | "always";
  /** Hits the next such request, if the first fault hits once. */
  then?: FaultKind;
}

/** One fault, or two in a row. */
export function kindsOf({ kind, then }: Hit): FaultKind[] {
  return then === undefined ? [kind] : [kind, then];
}

/** The result of an operation. */
export interface Outcome {
  /** The errors that a person at the CLI sees. */
  errors: string[];
  messages: string[];
  /** A data source's answer. */
  answer: unknown;
  /** The engine's recorded state. */
  state: Map<string, ResourceState>;
  tenant: SimulatorState;
  requests: LoggedRequest[];
  elapsedMs: number;
  /** The error of a plain request by the same client right afterwards; undefined if it succeeded. */
  probe: string | undefined;
  /** The result of the next run, in another process and without a fault. */
  next: Pick<Outcome, "errors" | "state" | "tenant" | "answer"> | undefined;
}

/** An operation with its starting point, once that was created. */
export interface Prepared {
  operation: Operation;
  seed: SeedInput;
  state: ReadonlyMap<string, ResourceState>;
}

export interface Surroundings {
  tenants: Tenants;
  strangers: Strangers;
  /** Default: the handlers in this process. */
  startHost?: EngineOptions["startHost"];
}

/** The tenants and strangers for a file's tests; closed after them. */
export function useSurroundings(): Surroundings {
  const surroundings = { tenants: new Tenants(), strangers: new Strangers() };
  catchLines();
  beforeAll(() => surroundings.strangers.open());
  afterAll(async () => {
    await surroundings.tenants.close();
    surroundings.strangers.close();
  });
  return surroundings;
}

let runs = 0;

/** Settings that no other run has, so that each run has its own client, as each process would. */
function settingsOf(credentials: CredentialKind, domain: string, formerly: string): Record<string, string> {
  return {
    ...credentialsOf(credentials).config,
    ...LIMITS,
    "identity:domain": domain,
    "identity:formerDomains": `${formerly},run-${++runs}.example`,
  };
}

export async function prepare(operation: Operation, { tenants }: Surroundings): Promise<Prepared> {
  const { seed: given = DEFAULT_SEED } = operation;
  if (operation.given === undefined) return { operation, seed: given, state: new Map() };
  const simulator = await tenants.take(given);
  const engine = engineOf(simulator, settingsOf("token", simulator.url, ""));
  await engine.up(operation.given);
  const seed = { ...given, ...recordsOf(simulator.state()) };
  await tenants.giveBack(simulator, true);
  return { operation, seed, state: engine.state };
}

/** Lets a fault hit an operation, and collects the result; without a hit, the operation runs normally. */
export async function run(
  { operation, seed, state }: Prepared,
  credentials: CredentialKind,
  hit: Hit | undefined,
  { tenants, strangers, startHost = inProcess }: Surroundings,
): Promise<Outcome> {
  const simulator = await tenants.take(seed, hit?.kind.skew);
  const host = new URL(simulator.url).host;
  const domain = hit?.kind.untrusted ? strangers.untrusted : simulator.url;
  const settings = settingsOf(credentials, domain, host);
  const hosts: ProviderHost[] = [];
  const engine = engineOf(simulator, settings, async (...given) => {
    const host = await startHost(...given);
    hosts.push(host);
    return host;
  });
  adopt(engine, state, host);
  plan(simulator, operation, hit, strangers);

  const start = performance.now();
  const ended = await perform(operation, engine, settings);
  const elapsedMs = performance.now() - start;
  const late = hit?.kind.action?.(hit.place);
  if (late !== undefined && "late" in late) await sleep(late.late + 500);

  const outcome = {
    ...ended,
    state: copyOf(engine.state),
    tenant: simulator.state(),
    requests: simulator.requests(),
    elapsedMs,
  };
  simulator.reset();
  const probe =
    hit === undefined || hit.kind.untrusted ? undefined : await probeOf(operation, settings, hosts);
  const next =
    ended.errors.length === 0 ? undefined : await goOn(operation, credentials, simulator, engine.state);
  await tenants.giveBack(simulator, hit === undefined || isOver(hit));
  return { ...outcome, probe, next };
}

/** True if nothing of the fault remains on the tenant once the operation has ended. */
function isOver({ kind, place }: Hit): boolean {
  const action = kind.action?.(place) ?? {};
  return (
    kind.refused === undefined && !["late", "hang", "drip", "endless", "raw"].some((name) => name in action)
  );
}

function engineOf(
  simulator: Simulator,
  config: Record<string, string>,
  startHost: NonNullable<EngineOptions["startHost"]> = inProcess,
): Engine {
  return new Engine(simulator, { config, startHost });
}

/** Takes over state that was made on a tenant elsewhere. */
function adopt(engine: Engine, state: ReadonlyMap<string, ResourceState>, tenant: string): void {
  for (const [name, resource] of copyOf(state)) {
    engine.state.set(name, { ...resource, outputs: { ...resource.outputs, tenant } });
  }
}

function plan(
  simulator: Simulator,
  { base = [] }: Operation,
  hit: Hit | undefined,
  { elsewhere }: Strangers,
): void {
  simulator.fail(...base);
  if (hit === undefined) return;
  const { kind, place, times } = hit;
  const action = kind.action?.(place);
  for (const each of [action, hit.then?.action?.(place)]) {
    if (each === undefined) continue;
    const text = JSON.stringify(each).replaceAll(ELSEWHERE, elsewhere);
    simulator.fail({
      method: place.method,
      path: times === "once" ? place.target : place.target.split("?")[0],
      after: times === "once" ? place.before : place.beforeAnyQuery,
      times: times === "once" ? 1 : 1_000_000,
      action: JSON.parse(text) as Fault["action"],
    });
  }
  if (kind.refused) {
    const refuse = times === "once" ? REFUSED_ONCE_MS : FOREVER_MS;
    if (place.index === 0) simulator.refuse(refuse);
    else simulator.fail({ after: place.index - 1, action: { refuse } });
  }
}

async function perform(
  { act, ask }: Operation,
  engine: Engine,
  settings: Record<string, string>,
): Promise<Pick<Outcome, "errors" | "messages" | "answer">> {
  if (act !== undefined) {
    const { errors, messages } = await failedOrNot(act(engine));
    return { errors, messages, answer: undefined };
  }
  if (ask === undefined) throw new Error("An operation does something or asks something.");
  return withEnvironment(settings, ask).then(
    (answer) => ({ errors: [], messages: [], answer }),
    (error: Error) => ({ errors: [error.message], messages: [], answer: undefined }),
  );
}

function failedOrNot(running: Promise<Run>): Promise<Run> {
  return running.catch((error: unknown) => {
    if (error instanceof RunFailed) return error.run;
    throw error;
  });
}

/** A data source looks up its settings before anything else can run. */
function withEnvironment<T>(settings: Record<string, string>, call: () => Promise<T>): Promise<T> {
  const names = Object.entries(settings).map(([name, value]) => {
    const key = `IDENTITY_${name.split(":")[1]?.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
    process.env[key] = value;
    return key;
  });
  try {
    return call();
  } finally {
    for (const name of names) delete process.env[name];
  }
}

/** Asks for a user that doesn't exist, with each client of what has just ended. */
async function probeOf(
  { ask }: Operation,
  settings: Record<string, string>,
  hosts: readonly ProviderHost[],
): Promise<string | undefined> {
  const clients = hosts.flatMap((host) => (host instanceof HostInProcess ? host.clients : []));
  const answers =
    ask === undefined
      ? clients.map((client) => readUser(client, PROBE))
      : [withEnvironment(settings, () => getUser({ userId: PROBE }))];
  const errors = await Promise.all(
    answers.map((answer) =>
      answer.then(
        () => new Error("It read what does not exist."),
        (error: Error) => error,
      ),
    ),
  );
  return errors.find((error) => !(error instanceof NotFoundError))?.message;
}

async function goOn(
  operation: Operation,
  credentials: CredentialKind,
  simulator: Simulator,
  state: ReadonlyMap<string, ResourceState>,
): Promise<Outcome["next"]> {
  const { host } = new URL(simulator.url);
  const settings = settingsOf(credentials, simulator.url, host);
  const engine = engineOf(simulator, settings);
  for (const [name, resource] of copyOf(state)) engine.state.set(name, resource);
  const ended = await perform({ ...operation, act: operation.next ?? operation.act }, engine, settings);
  return { ...ended, state: engine.state, tenant: simulator.state() };
}

function copyOf(state: ReadonlyMap<string, ResourceState>): Map<string, ResourceState> {
  return new Map(JSON.parse(JSON.stringify([...state])) as [string, ResourceState][]);
}
