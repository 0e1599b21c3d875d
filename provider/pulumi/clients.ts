import { createHash } from "node:crypto";
import { Border, type Clean } from "../border";
import { type ClientOptions, IdentityClient } from "../http/client";
import { type LogFormat } from "../http/debug-log";
import { parseSettings, type RawSettings, type SettingsSource } from "./settings";
import { SECRET_NAMES } from "./settings-table";

/** Returns the border for a tenant's messages: it knows all credentials, usable or not. */
export function makeBorder(settings: RawSettings, write?: (line: Clean) => void): Border {
  return new Border(
    SECRET_NAMES.map((name) => settings[name]),
    write,
  );
}

export function makeClient(
  settings: RawSettings,
  source: SettingsSource,
  border = makeBorder(settings),
  { mayBeOld, ...options }: Pick<ClientOptions, "onAnswer" | "guard"> & { mayBeOld?: () => boolean } = {},
): IdentityClient {
  const parsed = parseSettings(settings, source, mayBeOld);
  return new IdentityClient(parsed, { ...options, border, log: logFormat(border) });
}

function logFormat(border: Border): LogFormat | undefined {
  const given = process.env["IDENTITY_LOG"]?.trim() ?? "";
  if (given === "" || given === "debug" || given === "json") return given || undefined;
  border.print(
    `IDENTITY_LOG must be debug or json; it is ${JSON.stringify(given)}, and requests are not logged.`,
  );
  return undefined;
}

/** Clients by a digest of their settings, which contain secrets; the most recently used come last. */
export type Clients = Map<string, IdentityClient>;

/** A program that lives for weeks may see each credential for only an hour. */
const MOST_CLIENTS = 32;

/**
 * Returns the one client of a tenant, created on first use; throws a `ConfigurationError`. Providers with
 * equal settings share it and its token. Messages name only one of them, but wrong settings are wrong for
 * all.
 */
export function clientAmong(
  clients: Clients,
  settings: RawSettings,
  source: SettingsSource,
): { key: string; client: IdentityClient } {
  const facts = JSON.stringify([source.from, Object.entries(settings).sort()]);
  const key = createHash("sha256").update(facts).digest("base64");
  const client = clients.get(key) ?? makeClient(settings, source);
  clients.delete(key);
  clients.set(key, client);
  // Not closed, because a program may still use it. Its connections end when nobody does.
  const [oldest] = clients.keys();
  if (clients.size > MOST_CLIENTS && oldest !== undefined) clients.delete(oldest);
  return { key, client };
}
