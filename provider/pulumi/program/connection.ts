import * as pulumi from "@pulumi/pulumi";
import { type IdentityClient } from "../../http/client";
import { ConfigurationError, InvalidInputError } from "../../http/errors";
import { clientAmong, type Clients } from "../clients";
import { credentialOf, type RawSettings, readSettings, type SettingsSource, tenantOf } from "../settings";
import { wrongVariables, SECRET_NAMES, unknownSettings } from "../settings-table";
import { knownValue } from "./dependencies";
import { adviceOnPlace, ProgramMemory } from "./program-run";
import { type AnyProvider, isProvider, OF_PROVIDER } from "./provider";

/** `key` is equal for clients with equal settings, even in other copies of the package. */
export interface Connection {
  key: string;
  client: IdentityClient;
}

/** Each run has its own clients, and so nothing that a tenant answered to another run. */
const CLIENTS = new ProgramMemory(Symbol("clients"), (): Clients => new Map());

/** Clients of a script without an engine, whose run has no known end. */
const CLIENTS_OF_SCRIPT: Clients = new Map();

function connect(settings: RawSettings, source: SettingsSource): Connection {
  const clients = CLIENTS.recall();
  if (clients !== undefined) return clientAmong(clients, settings, source);
  for (const [key, client] of CLIENTS_OF_SCRIPT) if (client.isRefused) CLIENTS_OF_SCRIPT.delete(key);
  return clientAmong(CLIENTS_OF_SCRIPT, settings, source);
}

export async function clientOf(provider: AnyProvider): Promise<Connection> {
  const { name, settings } = provider[OF_PROVIDER]();
  const known = await knownValue(settings);
  if (known === undefined) {
    throw new InvalidInputError(
      `An argument of the Provider "${name}" is not known during this preview. Use the Output form of the data ` +
        "source, whose result is then unknown as well, or give the provider arguments that are known.",
    );
  }
  return connect(
    readSettings((setting) => known[setting], {}),
    { from: "provider", name },
  );
}

export function clientOfStack(): Connection {
  warnOfPlainCredentials();
  const unknown = [
    ...unknownSettings(Object.keys(pulumi.runtime.allConfig()), pulumi.getProject()),
    ...wrongVariables(process.env),
  ];
  const sentences = unknown.map(({ says, advice }) => `${says} ${advice}`);
  if (sentences.length > 0) throw new ConfigurationError(sentences.join(" "));
  const settings = settingsOfStack();
  try {
    return connect(settings, { from: "stack" });
  } catch (error) {
    const lacksSettings = settings.domain === undefined || credentialOf(settings) === undefined;
    const advice = adviceOnPlace();
    if (!(error instanceof ConfigurationError) || advice === undefined || !lacksSettings) throw error;
    throw new ConfigurationError(`${error.message} ${advice}`);
  }
}

function settingsOfStack(): RawSettings {
  const config = new pulumi.Config("identity");
  return readSettings((setting) => config.get(setting), process.env);
}

/** Unknown while an argument of the provider is; never secret, because results don't reveal credentials. */
export function settingsKnown(provider: AnyProvider): pulumi.Output<boolean> {
  return pulumi.unsecret(provider[OF_PROVIDER]().settings).apply(() => true);
}

const WARNED = new ProgramMemory("warned/1", () => new Set<string>());

/** Warns about credentials in plain text in stack configuration, once per run of the program. */
export function warnOfPlainCredentials(): void {
  const warned = WARNED.recall();
  // Not in the SDK's types; tried with 3.248.0. Without it nobody can tell, so there's no warning.
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  if (warned === undefined || isConfigSecret === undefined) return;
  const config = new pulumi.Config("identity");
  for (const name of SECRET_NAMES) {
    const key = `identity:${name}`;
    if (warned.has(key) || !config.get(name)?.trim() || isConfigSecret(key)) continue;
    warned.add(key);
    void pulumi.log.warn(
      `${key} is in clear in stack configuration, and so in state. Make it a secret: pulumi config set --secret ${key}. ` +
        "Then rotate it, since the old value stays in the history of both.",
    );
  }
}

const OF_STACK = new ProgramMemory("tenant/1", () => ({ key: keyOfStack() }));

/** Equal for resources on one tenant, as far as domains are known, or else under one provider. */
export async function tenantKey(provider: pulumi.ProviderResource | undefined): Promise<unknown> {
  const key = keyAtOnce(provider);
  if (key !== undefined || provider === undefined || !isProvider(provider)) return key ?? provider;
  const settings = await knownValue(pulumi.unsecret(provider[OF_PROVIDER]().settings));
  return tenantOf(settings ?? {}) ?? provider;
}

function keyAtOnce(provider: pulumi.ProviderResource | undefined): string | undefined {
  if (provider === undefined) return OF_STACK.recall()?.key ?? keyOfStack();
  const domain = isProvider(provider) ? provider[OF_PROVIDER]().domain : undefined;
  return domain === undefined ? undefined : tenantOf({ domain });
}

function keyOfStack(): string {
  return tenantOf(settingsOfStack()) ?? "default";
}
