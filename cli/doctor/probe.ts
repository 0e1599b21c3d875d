import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { type Border } from "../../provider/border";
import { type ClientOptions, type IdentityClient } from "../../provider/http/client";
import { ConfigurationError } from "../../provider/http/errors";
import { proxyVariable } from "../../provider/http/proxy";
import { type TokenFacts } from "../../provider/http/token";
import { type TenantSettings } from "../../provider/http/settings";
import { makeClient } from "../../provider/pulumi/clients";
import { type RawSettings } from "../../provider/pulumi/settings";
import { connectionProfileRecord, connectionProfiles } from "../../provider/service/connection-profiles";
import { type ProfileNames } from "../pending";
import { SOURCE } from "../stack-settings";
import { TenantReader, valueOf } from "../tenant/reader";
import diagnostics from "node:diagnostics_channel";
import { TLSSocket } from "node:tls";

export type SystemError = Error & { code?: string };

export interface Probe {
  /** Addresses of the host; undefined if it's an address itself. */
  addresses: string[] | SystemError | undefined;
  noClient?: ConfigurationError;
  attempts: readonly ConnectionAttempt[];
  answers: readonly SeenAnswer[];
  /** Undefined if none was requested, because an earlier step failed. */
  token?: TokenFacts | Error;
  /** The error of the call that proves the token; undefined if it succeeded, or without a token. */
  callError?: Error | undefined;
  /** Undefined if they weren't asked for, or the call before has failed. */
  profiles?: ProfileNames | Error;
}

interface SeenAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds, by this machine's clock. */
  at: number;
}

/** Somebody is waiting, and a slower set-up wouldn't be usable anyway. */
const LONGEST_SECONDS = 10;

/**
 * Requests a token, and sends one GET; all errors become part of the result. `listsProfiles`: also reads the
 * names of the profiles.
 */
export async function probe(
  raw: RawSettings,
  { origin, limits }: TenantSettings,
  border: Border,
  { environment, listsProfiles }: { environment: NodeJS.ProcessEnv; listsProfiles: boolean },
): Promise<Probe> {
  const answers: SeenAnswer[] = [];
  const addresses = await addressesOf(new URL(origin).hostname);
  const probed = { addresses, attempts: [], answers };
  // Behind a proxy, this machine need not know the name.
  if (!Array.isArray(addresses) && addresses !== undefined && proxyVariable(environment) === undefined)
    return probed;
  const onAnswer: ClientOptions["onAnswer"] = ({ status, headers }) =>
    answers.push({ status, headers, at: Date.now() });
  const hasty = {
    ...raw,
    requestTimeoutSeconds: String(Math.min(limits.requestTimeoutSeconds, LONGEST_SECONDS)),
    maxWaitSeconds: String(Math.min(limits.maxWaitSeconds, LONGEST_SECONDS)),
  };
  let client: IdentityClient;
  try {
    client = makeClient(hasty, SOURCE, border, { onAnswer });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...probed, noClient: error };
  }
  return { ...probed, ...(await probeTenant(client, listsProfiles)) };
}

async function probeTenant(
  client: IdentityClient,
  listsProfiles: boolean,
): Promise<Omit<Probe, "addresses" | "answers">> {
  const { attempts, stop } = watchConnections();
  try {
    const token = await client.tokenFacts().catch(failureOf);
    if (token instanceof Error) return { attempts, token };
    // The cheapest read without an id; even without its scope, its 403 proves the token.
    const read = await connectionProfiles(client, connectionProfileRecord).page().catch(failureOf);
    if (read instanceof Error) return { attempts, token, callError: read };
    if (!listsProfiles) return { attempts, token };
    const profiles = new TenantReader(client).profileNames().then(valueOf);
    return { attempts, token, profiles: await profiles.catch(failureOf) };
  } finally {
    stop();
    await client.close();
  }
}

async function addressesOf(hostname: string): Promise<Probe["addresses"]> {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) !== 0) return undefined;
  const found = await lookup(name, { all: true }).catch(failureOf);
  return Array.isArray(found) ? found.map(({ address }) => address) : found;
}

function failureOf(error: unknown): SystemError {
  return error as SystemError;
}

/** One attempt to connect, to the tenant or to a proxy on the way. */
export interface ConnectionAttempt {
  /** With the port, if it is not the usual one: `proxy.example.com:3128`. */
  host: string;
  address: string | undefined;
  /** Undefined if it succeeded. */
  error: SystemError | undefined;
  /** The last day on which the certificate is valid. */
  validTo: Date | undefined;
}

const CHANNELS = ["undici:client:connected", "undici:client:connectError"] as const;

interface Message {
  connectParams: { host: string };
  socket?: Socket;
  error?: Error;
}

/** Records each connection attempt of the process until `stop`, successful or not. */
function watchConnections(): { attempts: readonly ConnectionAttempt[]; stop: () => void } {
  const attempts: ConnectionAttempt[] = [];
  const note = (message: unknown) => {
    const { connectParams, socket, error } = message as Message;
    attempts.push({
      host: connectParams.host,
      address: socket?.remoteAddress,
      error,
      validTo: endOfCertificate(socket),
    });
  };
  for (const channel of CHANNELS) diagnostics.subscribe(channel, note);
  return {
    attempts,
    stop: () => {
      for (const channel of CHANNELS) diagnostics.unsubscribe(channel, note);
    },
  };
}

function endOfCertificate(socket: Socket | undefined): Date | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const end = new Date(socket.getPeerCertificate().valid_to);
  return Number.isNaN(end.getTime()) ? undefined : end;
}

/** Returns a proxy's user name and password: no message may repeat them. */
export function proxySecrets(environment: NodeJS.ProcessEnv): string[] {
  const value = proxyVariable(environment)?.value ?? "";
  const [, credentials = ""] = /^(?:[a-z]+:\/\/)?([^@/]+)@/i.exec(value) ?? [];
  const [, password = ""] = /:(.*)/.exec(credentials) ?? [];
  return [credentials, password];
}
