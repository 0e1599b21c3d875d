import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type * as Shards from "../../examples/fleet/shards";
import { letAMinutePass, type Postgres, startPostgres } from "../../testkit/postgres";
import { recordsOf, type Simulator, startSimulator } from "../../simulator";
import { AGENT, ALL_SCOPES, CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { environmentOf, pulumiCli } from "../../testkit/stack";

/*
 * examples/fleet, run as in its README: real CLI, real PostgreSQL, four workers, each a process. One is
 * killed when the tenant has created a profile and the answer is on its way.
 *
 * With a third of the example's shards: each takes three seconds of processor time a run, and does the same.
 */

const repository = resolve(__dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-fleet-"));
const example = join(folder, "example");
cpSync(join(repository, "examples/fleet"), example, { recursive: true });
symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
const sharding = join(example, "shards.ts");
writeFileSync(sharding, readFileSync(sharding, "utf8").replace("SHARDS = 12", "SHARDS = 4"));
const { shardOf, SHARDS, stackName } = jest.requireActual<typeof Shards>(sharding);
type Customer = Shards.Customer;

const WORKERS = 4;
const PROFILES_OF_A_SHARD = 3;
const PROFILES = SHARDS * PROFILES_OF_A_SHARD;
const CREATE = { method: "POST", path: "/api/v2/connection-profiles" };

interface Running {
  child: ChildProcess;
  output: string;
  ended: Promise<number | null>;
}

let postgres: Postgres;
let simulator: Simulator;
let env: NodeJS.ProcessEnv;
const customers = threeOfEachShard();
const started: Running[] = [];

beforeAll(async () => {
  for (const name of ["user", "pulumi", "temporary"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "customers.json"), JSON.stringify(customers));
  [postgres, simulator] = await Promise.all([
    startPostgres(),
    // Slower than four unthrottled workers.
    startSimulator({ rate: { burst: 3, perSecond: 1 }, seed: emptyTenant() }),
  ]);
  env = await environment();
});

afterAll(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.map(({ ended }) => ended));
  await simulator.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Returns enough customers for all shards, with a group for each, and ids that the hash spreads evenly. */
function threeOfEachShard(): Customer[] {
  const ids = perShard(PROFILES_OF_A_SHARD, (n) => `customer-${n}`);
  // The group's id has 22 digits of base 58, which has no 0.
  const groups = perShard(1, (n) => `grp_${String(n).replaceAll("0", "A").padStart(22, "B")}`).flat();
  return ids.flatMap(([first = "", ...others], shard) => [
    // The group isn't in its customer's stack.
    { id: first, adminGroup: groups[(shard + 1) % SHARDS] },
    ...others.map((id) => ({ id })),
  ]);
}

function perShard(count: number, idOf: (n: number) => string): string[][] {
  const byShard = Array.from({ length: SHARDS }, (): string[] => []);
  for (let n = 1; byShard.some((list) => list.length < count); n++) {
    const list = byShard[shardOf(idOf(n))] ?? [];
    if (list.length < count) list.push(idOf(n));
  }
  return byShard;
}

const adminGroups = () => customers.flatMap(({ adminGroup }) => adminGroup ?? []).sort();

function emptyTenant() {
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }],
    groups: adminGroups().map((id) => ({ id, name: id })),
    roles: [{ id: AGENT, name: "administrator" }],
  };
}

async function environment(): Promise<NodeJS.ProcessEnv> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  return {
    ...Object.fromEntries(inherited),
    ...(await pulumiCli()).env,
    HOME: join(folder, "user"),
    TMPDIR: join(folder, "temporary"),
    ...environmentOf(simulator),
    // How long a worker waits for the last requests of a killed run.
    IDENTITY_REQUEST_TIMEOUT_SECONDS: "10",
    PGPASSWORD: postgres.password,
    PULUMI_BACKEND_URL: postgres.url,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_HOME: join(folder, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

/** Starts `npm run worker` or `npm run fleet`. */
function start(script: "worker" | "fleet", ...args: string[]): Running {
  const child = spawn(process.execPath, ["--import", "tsx", `${script}.ts`, ...args], {
    cwd: example,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const running: Running = { child, output: "", ended };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (running.output += text));
  started.push(running);
  return running;
}

const fleet = (...shards: string[]) => start("fleet", join(folder, "customers.json"), ...shards);

async function until<T>(what: string, found: () => T | undefined): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const result = found();
    if (result !== undefined) return result;
    if (Date.now() > end) throw new Error(`No ${what}: ${started.map(({ output }) => output).join("\n")}`);
    await sleep(20);
  }
}

const name = ({ child }: Running) => new RegExp(`^\\S+:${child.pid}$`);
const profileNames = () => simulator.state().connection_profiles.map((profile) => String(profile.name));

function idOutside(stacks: string[]): string {
  for (let n = 1; ; n++) if (!stacks.includes(stackName(shardOf(`renamed-${n}`)))) return `renamed-${n}`;
}

const withoutQuery = (line: string) => line.replace(/\?.*| \d+$/g, "");

function takeRoleFrom(group: string): void {
  const state = simulator.state();
  const roles = state.roles.map((role) => ({
    ...role,
    groups: (role.groups ?? []).filter((id) => id !== group),
  }));
  simulator.seed({ ...recordsOf(state), clients: emptyTenant().clients, roles });
}

test("four workers apply four shards, one of them is killed, and nothing is made twice", async () => {
  simulator.fail({ ...CREATE, action: { delay: 300_000 } });
  const workers = Array.from({ length: WORKERS }, () => start("worker"));
  const run = fleet();

  const [unanswered = ""] = await until("profile", () =>
    profileNames().length > 0 ? profileNames() : undefined,
  );
  const shard = stackName(shardOf(unanswered));
  const victim = workers.find(({ output }) => output.includes(`${shard}: `))!;
  victim.child.kill("SIGKILL");

  const second = fleet();
  expect(await second.ended).toBe(2);
  expect(second.output).toMatch(/^Nothing was submitted: another run has not ended \(shards left: \d+\)\./);

  const code = await run.ended;
  if (code !== 0) throw new Error(started.map(({ output }) => output).join("\n"));
  expect(run.output).toContain(`${shard} waits to be tried again: Its worker is gone.`);
  expect(run.output).toContain(`${SHARDS} of ${SHARDS} done, 0 failed, 0 running, 0 waiting; workers: 3`);
  const finished = [...run.output.matchAll(/^(shard-\d+) done by (\S+), \d+ s: (.+)$/gm)];
  expect(finished.map(([, stack]) => stack).sort()).toEqual(
    Array.from({ length: SHARDS }, (_, index) => stackName(index)),
  );
  const [, , successor, outcome] = finished.find(([, stack]) => stack === shard)!;
  expect(successor).not.toMatch(name(victim));
  expect(outcome).toBe("repaired");

  expect(profileNames().sort()).toEqual(customers.map(({ id }) => id).sort());
  expect([...(simulator.state().roles[0]?.groups ?? [])].sort()).toEqual(adminGroups());
  const sent = simulator.requests();
  // The profile created without an answer was adopted, not created again.
  const creates = sent.filter(
    ({ method, path, status }) => method === CREATE.method && path === CREATE.path && status === 201,
  );
  expect(creates).toHaveLength(PROFILES - 1);
  // The first request of a run goes out before it knows how much of the limit others have left, and two runs
  // waiting for the same token may both try. A client without pacing is refused several times for each
  // successful request.
  const runs = sent.filter(({ path }) => path === "/oauth/token").length;
  const refused = sent.filter(({ status }) => status === 429).length;
  expect(refused).toBeLessThanOrEqual(2 * runs);

  // A customer with another id, a group that moves to another customer, and a group that loses the role by
  // somebody else's hand; none of it where the worker was killed.
  const [one, two, three] = customers.filter(
    ({ id, adminGroup }) => adminGroup !== undefined && stackName(shardOf(id)) !== shard,
  ) as [Customer, Customer, Customer];
  const id = idOutside([stackName(shardOf(one.id)), shard]);
  const moved = customers.map((customer) => {
    if (customer === one) return { id, adminGroup: two.adminGroup };
    return customer === two ? { ...two, adminGroup: one.adminGroup } : customer;
  });
  writeFileSync(join(folder, "customers.json"), JSON.stringify(moved));
  const lost = three.adminGroup ?? "";
  takeRoleFrom(lost);
  simulator.reset();
  const changed = fleet();
  expect(await changed.ended).toBe(1);

  // The state of all others is whole, also after the kill: they send nothing.
  const changes = [...changed.output.matchAll(/^(shard-\d+) done by .*: changed$/gm)];
  const places = [one.id, id].map((name) => stackName(shardOf(name)));
  expect(changes.map(([, stack]) => stack).sort()).toEqual(places.sort());
  expect(changed.output.match(/: no changes$/gm)).toHaveLength(SHARDS - places.length);
  expect(profileNames().sort()).toEqual(moved.map((customer) => customer.id).sort());
  const log = simulator.log();
  expect(log.filter((line) => line.startsWith("POST /oauth/token"))).toHaveLength(places.length + 1);
  // Nobody loses the role in between.
  const rest = log.filter((line) => !line.startsWith("POST /oauth/token"));
  expect(rest.filter((line) => !line.includes("/connection-profiles")).map(withoutQuery)).toEqual([
    `GET /api/v2/roles/${AGENT}/groups`,
  ]);

  // State doesn't show what somebody else revokes, but the last look at the tenant does.
  const stack = stackName(shardOf(lost));
  expect(changed.output).toContain(`${stack}: ${lost} has lost the role`);
  expect(changed.output).toContain(`npm run fleet -- customers.json --refresh ${stack}`);
  // A few shards say nothing of what others have lost.
  expect(await fleet(shard).ended).toBe(0);
  await letAMinutePass(postgres);
  expect(await fleet("--refresh", stack).ended).toBe(0);
  expect([...(simulator.state().roles[0]?.groups ?? [])].sort()).toEqual(adminGroups());

  for (const worker of workers) worker.child.kill("SIGTERM");
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual(
    workers.map((worker) => (worker === victim ? null : 0)),
  );
  for (const { output } of started)
    for (const secret of [postgres.password, simulator.clientSecret]) expect(output).not.toContain(secret);
  // The victim's working folder is left.
  expect(readdirSync(join(folder, "temporary")).filter((entry) => entry.startsWith("fleet-"))).toHaveLength(
    1,
  );
});
