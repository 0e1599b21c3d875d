import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stack } from "../testkit/stack";
import { type Tenant } from "./subjects";

/*
 * The cost of Pulumi commands with many connection profiles: with this package, with its plugin, and with a
 * dynamic provider that does nothing. The last is the floor, the cost of the engine and the SDK alone.
 */

export const PROVIDERS = ["floor", "ours", "plugin"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** In this order; each finds the stack as the previous one left it. */
const COMMANDS = {
  preview: (stack: Stack) => stack.preview(),
  up: (stack: Stack) => stack.up(),
  "up, no change": (stack: Stack) => stack.up({ args: ["--expect-no-changes"] }),
  refresh: (stack: Stack) => stack.refresh(),
  destroy: (stack: Stack) => stack.destroy(),
};

type Operation = keyof typeof COMMANDS;
export const OPERATIONS = Object.keys(COMMANDS) as Operation[];

export interface Measured {
  operation: Operation;
  seconds: number;
}

/** Each profile's name and settings. */
const SETTINGS = `
  const count = Number(process.env.COUNT);
  const settings = (i) => ({
    name: "profile " + i,
    connectionNamePrefixTemplate: "con-{org_id}",
    enabledFeatures: ["scim"],
  });`;

const ofModule = (name: string) => `
    const { ConnectionProfile } = require("${name}");
    ${SETTINGS}
    for (let i = 0; i < count; i++) new ConnectionProfile("profile-" + i, settings(i));`;

const PROGRAMS: Record<ProviderName, string> = {
  ours: ofModule("pulumi-identity"),
  plugin: ofModule("pulumi-identity/plugin"),

  floor: `
    const pulumi = require("@pulumi/pulumi");
    ${SETTINGS}
    const TEXT = "exports.handler=()=>require('./nothing')";
    class Nothing extends pulumi.CustomResource {
      constructor(name, args) {
        super("pulumi-nodejs:dynamic:Nothing", name, { ...args, __provider: TEXT });
      }
    }
    for (let i = 0; i < count; i++) new Nothing("profile-" + i, settings(i));`,
};

const NOTHING = `
  module.exports = {
    check: async (olds, news) => ({ inputs: news }),
    create: async (inputs) => ({ id: inputs.name, outs: inputs }),
    read: async (id, props) => ({ id, props }),
    update: async (id, olds, news) => ({ outs: news }),
    delete: async () => {},
  };`;

/** Runs the stacks of all providers from first preview to end, taking turns for each command. */
export async function liveAll(
  count: number,
  tenants: Record<ProviderName, Tenant>,
): Promise<Record<ProviderName, Measured[]>> {
  const stacks: { name: ProviderName; stack: Stack; measured: Measured[] }[] = [];
  try {
    for (const name of PROVIDERS)
      stacks.push({ name, stack: await create(name, count, tenants[name]), measured: [] });
    for (const operation of OPERATIONS) {
      for (const { name, stack, measured } of stacks) {
        const cost = await measure(operation, stack).catch((error: unknown) => {
          throw new Error(`${operation} of ${count} profiles, ${name}: ${String(error)}`);
        });
        measured.push(cost);
      }
    }
    return Object.fromEntries(stacks.map(({ name, measured }) => [name, measured])) as Record<
      ProviderName,
      Measured[]
    >;
  } finally {
    for (const { stack } of stacks) stack.remove();
  }
}

/** Creates a stack of this many profiles, without making any yet. */
async function create(name: ProviderName, count: number, tenant: Tenant): Promise<Stack> {
  const env = {
    COUNT: String(count),
    IDENTITY_DOMAIN: tenant.url,
    IDENTITY_CLIENT_ID: tenant.clientId,
    IDENTITY_CLIENT_SECRET: tenant.clientSecret,
  };
  const stack = await Stack.create({
    program: PROGRAMS[name],
    env,
    seconds: 1_800,
  });
  writeFileSync(join(stack.folder, "nothing.js"), NOTHING);
  return stack;
}

/** Measures a command on a stack made by `create`. */
async function measure(operation: Operation, stack: Stack): Promise<Measured> {
  const begin = performance.now();
  const { code, all } = await COMMANDS[operation](stack);
  const seconds = (performance.now() - begin) / 1000;
  if (code !== 0) throw new Error(all);
  return { operation, seconds };
}
