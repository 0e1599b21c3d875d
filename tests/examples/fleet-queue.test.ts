import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type PgBoss from "pg-boss";
import { handOutAgain, type Job, openQueue, progressOf, QUEUE, submit } from "../../examples/fleet/queue";
import { databaseUrl, Session, sessionName } from "../../examples/fleet/session";
import { type Postgres, startPostgres } from "../../testkit/postgres";

/** The assignment of workers to shards in examples/fleet, on a real PostgreSQL. */

const SHARD = 3;
const before = { ...process.env };
let postgres: Postgres;
let boss: PgBoss;
let client: Client;
const sessions: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  process.env.PULUMI_BACKEND_URL = postgres.url;
  process.env.PGPASSWORD = postgres.password;
  boss = await openQueue({ supervise: false });
  // Named: a session without a name may be a `pulumi`.
  client = new Client({ connectionString: postgres.url, application_name: "test" });
  await client.connect();
});

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  await boss.clearStorage();
});

afterAll(async () => {
  await boss.stop();
  await client.end();
  await postgres.stop();
  process.env = before;
});

async function worker(name: string): Promise<Session> {
  const session = await Session.open(name);
  sessions.push(session);
  return session;
}

/** Ends a worker's sessions, as its death would. */
async function die(session: Session): Promise<void> {
  sessions.splice(sessions.indexOf(session), 1);
  await session.close();
}

async function connect(application_name: string): Promise<Client> {
  const other = new Client({ connectionString: postgres.url, application_name });
  await other.connect();
  return other;
}

test("a shard is one worker's, until it is released or the worker dies", async () => {
  const one = await worker("one");
  const other = await worker("other");
  expect(await one.claim(SHARD)).toBe(true);
  expect(await other.claim(SHARD)).toBe(false);
  expect(await other.claim(SHARD + 1)).toBe(true);

  await one.release(SHARD);
  expect(await other.claim(SHARD)).toBe(true);
  expect(await one.claim(SHARD)).toBe(false);
  await die(other);
  expect(await one.claim(SHARD)).toBe(true);
});

test.each([
  ["a command of a worker that is gone", sessionName(SHARD, "gone")],
  ["a pulumi that somebody has started by hand", ""],
])("a lock is left alone as long as there is %s", async (_, name) => {
  const one = await worker("one");
  await one.claim(SHARD);
  const unrelated = await connect(sessionName(SHARD + 1, "busy"));
  const living = await connect(name);
  let isAlone = false;
  const alone = one.untilAlone(SHARD).then(() => (isAlone = true));
  await sleep(1_500);
  expect(isAlone).toBe(false);
  await living.end();
  await alone;
  await unrelated.end();
});

describe("a job under way", () => {
  const states = async () => (await progressOf(client)).map(({ state, session }) => [state, session]);

  async function take(): Promise<void> {
    await submit(boss, client, { run: "run" }, [{ shard: SHARD, customers: [], groups: [] }]);
    expect(await boss.fetch<Job>(QUEUE)).toHaveLength(1);
    await client.query(
      "update pgboss.job set started_on = now() - interval '1 minute' where state = 'active'",
    );
  }

  test("stays with a worker that lives, however long it takes", async () => {
    await take();
    const one = await worker("one");
    await one.claim(SHARD);
    await handOutAgain(boss, client);
    expect(await states()).toEqual([["active", sessionName(SHARD, "one")]]);
  });

  test("is handed out again when its worker has died", async () => {
    await take();
    const one = await worker("one");
    await one.claim(SHARD);
    await die(one);
    await handOutAgain(boss, client);
    expect(await states()).toEqual([["retry", null]]);
  });

  test("has a moment to be claimed", async () => {
    await take();
    await client.query("update pgboss.job set started_on = now()");
    await handOutAgain(boss, client);
    expect(await states()).toEqual([["active", null]]);
  });
});

test("of two runs that are submitted at the same time one is refused, and leaves nothing in the queue", async () => {
  const other = await connect("other");
  const shards = [1, 2].map((shard) => ({ shard, customers: [], groups: [] }));
  const results = await Promise.allSettled([
    submit(boss, client, { run: "a" }, shards),
    submit(boss, other, { run: "b" }, shards),
  ]);
  await other.end();
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(results.find(({ status }) => status === "rejected")).toHaveProperty(
    "reason.message",
    expect.stringContaining("another run has not ended (shards left: 2)"),
  );
  expect(await boss.getQueueSize(QUEUE)).toBe(2);
});

describe("the address of the database", () => {
  afterEach(() => (process.env.PULUMI_BACKEND_URL = postgres.url));

  test.each([
    ["missing", "", "Set PULUMI_BACKEND_URL"],
    ["of another kind", "file:///tmp/state", "Set PULUMI_BACKEND_URL"],
    ["with a password", "postgres://user:not-to-be-shown@host/db", "Take the password out"],
  ])("%s is refused, and not repeated", (_, url, message) => {
    process.env.PULUMI_BACKEND_URL = url;
    expect(databaseUrl).toThrow(message);
    expect(databaseUrl).not.toThrow("not-to-be-shown");
  });
});
