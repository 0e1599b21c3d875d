import diagnostics from "node:diagnostics_channel";
import { type Socket } from "node:net";
import { TLSSocket } from "node:tls";

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

/** Notes each attempt of the whole process to connect, until `stop`: who it is that was reached, and who was not. */
export function watchConnections(): { attempts: readonly ConnectionAttempt[]; stop: () => void } {
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
