import { readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { startSimulator } from "../simulator";
import { type Simulator } from "../simulator/types";
import { Stack, succeeded } from "../testkit/stack";
import { withExecutable } from "./executable";
import { type Memory, watchMemory } from "./processes";

/*
 * Memory of a stack of several tenants: each has a Provider of its own, and so a host of its own, which
 * creates connection profiles there. The floor is the SDK's host with a dynamic provider that does nothing.
 */

const TENANTS = [1, 6, 30] as const;
const PROFILES = 10;
const RATE = { burst: 1_000_000, perSecond: 1_000_000 };

const { version } = JSON.parse(readFileSync(resolve(__dirname, "../package.json"), "utf8")) as {
  version: string;
};

const ofModule = (name: string) => `
  const { ConnectionProfile, Provider } = require("${name}");
  JSON.parse(process.env.TENANTS).forEach((args, t) => {
    const provider = new Provider("tenant-" + t, args);
    for (let i = 0; i < ${PROFILES}; i++)
      new ConnectionProfile("profile-" + t + "-" + i, {
        name: "profile " + i, connectionNamePrefixTemplate: "con-{org_id}", enabledFeatures: ["scim"],
      }, { provider });
  });`;

const WAYS = {
  floor: `
  const pulumi = require("@pulumi/pulumi");
  const TEXT = "exports.handler=()=>({create:async(inputs)=>({id:'one',outs:inputs})})";
  class Nothing extends pulumi.CustomResource {
    constructor(name, args, options) {
      super("pulumi-nodejs:dynamic:Nothing", name, { ...args, __provider: TEXT }, options);
    }
  }
  JSON.parse(process.env.TENANTS).forEach((args, t) => {
    const provider = new pulumi.ProviderResource("pulumi-nodejs", "tenant-" + t, {});
    for (let i = 0; i < ${PROFILES}; i++)
      new Nothing("profile-" + t + "-" + i, { name: "profile " + i }, { provider });
  });`,
  classes: ofModule("pulumi-identity"),
  plugin: ofModule("pulumi-identity/plugin"),
  executable: ofModule("pulumi-identity/plugin"),
} as const;
export type Way = keyof typeof WAYS;

export interface MemoryOfTenants {
  way: Way;
  tenants: number;
  memory: Memory;
}

/** Calls `onResult` with each measurement as soon as it's made. */
export function measureMemory(onResult: (result: MemoryOfTenants) => void): Promise<void> {
  // Pulumi would take a plugin that it finds there, and npm puts the packages' commands on it.
  const { PATH = "" } = process.env;
  process.env["PATH"] = PATH.split(delimiter)
    .filter((folder) => !folder.includes("node_modules"))
    .join(delimiter);
  return withExecutable(async ({ archive }) => {
    for (const tenants of TENANTS)
      for (const way of Object.keys(WAYS) as Way[])
        onResult({ way, tenants, memory: await memoryOf(way, tenants, archive) });
  });
}

async function memoryOf(way: Way, tenants: number, archive: string): Promise<Memory> {
  const simulators = await Promise.all(Array.from({ length: tenants }, () => startSimulator({ rate: RATE })));
  const stack = await Stack.create({
    program: WAYS[way],
    env: { TENANTS: JSON.stringify(simulators.map(argsOf)) },
  });
  try {
    if (way === "executable")
      succeeded(
        await stack.shell(`pulumi plugin install resource identity ${version} --reinstall --file ${archive}`),
      );
    const watch = watchMemory(stack.home);
    const up = await stack.up();
    const memory = watch.end();
    succeeded(up);
    expectHosts(memory, tenants, way, stack.home);
    return memory;
  } finally {
    stack.remove();
    await Promise.all(simulators.map((simulator) => simulator.close()));
  }
}

function argsOf({ url, clientId, clientSecret }: Simulator) {
  return { domain: url, clientId, clientSecret };
}

function expectHosts({ hosts }: Memory, tenants: number, way: Way, home: string): void {
  const place = {
    floor: "cmd/dynamic-provider",
    classes: "cmd/dynamic-provider",
    plugin: `node ${join(home, "pulumi", "plugins")}`,
    executable: join(home, "pulumi", "plugins"),
  }[way];
  const right = hosts.filter((commandLine) => commandLine.includes(place));
  if (right.length < tenants || right.length !== hosts.length)
    throw new Error(`${tenants} tenants through ${way} had these hosts: ${hosts.join("; ")}`);
}
