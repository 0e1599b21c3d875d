import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { reason } from "./errors";
import { isOver, line, summary } from "./progress";
import { liveWorkers, openQueue, progressOf, submit } from "./queue";
import { databaseUrl } from "./session";
import { losses } from "./losses";
import { parseCustomers, refuseTwice, shardsOf, stackName } from "./shards";

const USAGE = `Usage: fleet customers.json [--refresh] [shard-03 …]   applies all shards, or these, and shows progress
       fleet                                           shows the latest run

--refresh: each stack first reads what the tenant holds.`;

/**
 * Ends with 0 if all shards are done, with 1 if one has failed or a role was lost, with 2 if nothing was
 * submitted.
 */
async function main([file, ...rest]: string[]): Promise<number> {
  if (file?.startsWith("-")) {
    console.log(USAGE);
    return file === "--help" ? 0 : 2;
  }
  const refresh = rest.includes("--refresh");
  const only = rest.filter((word) => word !== "--refresh");
  const shards = file === undefined ? undefined : selected(file, only);
  const client = new Client({ connectionString: databaseUrl(), application_name: "fleet-progress" });
  await client.connect();
  try {
    const run = shards && new Date().toISOString();
    const boss = await openQueue({ supervise: false });
    if (shards && run) await submit(boss, client, { run, refresh }, shards);
    await boss.stop();
    const code = await watch(client, run);
    // A few shards say nothing of what the others take away.
    if (code !== 0 || shards === undefined || (only.length > 0 && !refresh)) return code;
    const lost = await losses(shards);
    for (const news of lost) print(news);
    return lost.length === 0 ? 0 : 1;
  } finally {
    await client.end();
  }
}

function selected(file: string, only: string[]) {
  const shards = shardsOf(customersIn(file));
  refuseTwice(shards);
  const unknown = only.find((name) => !shards.some(({ shard }) => stackName(shard) === name));
  if (unknown !== undefined)
    throw new Error(
      `There is no ${unknown}: the shards are ${stackName(0)} to ${stackName(shards.length - 1)}.`,
    );
  return only.length === 0 ? shards : shards.filter(({ shard }) => only.includes(stackName(shard)));
}

function customersIn(file: string) {
  try {
    return parseCustomers(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${reason(error)}`, { cause: error });
  }
}

/** Prints a line for each piece of news, and on a terminal below them where the run stands. */
async function watch(client: Client, run: string | undefined): Promise<number> {
  const told = new Map<number, string>();
  let workers = Infinity;
  for (;;) {
    const rows = await progressOf(client, run);
    if (rows.length === 0) throw new Error("There is no run to show.");
    for (const row of rows) {
      const news = line(row);
      if (news === undefined || told.get(row.shard) === news) continue;
      told.set(row.shard, news);
      print(news);
    }
    const before = workers;
    workers = await liveWorkers(client);
    const status = summary(rows, workers);
    if (isOver(rows)) {
      print(status);
      return rows.every(({ state }) => state === "completed") ? 0 : 1;
    }
    if (workers === 0 && before > 0) print('No worker is there. Start one: "npm run worker".');
    if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${status}`);
    await sleep(1_000);
  }
}

function print(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? "\r\x1b[K" : ""}${text}\n`);
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(reason(error));
    process.exitCode = 2;
  },
);
