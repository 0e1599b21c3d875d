import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureAgainst, type SideBySide, untilOutput } from "./against";
import { liveAll, PROVIDERS } from "./engine";
import { costOfHeld } from "./held";
import { withExecutable } from "./executable";
import { hostCost, STEPS } from "./host";
import { OPERATIONS, pluginOf, spentInStep } from "./in-step";
import { listsTable, measureLists } from "./lists";
import { knobsTable, measureKnobs } from "./knobs";
import { measureMemory } from "./memory";
import { costOfPage } from "./page";
import { permissionsRatio } from "./permissions";
import { measureRefresh, refreshTable } from "./refresh";
import { BURST as RATE_BURST, measureRate, PER_SECOND as RATE_PER_SECOND, PROFILES } from "./rate";
import { chartOf, type EngineResults, median, sizesTableOf, tableOf } from "./results";
import { costOfReview } from "./review";
import { ENTRIES, loadMilliseconds } from "./start-up";
import { type Subject, type SubjectName, SUBJECTS, type Tenant } from "./subjects";
import { NO_LIMIT, requestsOf, start, withTenant } from "./tenant-process";

const PART_NAMES = [
  "throughput",
  "limit",
  "permissions",
  "review",
  "page",
  "held",
  "start-up",
  "host",
  "engine",
  "refresh",
  "lists",
  "knobs",
  "rate",
  "memory",
  "against",
] as const;

const USAGE = `Usage: npm run bench -- [options]

Measures the client against raw undici and the official client, all on the same simulated tenant, which runs in a
process of its own; what the command "review" costs, how large and how quick the page of a large tenant is, and the check of each request against it; what the package adds to the
start of a program and of a provider host; what the handlers cost, and the plugin as an executable and as
npm's command; Pulumi commands with many profiles, refresh once more by
itself; the longest lists; what users can turn to make these faster; a YAML program under a rate limit; the
memory of many tenants; and all that beside an older checkout. Every number is the median of the repetitions.

Options:
  --repeat N       Repetitions. Default: 5. Each takes about two minutes, most of it waiting for the rate limit; of
                   "review", "page", "start-up" and "host" alone a few seconds; of "engine", "refresh", "lists" and "knobs" some minutes more.
  --only WHAT      ${PART_NAMES.map((name) => `"${name}"`).join(", ")}. Default: all.
  --sizes N,N      Profiles of "engine". Default: 50,200,1000.
  --against FOLDER An older checkout, built: what "against" compares with, and "host" too. Without it, "against" is
                   skipped.
  --write FOLDER   Writes what "engine", "refresh", "lists" and "knobs" measured there, as docs/ has it.
  --help           This text.
`;

const BURST = 10;
const PER_SECOND = 20;
const WRITES = 300;
/** The minimum number of seconds for the writes. */
const LEAST_SECONDS = (WRITES - BURST) / PER_SECOND;

/** Requests per second. */
async function throughput(subject: Subject, concurrency: number, requests: number): Promise<number> {
  let left = requests;
  const worker = async () => {
    while (left-- > 0) await subject.read();
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (requests / (performance.now() - begin)) * 1000;
}

interface Comparison {
  /** Requests per second. */
  speeds: Record<SubjectName, number>;
  /** Speed relative to undici, at the same moment. */
  ratios: Record<SubjectName, number>;
}

const COMPARED: SubjectName[] = ["undici", "client", "auth0"];

/** In many short turns, back and forth, so that other work on the machine affects all alike. */
async function compareThroughput(tenant: Tenant, concurrency: number): Promise<Comparison> {
  const turns = 24;
  const perTurn = concurrency === 1 ? 80 : 200;
  const speeds: Record<SubjectName, number[]> = { undici: [], client: [], auth0: [] };
  const subjects = await Promise.all(
    COMPARED.map(async (name) => ({ name, subject: await SUBJECTS[name](tenant, concurrency) })),
  );
  for (const { subject } of subjects) await throughput(subject, concurrency, 5 * perTurn);
  for (let turn = 0; turn < turns; turn++) {
    for (const { name, subject } of subjects) {
      speeds[name].push(await throughput(subject, concurrency, perTurn));
    }
    subjects.reverse();
  }
  const ratio = (name: SubjectName) =>
    median(speeds[name].map((speed, turn) => speed / (speeds.undici[turn] as number)));
  return {
    speeds: { undici: median(speeds.undici), client: median(speeds.client), auth0: median(speeds.auth0) },
    ratios: { undici: 1, client: ratio("client"), auth0: ratio("auth0") },
  };
}

interface Writing {
  /** Seconds by the tenant's log, from the first write to the last. */
  seconds: number;
  refused: number;
  sent: number;
  failed: number;
}

async function write(name: SubjectName, processes: number): Promise<Writing> {
  return withTenant(`${BURST},${PER_SECOND}`, async (tenant) => {
    const writers = Array.from({ length: processes }, (_, i) =>
      start("bench/writer.ts", [name, JSON.stringify(tenant), String(WRITES / processes), `${name}-${i}`]),
    );
    await Promise.all(writers.map(({ line }) => line()));
    for (const { child } of writers) child.stdin?.write("go\n");
    const results = await Promise.all(writers.map(({ json }) => json()));
    const log = await requestsOf(tenant);
    const writes = log.filter(({ path }) => path.startsWith("/api/"));
    const done = writes.filter(({ status }) => status === 201);
    return {
      seconds: ((done.at(-1)?.at ?? 0) - (writes[0]?.at ?? 0)) / 1000,
      refused: writes.filter(({ status }) => status === 429).length,
      sent: writes.length,
      failed: results.reduce((sum, result) => sum + (JSON.parse(result) as { failed: number }).failed, 0),
    };
  });
}

const by = <T>(items: readonly T[], value: (item: T) => number) => median(items.map(value));

function print(header: string[], rows: string[][]): void {
  for (const row of [header, header.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`);
  console.log();
}

async function repeated<T>(times: number, run: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < times; i++) results.push(await run());
  return results;
}

async function benchThroughput(times: number): Promise<void> {
  const rows = await withTenant(NO_LIMIT, async (tenant) => {
    const rows: string[][] = [];
    for (const concurrency of [1, 8, 32]) {
      const runs = await repeated(times, () => compareThroughput(tenant, concurrency));
      rows.push([
        String(concurrency),
        by(runs, ({ speeds }) => speeds.undici).toFixed(0),
        by(runs, ({ speeds }) => speeds.client).toFixed(0),
        by(runs, ({ ratios }) => ratios.client).toFixed(2),
        by(runs, ({ ratios }) => ratios.auth0).toFixed(2),
      ]);
    }
    return rows;
  });
  print(
    ["requests at once", "undici, requests/s", "client, requests/s", "client ÷ undici", "auth0 ÷ undici"],
    rows,
  );
}

async function benchLimit(times: number): Promise<void> {
  const rows: string[][] = [];
  for (const [name, processes] of [
    ["client", 1],
    ["client", 3],
    ["auth0", 1],
    ["auth0", 3],
  ] as const) {
    const runs = await repeated(times, () => write(name, processes));
    rows.push([
      name,
      String(processes),
      by(runs, ({ seconds }) => seconds).toFixed(1),
      by(runs, ({ seconds }) => seconds / LEAST_SECONDS).toFixed(3),
      by(runs, ({ refused }) => refused).toFixed(0),
      `${by(runs, ({ refused, sent }) => (100 * refused) / sent).toFixed(1)} %`,
      by(runs, ({ failed }) => failed).toFixed(0),
    ]);
  }
  print(
    [
      `${WRITES} writes with`,
      "processes",
      "seconds",
      "÷ least possible",
      "refused (429)",
      "share",
      "given up",
    ],
    rows,
  );
}

async function benchPermissions(times: number): Promise<void> {
  const rows: string[][] = [];
  for (const concurrency of [16, 2]) {
    const ratios = await repeated(times, () => permissionsRatio(concurrency));
    rows.push([String(concurrency), median(ratios).toFixed(2)]);
  }
  print(["1,000 permissions, pages at once", "wall time ÷ least possible with the total known"], rows);
}

function benchReview(times: number): Promise<void> {
  // In turns, so that other work on the machine affects all alike.
  const sizes = [undefined, 3, 1_000, 10_000] as const;
  const runs = Array.from({ length: times }, () => sizes.map(costOfReview));
  const rows = sizes.map((changes, index) => {
    const costs = runs.flatMap((run) => run[index] ?? []);
    return [
      changes === undefined ? "none: `node -e 0`" : changes.toLocaleString("en-US"),
      by(costs, ({ milliseconds }) => milliseconds).toFixed(0),
      by(costs, ({ megabytes }) => megabytes).toFixed(0),
    ];
  });
  print(["changes in the preview", "milliseconds", "most memory, MB"], rows);
  return Promise.resolve();
}

async function benchPage(times: number): Promise<void> {
  const rows: string[][] = [];
  for (const share of [0.1, 0.25, 1]) {
    const costs = await repeated(times, () => Promise.resolve(costOfPage(share)));
    rows.push([
      by(costs, ({ grants }) => grants).toLocaleString("en-US"),
      (by(costs, ({ bytes }) => bytes) / 1e6).toFixed(2),
      by(costs, ({ elements }) => elements).toLocaleString("en-US"),
      by(costs, ({ ready }) => ready).toFixed(0),
      by(costs, ({ filter }) => filter).toFixed(0),
    ]);
  }
  print(
    [
      "page of 200 roles, 60 groups, 5,000 people: grants",
      "MB",
      "elements",
      "ms to the first frame",
      "ms of a filter",
    ],
    rows,
  );
}

async function benchHeld(times: number): Promise<void> {
  const rows: string[][] = [];
  for (const size of [100, 1_000, 10_000]) {
    const costs = await repeated(3 * times, () => costOfHeld(size));
    rows.push([
      size.toLocaleString("en-US"),
      by(costs, ({ once }) => once).toFixed(1),
      by(costs, ({ each }) => each).toFixed(4),
    ]);
  }
  print(["rows of the review", "ms to read it, once in a process", "ms for each request of 50 groups"], rows);
}

function benchStartUp(times: number): Promise<void> {
  const rows = ENTRIES.map((entry) => {
    const loads = Array.from({ length: 3 * times }, () => loadMilliseconds(entry));
    return [`\`${entry}\``, median(loads).toFixed(1)];
  });
  print(["loads beside `@pulumi/pulumi`", "milliseconds"], rows);
  return Promise.resolve();
}

async function benchHost(times: number, { older }: Options): Promise<void> {
  await benchHandlers(times);
  await withExecutable(({ file }) => benchPlugins(times, file, older));
}

/** The plugin as an executable, as npm's command, and that of an older checkout, in turn for each profile. */
async function benchPlugins(times: number, executable: string, older: string | undefined): Promise<void> {
  const profiles = 500;
  const folder = resolve(__dirname, "..");
  const subjects = [
    ...(older === undefined ? [] : [{ name: "older", folder: older, plugin: pluginOf(resolve(older)) }]),
    { name: "npm's command", folder, plugin: pluginOf(folder) },
    { name: "executable", folder, plugin: executable },
  ];
  const ports = await repeated(5 * times, () =>
    Promise.all(
      subjects.map(({ plugin }) =>
        plugin.endsWith(".js") ? untilOutput([plugin, "127.0.0.1:1"]) : untilOutput(["127.0.0.1:1"], plugin),
      ),
    ),
  );
  const spent = await repeated(times, () =>
    withTenants(subjects, (each) => spentInStep("plugin", each, profiles)),
  );
  const rowOf = (what: string, turns: readonly (readonly number[])[], digits: number) => [
    what,
    ...subjects.map((_, i) => by(turns, (turn) => turn[i] ?? NaN).toFixed(digits)),
    ...subjects
      .slice(1)
      .map((_, i) => by(turns, (turn) => (turn[i + 1] ?? NaN) / (turn[0] ?? NaN)).toFixed(2)),
  ];
  print(
    [
      "the plugin",
      ...subjects.map(({ name }) => name),
      ...subjects.slice(1).map(({ name }) => `${name} ÷ ${subjects[0]?.name}`),
    ],
    [
      rowOf("to its port, ms of processor time", ports, 0),
      ...OPERATIONS.flatMap((operation) => [
        rowOf(
          `${profiles} profiles, ${operation}: s of processor time`,
          spent.map((turn) => turn.map((side) => side[operation].seconds)),
          2,
        ),
        rowOf(
          "most memory, MiB",
          spent.map((turn) => turn.map((side) => side[operation].megabytes)),
          0,
        ),
      ]),
    ],
  );
}

/** Runs something with a tenant for each of these. */
function withTenants<About, Result>(
  abouts: readonly About[],
  run: (each: (About & { tenant: Tenant })[]) => Promise<Result>,
  sofar: (About & { tenant: Tenant })[] = [],
): Promise<Result> {
  const [about, ...rest] = abouts;
  if (about === undefined) return run(sofar);
  return withTenant(NO_LIMIT, (tenant) => withTenants(rest, run, [...sofar, { ...about, tenant }]));
}

async function benchMemory(): Promise<void> {
  const rows: string[][] = [];
  await measureMemory(({ way, tenants, memory: { hosts, megabytes, ownOfHosts } }) =>
    rows.push([
      String(tenants),
      way,
      (ownOfHosts / hosts.length).toFixed(0),
      megabytes.host.toFixed(0),
      megabytes.program.toFixed(0),
      megabytes.pulumi.toFixed(0),
    ]),
  );
  print(["tenants", "provider", "of each host, MiB", "all hosts", "program", "Pulumi"], rows);
}

/** For a host that is called for 200 profiles, one after the other. */
async function benchHandlers(times: number): Promise<void> {
  const count = 200;
  const costs = await repeated(times, () =>
    withTenant(NO_LIMIT, async (tenant) => ({
      floor: await hostCost("floor", count, tenant),
      ours: await hostCost("ours", count, tenant),
    })),
  );
  const rows = STEPS.map((step) => {
    const [ours, floor] = (["ours", "floor"] as const).map((subject) =>
      by(costs, (cost) => cost[subject][step] * (step === "start" ? 1_000 : 1_000 / count)).toFixed(2),
    );
    return [step === "start" ? "first check of the process" : `each ${step}`, floor ?? "", ours ?? ""];
  });
  print(["provider host", "floor, ms of processor time", "ours"], rows);
}

async function benchEngine(times: number, { sizes, folder }: Options): Promise<void> {
  const results: EngineResults = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: cpus().length,
    lives: [],
  };
  for (const size of sizes) {
    for (let repetition = 1; repetition <= times; repetition++) {
      const lives = await withTenant(NO_LIMIT, (ours) =>
        withTenant(NO_LIMIT, (plugin) =>
          // The floor sends no requests.
          withTenant(NO_LIMIT, (tutorial) => liveAll(size, { floor: ours, ours, plugin, tutorial })),
        ),
      );
      for (const subject of PROVIDERS)
        results.lives.push({ size, repetition, subject, life: lives[subject] });
    }
  }
  for (const table of [tableOf(results), sizesTableOf(results)]) console.log(`${table.join("\n")}\n`);
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bench.json"), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(folder, "bench.svg"), chartOf(results));
}

async function benchRefresh(times: number, { folder }: Options): Promise<void> {
  const results = await measureRefresh(times);
  report("refresh.json", refreshTable(results), results, folder);
}

async function benchLists(times: number, { folder }: Options): Promise<void> {
  const results = await measureLists(times);
  report("lists.json", listsTable(results), results, folder);
}

/** Ours, beside which the page has OpenTofu. */
async function benchRate(times: number): Promise<void> {
  const runs = await repeated(times, measureRate);
  const rows = (runs[0] ?? []).map(({ work }, place) => {
    const of = runs.flatMap((run) => run[place] ?? []);
    return [
      work,
      by(of, ({ seconds }) => seconds).toFixed(1),
      by(of, ({ sent }) => sent).toFixed(0),
      by(of, ({ refused }) => refused).toFixed(0),
    ];
  });
  print(
    [
      `${PROFILES} profiles, ${RATE_BURST} at once and ${RATE_PER_SECOND}/s`,
      "seconds",
      "requests",
      "refused (429)",
    ],
    rows,
  );
}

async function benchAgainst(times: number, { older }: Options): Promise<void> {
  if (older === undefined) return;
  const middle = (values: readonly number[]) => (values.length === 0 ? "" : median(values).toFixed(2));
  const rowOf = ({ what, unit, old, now }: SideBySide) => {
    const ratios = now.flatMap((value, turn) => value / (old[turn] ?? NaN)).filter((ratio) => !isNaN(ratio));
    return [what, middle(old), middle(now), unit, middle(ratios)];
  };
  const show = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
  const header = ["What", "Older", "Now", "Unit", "Now ÷ older"];
  // Each as soon as it's known, since all take minutes.
  for (const cells of [header, header.map(() => "---")]) show(cells);
  await measureAgainst(older, times, (row) => show(rowOf(row)));
}

async function benchKnobs(times: number, { folder }: Options): Promise<void> {
  const results = await measureKnobs(times);
  report("knobs.json", knobsTable(results), results, folder);
}

function report(file: string, table: string[], results: object, folder: string | undefined): void {
  console.log(`${table.join("\n")}\n`);
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), `${JSON.stringify(results, undefined, 2)}\n`);
}

interface Options {
  /** Numbers of profiles. */
  sizes: number[];
  /** The folder for results. */
  folder: string | undefined;
  /** The folder of an older checkout. */
  older: string | undefined;
}

const PARTS: Record<(typeof PART_NAMES)[number], (times: number, options: Options) => Promise<void>> = {
  throughput: benchThroughput,
  limit: benchLimit,
  permissions: benchPermissions,
  review: benchReview,
  page: benchPage,
  held: benchHeld,
  "start-up": benchStartUp,
  host: benchHost,
  engine: benchEngine,
  refresh: benchRefresh,
  lists: benchLists,
  knobs: benchKnobs,
  rate: benchRate,
  memory: benchMemory,
  against: benchAgainst,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      repeat: { type: "string", default: "5" },
      only: { type: "string" },
      sizes: { type: "string", default: "50,200,1000" },
      write: { type: "string" },
      against: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const times = Number(values.repeat);
  const sizes = values.sizes.split(",").map(Number);
  const isCount = (count: number) => Number.isInteger(count) && count >= 1;
  const wrong =
    ![times, ...sizes].every(isCount) ||
    ![undefined, ...PART_NAMES].includes(values.only as (typeof PART_NAMES)[number] | undefined);
  if (values.help || wrong) {
    process.stdout.write(USAGE);
    process.exitCode = wrong ? 2 : 0;
    return;
  }
  for (const part of PART_NAMES)
    if (values.only === undefined || values.only === part)
      await PARTS[part](times, { sizes, folder: values.write, older: values.against });
}

void main();
