import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import type PgBoss from "pg-boss";
import { reason } from "./errors";
import { handOutAgain, type Job, openQueue, QUEUE, type Report } from "./queue";
import { Session } from "./session";
import { stackName } from "./shards";
import { apply } from "./stack";

const POLL_MS = 1_000;

/** Takes shards from the queue, one at a time, until it gets SIGINT or SIGTERM. */
async function main(): Promise<void> {
  const worker = `${hostname()}:${process.pid}`;
  const session = await Session.open(worker);
  // Without its session the worker has no claim any more. Another worker takes over.
  session.client.on("error", (error) => fail(error));
  const pulumiCommand = await PulumiCommand.get();
  // The first command makes the table of the state backend, which two at once can't.
  await session.inTurn(async () => (await LocalWorkspace.create({ pulumiCommand })).whoAmI());
  const boss = await openQueue({ supervise: true });
  console.log(`Worker ${worker} waits for shards.`);

  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      isStopping = true;
      console.log("Stops after this shard. Once more: at once.");
    });

  while (!isStopping) {
    await handOutAgain(boss, session.client);
    const [job] = await boss.fetch<Job>(QUEUE);
    if (job === undefined) await sleep(POLL_MS);
    else await work(job);
  }
  await boss.stop();
  await session.close();

  async function work({ id, data }: PgBoss.Job<Job>): Promise<void> {
    const report = (message: string): Report => ({ worker, message });
    const tell = (line: string) => console.log(`${stackName(data.shard)}: ${line}`);
    if (!(await session.claim(data.shard))) {
      await boss.fail(QUEUE, id, report("Another worker still works on it."));
      return;
    }
    tell(`${data.customers.length} customers`);
    try {
      const outcome = await apply(data, { session, pulumiCommand, tell });
      tell(outcome);
      await boss.complete(QUEUE, id, report(outcome));
    } catch (error) {
      tell(reason(error));
      await boss.fail(QUEUE, id, report(reason(error)));
    } finally {
      await session.release(data.shard);
    }
  }
}

function fail(error: unknown): never {
  console.error(reason(error));
  process.exit(1);
}

void main().catch(fail);
