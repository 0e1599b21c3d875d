import {
  type BehaviourInput,
  type Fault,
  recordsOf,
  type SeedInput,
  type Simulator,
  startSimulator,
} from "../simulator";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../simulator/default-seed";
import { stopWarmHost } from "./hosts/host";

export const OUTSIDER = "token-of-somebody-else";

/**
 * A request in one line, without the API's base path: `PATCH /connection-profiles/cop_1 {"name":"b"} 200`. If
 * a planned fault answers the request, its body isn't known.
 */
export type Line = string;

/** Stands for the token request of a run. */
export const TOKEN: Line = "token";

/** The simulated tenant of one test file, with the default seed before each test. */
export class Tenant {
  #simulator: Simulator | undefined;
  #seen = 0;

  get simulator(): Simulator {
    if (this.#simulator === undefined) throw new Error("The tenant is there in tests only.");
    return this.#simulator;
  }

  get url(): string {
    return this.simulator.url;
  }

  get host(): string {
    return new URL(this.url).host;
  }

  get clientId(): string {
    return this.simulator.clientId;
  }

  get clientSecret(): string {
    return this.simulator.clientSecret;
  }

  async open(): Promise<void> {
    this.#simulator = await startSimulator({ rate: { burst: 10_000, perSecond: 10_000 } });
  }

  async close(): Promise<void> {
    await this.#simulator?.close();
  }

  /** Loads records; the default seed's unless given. */
  seed(seed: SeedInput = {}): void {
    const tokens = [{ access_token: OUTSIDER, scope: ALL_SCOPES }];
    // With other groups, users are in none of them.
    const users = DEFAULT_SEED.users?.map(({ groups: _groups, ...user }) => user) ?? [];
    this.simulator.seed({ ...DEFAULT_SEED, users, tokens, ...seed });
    this.clear();
  }

  behave(behaviour: BehaviourInput): void {
    this.seed({ behaviour });
  }

  /** Keeps the tenant's records, except for the given ones. */
  reseed(changes: SeedInput): void {
    this.seed({ ...recordsOf(this.simulator.state()), ...changes });
  }

  /** Revokes scopes of the client. */
  withoutScopes(...scopes: string[]): void {
    const scope = ALL_SCOPES.split(" ")
      .filter((name) => !scopes.includes(name))
      .join(" ");
    this.reseed({
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope }],
    });
  }

  fail(...faults: Fault[]): void {
    this.simulator.fail(...faults);
  }

  /** Forgets unused planned faults, and the log. */
  clear(): void {
    this.simulator.reset();
    this.#seen = 0;
  }

  /** Returns the requests since the last call. */
  sent(): Line[] {
    const lines = this.simulator.requests().map(({ method, path, status, body }) => {
      if (path.startsWith("/oauth/token")) return status === 200 ? TOKEN : `${TOKEN} ${status}`;
      const text = body === undefined ? "" : ` ${json(body)}`;
      return `${method} ${path.replace(/^\/api\/v2/, "")}${text} ${status}`;
    });
    const news = lines.slice(this.#seen);
    this.#seen = lines.length;
    return news;
  }

  /** Somebody else's action on the tenant; `sent` doesn't show it. */
  async outside(method: string, path: string, body?: unknown): Promise<unknown> {
    const unseen = this.simulator.requests().length - this.#seen;
    const answer = await fetch(`${this.url}/api/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OUTSIDER}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`);
    if (unseen > 0) throw new Error("Requests were not looked at: call sent() before the outside edit.");
    this.#seen++;
    return answer.status === 204 ? undefined : answer.json();
  }

  profiles(): Record<string, unknown>[] {
    return this.simulator.state().connection_profiles;
  }

  /** Returns a profile without unset fields. */
  profile(id: string): Record<string, unknown> | undefined {
    const found = this.profiles().find((profile) => profile["id"] === id);
    return found && Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
  }

  groupsOf(roleId: string): string[] {
    return [...(this.simulator.state().roles.find((role) => role.id === roleId)?.groups ?? [])].sort();
  }

  credentials(): string[] {
    return this.simulator.state().device_credentials.map(({ id }) => id);
  }
}

/**
 * Returns JSON with sorted keys in all objects, since they lose their order on the way through the engine.
 */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === "object" && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}

/** The tenant of a test file; ends the file's host process as well. */
export function useTenant(): Tenant {
  const tenant = new Tenant();
  beforeAll(() => tenant.open());
  beforeEach(() => tenant.seed());
  afterAll(async () => {
    await tenant.close();
    await stopWarmHost();
  });
  return tenant;
}
