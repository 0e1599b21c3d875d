import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Host } from "../testkit/hosts/host";
import { PluginHost } from "../testkit/hosts/plugin-host";
import { peakMegabytes, processorMilliseconds } from "./processes";
import { type Tenant } from "./subjects";

/*
 * Provider hosts of several checkouts, called in turn for each resource. So other work on the machine affects
 * all of them alike, and a difference of 1 % shows, while commands in turn differ by 20 % on a busy machine.
 */

export type DoorName = "plugin" | "dynamic";

/** What a host has spent since its start, at the end of a step. */
export type Spending = Record<Operation, { seconds: number; megabytes: number }>;

/** Each by hosts of its own. A refresh reads and compares all, `update` writes all, `delete` removes all. */
export const OPERATIONS = ["create", "refresh", "plan with reads", "update", "delete"] as const;
type Operation = (typeof OPERATIONS)[number];

/** Resources under way at once in each host: the engine's default on two cores. */
const AT_ONCE = 8;

/** A provider host to compare; each has a tenant of its own. */
export interface Subject {
  /** The checkout. */
  folder: string;
  tenant: Tenant;
  /** The plugin's file. Default: the checkout's. */
  plugin?: string;
}

/** Returns what each has spent, in their order. */
export async function spentInStep(
  door: DoorName,
  subjects: readonly Subject[],
  profiles: number,
): Promise<Spending[]> {
  const inputs = Array.from({ length: profiles }, (_, index) => ({
    name: `profile ${index}`,
    connectionNamePrefixTemplate: "con-{org_id}",
    enabledFeatures: ["scim"],
  }));
  const sides = subjects.map((subject) => ({ door, ...subject }));
  const made = sides.map(() => new Map<number, { id: string; properties: object }>());
  const created = await stepsOf(
    sides,
    [
      async (host, text, side, index) => {
        const checked = await host.check({}, given(inputs[index], index, text));
        made[side]?.set(index, await host.create(given(checked.inputs, index, text)));
      },
    ],
    profiles,
  );
  const read = await stepsOf(
    sides,
    [
      async (host, text, side, index) => {
        const { id = "", properties = {} } = made[side]?.get(index) ?? {};
        const [state, was] = [given(properties, index, text), given(inputs[index], index, text)];
        await host.read(id, state, was);
        await host.diff(id, state, was, [], was);
      },
      async (host, text, side, index) => {
        const { id = "", properties = {} } = made[side]?.get(index) ?? {};
        const news = given(inputs[index], index, text);
        const checked = await host.check(news, news);
        await host.diff(id, given(properties, index, text), given(checked.inputs, index, text));
      },
    ],
    profiles,
  );
  const updated = await stepsOf(
    sides,
    [
      async (host, text, side, index) => {
        const { id = "", properties = {} } = made[side]?.get(index) ?? {};
        const news = given({ ...inputs[index], name: `renamed ${index}` }, index, text);
        const checked = await host.check(given(inputs[index], index, text), news);
        const [before, after] = [given(properties, index, text), given(checked.inputs, index, text)];
        await host.diff(id, before, after);
        made[side]?.set(index, { id, properties: await host.update(id, before, after) });
      },
    ],
    profiles,
  );
  const deleted = await stepsOf(
    sides,
    [
      async (host, text, side, index) => {
        const { id = "", properties = {} } = made[side]?.get(index) ?? {};
        await host.delete(id, given(properties, index, text));
      },
    ],
    profiles,
  );
  return sides.map((_, side) => {
    const all = [created, read, updated, deleted].flatMap((steps) => steps[side] ?? []);
    return Object.fromEntries(OPERATIONS.map((operation, place) => [operation, all[place]])) as Spending;
  });
}

type Side = Subject & { door: DoorName };
type Step = (host: Host | PluginHost, text: string, side: number, index: number) => Promise<void>;

/** By side: what its host has spent at the end of each step. */
async function stepsOf(
  sides: readonly Side[],
  steps: readonly Step[],
  resources: number,
): Promise<Spending["create"][][]> {
  const hosts = await Promise.all(sides.map(startedHost));
  const spent: Spending["create"][][] = sides.map(() => []);
  try {
    for (const step of steps) {
      await pooled(resources, async (index) => {
        for (let turn = 0; turn < sides.length; turn++) {
          const side = (index + turn) % sides.length;
          const host = hosts[side];
          const at = sides[side];
          if (host !== undefined && at !== undefined) await step(host, textOf(at), side, index);
        }
      });
      hosts.forEach(({ processId }, side) =>
        spent[side]?.push({
          seconds: processorMilliseconds(processId) / 1000,
          megabytes: peakMegabytes(processId),
        }),
      );
    }
    return spent;
  } finally {
    for (const host of hosts) await host.stop();
  }
}

async function startedHost({
  door,
  folder,
  tenant,
  plugin = pluginOf(folder),
}: Side): Promise<Host | PluginHost> {
  const host =
    door === "plugin"
      ? await PluginHost.start({ plugin })
      : // Hosts of one engine would read what the others write.
        await Host.start({ env: { TMPDIR: mkdtempSync(join(tmpdir(), "pulumi-identity-bench-")) } });
  await host.configure({
    "identity:domain": tenant.url,
    "identity:clientId": tenant.clientId,
    "identity:clientSecret": tenant.clientSecret,
  });
  return host;
}

/** The plugin of a checkout, as npm installs it. */
export function pluginOf(folder: string): string {
  return join(folder, "dist/provider/plugin.js");
}

/** The plugin takes only the kind from it. */
function textOf({ door, folder }: Side): string {
  return door === "plugin"
    ? "require('pulumi-identity/runtime').connectionProfile"
    : `exports.handler=()=>require(${JSON.stringify(join(folder, "dist/provider/runtime.js"))}).connectionProfile`;
}

function given(values: object | undefined, index: number, __provider: string): Record<string, unknown> {
  return { ...values, __name: `profile-${index}`, __provider };
}

async function pooled(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
