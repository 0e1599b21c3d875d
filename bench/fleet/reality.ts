import { profileStack } from "../profile-stack";
import { NO_LIMIT, requestsOf, start, withTenant } from "../tenant-process";
import { type Stack } from "../../testkit/stack";
import { type Rate } from "../../simulator/rate-limit";
import { engineCost, type MeasuredEngine } from "./engine-cost";
import { type Fleet, simulate } from "./fleet";

/** Results from a tenant that is simulated, but reached over real HTTP. */
export interface Reality {
  date: string;
  compared: { work: string; leastSeconds: number; real: Sending; simulated: Sending }[];
  /** Requests of a refresh of a stack of 100, made after so many other profiles. */
  refreshBehindOthers: { others: number; profiles: number; requests: number };
}

interface Sending {
  /** From the first request that reached the tenant to the last one done. */
  seconds: number;
  refused: number;
}

const PROCESSES = 3;
const PROFILES = 100;
/** A machine's distance from itself. */
const LATENCY = { least: 1, most: 3 };

export async function compareWithReality(engine: MeasuredEngine): Promise<Reality> {
  return {
    date: new Date().toISOString().slice(0, 10),
    compared: [await compareWriters(), await compareStacks(engine)],
    refreshBehindOthers: await refreshBehind(1_000),
  };
}

/** The client alone, without an engine. */
export async function compareWriters(): Promise<Reality["compared"][number]> {
  const rate: Rate = { burst: 10, perSecond: 20 };
  const real = await withTenant(limitOf(rate), async (tenant) => {
    const processes = Array.from({ length: PROCESSES }, (_, i) =>
      start("bench/writer.ts", ["client", JSON.stringify(tenant), String(PROFILES), `writer-${i}`]),
    );
    await Promise.all(processes.map(({ line }) => line()));
    for (const { child } of processes) child.stdin?.write("go\n");
    await Promise.all(processes.map(({ json }) => json()));
    return sendingOf(await requestsOf(tenant));
  });
  const work = `${PROCESSES} programs that each create ${PROFILES} profiles`;
  return compare(work, rate, { real, engine: { startMs: 0, profileMs: 0 }, parallel: PROFILES });
}

async function compareStacks(engine: MeasuredEngine): Promise<Reality["compared"][number]> {
  const rate: Rate = { burst: 10, perSecond: 4 };
  const real = await withTenant(limitOf(rate), async (tenant) => {
    const names = Array.from({ length: PROCESSES }, (_, i) => `stack-${i}`);
    await Promise.all(
      names.map((name) => withStack(profileStack(tenant, { count: PROFILES, names: name }), up)),
    );
    return sendingOf(await requestsOf(tenant));
  });
  const work = `${PROCESSES} \`pulumi up\` of ${PROFILES} profiles`;
  return compare(work, rate, { real, engine: engineCost(engine, "up", PROFILES), parallel: 8 });
}

async function compare(
  work: string,
  rate: Rate,
  { real, ...fleet }: { real: Sending } & Pick<Fleet, "engine" | "parallel">,
): Promise<Reality["compared"][number]> {
  const { sendingMs, refused, leastMs } = await simulate({
    ...fleet,
    rate,
    stacks: PROCESSES,
    profiles: PROFILES,
    workers: PROCESSES,
    profilesPerRequest: 1,
    latency: LATENCY,
    seed: 1,
  });
  return {
    work: `${work}, tenant of ${rate.burst} and ${rate.perSecond}/s`,
    leastSeconds: leastMs / 1000,
    real,
    simulated: { seconds: sendingMs / 1000, refused },
  };
}

async function refreshBehind(others: number): Promise<Reality["refreshBehindOthers"]> {
  return withTenant(NO_LIMIT, async (tenant) => {
    const writer = start("bench/writer.ts", ["undici", JSON.stringify(tenant), String(others), "other"]);
    await writer.line();
    writer.child.stdin?.write("go\n");
    await writer.json();
    return withStack(profileStack(tenant, { count: PROFILES, names: "behind" }), async (stack) => {
      await up(stack);
      await fetch(`${tenant.url}/_simulator/reset`, { method: "POST" });
      succeed(await stack.refresh());
      const requests = (await requestsOf(tenant)).filter(({ path }) => path.startsWith("/api/")).length;
      return { others, profiles: PROFILES, requests };
    });
  });
}

async function withStack<T>(creating: Promise<Stack>, run: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = await creating;
  try {
    return await run(stack);
  } finally {
    stack.remove();
  }
}

async function up(stack: Stack): Promise<void> {
  succeed(await stack.up());
}

function succeed({ code, all }: { code: number | null; all: string }): void {
  if (code !== 0) throw new Error(all);
}

const limitOf = ({ burst, perSecond }: Rate) => `${burst},${perSecond}`;

function sendingOf(log: { path: string; status: number; at: number }[]): Sending {
  const sent = log.filter(({ path }) => path.startsWith("/api/"));
  const done = sent.filter(({ status }) => status === 201);
  if (done.length !== PROCESSES * PROFILES) throw new Error(`${done.length} profiles were created.`);
  return {
    seconds: ((done.at(-1)?.at ?? NaN) - (sent[0]?.at ?? NaN)) / 1000,
    refused: sent.filter(({ status }) => status === 429).length,
  };
}
