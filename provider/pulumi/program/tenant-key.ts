import * as pulumi from "@pulumi/pulumi";
import { readSettings, tenantOf } from "../settings";
import { knownValue } from "./dependencies";
import { ProgramMemory } from "./program-run";
import { isProvider, OF_PROVIDER } from "./provider";
import { type Declaration } from "./registration";

const OF_STACK = new ProgramMemory("tenant/1", () => ({ key: keyOfStack() }));

/** Equal for resources on one tenant, as far as the program knows domains: otherwise for those under one provider. */
export async function tenantKey(provider: pulumi.ProviderResource | undefined): Promise<unknown> {
  const key = keyAtOnce(provider);
  if (key !== undefined || provider === undefined || !isProvider(provider)) return key ?? provider;
  const settings = await knownValue(pulumi.unsecret(provider[OF_PROVIDER]().settings));
  return tenantOf(settings ?? {}) ?? provider;
}

/** The same while the constructor of the resource, which finds the provider, is still running; undefined where it takes waiting. */
export function tenantKeyAtOnce({ opts }: Declaration): unknown {
  const parent = opts.parent ?? pulumi.runtime.getStackResource();
  const provider = opts.provider ?? parent?.getProvider("pulumi-nodejs:dynamic/identity:Resource");
  // Any other provider that is given may be meant for children.
  return keyAtOnce(provider) ?? (provider !== undefined && isProvider(provider) ? provider : undefined);
}

function keyAtOnce(provider: pulumi.ProviderResource | undefined): string | undefined {
  if (provider === undefined) return OF_STACK.recall()?.key ?? keyOfStack();
  const domain = isProvider(provider) ? provider[OF_PROVIDER]().domain : undefined;
  return domain === undefined ? undefined : tenantOf({ domain });
}

function keyOfStack(): string {
  const config = new pulumi.Config("identity");
  return tenantOf(readSettings((setting) => config.get(setting), process.env)) ?? "default";
}
