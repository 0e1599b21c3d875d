import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { announcement } from "../../simulator/announcement";
import { useFolder } from "../../testkit/folder";
import { call } from "../../testkit/test-client";

const MAIN = join(__dirname, "../../simulator/dist/main.js");

interface Simulated {
  connection_profiles: { name: string }[];
  users: { name?: string; email?: string }[];
}

const folder = useFolder();

function run(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (data: Buffer) => (output.stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output.stderr += data.toString()));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
  return { child, output, ended };
}

/** Returns the line printed once the simulator listens. */
async function started({ child, output }: ReturnType<typeof run>) {
  while (!output.stdout.includes("\n")) await once(child.stdout, "data");
  return JSON.parse(output.stdout) as { url: string; clientId: string; clientSecret: string };
}

const ENDED = { code: 0, stdout: expect.stringMatching(/^[^\n]+\n$/) as string, stderr: "" };

test("prints one line of JSON when it listens; SIGINT ends it cleanly", async () => {
  const seed = join(folder, "seed.json");
  writeFileSync(
    seed,
    JSON.stringify({ clients: [{ client_id: "mine", client_secret: "s", scope: "read:users" }] }),
  );
  const simulator = run("--port", "0", "--rate", "3,1.5", "--latency", "1", "--seed", seed);
  const { url, clientId, clientSecret } = await started(simulator);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect([clientId, clientSecret]).toEqual(["mine", "s"]);
  const { headers } = await call(url, "GET", "/api/v2/users/1");
  expect(headers.get("x-ratelimit-limit")).toBe("3");
  expect((await call(url, "GET", "/_simulator/requests")).body).toMatchObject([
    { path: "/api/v2/users/1", status: 401 },
  ]);
  simulator.child.kill("SIGINT");
  expect(await simulator.ended).toEqual(ENDED);
});

test("without a seed it has profiles to adopt, and people with names; SIGTERM ends it cleanly", async () => {
  const simulator = run("--port", "0");
  const { url } = await started(simulator);
  const { body } = await call(url, "GET", "/_simulator/state");
  simulator.child.kill("SIGTERM");
  expect(await simulator.ended).toEqual(ENDED);
  const { connection_profiles, users } = body as Simulated;
  expect(connection_profiles.map(({ name }) => name)).toEqual(["partners", "workforce"]);
  for (const { name, email } of users)
    expect([name, email]).toEqual([expect.any(String), expect.any(String)]);
});

test("on a terminal it prints lines to copy", () => {
  const access = { url: "http://127.0.0.1:8000", clientId: "mine", clientSecret: "it's $HOME" };
  expect(
    announcement(access, true)
      .split("\n")
      .filter((line) => line.startsWith("export ")),
  ).toEqual([
    "export IDENTITY_DOMAIN=http://127.0.0.1:8000",
    "export IDENTITY_CLIENT_ID=mine",
    "export IDENTITY_CLIENT_SECRET='it'\\''s $HOME'",
  ]);
});

describe("with a command", () => {
  const node = (script: string) => ["--port", "0", "--", process.execPath, "-e", script];

  test("it runs this with the tenant's settings, and ends with it and its code", async () => {
    const script = `
      const { IDENTITY_DOMAIN, IDENTITY_CLIENT_ID, IDENTITY_CLIENT_SECRET } = process.env;
      fetch(IDENTITY_DOMAIN + "/_simulator/state").then(async (answer) => {
        const [client] = (await answer.json()).clients;
        const isKnown = client.client_id === IDENTITY_CLIENT_ID && client.client_secret === IDENTITY_CLIENT_SECRET;
        console.log("known:", isKnown);
        process.exitCode = 7;
      });`;
    expect(await run(...node(script)).ended).toEqual({ code: 7, stdout: "known: true\n", stderr: "" });
  });

  test("it takes a free port where the usual one is taken, and none was asked for", async () => {
    const server = createServer();
    // If the port is already in use, that will do too.
    server.on("error", () => undefined).listen(8000, "127.0.0.1");
    const taken = new Promise((done) => server.once("listening", done).once("error", done));
    await taken;
    const print = ["--", process.execPath, "-p", "process.env.IDENTITY_DOMAIN"];
    const { code, stdout } = await run(...print).ended;
    const asked = await run("--port=8000", ...print).ended;
    server.close();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:(?!8000\n)\d+\n$/)]);
    expect(asked).toEqual({
      code: 1,
      stdout: "",
      stderr: "Port 8000 is in use. Choose another one with --port N, or let --port 0 take a free one.\n",
    });
  });

  test.each([
    [node("process.kill(process.pid, 'SIGTERM')"), 143, ""],
    [["--port", "0", "--", "no-such-command"], 127, `"no-such-command" can't be run (ENOENT).\n`],
    [["--port", "0", "--"], 2, "Behind -- there must be a command.\nRun it with --help for the options.\n"],
  ])("%j: code %i", async (args, code, stderr) =>
    expect(await run(...args).ended).toEqual({ code, stdout: "", stderr }),
  );
});

test("--help tells how to use it", async () => {
  const { code, stdout, stderr } = await run("--help").ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  for (const word of [
    "--port",
    "--rate",
    "--latency",
    "--seed",
    "IDENTITY_DOMAIN",
    "IDENTITY_CLIENT_ID",
    "IDENTITY_CLIENT_SECRET",
  ])
    expect(stdout).toContain(word);
});

test.each([
  [["--rate", "50"], "--rate must be BURST,PER_SECOND, such as 50,16 or 10,2.5"],
  [["--rate", "0,5"], "--rate must be"],
  [["--port", "http"], "--port must be a whole number from 0 to 65535"],
  [["--port", "65536"], "--port must be a whole number from 0 to 65535"],
  [["--latency", "1.5"], "--latency must be a whole number"],
  [["--speed", "1"], "Unknown option '--speed'"],
  [["serve"], "serve"],
  [["--seed", "/nowhere/seed.json"], "The seed /nowhere/seed.json can't be read"],
])("%j: a clear sentence and exit 2", async (args, sentence) => {
  const { code, stdout, stderr } = await run(...args).ended;
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a seed that is no seed: at most ten of its problems, and how many more, and exit 2", async () => {
  const seed = join(folder, "bad.json");
  const groups = Array.from({ length: 300 }, () => ({ id: "grp_0" }));
  writeFileSync(seed, JSON.stringify({ users: [{}], rols: [], groups }));
  const { code, stderr } = await run("--seed", seed).ended;
  expect(code).toBe(2);
  expect(stderr).toContain(`The seed ${seed} can't be used:\n`);
  expect(stderr).toMatch(/users\[0\]\.user_id/);
  expect(stderr.split("\n").filter((line) => line.startsWith("✖"))).toHaveLength(10);
  expect(stderr).toMatch(/^and \d{3} more$/m);
});
