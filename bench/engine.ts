import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stack } from "../testkit/stack";
import { type Use, watchProcesses } from "./processes";
import { type Tenant } from "./subjects";
import { requestsOf } from "./tenant-process";

/*
 * The cost of Pulumi commands with many connection profiles: with this package, with its plugin, with a
 * dynamic provider as in tutorials, and with one that does nothing. The last is the floor, the cost of the
 * engine and the SDK alone.
 */

export const PROVIDERS = ["floor", "ours", "plugin", "tutorial"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

const UNCHANGED = { args: ["--expect-no-changes"] };

/** In this order; each finds the stack as the previous one left it. */
const COMMANDS = {
  preview: (stack: Stack) => stack.preview(),
  up: (stack: Stack) => stack.up(),
  "preview, no change": (stack: Stack) => stack.preview(UNCHANGED),
  "up, no change": (stack: Stack) => stack.up(UNCHANGED),
  refresh: (stack: Stack) => stack.refresh(),
  "change all": (stack: Stack) => stack.up({ env: { PREFIX: "second" } }),
  destroy: (stack: Stack) => stack.destroy(),
};

type Operation = keyof typeof COMMANDS;
export const OPERATIONS = Object.keys(COMMANDS) as Operation[];

export interface Measured extends Use {
  operation: Operation;
  seconds: number;
  /** Requests that reached the tenant, including token requests. */
  requests: number;
}

export interface Life {
  measured: Measured[];
  /** Size of one profile in state, as JSON without blanks. */
  stateBytes: number;
}

/** Each profile's name and settings; `PREFIX` changes all. */
const SETTINGS = `
  const count = Number(process.env.COUNT);
  const settings = (i) => ({
    name: "profile " + i,
    connectionNamePrefixTemplate: process.env.PREFIX + "-{org_id}",
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

  tutorial: `
    const pulumi = require("@pulumi/pulumi");
    ${SETTINGS}
    const call = async (method, path, body) => {
      const tenant = process.env.IDENTITY_DOMAIN;
      const grant = {
        grant_type: "client_credentials",
        client_id: process.env.IDENTITY_CLIENT_ID,
        client_secret: process.env.IDENTITY_CLIENT_SECRET,
        audience: "/api/v2/",
      };
      const json = { "content-type": "application/json" };
      const token = await fetch(tenant + "/oauth/token", { method: "POST", headers: json, body: JSON.stringify(grant) });
      const { access_token } = await token.json();
      const headers = { ...json, authorization: "Bearer " + access_token };
      const answer = await fetch(tenant + "/api/v2" + path, { method, headers, body: body && JSON.stringify(body) });
      if (!answer.ok) throw new Error(method + " " + path + " answered " + answer.status + ": " + (await answer.text()));
      return answer.status === 204 ? undefined : answer.json();
    };
    const toApi = (inputs) => ({
      name: inputs.name,
      connection_name_prefix_template: inputs.connectionNamePrefixTemplate,
      enabled_features: inputs.enabledFeatures,
    });
    class Provider {
      async create(inputs) {
        const { id } = await call("POST", "/connection-profiles", toApi(inputs));
        return { id, outs: inputs };
      }
      async diff(id, olds, news) {
        const names = ["name", "connectionNamePrefixTemplate", "enabledFeatures"];
        return { changes: names.some((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name])) };
      }
      async read(id, props) {
        const found = await call("GET", "/connection-profiles/" + id);
        return { id, props: { ...props, name: found.name } };
      }
      async update(id, olds, news) {
        await call("PATCH", "/connection-profiles/" + id, toApi(news));
        return { outs: news };
      }
      async delete(id) {
        await call("DELETE", "/connection-profiles/" + id);
      }
    }
    class Profile extends pulumi.dynamic.Resource {
      constructor(name, args) {
        super(new Provider(), name, args);
      }
    }
    for (let i = 0; i < count; i++) new Profile("profile-" + i, settings(i));`,
};

const NOTHING = `
  module.exports = {
    check: async (olds, news) => ({ inputs: news }),
    diff: async (id, olds, news) => ({
      changes: olds.connectionNamePrefixTemplate !== news.connectionNamePrefixTemplate,
    }),
    create: async (inputs) => ({ id: inputs.name, outs: inputs }),
    read: async (id, props) => ({ id, props }),
    update: async (id, olds, news) => ({ outs: news }),
    delete: async () => {},
  };`;

/** Runs the stacks of all providers from first preview to end, taking turns for each command. */
export async function liveAll(
  count: number,
  tenants: Record<ProviderName, Tenant>,
): Promise<Record<ProviderName, Life>> {
  const stacks: { name: ProviderName; stack: Stack; life: Life }[] = [];
  try {
    for (const name of PROVIDERS)
      stacks.push({
        name,
        stack: await create(name, count, tenants[name]),
        life: { measured: [], stateBytes: 0 },
      });
    for (const operation of OPERATIONS) {
      for (const { name, stack, life } of stacks) {
        const measured = await measure(operation, stack, tenants[name]).catch((error: unknown) => {
          throw new Error(`${operation} of ${count} profiles, ${name}: ${String(error)}`);
        });
        life.measured.push(measured);
        if (operation === "up") life.stateBytes = await stateBytes(stack);
      }
    }
    return Object.fromEntries(stacks.map(({ name, life }) => [name, life])) as Record<ProviderName, Life>;
  } finally {
    for (const { stack } of stacks) stack.remove();
  }
}

/** Creates a stack of this many profiles, without making any yet. */
export async function create(name: ProviderName, count: number, tenant: Tenant): Promise<Stack> {
  const env = {
    COUNT: String(count),
    PREFIX: "first",
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
export async function measure(operation: Operation, stack: Stack, tenant: Tenant): Promise<Measured> {
  await fetch(`${tenant.url}/_simulator/reset`, { method: "POST" });
  const watch = watchProcesses(stack.home);
  const begin = performance.now();
  const { code, all } = await COMMANDS[operation](stack);
  const seconds = (performance.now() - begin) / 1000;
  const use = watch.end();
  if (code !== 0) throw new Error(all);
  return { operation, seconds, requests: (await requestsOf(tenant)).length, ...use };
}

/** The mean over all profiles. */
async function stateBytes(stack: Stack): Promise<number> {
  const { resources } = await stack.state();
  const profiles = resources.filter(({ type }) => /^(pulumi-nodejs:dynamic|identity:index)/.test(type));
  return profiles.reduce((sum, profile) => sum + JSON.stringify(profile).length, 0) / profiles.length;
}
