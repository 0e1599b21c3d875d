import { setTimeout } from "node:timers/promises";
import { ROLE_ID } from "../../../simulator/default-seed";
import { Host } from "../host";
import { type Tenant } from "../tenant";

/** Ids of roles that no default seed has. */
export const roleIds = (count: number) => Array.from({ length: count }, (_, i) => `${ROLE_ID}${i}`);

/** Distinct ids of groups, enough for the assignments of a burst. */
export function groupIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `grp_BurstBurst${String(1111 + i).replaceAll("0", "A")}`);
}

/** The others follow once the first one is surely running. */
const PAUSE_MS = 100;
/** Nothing is sent for this long. */
const TOKEN_MS = 300;

/**
 * Makes a run one burst: holds changes back until all have arrived. Then it lets the first one through, and
 * shortly afterwards the others. All are running before the tenant answers with a token.
 */
export class Gate {
  /** Number of changes in the next run. */
  #count: number | undefined;

  constructor(private readonly tenant: Tenant) {}

  /** Holds the next run back until this many changes are waiting. */
  hold(count: number): void {
    this.#count = count;
    this.tenant.fail({ path: "/oauth/token*", action: { delay: TOKEN_MS } });
  }

  /** For the engine. */
  readonly startHost = async (engine: string): Promise<Host> => {
    const count = this.#count;
    this.#count = undefined;
    const host = await Host.warm("", engine);
    return count === undefined ? host : gated(host, count);
  };
}

const CHANGES = new Set<unknown>(["create", "update", "delete"]);

function gated(host: Host, count: number): Host {
  let arrived = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  const pass = async () => {
    const place = arrived++;
    if (arrived === count) open();
    await all;
    if (place > 0) await setTimeout(PAUSE_MS);
  };
  return new Proxy(host, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: unknown[]) => unknown;
      return CHANGES.has(name) ? (...args: unknown[]) => pass().then(() => method(...args)) : method;
    },
  });
}
