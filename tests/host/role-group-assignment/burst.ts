import { setTimeout } from "node:timers/promises";
import { ROLE_ID } from "../../simulator/default-seed";
import { assignment, type Program } from "../engine";
import { Host } from "../host";
import { json, type Line, type Tenant } from "../tenant";
import { groupsUrl } from "./made";

/** Ids of roles that no default seed has. */
export const roleIds = (count: number) => Array.from({ length: count }, (_, i) => `${ROLE_ID}${i}`);

/** Ids of groups, all different, for as many assignments as a burst may have. */
export function groupIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `grp_BurstBurst${String(1111 + i).replaceAll("0", "A")}`);
}

/** `count` assignments of one group each, of each role in turn. */
export function burst(roles: readonly string[], count: number): Program {
  const entries = groupIds(count).map((group, i) => {
    const roleId = roles[i % roles.length] as string;
    return [`a${i}`, assignment({ roleId, groupIds: [group] })] as const;
  });
  return Object.fromEntries(entries);
}

/** Loads the roles and the groups of a burst. */
export function seedBurst(tenant: Tenant, roles: readonly string[], count: number): void {
  tenant.seed({
    groups: groupIds(count).map((id) => ({ id })),
    roles: roles.map((id) => ({ id })),
  });
}

export const post = (roleId: string, groups: readonly string[], status = 204): Line =>
  `POST ${groupsUrl(roleId)} ${json({ groups: [...groups].sort() })} ${status}`;

/** The groups that a line names. */
export const groupsIn = (line: Line): string[] => line.match(/grp_\w+/g) ?? [];

export interface Hold {
  /** Changes that are let through before the others. Default 1. */
  first?: number;
  /** For how many milliseconds nothing is sent. Default 800. */
  tokenMs?: number;
  /** The host has a process of its own, with this environment. */
  env?: Record<string, string>;
}

/** The others follow when the first ones are sure to be at work. */
const PAUSE_MS = 100;

/**
 * Makes a run one burst: changes are held back until all are there. Then the first of them are let through, and shortly
 * after them the others. All of these are at work before the tenant answers with a token.
 */
export class Gate {
  /** Of the present run. */
  host: Host | undefined;
  #next: (Hold & { count: number }) | undefined;

  constructor(private readonly tenant: Tenant) {}

  /** Holds the next run back until it has so many changes under way. */
  hold(count: number, { tokenMs = 800, ...hold }: Hold = {}): void {
    this.#next = { count, ...hold };
    this.tenant.fail({ path: "/oauth/token*", action: { delay: tokenMs } });
  }

  /** For the engine. */
  readonly startHost = async (engine: string): Promise<Host> => {
    const next = this.#next;
    this.#next = undefined;
    const host = await (next?.env === undefined
      ? Host.warm("", engine)
      : Host.start({ engine, env: next.env }));
    this.host = host;
    return next === undefined ? host : gated(host, next);
  };
}

const CHANGES = new Set<unknown>(["create", "update", "delete"]);

function gated(host: Host, { count, first = 1 }: Hold & { count: number }): Host {
  let arrived = 0;
  let open = () => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  const pass = async () => {
    const place = arrived++;
    if (arrived === count) open();
    await all;
    if (place >= first) await setTimeout(PAUSE_MS);
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
