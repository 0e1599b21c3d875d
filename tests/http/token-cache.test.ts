import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFile, execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import { RefusedCredentials } from "../../provider/http/credentials/refused";
import { Retry } from "../../provider/http/retry";
import { type Credentials } from "../../provider/http/credentials/credentials";
import { TokenSource } from "../../provider/http/token";
import { UndiciTransport } from "../../provider/http/transport";
import { type Simulator } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, DEFAULT_SEED } from "../../simulator/default-seed";
import { listConnectionProfilePage } from "./profiles";
import { clientOf, closeAll, failure, startTenant } from "./tenant";

/* Each client stands for a process: it knows of the token of another one by the file only. */

const TOKEN = "POST /oauth/token 200";
const LIST = "GET /api/v2/connection-profiles?take=10 200";
const REFUSED = LIST.replace("200", "401");

let folder: string;
let tokenCache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-cache-"));
  tokenCache = join(folder, "token");
});
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
  rmSync(folder, { recursive: true });
});

const list = (client: IdentityClient) => listConnectionProfilePage(client, undefined);

/** The requests of one process after the other. */
async function sentBy(simulator: Simulator, ...clients: IdentityClient[]): Promise<string[]> {
  simulator.reset();
  for (const client of clients) await list(client);
  return simulator.log();
}

const content = () =>
  JSON.parse(readFileSync(tokenCache, "utf8")) as {
    tokens: Record<string, { value: string; renewAt: number }>;
  };
const kept = () => Object.values(content().tokens).map(({ value }) => value);

test("two commands ask for one token", async () => {
  const { simulator, client } = await startTenant({ tokenCache });
  expect(await sentBy(simulator, client, clientOf(simulator, { tokenCache }))).toEqual([TOKEN, LIST, LIST]);
});

test("without the setting each asks for one, and nothing is written", async () => {
  const { simulator, client } = await startTenant();
  expect(await sentBy(simulator, client, clientOf(simulator))).toEqual([TOKEN, LIST, TOKEN, LIST]);
  expect(readdirSync(folder)).toEqual([]);
});

test("the file is its user's alone, and holds the token, its end and a hash", async () => {
  const { simulator, client } = await startTenant({ tokenCache, tokenLifetime: 1000 });
  const before = Date.now();
  await list(client);
  expect((statSync(tokenCache).mode & 0o777).toString(8)).toBe("600");
  expect(readdirSync(folder)).toEqual(["token"]);
  const text = readFileSync(tokenCache, "utf8");
  for (const part of [simulator.clientSecret, simulator.clientId, new URL(simulator.url).host])
    expect(text).not.toContain(part);
  const [[key = "", token] = []] = Object.entries(content().tokens);
  expect(key).toMatch(/^[\w-]{43}$/);
  expect(Object.keys(token ?? {})).toEqual(["value", "renewAt"]);
  // 60 s before its end, as in memory.
  expect((token?.renewAt ?? 0) - before).toBeGreaterThanOrEqual(940_000);
  expect((token?.renewAt ?? 0) - before).toBeLessThan(1_000_000);
});

test("a token is used until a minute before its end, by the process that found it too", async () => {
  const { simulator } = await startTenant({ tokenLifetime: 1000 });
  const settings = clientOf(simulator, { tokenCache }).settings;
  const transport = new UndiciTransport(settings);
  const clock = { now: 0 };
  jest.spyOn(Date, "now").mockImplementation(() => clock.now);
  const another = () =>
    new TokenSource(settings, new Retry({ maxWaitMs: 1000 }), {
      border: new Border(),
      refusals: new RefusedCredentials(settings),
      send: (request) => transport.send(request),
    });
  const first = await another().token();
  const found = another();
  clock.now = 939_000;
  expect(await found.token()).toBe(first);
  expect(simulator.log()).toEqual([TOKEN]);
  clock.now = 940_000;
  const second = await found.token();
  expect(second).not.toBe(first);
  expect(await another().token()).toBe(second);
  expect(simulator.log()).toEqual([TOKEN, TOKEN]);
  expect(kept()).toEqual([second]);
});

test("no message shows a token that was found", async () => {
  const { simulator, client } = await startTenant({ tokenCache });
  await list(client);
  const found = clientOf(simulator, { tokenCache });
  await list(found);
  expect(found.border.clean(`it is ${kept()[0]}`)).toBe("it is [secret]");
});

describe("a token that the tenant refuses", () => {
  /** The tenant forgets the tokens that it has given. */
  const forget = (simulator: Simulator) => {
    simulator.seed({ ...DEFAULT_SEED, clients: [{ client_id: "other", client_secret: "other", scope: "" }] });
    simulator.seed(DEFAULT_SEED);
  };

  test("is dropped, and another one takes its place", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    const [first] = kept();
    forget(simulator);
    const [second, third] = [clientOf(simulator, { tokenCache }), clientOf(simulator, { tokenCache })];
    expect(await sentBy(simulator, second, third)).toEqual([REFUSED, TOKEN, LIST, LIST]);
    expect(kept()).toHaveLength(1);
    expect(kept()).not.toEqual([first]);
  });

  test("is dropped also where no other one is given", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    const { credentials } = client.settings;
    const other = { client_id: "other", client_secret: "other", scope: "" };
    simulator.seed({ ...DEFAULT_SEED, clients: [other] });
    simulator.reset();
    await failure(list(clientOf(simulator, { tokenCache, credentials })));
    expect(simulator.log()).toEqual([REFUSED, "POST /oauth/token 401"]);
    expect(kept()).toEqual([]);
  });

  test("and that the tenant refuses at once is not left for the next one", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    simulator.fail({ path: "/api/v2/connection-profiles", times: 2, action: { status: 401 } });
    await failure(list(client));
    expect(simulator.log()).toEqual([TOKEN, REFUSED, TOKEN, REFUSED]);
    expect(kept()).toEqual([]);
  });

  test("does not take away the one that another process has put in its place", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    const late = clientOf(simulator, { tokenCache });
    await list(client);
    await list(late);
    forget(simulator);
    await list(client);
    const newer = kept();
    // Now the other process hears that the first token is refused.
    await list(late);
    const [last] = kept();
    expect([last]).not.toEqual(newer);
    expect(await sentBy(simulator, clientOf(simulator, { tokenCache }))).toEqual([LIST]);
  });
});

describe("a token is known by what it depends on:", () => {
  const CLIENTS = [
    { client_id: CLIENT_ID, client_secret: "a-secret-of-the-client", scope: ALL_SCOPES },
    { client_id: "other", client_secret: "a-secret-of-the-client", scope: ALL_SCOPES },
  ];
  const seed = { ...DEFAULT_SEED, clients: CLIENTS };
  const secret = (clientId: string, clientSecret = "a-secret-of-the-client"): Credentials => ({
    kind: "client-secret",
    clientId,
    clientSecret,
  });

  test("another client, audience or tenant has one of its own, in the same file", async () => {
    const { simulator, client } = await startTenant({ seed, tokenCache, credentials: secret(CLIENT_ID) });
    const other = { tokenCache, credentials: secret("other") };
    const audience = { tokenCache, credentials: secret(CLIENT_ID), audience: "/api/v2/" };
    const clients = [other, audience].map((options) => clientOf(simulator, options));
    expect(await sentBy(simulator, client, ...clients)).toEqual([TOKEN, LIST, TOKEN, LIST, TOKEN, LIST]);
    const elsewhere = await startTenant({ seed, tokenCache, credentials: secret(CLIENT_ID) });
    expect(await sentBy(elsewhere.simulator, elsewhere.client)).toEqual([TOKEN, LIST]);
    expect(new Set(kept()).size).toBe(4);
    const again = [other, audience, { ...other }].map((options) => clientOf(simulator, options));
    expect(await sentBy(simulator, ...again)).toEqual([LIST, LIST, LIST]);
  });

  test("a wrong secret does not get the token of the right one", async () => {
    const { simulator, client } = await startTenant({ seed, tokenCache, credentials: secret(CLIENT_ID) });
    await list(client);
    simulator.reset();
    const wrong = clientOf(simulator, { tokenCache, credentials: secret(CLIENT_ID, "a-wrong-secret") });
    expect((await failure(list(wrong))).message).toContain("gave no token");
    expect(simulator.log().every((line) => line === "POST /oauth/token 401")).toBe(true);
    expect(kept()).toHaveLength(1);
  });

  test("a secret in a file by what the file holds", async () => {
    const file = join(folder, "secret");
    const credentials = { kind: "client-secret-file", clientId: CLIENT_ID, file } as const;
    writeFileSync(file, "a-secret-of-the-client");
    const { simulator, client } = await startTenant({ seed, tokenCache, credentials });
    expect(await sentBy(simulator, client, clientOf(simulator, { tokenCache, credentials }))).toEqual([
      TOKEN,
      LIST,
      LIST,
    ]);
    writeFileSync(file, "a-wrong-secret");
    await failure(list(clientOf(simulator, { tokenCache, credentials })));
  });

  test("one that has ended is not kept beside the others", async () => {
    const { simulator, client } = await startTenant({ seed, tokenCache, credentials: secret(CLIENT_ID) });
    await list(client);
    const ended = { value: "ended", renewAt: Date.now() - 1 };
    writeFileSync(tokenCache, JSON.stringify({ tokens: { ...content().tokens, ended } }));
    await list(clientOf(simulator, { tokenCache, credentials: secret("other") }));
    expect(kept()).toHaveLength(2);
    expect(kept()).not.toContain("ended");
  });
});

describe("what a command prints", () => {
  const runs = () =>
    existsSync(join(folder, "runs")) ? readFileSync(join(folder, "runs"), "utf8").length : 0;
  const printing = (token: string, word = "a"): Credentials => ({
    kind: "access-token-command",
    command: ["sh", "-c", `printf x >> ${join(folder, "runs")}; echo ${token}`, word],
  });
  const jsonWebToken = (seconds: number) =>
    ["{}", JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds }), "signature"]
      .map((part) => Buffer.from(part).toString("base64url"))
      .join(".");
  const start = (token: string) => {
    const seed = { ...DEFAULT_SEED, tokens: [{ access_token: token, scope: ALL_SCOPES }] };
    return startTenant({ seed, tokenCache, credentials: printing(token) });
  };

  test("is kept when it says itself when it ends", async () => {
    const token = jsonWebToken(1000);
    const { simulator, client } = await start(token);
    const next = clientOf(simulator, { tokenCache, credentials: printing(token) });
    expect(await sentBy(simulator, client, next)).toEqual([LIST, LIST]);
    expect(runs()).toBe(1);
    expect(kept()).toEqual([token]);
    await list(clientOf(simulator, { tokenCache, credentials: printing(token, "other") }));
    expect(runs()).toBe(2);
  });

  test.each([
    ["does not say when it ends", () => "opaque-token-0123456789"],
    ["has ended by the clock of this machine", () => jsonWebToken(-10)],
  ])("is not kept when it %s", async (_, make) => {
    const token = make();
    const { simulator, client } = await start(token);
    await list(client);
    await list(client);
    expect(runs()).toBe(1);
    await list(clientOf(simulator, { tokenCache, credentials: printing(token) }));
    expect(runs()).toBe(2);
    expect(readdirSync(folder)).toEqual(["runs"]);
  });
});

test("a given token is not written into the file, and the file is not looked at", async () => {
  const seed = { ...DEFAULT_SEED, tokens: [{ access_token: "fixed-token", scope: ALL_SCOPES }] };
  mkdirSync(tokenCache);
  const { client } = await startTenant({
    seed,
    tokenCache,
    credentials: { kind: "access-token", accessToken: "fixed-token" },
  });
  await list(client);
  expect(readdirSync(tokenCache)).toEqual([]);
});

describe("what is damaged in the file is replaced:", () => {
  test.each([
    ["nothing", () => ""],
    ["half of it", (text: string) => text.slice(0, text.length / 2)],
    ["tokens of another form", (text: string) => text.replaceAll('"renewAt"', '"until"')],
    ["a token that no header takes", (text: string) => text.replaceAll('"value":"', '"value":"a\\r\\nb')],
    ["an end that is no number", (text: string) => text.replace(/"renewAt":\d+/, '"renewAt":"never"')],
  ])("%s", async (_, broken) => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    writeFileSync(tokenCache, broken(readFileSync(tokenCache, "utf8")));
    const [next, last] = [clientOf(simulator, { tokenCache }), clientOf(simulator, { tokenCache })];
    expect(await sentBy(simulator, next, last)).toEqual([TOKEN, LIST, LIST]);
  });

  test("what its user may not read", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    chmodSync(tokenCache, 0o200);
    await asOrdinaryUser(async () => {
      const [next, last] = [clientOf(simulator, { tokenCache }), clientOf(simulator, { tokenCache })];
      expect(await sentBy(simulator, next, last)).toEqual([TOKEN, LIST, LIST]);
    });
  });
});

/** The superuser may read and write everything. */
async function asOrdinaryUser(action: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return action();
  for (const path of [folder, tokenCache]) if (existsSync(path)) chownSync(path, 65534, 65534);
  process.seteuid?.(65534);
  try {
    await action();
  } finally {
    process.seteuid?.(0);
  }
}

describe("a file that is not its user's alone, or not of ours, is refused before anything is sent, and stays:", () => {
  const END = "The file is made by this package, for its user alone.";
  const SOMETHING_ELSE = "holds something else: name another file, or remove this one.";

  test.each<[string, () => void, string]>([
    [
      "one that others can read",
      () => chmodSync(tokenCache, 0o644),
      "is open to other users (mode 644), who may have read a token: remove it.",
    ],
    [
      "one that its group can write to",
      () => chmodSync(tokenCache, 0o620),
      "is open to other users (mode 620), who may have read a token: remove it.",
    ],
    [
      "a link",
      () => {
        rmSync(tokenCache);
        writeFileSync(join(folder, "target"), "", { mode: 0o600 });
        symlinkSync(join(folder, "target"), tokenCache);
      },
      "is a link: name the file itself, or remove the link.",
    ],
    [
      "a link to nothing",
      () => {
        rmSync(tokenCache);
        symlinkSync(join(folder, "none"), tokenCache);
      },
      "is a link: name the file itself, or remove the link.",
    ],
    [
      "a folder",
      () => {
        rmSync(tokenCache);
        mkdirSync(tokenCache);
      },
      "is a folder: name a file in it.",
    ],
    [
      "a pipe, for whose writer nobody waits",
      () => {
        rmSync(tokenCache);
        execFileSync("mkfifo", ["-m", "600", tokenCache]);
      },
      "is not a regular file: name another one.",
    ],
    ["another JSON", () => writeFileSync(tokenCache, '["a"]'), SOMETHING_ELSE],
    [
      "bytes that are no text",
      () => writeFileSync(tokenCache, Buffer.from([0xff, 0xfe, 0x00])),
      SOMETHING_ELSE,
    ],
    ["too much", () => writeFileSync(tokenCache, " ".repeat(1024 * 1024 + 1)), SOMETHING_ELSE],
  ])("%s", async (_, spoil, problem) => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    simulator.reset();
    spoil();
    const { ino, mode } = lstatSync(tokenCache);
    const next = clientOf(simulator, { tokenCache });
    const error = await failure(list(next));
    expect(error.message).toBe(`identity:tokenCache: ${JSON.stringify(tokenCache)} ${problem} ${END}`);
    expect(error).toMatchObject({ outcome: "not sent" });
    expect((await failure(list(next))).message).toBe(
      "GET /connection-profiles was not sent: identity:tokenCache could not be used before in this run, see the first message.",
    );
    expect(simulator.log()).toEqual([]);
    expect(lstatSync(tokenCache)).toMatchObject({ ino, mode });
  });

  test("one of another user", async () => {
    const { simulator, client } = await startTenant({ tokenCache });
    await list(client);
    const isSuperuser = process.geteuid?.() === 0;
    // Only the superuser can give a file away; of others, /etc/hosts is somebody else's.
    if (isSuperuser) chownSync(tokenCache, 65534, 65534);
    const file = isSuperuser ? tokenCache : "/etc/hosts";
    simulator.reset();
    expect((await failure(list(clientOf(simulator, { tokenCache: file })))).message).toBe(
      `identity:tokenCache: ${JSON.stringify(file)} belongs to another user: name another file, in a folder of your own. ${END}`,
    );
    expect(simulator.log()).toEqual([]);
  });
});

describe("where the file can't be written, the run goes on and says so once:", () => {
  test("no folder", async () => {
    const lines: string[] = [];
    const file = join(folder, "none/token");
    const { simulator, client } = await startTenant({
      tokenCache: file,
      tokenLifetime: 1,
      print: (line) => lines.push(line),
    });
    await list(client);
    expect(simulator.log()).toEqual([TOKEN, LIST]);
    expect(lines).toEqual([
      "identity:tokenCache: its folder does not exist, so that each process asks for a token of its own.",
    ]);
  });

  test("a folder of somebody else", async () => {
    const lines: string[] = [];
    const { simulator, client } = await startTenant({ tokenCache, print: (line) => lines.push(line) });
    chmodSync(folder, 0o500);
    await asOrdinaryUser(async () => {
      await list(client);
      // A token that is refused is asked for once more.
      simulator.fail({ path: "/api/v2/connection-profiles", action: { status: 401 } });
      await list(client);
    });
    expect(simulator.log()).toEqual([TOKEN, LIST, REFUSED, TOKEN, LIST]);
    expect(lines).toEqual([
      "identity:tokenCache: it could not be written (EACCES), so that each process asks for a token of its own.",
    ]);
    chmodSync(folder, 0o700);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("many at once do no harm: each has a token, and the file is whole all the time", async () => {
  const { simulator, client } = await startTenant({ tokenCache });
  const clients = [client, ...Array.from({ length: 11 }, () => clientOf(simulator, { tokenCache }))];
  await Promise.all(clients.map(list));
  expect(simulator.log().filter((line) => line === LIST)).toHaveLength(12);
  expect(readdirSync(folder)).toEqual(["token"]);
  expect(kept()).toHaveLength(1);
  expect(await sentBy(simulator, clientOf(simulator, { tokenCache }))).toEqual([LIST]);
});

test("processes that write all at once: whoever reads, reads a whole file", async () => {
  const script = (name: string) => `
    const { readFileSync } = require("node:fs");
    const { TokenCache } = require(${JSON.stringify(join(__dirname, "../../provider/http/token-cache.ts"))});
    const file = ${JSON.stringify(tokenCache)};
    const settings = { origin: "https://tenant.example.com", nameOf: (name) => name };
    const cache = new TokenCache(file, { kind: "client-secret", clientId: "${name}", clientSecret: "s" }, settings);
    for (let i = 1; i <= 300; i++) {
      const problem = cache.write({ value: "${name}" + i, renewAt: Date.now() + 60_000 }, Date.now());
      if (problem !== undefined) throw new Error(problem);
      JSON.parse(readFileSync(file, "utf8"));
      if (i % 3 === 0) cache.drop("${name}" + i);
    }`;
  const run = (name: string) =>
    promisify(execFile)(process.execPath, ["--import", "tsx", "-e", script(name)], {
      cwd: join(__dirname, "../.."),
    });
  await Promise.all(["a", "b", "c"].map(run));
  expect(readdirSync(folder)).toEqual(["token"]);
  expect(kept().every((value) => /^[abc]\d+$/.test(value))).toBe(true);
  expect((statSync(tokenCache).mode & 0o777).toString(8)).toBe("600");
});

test("who wants to know what is known of the token asks for it, and leaves it for the next one", async () => {
  const { simulator, client } = await startTenant({ tokenCache });
  await list(client);
  const [first] = kept();
  simulator.reset();
  const asking = clientOf(simulator, { tokenCache });
  expect((await asking.tokenFacts()).asked).toEqual({
    path: "/oauth/token",
    audience: `${simulator.url}/api/v2/`,
  });
  expect(kept()).not.toEqual([first]);
  await list(clientOf(simulator, { tokenCache }));
  expect(simulator.log()).toEqual([TOKEN, LIST]);
});
