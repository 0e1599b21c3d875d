import * as pulumi from "@pulumi/pulumi";
import { type IdentityClient } from "../../http/client";
import { ConfigurationError, InvalidInputError } from "../../http/errors";
import { clientFor } from "../clients";
import { credentialOf, type RawSettings, readSettings } from "../settings";
import { type DataSourceOptions } from "./data-source-options";
import { knownValue } from "./dependencies";
import { INLINE_ADVICE, isInline } from "./inline";
import { warnOfPlainCredentials } from "./plain-credentials";
import { Provider } from "./provider";

/** The provider whose tenant a data source asks; undefined for that of the stack. */
export function providerOf({ provider, parent }: DataSourceOptions): Provider | undefined {
  const given = provider ?? parent?.getProvider("pulumi-nodejs:dynamic/identity:DataSource");
  if (given === undefined || given instanceof Provider) return given;
  throw new InvalidInputError("The provider of a data source must be a Provider of pulumi-identity.");
}

/** The client of a provider's tenant; rejects with a `ConfigurationError` or an `InvalidInputError`. */
export async function clientOf(provider: Provider): Promise<IdentityClient> {
  const { name, settings } = Provider.settingsOf(provider);
  const known = await knownValue(settings);
  if (known === undefined) {
    throw new InvalidInputError(
      `An argument of the Provider "${name}" is not known during this preview. Use the Output form of the data ` +
        "source, whose result is then unknown as well, or give the provider arguments that are known.",
    );
  }
  return clientFor(
    readSettings((setting) => known[setting], {}),
    { kind: "provider", name },
  );
}

/** The client of the stack's tenant; throws a `ConfigurationError`. */
export function clientOfStack(): IdentityClient {
  warnOfPlainCredentials();
  const config = new pulumi.Config("identity");
  const settings = readSettings((setting) => config.get(setting), process.env);
  try {
    return clientFor(settings, { kind: "stack" });
  } catch (error) {
    if (!(error instanceof ConfigurationError) || !isInline() || !lacksSettings(settings)) throw error;
    throw new ConfigurationError(`${error.message} ${INLINE_ADVICE}`);
  }
}

function lacksSettings(settings: RawSettings): boolean {
  return settings.domain === undefined || credentialOf(settings) === undefined;
}

/** Unknown while an argument of the provider is; never secret, since a result does not reveal credentials. */
export function settingsKnown(provider: Provider): pulumi.Output<boolean> {
  return pulumi.unsecret(Provider.settingsOf(provider).settings).apply(() => true);
}
