import { createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { profile } from "../../testkit/engine";
import { providerText } from "../../provider/pulumi/hidden-inputs";
import { Host } from "../../testkit/hosts/host";
import { OUTSIDER, useTenant } from "../../testkit/tenant";

/** After its connection closes, a host ends or stays depending on the answer at the engine's address. */
const tenant = useTenant();
const ENDS_WITHIN_MS = 10_000;
/** After its look at the engine's address. */
const LIVES_ON_MS = 500;

let host: Host;
const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  await host.stop();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  server.on("connection", (socket) => {
    sockets.add(socket.on("error", () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A host that has answered a call, and is then left alone. */
async function leave(engine: string): Promise<void> {
  host = await Host.start({ engine });
  await host.configure({ "identity:domain": tenant.url });
  await host.check({}, { ...profile({ name: "a" }).inputs, __provider: providerText("ConnectionProfile") });
  host.disconnect();
}

async function lives(milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  while (host.isRunning && Date.now() < end) await setTimeout(50);
  return host.isRunning;
}

test("nobody listens there: it ends", async () => {
  await leave("127.0.0.1:0");
  expect(await lives(ENDS_WITHIN_MS)).toBe(false);
});

test("the kernel still takes connections for an engine that is being killed: it ends", async () => {
  // A silent connection that breaks when the address is closed.
  const dying = createServer((socket) => void setTimeout(300).then(() => socket.destroy()));
  await leave(await listen(dying));
  expect(await lives(ENDS_WITHIN_MS)).toBe(false);
});

test("handlers print, and fail, when nobody listens any more: it ends", async () => {
  host = await Host.start();
  await host.configure({ "identity:domain": tenant.url, "identity:accessToken": OUTSIDER });
  tenant.simulator.fail({ times: 100, action: { delay: 1_000 } });
  const __provider = providerText("ConnectionProfile");
  const calls = ["a", "b", "c"].map((name) => host.read(`cop_${name}`, { name, __provider }));
  while (tenant.simulator.requests().length === 0) await setTimeout(10);
  host.leave();
  await Promise.allSettled(calls);
  expect(await lives(ENDS_WITHIN_MS)).toBe(false);
});

test("an engine answers that had only closed an idle connection: it lives on", async () => {
  const engine = createHttp2Server();
  const looked = new Promise((resolve) =>
    engine.on("connection", (socket: Socket) => socket.once("close", resolve)),
  );
  await leave(await listen(engine));
  await looked;
  expect(await lives(LIVES_ON_MS)).toBe(true);
});
