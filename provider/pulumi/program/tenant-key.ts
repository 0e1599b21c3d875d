import * as pulumi from "@pulumi/pulumi";
import { readSettings, tenantOf } from "../settings";
import { knownValue } from "./dependencies";
import { ProgramMemory } from "./program-memory";
import { Provider } from "./provider";

const OF_STACK = new ProgramMemory(keyOfStack);

/** Equal for resources on one tenant, as far as the program knows domains: otherwise for those under one provider. */
export async function tenantKey(provider: pulumi.ProviderResource | undefined): Promise<unknown> {
  if (provider === undefined) return OF_STACK.recall() ?? keyOfStack();
  if (!(provider instanceof Provider)) return provider;
  const settings = await knownValue(pulumi.unsecret(Provider.settingsOf(provider).settings));
  return tenantOf(settings ?? {}) ?? provider;
}

function keyOfStack(): string {
  const config = new pulumi.Config("identity");
  return tenantOf(readSettings((setting) => config.get(setting), process.env)) ?? "default";
}
