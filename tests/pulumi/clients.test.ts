import { clientAmong, type Clients } from "../../provider/pulumi/clients";
import { readUser } from "../../provider/service/users";
import { startSimulator } from "../../simulator";
import { USER_ID } from "../../simulator/default-seed";

const settings = { domain: "eu.example.com", clientId: "client", clientSecret: "hush-hush" };
let clients: Clients;
beforeEach(() => (clients = new Map()));
const clientFor = (...args: Parameters<typeof clientAmong> extends [Clients, ...infer Rest] ? Rest : never) =>
  clientAmong(clients, ...args).client;
const provider = (name: string) => ({ from: "provider", name }) as const;

test("Providers with equal settings are one client, and ask for one token", async () => {
  const simulator = await startSimulator();
  const { url: domain, clientId, clientSecret } = simulator;
  const found = ["a", "b", "c", "d", "e"].map((name, index) =>
    clientFor(
      index % 2 === 0 ? { domain, clientId, clientSecret } : { clientSecret, clientId, domain },
      provider(name),
    ),
  );

  await Promise.all(found.map((client) => readUser(client, USER_ID)));

  expect(new Set(found).size).toBe(1);
  expect(simulator.requests().filter(({ path }) => path.startsWith("/oauth/token"))).toHaveLength(1);
  await simulator.close();
});

test("a client is that of its settings, and of what messages call them", () => {
  const client = clientFor(settings, provider("eu"));
  expect(clientFor({ ...settings, clientSecret: "another" }, provider("eu"))).not.toBe(client);
  expect(clientFor({ ...settings, maxConcurrency: "2" }, provider("eu"))).not.toBe(client);
  expect(clientFor(settings, { from: "stack" })).not.toBe(client);
});

test("settings that are wrong are told of each Provider by its own name", () => {
  for (const name of ["one", "two"])
    expect(() => clientFor({ ...settings, domain: "a b" }, provider(name))).toThrow(new RegExp(`"${name}"`));
});

test("a process keeps the clients that it used last, and no more: credentials come and go", () => {
  const clientOf = (clientSecret: string) => clientFor({ ...settings, clientSecret }, provider("eu"));
  const used = clientOf("used again and again");
  const first = clientOf("secret 0");
  for (let n = 1; n < 100; n++) {
    clientOf(`secret ${n}`);
    expect(clientOf("used again and again")).toBe(used);
  }
  expect(clientOf("secret 99")).toBe(clientOf("secret 99"));
  expect(clientOf("secret 0")).not.toBe(first);
});
