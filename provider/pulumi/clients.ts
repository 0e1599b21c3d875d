import { type ClientHooks, IdentityClient } from "../client/client";
import { parseSettings, type RawSettings, type SettingsSource } from "./settings";

const clients = new Map<string, IdentityClient>();

/** The one client of a tenant in this process, made on first use; throws a `ConfigurationError`. */
export function clientFor(settings: RawSettings, source: SettingsSource): IdentityClient {
  const key = JSON.stringify(settings);
  let client = clients.get(key);
  if (client === undefined) {
    client = new IdentityClient(parseSettings(settings, source), hooks());
    clients.set(key, client);
    if (debugging()) reportAtExit(client);
  }
  return client;
}

/** The Pulumi CLI shows what the program and the dynamic provider host print. */
function hooks(): ClientHooks {
  return {
    notice: (text) => console.log(text),
    debug: debugging() ? (text) => console.log(`identity: ${text}`) : undefined,
  };
}

function debugging(): boolean {
  return process.env["IDENTITY_LOG"] === "debug";
}

function reportAtExit(client: IdentityClient): void {
  process.once("exit", () => {
    const { requests, retries, waitedMs } = client.statistics;
    console.log(
      `identity: ${client.tenant}: ${requests} requests, ${retries} retries, ` +
        `${Math.round(waitedMs)} ms waited, ${client.tokenRequests} token requests`,
    );
  });
}
