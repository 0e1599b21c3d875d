import { connect, Server, Socket } from "node:net";
import type { IncomingHttpHeaders } from "node:http2";
import { setFlagsFromString } from "node:v8";
import type * as pulumi from "@pulumi/pulumi";
import { Run } from "../run";
import { HostsFile } from "../hosts-file";
import {
  environmentOfProviders,
  EXPLICIT_PROVIDER_KEY,
  readSettings,
  type SettingsSource,
  tenantOf,
} from "../settings";
import { misspeltVariables, unknownSettings } from "../settings-table";

/** Where the engine listens that has started this process as a provider host, e.g. `127.0.0.1:43117`. */
export function engineOfHost(): string | undefined {
  const [, script = "", address] = process.argv;
  return /dynamic-provider/.test(script) ? address : undefined;
}

/** All kinds of one host process share the run of each tenant that they are configured for. */
const runs = new Map<string, Run>();

/** Members of the SDK's configuration that it does not promise: without them, unknown keys go unnoticed. */
interface WholeConfig {
  rawConfig?: Record<string, unknown>;
  projectName?: string;
}

/** The run of the tenant that a kind is configured for. `engine`: the address of the engine. */
export function runOf(config: pulumi.dynamic.Config | undefined, engine: string | undefined): Run {
  const provider = config?.get(EXPLICIT_PROVIDER_KEY);
  const source: SettingsSource =
    provider === undefined ? { kind: "stack" } : { kind: "provider", name: provider };
  // A Provider takes exactly what it is given, but for what holds a run to its review.
  const environment = source.kind === "provider" ? environmentOfProviders(process.env) : process.env;
  const settings = readSettings((setting) => config?.get(`identity:${setting}`), environment);
  const { rawConfig = {}, projectName } = (config ?? {}) as WholeConfig;
  const keys = source.kind === "stack" ? unknownSettings(Object.keys(rawConfig), projectName) : [];
  const variables = misspeltVariables(process.env);
  const key = JSON.stringify([source, settings, engine, keys, variables]);
  const known = runs.get(key);
  if (known !== undefined) return known;
  const configured = config?.get("identity:domain");
  const run = new Run(settings, source, {
    configured: configured === undefined ? undefined : tenantOf({ domain: configured }),
    file: engine === undefined ? undefined : new HostsFile(engine),
    unknown: { keys, variables },
  });
  if (runs.size === 0) outliveOutput();
  runs.set(key, run);
  // undici parses answers in WebAssembly, which V8 optimises at the first of them: that takes 25 MiB and 0.15
  // s of processor time, and only hundreds of answers earn it back. Other WebAssembly is optimised
  // milliseconds later.
  setFlagsFromString("--wasm-tiering-budget=2000000000");
  whenCancelled((reason) => run.cancel(reason));
  return run;
}

const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `onCancel` when the engine cancels the run, or is gone.
 *
 * The engine waits for the handlers that are running, however long they take, and tells this process by the
 * call `Cancel`, which the SDK's host answers without a word to handlers. It is therefore heard where it
 * arrives: at the HTTP/2 server that was listening before this package was loaded. Listening there changes
 * nothing for the host, nor for the dynamic providers of others that it runs. Where there is no such server,
 * nothing happens.
 *
 * SIGINT and SIGTERM end the process at once, since the host does not listen to them. A listener here would
 * change that for everyone in the process.
 */
function whenCancelled(onCancel: (reason: string) => void): void {
  // Undocumented in Node, so it is not relied on: without it the run goes on to its end.
  const handles = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles?.() ?? [];
  const servers = handles.filter((handle) => handle instanceof Server);
  const onGone = () => {
    onCancel("Pulumi has ended");
    // Nobody can call any more. With its server closed, the process ends once the last answer is in.
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
 * With the engine, the pipes end into which this process prints. The SDK's host answers each error that
 * nobody caught by printing it: where the error is that nothing can be printed, it does so for ever.
 */
function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
}

/**
 * An engine that is killed tells nobody. Its end closes the connection, and so may half an hour without
 * calls; only then does it still answer at the address that is the host's first argument. That it can be
 * connected to says nothing: a process that is being killed closes its files one after the other, and the
 * kernel takes connections in its name until it has closed the address, too. But an HTTP/2 server that lives
 * begins by sending its settings. The parent process says nothing either: where Pulumi starts the host by a
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
