import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_SCOPES, DEFAULT_SEED, GROUP_ADMINS, OTHER_ROLE_ID } from "../../../simulator/default-seed";
import { assignment, Engine, failed, profile, secret } from "../engine";
import { TOKEN, useTenant } from "../tenant";

/** Credentials that a file or a command has, in Pulumi's provider host. */

const tenant = useTenant();
// Runs with an environment of their own start a host process each.
jest.setTimeout(120_000);

const CLIENT = { client_id: "by-secret", client_secret: "secret-in-a-file", scope: ALL_SCOPES };
const ACCESS_TOKEN = "token-of-a-command";
const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "pulumi-identity-credentials-"))));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() =>
  tenant.seed({
    clients: [
      ...(DEFAULT_SEED.clients ?? []),
      CLIENT,
      { client_id: "by-key", public_key: keys.publicKey, scope: ALL_SCOPES },
    ],
    tokens: [{ access_token: ACCESS_TOKEN, scope: ALL_SCOPES }],
  }),
);

const file = () => join(folder, "kept");

const SOURCES = [
  { setting: "clientSecretFile", clientId: "by-secret", content: CLIENT.client_secret, asked: [TOKEN] },
  { setting: "privateKeyFile", clientId: "by-key", content: keys.privateKey, asked: [TOKEN] },
  { setting: "accessTokenCommand", clientId: "", content: ACCESS_TOKEN, asked: [] },
];

describe.each(SOURCES)("$setting", ({ setting, clientId, content, asked }) => {
  const config = () => ({
    "identity:domain": tenant.url,
    "identity:clientId": clientId,
    [`identity:${setting}`]: setting === "accessTokenCommand" ? `cat ${file()}` : file(),
  });

  test("is read when something is sent and not before, and what it holds is recorded nowhere", async () => {
    rmSync(file(), { force: true });
    const engine = new Engine(tenant, { config: config() });
    await engine.preview({ p: profile({ name: "a" }) });
    writeFileSync(file(), content);
    const run = await engine.up({ p: profile({ name: "a" }) });
    expect(tenant.sent()).toEqual([...asked, 'POST /connection-profiles {"name":"a"} 201']);
    expect(JSON.stringify([run, [...engine.state]])).not.toContain(content.split("\n")[1] ?? content);
    await engine.destroy();
  });

  test("that leads nowhere fails each resource, the first with the reason, and none is recorded as done", async () => {
    writeFileSync(file(), content);
    const engine = new Engine(tenant, { config: config() });
    const program = Object.fromEntries(["a", "b", "c"].map((name) => [name, profile({ name })]));
    await engine.up(program);
    tenant.sent();
    rmSync(file());
    const { errors } = await failed(engine.destroy({ continueOnError: true }));
    expect(errors).toHaveLength(3);
    expect(errors.filter((error) => error.includes("see the first message"))).toHaveLength(2);
    const name = `identity:${setting} (IDENTITY_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}): the `;
    expect(errors.filter((error) => error.includes(name))).toHaveLength(1);
    expect(engine.state.size).toBe(3);
    expect(tenant.sent()).toEqual([]);
  });

  test("that is wrong by itself fails the preview", async () => {
    const engine = new Engine(tenant, { config: { ...config(), [`identity:${setting}`]: "./kept" } });
    const { errors } = await failed(engine.preview({ p: profile({ name: "a" }) }));
    expect(errors).toEqual([expect.stringContaining(`identity:${setting} (IDENTITY_`)]);
  });
});

describe("tokenCache", () => {
  const config = () => ({
    "identity:domain": tenant.url,
    "identity:clientId": CLIENT.client_id,
    "identity:clientSecret": CLIENT.client_secret,
  });

  test("lets the hosts of three commands do with one token, which is recorded nowhere", async () => {
    const env = { IDENTITY_TOKEN_CACHE: join(folder, "token"), IDENTITY_LOG: "json" };
    const engine = new Engine(tenant, { config: config(), env });
    const runs = [
      await engine.up({ p: profile({ name: "a" }) }),
      await engine.up({ p: profile({ name: "b" }) }),
      await engine.destroy(),
    ];
    expect(tenant.sent().map((line) => line.replace(/cop_\w+/, "ID"))).toEqual([
      TOKEN,
      'POST /connection-profiles {"name":"a"} 201',
      'PATCH /connection-profiles/ID {"name":"b"} 200',
      "DELETE /connection-profiles/ID 204",
    ]);
    const [, token = ""] = /"value":"([^"]+)"/.exec(readFileSync(env.IDENTITY_TOKEN_CACHE, "utf8")) ?? [];
    expect(token.split(".")).toHaveLength(3);
    expect(JSON.stringify([runs, [...engine.state]])).not.toContain(token);
  });

  test("that others can read fails the run before anything is sent, and a relative path the preview", async () => {
    const file = join(folder, "open");
    writeFileSync(file, "", { mode: 0o644 });
    const open = new Engine(tenant, { config: { ...config(), "identity:tokenCache": file } });
    const { errors } = await failed(open.up({ p: profile({ name: "a" }) }));
    expect(errors).toEqual([expect.stringContaining("is open to other users (mode 644)")]);
    const relative = new Engine(tenant, { config: { ...config(), "identity:tokenCache": "token" } });
    const preview = await failed(relative.preview({ p: profile({ name: "a" }) }));
    expect(preview.errors).toEqual([
      expect.stringContaining("identity:tokenCache (IDENTITY_TOKEN_CACHE) must be"),
    ]);
    expect(tenant.sent()).toEqual([]);
  });
});

describe("IDENTITY_LOG", () => {
  const program = (roleId: unknown) => ({ a: assignment({ roleId, groupIds: [GROUP_ADMINS] }) });

  test("json prints JSON, without the ids that the program gives as secrets", async () => {
    const engine = new Engine(tenant, { env: { IDENTITY_LOG: "json" } });
    const { messages } = await engine.up(program(secret(OTHER_ROLE_ID)));
    const [preview, ...json] = messages;
    expect(preview).toBe(`a: role [secret]: + ${GROUP_ADMINS}`);
    const lines = json.map((line) => JSON.parse(line) as { event: string; path?: string });
    expect(lines.filter(({ event }) => event === "request").map(({ path }) => path)).toEqual([
      "/oauth/token",
      "/roles/[secret]/groups",
    ]);
    const destroyed = (await engine.destroy()).messages.join("\n");
    expect(destroyed).toContain("/roles/[secret]/groups");
    expect(destroyed).not.toContain(OTHER_ROLE_ID);
  });

  test("of another value is told, and nothing is logged", async () => {
    const engine = new Engine(tenant, { env: { IDENTITY_LOG: "verbose\u001b" } });
    const { messages } = await engine.up(program(OTHER_ROLE_ID));
    expect(messages.slice(1)).toEqual([
      'IDENTITY_LOG must be debug or json; it is "verbose\\u001b", and requests are not logged.',
    ]);
  });
});
