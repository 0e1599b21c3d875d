import { readdirSync, readFileSync } from "node:fs";
import { type CommandResult, Stack } from "../e2e/stack";
import { type Tenant } from "./subjects";

/** Nothing but connection profiles: `COUNT` of them, whose names begin with `NAMES`. */
const PROGRAM = `
  const { ConnectionProfile } = require("pulumi-identity");
  for (let i = 0; i < Number(process.env.COUNT); i++) {
    new ConnectionProfile("profile-" + i, {
      name: process.env.NAMES + " " + i,
      connectionNamePrefixTemplate: "con-{org_id}",
      enabledFeatures: ["scim"],
    });
  }`;

export interface ProfileStackOptions {
  count: number;
  /** Tells the profiles of one stack from those of another. */
  names: string;
  env?: Record<string, string>;
  /** As `PULUMI_BACKEND_URL` takes it. Default: a folder. */
  backend?: string;
}

/** A stack of so many connection profiles on a tenant. */
export function profileStack(
  tenant: Tenant,
  { count, names, env, ...more }: ProfileStackOptions,
): Promise<Stack> {
  return Stack.create({
    ...more,
    program: PROGRAM,
    name: names,
    seconds: 1_800,
    env: {
      COUNT: String(count),
      NAMES: names,
      IDENTITY_DOMAIN: tenant.url,
      IDENTITY_CLIENT_ID: tenant.clientId,
      IDENTITY_CLIENT_SECRET: tenant.clientSecret,
      ...env,
    },
  });
}

export interface Cost {
  /** By the clock on the wall. */
  seconds: number;
  /** Of processors, user and system, of the command and all that it has started. */
  cpuSeconds: number;
}

/** Fails when the command does. */
export async function costOf(stack: Stack, command: () => Promise<CommandResult>): Promise<Cost> {
  const watch = watchProcessors(stack.home);
  const begin = performance.now();
  const { code, all } = await command();
  const seconds = (performance.now() - begin) / 1000;
  const cpuSeconds = watch.end();
  if (code !== 0) throw new Error(all);
  return { seconds, cpuSeconds };
}

const EVERY_MS = 100;
/** Linux counts processor time in hundredths of a second, on every machine that Node.js runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Sums the processor time of all processes that have `home` in their environment. Plugins end without anybody who waits for
 * them, so that it is read while they live: of each, up to its last tenth of a second is missed. On Linux only.
 */
function watchProcessors(home: string): { end(): number } {
  if (process.platform !== "linux")
    throw new Error("Processor time is read from /proc, which only Linux has.");
  const ticks = new Map<string, number>();
  const look = () => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        if (!ticks.has(pid) && !readFileSync(`/proc/${pid}/environ`, "utf8").includes(home)) continue;
        // pid (command) state …, the 14th and 15th are user and system time.
        const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
        ticks.set(pid, Number(fields[11]) + Number(fields[12]));
      } catch {
        // It has ended.
      }
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      return [...ticks.values()].reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
    },
  };
}
