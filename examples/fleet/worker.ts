import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import type PgBoss from "pg-boss";
import { reason } from "./errors";
import { handOutAgain, type Job, openQueue, QUEUE, type Report } from "./queue";
import { Session } from "./session";
import { stackName } from "./shards";
import { apply, type Tools } from "./stack";

const POLL_MS = 1_000;

/** Takes shards from the queue, one at a time, until it is asked to stop. */
async function main(): Promise<void> {
  const session = await Session.open(`${hostname()}:${process.pid}`);
  // Without its session the worker has no claim any more, and another one may take over at once.
  session.client.on("error", ({ message }) => fail(new Error(`The session on Postgres is lost: ${message}`)));
  const pulumiCommand = await PulumiCommand.get();
  // The first command makes the table of the state backend, which two at once can't.
  await session.inTurn(async () => (await LocalWorkspace.create({ pulumiCommand })).whoAmI());
  const boss = await openQueue({ supervise: true });
  const tools = { session, pulumiCommand };
  console.log(`Worker ${session.worker} waits for shards.`);

  let isStopping = false;
  // Ctrl-C comes more than once: from the terminal, and from npm.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      if (!isStopping) console.log("Stops when its shard is done.");
      isStopping = true;
    });

  while (!isStopping) {
    await handOutAgain(boss, session.client);
    const [job] = await boss.fetch<Job>(QUEUE);
    if (job === undefined) await sleep(POLL_MS);
    else await work(boss, job, tools);
  }
  await boss.stop();
  await session.close();
}

async function work(boss: PgBoss, { id, data }: PgBoss.Job<Job>, tools: Omit<Tools, "tell">): Promise<void> {
  const { session } = tools;
  const tell = (line: string) => console.log(`${stackName(data.shard)}: ${line}`);
  const report = (message: string): Report => ({ worker: session.worker, message });
  if (!(await session.claim(data.shard))) {
    await boss.fail(QUEUE, id, report("Another worker still works on it."));
    return;
  }
  tell(`${data.customers.length} customers`);
  try {
    const outcome = await apply(data, { ...tools, tell });
    tell(outcome);
    await boss.complete(QUEUE, id, report(outcome));
  } catch (error) {
    tell(reason(error));
    await boss.fail(QUEUE, id, report(reason(error)));
  } finally {
    await session.release(data.shard);
  }
}

function fail(error: unknown): never {
  console.error(reason(error));
  process.exit(1);
}

main().catch(fail);
