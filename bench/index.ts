import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureAgainst, type SideBySide, untilOutput } from "./against";
import { liveAll, PROVIDERS } from "./engine";
import { withExecutable } from "./executable";
import { OPERATIONS, pluginOf, spentInStep } from "./in-step";
import { knobsTable, measureKnobs } from "./knobs";
import { measureMemory } from "./memory";
import { costOfPage } from "./page";
import { BURST as RATE_BURST, measureRate, PER_SECOND as RATE_PER_SECOND, PROFILES } from "./rate";
import { type EngineResults, median, tableOf } from "./results";
import { costOfReview } from "./review";
import { type SubjectName, type Tenant } from "./subjects";
import { NO_LIMIT, requestsOf, start, withTenant } from "./tenant-process";

const PART_NAMES = [
  "engine",
  "host",
  "memory",
  "rate",
  "limit",
  "review",
  "page",
  "knobs",
  "against",
] as const;

const USAGE = `Usage: npm run bench -- [options]

Measures what docs/contributing/benchmarks.md shows, on a simulated tenant in a process of its own. Every number is
the median of the repetitions.

  engine   Pulumi commands with many profiles: nothing but Pulumi, the classes, the plugin
  host     the plugin as an executable and as npm's command
  memory   provider hosts of many tenants
  rate     a YAML program under a rate limit
  limit    many writes under a rate limit, with this client and the official one
  review   the command "review"
  page     the page of a large tenant, in Chromium
  knobs    what users can turn to make Pulumi faster
  against  this checkout beside an older one

Options:
  --only WHAT      One of these. Default: all.
  --repeat N       Repetitions. Default: 5.
  --sizes N,N      Profiles of "engine". Default: 20,500.
  --against FOLDER An older checkout, built: what "against" compares with, and "host" too. Without it, "against" is
                   skipped.
  --write FOLDER   Writes what "engine" and "knobs" measured there, as docs/ has it.
  --help           This text.
`;

const BURST = 10;
const PER_SECOND = 20;
const WRITES = 300;
/** The minimum number of seconds for the writes. */
const LEAST_SECONDS = (WRITES - BURST) / PER_SECOND;

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

async function benchHost(times: number, { older }: Options): Promise<void> {
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
        // The floor sends no requests.
        withTenant(NO_LIMIT, (plugin) => liveAll(size, { floor: ours, ours, plugin })),
      );
      for (const subject of PROVIDERS)
        results.lives.push({ size, repetition, subject, measured: lives[subject] });
    }
  }
  report("bench.json", tableOf(results), results, folder);
}

/** Ours: the page has OpenTofu's share. */
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
  engine: benchEngine,
  host: benchHost,
  memory: benchMemory,
  rate: benchRate,
  limit: benchLimit,
  review: benchReview,
  page: benchPage,
  knobs: benchKnobs,
  against: benchAgainst,
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      repeat: { type: "string", default: "5" },
      only: { type: "string" },
      sizes: { type: "string", default: "20,500" },
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
