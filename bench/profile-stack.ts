import { type CommandResult, Stack } from "../testkit/stack";
import { watchProcesses } from "./processes";
import { type Tenant } from "./subjects";

/** Only connection profiles: `COUNT` of them, with names beginning with `NAMES`. */
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
  /** In the form of `PULUMI_BACKEND_URL`. Default: a folder. */
  backend?: string;
}

/** A stack of this many connection profiles on a tenant. */
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
  /** Wall-clock time. */
  seconds: number;
  /** Processor time, user and system, of the command and everything it started. */
  cpuSeconds: number;
}

/** Throws if the command fails. */
export async function costOf(stack: Stack, command: () => Promise<CommandResult>): Promise<Cost> {
  if (process.platform !== "linux")
    throw new Error("Processor time is read from /proc, which only Linux has.");
  const watch = watchProcesses(stack.home);
  const begin = performance.now();
  const { code, all } = await command();
  const seconds = (performance.now() - begin) / 1000;
  const { host, program, pulumi } = watch.end().processorSeconds;
  if (code !== 0) throw new Error(all);
  return { seconds, cpuSeconds: host + program + pulumi };
}
