import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { stackName } from "./shards";

/*
 * Who works on a shard has a session on Postgres, named `fleet/<stack>/<worker>`: the worker itself and each
 * `pulumi` command that it runs. Postgres ends the sessions of a process that dies, so this is what tells the
 * dead from the slow.
 */

/** Distinguishes our advisory locks from those of others in the same database. */
export const LOCKS = 7_001;
/** In place of a shard: one at a time submits, and one at a time prepares the state backend. */
export const FLEET = -1;

const ALONE_WITHIN_MS = 60_000;

/** Where queue and state are, without the password. */
export function databaseUrl(): string {
  const text = process.env.PULUMI_BACKEND_URL ?? "";
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error(
      "Set PULUMI_BACKEND_URL to the database for queue and state: postgres://user@host/database",
    );
  if (new URL(text).password !== "")
    throw new Error(
      "Take the password out of PULUMI_BACKEND_URL, which Pulumi prints, and put it into PGPASSWORD.",
    );
  return text;
}

export function sessionName(shard: number, worker: string): string {
  return `fleet/${stackName(shard)}/${worker}`;
}

/** The session of one worker. With it the worker's locks are gone. */
export class Session {
  private constructor(
    readonly client: Client,
    readonly worker: string,
  ) {}

  static async open(worker: string): Promise<Session> {
    const client = new Client({ connectionString: databaseUrl(), application_name: `fleet/idle/${worker}` });
    await client.connect();
    return new Session(client, worker);
  }

  close(): Promise<void> {
    return this.client.end();
  }

  /** Makes the shard this worker's, unless a worker that lives has it. */
  async claim(shard: number): Promise<boolean> {
    const text = "select pg_try_advisory_lock($1, $2) as mine";
    const { rows } = await this.client.query<{ mine: boolean }>(text, [LOCKS, shard]);
    if (rows[0]?.mine !== true) return false;
    await this.#rename(sessionName(shard, this.worker));
    return true;
  }

  async release(shard: number): Promise<void> {
    await this.#rename(`fleet/idle/${this.worker}`);
    await this.client.query("select pg_advisory_unlock($1, $2)", [LOCKS, shard]);
  }

  /** Does something that only one process at a time may do. */
  async inTurn<T>(action: () => Promise<T>): Promise<T> {
    await this.client.query("select pg_advisory_lock($1, $2)", [LOCKS, FLEET]);
    try {
      return await action();
    } finally {
      await this.client.query("select pg_advisory_unlock($1, $2)", [LOCKS, FLEET]);
    }
  }

  /** Waits until nobody else can be at work on the stack of a shard that this worker has claimed. */
  async untilAlone(shard: number): Promise<void> {
    const end = Date.now() + ALONE_WITHIN_MS;
    for (;;) {
      const [other] = await this.#others(shard);
      if (other === undefined) return;
      if (Date.now() > end)
        throw new Error(
          `${stackName(shard)} is locked, and session ${other.pid} of Postgres (${other.name || "without a name"}, from ` +
            `${other.host ?? "the server's own host"}) may be the run that has locked it. Wait for that run, or end it.`,
        );
      await sleep(1_000);
    }
  }

  /** A session without a name may be a `pulumi` that somebody has started by hand. */
  async #others(shard: number): Promise<{ pid: number; name: string; host: string | null }[]> {
    const text = `
      select pid, application_name as name, host(client_addr) as host from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and (application_name = '' or starts_with(application_name, $1))`;
    const { rows } = await this.client.query<{ pid: number; name: string; host: string | null }>(text, [
      `fleet/${stackName(shard)}/`,
    ]);
    return rows;
  }

  async #rename(name: string): Promise<void> {
    await this.client.query("select set_config('application_name', $1, false)", [name]);
  }
}
