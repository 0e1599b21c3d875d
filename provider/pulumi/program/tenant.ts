import * as pulumi from "@pulumi/pulumi";
import { type IdentityClient } from "../../http/client";
import { ConfigurationError, InvalidInputError } from "../../http/errors";
import { clientAmong, type Clients } from "../clients";
import { credentialOf, type RawSettings, readSettings, type SettingsSource } from "../settings";
import { misspeltVariables, unknownSettings } from "../unknown-settings";
import { type DataSourceOptions } from "./data-source-options";
import { knownValue } from "./dependencies";
import { INLINE_ADVICE, isInline, ProgramMemory } from "./program-run";
import { warnOfPlainCredentials } from "./plain-credentials";
import { type AnyProvider, isProvider, OF_PROVIDER } from "./provider";

/** With a key that is equal for clients of equal settings, also those of other copies of the package. */
export interface Connection {
  key: string;
  client: IdentityClient;
}

/** Each run has clients of its own, and so nothing of what another one was told by a tenant. */
const CLIENTS = new ProgramMemory(Symbol("clients"), (): Clients => new Map());

/** Those of a script without an engine, of which nobody knows when its run ends. */
const CLIENTS_OF_SCRIPT: Clients = new Map();

function connect(settings: RawSettings, source: SettingsSource): Connection {
  const clients = CLIENTS.recall();
  if (clients !== undefined) return clientAmong(clients, settings, source);
  for (const [key, client] of CLIENTS_OF_SCRIPT) if (client.isRefused) CLIENTS_OF_SCRIPT.delete(key);
  return clientAmong(CLIENTS_OF_SCRIPT, settings, source);
}

/** The provider whose tenant a data source asks; undefined for that of the stack. */
export function providerOf({ provider, parent }: DataSourceOptions): AnyProvider | undefined {
  const given = provider ?? parent?.getProvider("pulumi-nodejs:dynamic/identity:DataSource");
  if (given === undefined || isProvider(given)) return given;
  throw new InvalidInputError("The provider of a data source must be a Provider of pulumi-identity.");
}

/** The client of a provider's tenant; rejects with a `ConfigurationError` or an `InvalidInputError`. */
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
    { kind: "provider", name },
  );
}

/** The client of the stack's tenant; throws a `ConfigurationError`. */
export function clientOfStack(): Connection {
  warnOfPlainCredentials();
  const config = new pulumi.Config("identity");
  const unknown = [
    ...unknownSettings(Object.keys(pulumi.runtime.allConfig()), pulumi.getProject()),
    ...misspeltVariables(process.env),
  ];
  const sentences = unknown.map(({ says, advice }) => `${says} ${advice}`);
  if (sentences.length > 0) throw new ConfigurationError(sentences.join(" "));
  const settings = readSettings((setting) => config.get(setting), process.env);
  try {
    return connect(settings, { kind: "stack" });
  } catch (error) {
    if (!(error instanceof ConfigurationError) || !isInline() || !lacksSettings(settings)) throw error;
    throw new ConfigurationError(`${error.message} ${INLINE_ADVICE}`);
  }
}

function lacksSettings(settings: RawSettings): boolean {
  return settings.domain === undefined || credentialOf(settings) === undefined;
}

/** Unknown while an argument of the provider is; never secret, since a result does not reveal credentials. */
export function settingsKnown(provider: AnyProvider): pulumi.Output<boolean> {
  return pulumi.unsecret(provider[OF_PROVIDER]().settings).apply(() => true);
}
