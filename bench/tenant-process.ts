import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Tenant } from "./subjects";

export interface Started {
  child: ChildProcess;
  line: () => Promise<string>;
  /** The next line with a JSON object: the client may print notices of long waits in between. */
  json: () => Promise<string>;
}

/** Starts a TypeScript file of the parent folder in its own process; the result reads its lines. */
export function start(file: string, args: string[]): Started {
  const child = spawn(process.execPath, ["--import", "tsx", join(__dirname, "..", file), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  const line = async () => {
    const next = (await lines.next()) as IteratorResult<string, undefined>;
    if (next.value === undefined) throw new Error(`${file} ended early.`);
    return next.value;
  };
  const json = async () => {
    let text = await line();
    while (!text.startsWith("{")) text = await line();
    return text;
  };
  return { child, line, json };
}

/** A rate limit that nobody reaches. */
export const NO_LIMIT = "1000000,1000000";

/** Runs something with a simulated tenant in its own process; `more`: further options of the simulator. */
export async function withTenant<T>(
  rate: string,
  run: (tenant: Tenant) => Promise<T>,
  more: string[] = [],
): Promise<T> {
  const { child, line } = start("simulator/main.ts", ["--port", "0", "--rate", rate, ...more]);
  try {
    return await run(JSON.parse(await line()) as Tenant);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

/** Returns the requests to the tenant since its log was emptied. */
export async function requestsOf(tenant: Tenant): Promise<LoggedRequest[]> {
  return (await (await fetch(`${tenant.url}/_simulator/requests`)).json()) as LoggedRequest[];
}

interface LoggedRequest {
  method: string;
  path: string;
  status: number;
  at: number;
}
