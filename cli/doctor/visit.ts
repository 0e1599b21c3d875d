import diagnostics from "node:diagnostics_channel";
import { type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import { IdentityError } from "../../provider/http/errors";
import { type TokenFacts } from "../../provider/http/token";
import { type TenantSettings } from "../../provider/http/settings";
import { makeClient } from "../../provider/pulumi/clients";
import { type RawSettings } from "../../provider/pulumi/settings";
import { connectionProfileRecord, connectionProfiles } from "../../provider/service/connection-profiles";
import { type ProfileNames } from "../pending";
import { SOURCE } from "../stack-settings";
import { TenantReader, valueOf } from "../tenant/reader";

/** Everything that one visit to the tenant showed. The first step that fails ends it. */
export interface Visit {
  connections: Hop[];
  answers: SeenAnswer[];
  /** Undefined if none was granted. */
  token?: TokenFacts;
  /** Why the token wasn't granted, or why the call that proves it failed. */
  error?: IdentityError;
  /** Undefined if they weren't asked for, or a step before has failed. */
  profiles?: ProfileNames | Error;
}

interface SeenAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds, by this machine's clock. */
  at: number;
}

/** A connection to the tenant, or to a proxy on the way. */
interface Hop {
  /** With the port, if it is not the usual one: `proxy.example.com:3128`. */
  host: string;
  /** The last day on which the certificate is valid. */
  validTo: Date | undefined;
}

/** Somebody is waiting, and a slower set-up wouldn't be usable anyway. */
const LONGEST_SECONDS = 10;

/**
 * Requests a token and sends one GET, as programs do. `listsProfiles`: also reads the names of the profiles.
 */
export async function visitTenant(
  raw: RawSettings,
  { limits }: TenantSettings,
  border: Border,
  listsProfiles: boolean,
): Promise<Visit> {
  const visit: Visit = { connections: [], answers: [] };
  const hasty = {
    ...raw,
    requestTimeoutSeconds: String(Math.min(limits.requestTimeoutSeconds, LONGEST_SECONDS)),
    maxWaitSeconds: String(Math.min(limits.maxWaitSeconds, LONGEST_SECONDS)),
  };
  const noteConnection = (message: unknown) => visit.connections.push(connectionOf(message as Connected));
  diagnostics.subscribe(CONNECTED, noteConnection);
  let client: IdentityClient | undefined;
  try {
    client = makeClient(hasty, SOURCE, border, {
      onAnswer: ({ status, headers }) => visit.answers.push({ status, headers, at: Date.now() }),
    });
    visit.token = await client.tokenFacts();
    // The cheapest read without an id; even without its scope, its 403 proves the token.
    await connectionProfiles(client, connectionProfileRecord).page();
    if (listsProfiles) visit.profiles = await profileNames(client);
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    visit.error = error;
  } finally {
    diagnostics.unsubscribe(CONNECTED, noteConnection);
    await client?.close();
  }
  return visit;
}

function profileNames(client: IdentityClient): Promise<ProfileNames | Error> {
  return new TenantReader(client)
    .profileNames()
    .then(valueOf)
    .catch((error: unknown) => error as Error);
}

const CONNECTED = "undici:client:connected";

interface Connected {
  connectParams: { host: string };
  socket: Socket;
}

function connectionOf({ connectParams: { host }, socket }: Connected): Hop {
  const end = socket instanceof TLSSocket ? new Date(socket.getPeerCertificate().valid_to) : undefined;
  return { host, validTo: end === undefined || Number.isNaN(end.getTime()) ? undefined : end };
}
