import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { type Border } from "../../provider/border";
import { type ClientOptions, type IdentityClient } from "../../provider/http/client";
import { ConfigurationError } from "../../provider/http/errors";
import { type TokenFacts } from "../../provider/http/token";
import { type TenantSettings } from "../../provider/http/settings";
import { makeClient } from "../../provider/pulumi/clients";
import { type RawSettings } from "../../provider/pulumi/settings";
import { connectionProfileRecord, connectionProfiles } from "../../provider/service/connection-profiles";
import { SOURCE } from "../stack-settings";
import diagnostics from "node:diagnostics_channel";
import { TLSSocket } from "node:tls";

export type Outcome<Value> = { value: Value } | { error: Error & { code?: string } };

/** What a probe of the tenant has shown; undefined for what was not tried, since an earlier step failed. */
export interface Probe {
  /** Addresses of the host; undefined if it is one itself. */
  addresses: Outcome<string[]> | undefined;
  noClient: ConfigurationError | undefined;
  attempts: readonly ConnectionAttempt[];
  answers: readonly SeenAnswer[];
  token: Outcome<TokenFacts> | undefined;
  api: Outcome<unknown> | undefined;
}

interface SeenAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds, by this machine. */
  at: number;
}

/** A person waits: what takes longer is no set-up to work with. */
const LONGEST_SECONDS = 10;

/** Asks for a token, and sends one GET; whatever fails is part of the result. */
export async function probe(
  raw: RawSettings,
  { origin, limits }: TenantSettings,
  border: Border,
  environment: NodeJS.ProcessEnv,
): Promise<Probe> {
  const answers: SeenAnswer[] = [];
  const probed: Probe = {
    addresses: await addressesOf(new URL(origin).hostname),
    noClient: undefined,
    attempts: [],
    answers,
    token: undefined,
    api: undefined,
  };
  // Behind a proxy the name need not be known here.
  const { addresses } = probed;
  if (addresses !== undefined && "error" in addresses && proxyVariable(environment) === undefined)
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
  return { ...probed, ...(await probeTenant(client)) };
}

async function probeTenant(client: IdentityClient): Promise<Pick<Probe, "attempts" | "token" | "api">> {
  const { attempts, stop } = watchConnections();
  try {
    const token = await settledOutcome(client.tokenFacts());
    if ("error" in token) return { attempts, token, api: undefined };
    // Of the reads that need no id it is the cheapest; without its scope, its 403 proves the token as well.
    const api = await settledOutcome(connectionProfiles(client, connectionProfileRecord).page(undefined));
    return { attempts, token, api };
  } finally {
    stop();
    await client.close();
  }
}

async function addressesOf(hostname: string): Promise<Probe["addresses"]> {
  const name = hostname.replace(/^\[|\]$/g, "");
  if (isIP(name) !== 0) return undefined;
  return settledOutcome(lookup(name, { all: true }).then((found) => found.map(({ address }) => address)));
}

async function settledOutcome<Value>(promise: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error: error as Error };
  }
}

/** One attempt to connect, to the tenant or to a proxy on the way. */
export interface ConnectionAttempt {
  /** With the port, if it is not the usual one: `proxy.example.com:3128`. */
  host: string;
  address: string | undefined;
  /** Undefined: it was made. */
  error: (Error & { code?: string }) | undefined;
  certificate: { validTo: Date } | undefined;
}

const CONNECTED = "undici:client:connected";
const FAILED = "undici:client:connectError";

interface Message {
  connectParams: { host: string };
  socket?: Socket;
  error?: Error;
}

/** Notes each attempt of the process to connect, until `stop`: who was reached, and who was not. */
function watchConnections(): { attempts: readonly ConnectionAttempt[]; stop: () => void } {
  const attempts: ConnectionAttempt[] = [];
  const note = (message: unknown) => {
    const { connectParams, socket, error } = message as Message;
    attempts.push({
      host: connectParams.host,
      address: socket?.remoteAddress,
      error,
      certificate: certificateOf(socket),
    });
  };
  for (const channel of [CONNECTED, FAILED]) diagnostics.subscribe(channel, note);
  return {
    attempts,
    stop: () => {
      for (const channel of [CONNECTED, FAILED]) diagnostics.unsubscribe(channel, note);
    },
  };
}

function certificateOf(socket: Socket | undefined): ConnectionAttempt["certificate"] {
  if (!(socket instanceof TLSSocket)) return undefined;
  const validTo = new Date(socket.getPeerCertificate().valid_to);
  return Number.isNaN(validTo.getTime()) ? undefined : { validTo };
}

/** The variable that names the proxy for https, with the precedence that the client's transport has. */
export function proxyVariable(environment: NodeJS.ProcessEnv): { name: string; value: string } | undefined {
  for (const names of [
    ["https_proxy", "HTTPS_PROXY"],
    ["http_proxy", "HTTP_PROXY"],
  ]) {
    const name = names.find((one) => environment[one] !== undefined) ?? "";
    const value = environment[name];
    if (value) return { name, value };
  }
  return undefined;
}

/** User name and password of a proxy: no message may repeat them. */
export function proxySecrets(environment: NodeJS.ProcessEnv): string[] {
  const value = proxyVariable(environment)?.value ?? "";
  const [, credentials = ""] = /^(?:[a-z]+:\/\/)?([^@/]+)@/i.exec(value) ?? [];
  const [, password = ""] = /:(.*)/.exec(credentials) ?? [];
  return [credentials, password];
}
