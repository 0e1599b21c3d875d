import { IdentityClient } from "../http/client";
import { parseSettings, type RawSettings, type SettingsSource } from "./settings";

const clients = new Map<string, IdentityClient>();

/** The one client of a tenant in this process, made on first use; throws a `ConfigurationError`. */
export function clientFor(settings: RawSettings, source: SettingsSource): IdentityClient {
  const key = JSON.stringify([source, settings]);
  let client = clients.get(key);
  if (client === undefined) {
    client = makeClient(settings, source);
    clients.set(key, client);
  }
  return client;
}

/** The Pulumi CLI shows what the program and the dynamic provider host print. */
function makeClient(settings: RawSettings, source: SettingsSource): IdentityClient {
  const notice = (text: string) => console.log(text);
  if (process.env["IDENTITY_LOG"] !== "debug")
    return new IdentityClient(parseSettings(settings, source), { notice });

  const summary = summarised(() => client);
  const client = new IdentityClient(parseSettings(settings, source), {
    notice,
    debug(text) {
      console.log(`identity: ${text}`);
      summary();
    },
  });
  return client;
}

const IDLE_MS = 20;

/**
 * Prints a summary when nothing was requested for a moment, and at the end of the process. The engine ends the dynamic
 * provider host by a signal as soon as it has no more use for it, so that there the end alone would never come.
 */
function summarised(clientOf: () => IdentityClient): () => void {
  let timer: NodeJS.Timeout | undefined;
  let told = 0;
  const tell = () => {
    const client = clientOf();
    const { running, requests, retries, waitedMs } = client.statistics;
    if (running > 0 || requests === told) return;
    told = requests;
    console.log(
      `identity: ${client.tenant}: ${requests} requests, ${retries} retries, ` +
        `${Math.round(waitedMs)} ms waited, ${client.tokenRequests} token requests`,
    );
  };
  process.once("exit", tell);
  return () => {
    clearTimeout(timer);
    timer = setTimeout(tell, IDLE_MS).unref();
  };
}
