import { Host } from "../testkit/hosts/host";
import { processorSeconds } from "./processes";
import { type Tenant } from "./subjects";

/*
 * The handlers' own cost: processor time of a provider host called like by the engine, one resource after the
 * other.
 */

export const STEPS = ["start", "check", "diff", "create"] as const;

/** Seconds of processor time for all calls of a step. */
export type HostCost = Record<(typeof STEPS)[number], number>;

const TEXTS = {
  ours: `exports.handler=()=>require("pulumi-identity/runtime").connectionProfile`,
  floor: `exports.handler=()=>({
    check: async (olds, news) => ({ inputs: news }),
    diff: async (id, olds, news) => ({ changes: olds.name !== news.name }),
    create: async (inputs) => ({ id: "cop_2GjRf8mYd5LcVt7K9sPmZa", outs: inputs }),
  })`,
};

export async function hostCost(
  subject: keyof typeof TEXTS,
  count: number,
  tenant: Tenant,
): Promise<HostCost> {
  const host = await Host.start();
  const inputs = Array.from({ length: count }, (_, i) => ({
    name: `profile ${i}`,
    connectionNamePrefixTemplate: "con-{org_id}",
    enabledFeatures: ["scim"],
    __provider: TEXTS[subject],
  }));
  const spent = async (work: () => Promise<unknown>) => {
    const before = processorSeconds(host.processId);
    await work();
    return processorSeconds(host.processId) - before;
  };
  const first = inputs[0] ?? {};
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const state = { tenant: new URL(tenant.url).host, adopted: false };
  try {
    const start = await spent(async () => {
      await host.configure({
        "identity:domain": tenant.url,
        "identity:clientId": tenant.clientId,
        "identity:clientSecret": tenant.clientSecret,
      });
      await host.check({}, first);
    });
    const check = await spent(async () => {
      for (const news of inputs) await host.check(news, news);
    });
    const diff = await spent(async () => {
      for (const news of inputs) {
        const { changes } = await host.diff(id, { ...news, ...state }, news);
        if (changes !== "none") throw new Error(`${subject} sees a change where there is none.`);
      }
    });
    const create = await spent(async () => {
      for (const news of inputs) await host.create(news);
    });
    return { start, check, diff, create };
  } finally {
    await host.stop();
  }
}
