import { Border } from "../provider/border";
import { IdentityClient } from "../provider/http/client";
import { type LogFormat } from "../provider/http/debug-log";
import { IncompleteListError } from "../provider/http/errors";
import { type Credentials } from "../provider/http/credentials";
import { DEFAULT_LIMITS, type ClientLimits, type TenantSettings } from "../provider/http/settings";
import { type Simulator, type SimulatorOptions, startSimulator } from "../simulator";

interface TenantOptions extends SimulatorOptions {
  credentials?: Credentials;
  audience?: string;
  limits?: Partial<ClientLimits>;
  /** The destination of the client's notices and debug lines. Default: nowhere. */
  print?: (line: string) => void;
  log?: LogFormat;
}

/** A rate limit that no test reaches, for tests about something else. */
export const UNLIMITED = { burst: 1_000_000, perSecond: 1_000_000 };

const open: (() => Promise<void>)[] = [];

/** Closes everything the tests have opened; call it after each. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

export function onClose(close: () => Promise<void>): void {
  open.push(close);
}

/** A simulated tenant and a client of it. */
export async function startTenant(options: TenantOptions = {}): Promise<{
  simulator: Simulator;
  client: IdentityClient;
}> {
  const { credentials, audience, limits, print, log, ...simulated } = options;
  const simulator = await startSimulator({ rate: UNLIMITED, ...simulated });
  open.push(() => simulator.close());
  return {
    simulator,
    client: clientOf(simulator, { credentials, audience, limits, print, log }),
  };
}

/** Another client of a tenant. */
export function clientOf(
  simulator: Pick<Simulator, "url" | "clientId" | "clientSecret">,
  options: {
    credentials?: Credentials | undefined;
    audience?: string | undefined;
    limits?: Partial<ClientLimits> | undefined;
    print?: ((line: string) => void) | undefined;
    log?: LogFormat | undefined;
  } = {},
): IdentityClient {
  const client = new IdentityClient(
    settingsOf(simulator.url, {
      credentials: options.credentials ?? {
        type: "client-secret",
        clientId: simulator.clientId,
        clientSecret: simulator.clientSecret,
      },
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      ...(options.audience !== undefined && { audience: options.audience }),
    }),
    { border: new Border([], options.print ?? (() => undefined)), log: options.log },
  );
  open.push(() => client.close());
  return client;
}

export const GIVEN_TOKEN = "given-access-token-0123456789";

export function settingsOf(origin: string, overrides: Partial<TenantSettings> = {}): TenantSettings {
  return {
    origin,
    credentials: { type: "access-token", accessToken: GIVEN_TOKEN },
    limits: DEFAULT_LIMITS,
    nameOf: (setting) => `identity:${setting}`,
    rotation: () => "Pass new credentials.",
    ...overrides,
  };
}

/** Returns the error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error(`Expected a failure, got ${JSON.stringify(outcome.value)}.`);
  if (!(outcome.error instanceof Error))
    throw new Error(`Rejected with ${String(outcome.error)}, which is no Error.`);
  return outcome.error;
}

/** Returns what a list's reading has brought, and the error if that is only a part. */
export async function readablePart<Item>(
  reading: Promise<Item[]>,
): Promise<{ items: Item[]; incomplete?: IncompleteListError }> {
  try {
    return { items: await reading };
  } catch (error) {
    if (!(error instanceof IncompleteListError)) throw error;
    return { items: error.part as Item[], incomplete: error };
  }
}
