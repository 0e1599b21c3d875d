import { type Client } from "pg";
import PgBoss from "pg-boss";
import { FLEET, LOCKS, databaseUrl } from "./session";
import { type Shard } from "./shards";

export const QUEUE = "shards";

/** A shard to apply, in the run that asked for it. */
export interface Job extends Shard {
  run: string;
  /** Whether the stack first reads what the tenant holds. */
  refresh: boolean;
}

/** What a worker says of a shard that it has finished, or given up. */
export interface Report {
  worker: string;
  message: string;
}

/** How a shard of a run is getting on. */
export interface Progress {
  shard: number;
  state: "created" | "retry" | "active" | "completed" | "cancelled" | "failed";
  /** Of the worker that has it now. */
  session: string | null;
  report: Partial<Report> | null;
  seconds: number | null;
}

/** The session that has claimed the shard of a job. */
const CLAIM = `
  from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and datname = current_database() and database = datid
    and classid = $2 and objid = (data->>'shard')::int`;

/** Each shard is tried three times. */
const RETRIES = { retryLimit: 2, retryDelay: 5 };
/** Far longer than any shard takes. That a worker is gone is found by its session, within seconds. */
const EXPIRY = { expireInSeconds: 12 * 3600 };

export async function openQueue({ supervise }: { supervise: boolean }): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: databaseUrl(), supervise, schedule: false, max: 2 });
  boss.on("error", ({ message }) => console.error(`Queue: ${message}`));
  await boss.start();
  await boss.createQueue(QUEUE, { name: QUEUE, ...RETRIES, ...EXPIRY });
  return boss;
}

/**
 * Puts shards into the queue, all or none. Two runs at once would undo each other's changes, so a second is
 * refused.
 */
export async function submit(
  boss: PgBoss,
  client: Client,
  { run, refresh = false }: { run: string; refresh?: boolean },
  shards: Shard[],
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query("select pg_advisory_xact_lock($1, $2)", [LOCKS, FLEET]);
    const { rows } = await client.query<{ open: number }>(
      "select count(*)::int as open from pgboss.job where name = $1 and state < 'completed'",
      [QUEUE],
    );
    const open = rows[0]?.open ?? 0;
    if (open > 0)
      throw new Error(
        `Nothing was submitted: another run has not ended (shards left: ${open}). "npm run fleet" shows it.`,
      );
    const jobs = shards.map((shard) => ({
      name: QUEUE,
      data: { run, refresh, ...shard },
      ...RETRIES,
      ...EXPIRY,
    }));
    await boss.insert(jobs, { db: within(client) });
  });
}

/** Hands out again what a worker had that is gone: a job under way whose shard nobody has claimed. */
export async function handOutAgain(boss: PgBoss, client: Client): Promise<void> {
  await inTransaction(client, async () => {
    // A worker claims its shard right after it has taken the job. A job that ends meanwhile is no longer
    // locked as active.
    const text = `
      select id from pgboss.job where name = $1 and state = 'active' and started_on < now() - interval '10 seconds'
        and not exists (select ${CLAIM})
      for update skip locked`;
    const { rows } = await client.query<{ id: string }>(text, [QUEUE, LOCKS]);
    const report = { worker: "", message: "Its worker is gone." };
    for (const { id } of rows) await boss.fail(QUEUE, id, report, { db: within(client) });
  });
}

/** The shards of a run, or else of the latest one. */
export async function progressOf(client: Client, run?: string): Promise<Progress[]> {
  const text = `
    select (data->>'shard')::int as shard, state, output as report,
      extract(epoch from coalesce(completed_on, now()) - started_on)::int as seconds,
      (select application_name ${CLAIM}) as session
    from pgboss.job where name = $1 and data->>'run' = coalesce($3, (
      select data->>'run' from pgboss.job where name = $1 order by created_on desc limit 1))
    order by 1`;
  const { rows } = await client.query<Progress>(text, [QUEUE, LOCKS, run ?? null]);
  return rows;
}

export async function liveWorkers(client: Client): Promise<number> {
  // The `pulumi` commands of a worker have sessions of its name.
  const text = `
    select count(distinct split_part(application_name, '/', 3))::int as workers from pg_stat_activity
    where datname = current_database() and starts_with(application_name, 'fleet/')`;
  const { rows } = await client.query<{ workers: number }>(text);
  return rows[0]?.workers ?? 0;
}

function within(client: Client): PgBoss.Db {
  return { executeSql: (text, values) => client.query(text, values) };
}

async function inTransaction(client: Client, action: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await action();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}
