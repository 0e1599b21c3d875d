import { connect, Server, Socket } from "node:net";
import type { IncomingHttpHeaders } from "node:http2";

const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `onCancel` when the engine cancels the run, or is gone.
 *
 * The engine waits for running handlers, however long they take. It announces the end with the call `Cancel`,
 * and the SDK's host never passes that on to handlers. So we listen where it arrives: at the HTTP/2 server
 * that was listening before this package was loaded. That changes nothing for the host, or for other people's
 * dynamic providers in it. Without such a server, nothing happens.
 *
 * SIGINT and SIGTERM end the process at once, since the host doesn't listen to them. A listener here would
 * change that for everyone in the process.
 */
export function whenCancelled(onCancel: (reason: string) => void): void {
  // Undocumented; tried with Node.js 20 and SDK 3.248.0. Without it, the run just goes on to its end.
  const handles = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles?.() ?? [];
  const servers = handles.filter((handle) => handle instanceof Server);
  const onGone = () => {
    onCancel("Pulumi has ended");
    // Nobody can call any more. With its server closed, the process ends after the last answer.
    for (const server of servers) server.close();
  };
  const watch = (socket: Socket) =>
    socket.once("close", () => void isEngineThere().then((isThere) => isThere || onGone()));
  for (const server of servers) {
    server.on("stream", (_stream: unknown, headers: IncomingHttpHeaders) => {
      if (headers[":path"] === CANCEL) onCancel("the run was cancelled");
    });
    server.on("connection", watch);
  }
  const isServed = (socket: Socket & { server?: Server }) => servers.some((one) => one === socket.server);
  for (const handle of handles) if (handle instanceof Socket && isServed(handle)) watch(handle);
}

/**
 * Survives the end of the engine, which closes the pipes that this process prints to. The SDK's host answers
 * each uncaught error by printing it. If the error is that printing fails, it would loop forever.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners("error").includes(unlessClosed)) stream.on("error", unlessClosed);
}

function unlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/**
 * Returns true if the engine still answers. A killed engine sends no notice. Its end closes the connection,
 * but so can half an hour without calls, and then the engine still answers at the address in the host's first
 * argument. A successful connection proves nothing: a dying process closes its files one by one, and the
 * kernel accepts connections in its name until the address is closed too. But a living HTTP/2 server begins
 * by sending its settings. The parent process proves nothing either: if Pulumi starts the host through a
 * script, the script outlives the engine.
 */
function isEngineThere(): Promise<boolean> {
  const [, host, port] = /^(.+):(\d+)$/.exec(process.argv[2] ?? "") ?? [];
  if (host === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const probe = connect(Number(port), host);
    probe.once("data", () => {
      resolve(true);
      probe.destroy();
    });
    probe.on("error", () => resolve(false));
    probe.once("close", () => resolve(false));
  });
}
