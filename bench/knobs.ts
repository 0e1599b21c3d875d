import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pulumiCli } from "../testkit/stack";
import { type Postgres, startPostgres } from "../testkit/postgres";
import { type Cost, costOf, profileStack } from "./profile-stack";
import { median } from "./results";
import { NO_LIMIT, withTenant } from "./tenant-process";

/*
 * Settings with which users can make Pulumi faster. Each is compared with the same command without it, in the
 * same round, so that other work on the machine affects both.
 */

const PROFILES = 200;
/** Milliseconds that each request waits, as for a remote tenant. */
const LATENCY_MS = 50;

/** The measured settings, by their names in the table. */
const SETTINGS = {
  "nothing turned": { command: "up" },
  "`--parallel 1`": { command: "up", args: ["--parallel", "1"] },
  "`--parallel 32`": { command: "up", args: ["--parallel", "32"] },
  "`PULUMI_SKIP_CHECKPOINTS=true`": {
    command: "up",
    env: { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" },
  },
  "state in PostgreSQL": { command: "up", postgres: true },
  "Node.js 20": { command: "preview" },
  "Node.js 22": { command: "preview", node22: true },
  "Node.js 22, `NODE_COMPILE_CACHE`": { command: "preview", node22: true, compileCache: true },
} satisfies Record<string, Setting>;
type SettingName = keyof typeof SETTINGS;

interface Setting {
  /** `up` creates all profiles; `preview` shows the start-up time of Node.js. */
  command: "up" | "preview";
  args?: string[];
  env?: Record<string, string>;
  postgres?: boolean;
  node22?: boolean;
  compileCache?: boolean;
}

/** Pairs of settings to compare. */
const COMPARED: [SettingName, SettingName][] = [
  ["`--parallel 1`", "nothing turned"],
  ["`--parallel 32`", "nothing turned"],
  ["`PULUMI_SKIP_CHECKPOINTS=true`", "nothing turned"],
  ["state in PostgreSQL", "nothing turned"],
  ["Node.js 22", "Node.js 20"],
  ["Node.js 22, `NODE_COMPILE_CACHE`", "Node.js 22"],
];

/** Results of `npm run bench -- --only knobs`. */
export interface KnobResults {
  date: string;
  /** Versions of Node.js: the one that ran, and the one behind "Node.js 22". */
  node: string;
  node22: string;
  postgres: string;
  cores: number;
  profiles: number;
  latencyMs: number;
  runs: ({ round: number; setting: SettingName } & Cost)[];
}

/** Everything that the settings need. */
interface Machine {
  postgres: Postgres;
  node22: { folder: string; version: string };
  compileCache: string;
}

export async function measureKnobs(rounds: number): Promise<KnobResults> {
  const machine: Machine = {
    node22: nodeOf("22"),
    postgres: await startPostgres(),
    compileCache: mkdtempSync(join(tmpdir(), "pulumi-identity-compile-cache-")),
  };
  try {
    const runs: KnobResults["runs"] = [];
    // Fills the compile cache.
    await measure(machine, "Node.js 22, `NODE_COMPILE_CACHE`");
    for (let round = 1; round <= rounds; round++) {
      const names = Object.keys(SETTINGS) as SettingName[];
      // Back and forth, so that a slow phase of the machine doesn't always hit the same one.
      for (const setting of round % 2 === 1 ? names : names.reverse()) {
        runs.push({ round, setting, ...(await measure(machine, setting)) });
        // The rounds take long, so show that they go on.
        process.stderr.write(`${JSON.stringify(runs.at(-1))}\n`);
      }
    }
    return {
      date: new Date().toISOString().slice(0, 10),
      node: process.version,
      node22: machine.node22.version,
      postgres: machine.postgres.version,
      cores: cpus().length,
      profiles: PROFILES,
      latencyMs: LATENCY_MS,
      runs,
    };
  } finally {
    await machine.postgres.stop();
    rmSync(machine.compileCache, { recursive: true });
  }
}

let stacks = 0;

async function measure(machine: Machine, name: SettingName): Promise<Cost> {
  const setting: Setting = SETTINGS[name];
  const { command, args = [], postgres = false } = setting;
  const env = { ...setting.env, ...(await nodeEnvironment(machine, setting)) };
  return withTenant(
    NO_LIMIT,
    async (tenant) => {
      const stack = await profileStack(tenant, {
        count: PROFILES,
        names: `knobs-${++stacks}`,
        env: postgres ? { ...env, PGPASSWORD: machine.postgres.password } : env,
        ...(postgres ? { backend: machine.postgres.url } : {}),
      });
      try {
        return await costOf(stack, () => stack[command]({ args }));
      } finally {
        stack.remove();
      }
    },
    ["--latency", String(LATENCY_MS)],
  );
}

async function nodeEnvironment(machine: Machine, setting: Setting): Promise<Record<string, string>> {
  if (setting.node22 !== true) return {};
  const { env } = await pulumiCli();
  return {
    PATH: [machine.node22.folder, env.PATH].join(delimiter),
    ...(setting.compileCache === true ? { NODE_COMPILE_CACHE: machine.compileCache } : {}),
  };
}

/** Another Node.js, installed by npm. */
function nodeOf(version: string): Machine["node22"] {
  const args = ["--yes", "--package", `node@${version}`, "node", "-p"];
  const print = 'process.execPath + " " + process.version';
  const [path = "", found = ""] = execFileSync("npx", [...args, print], { encoding: "utf8" })
    .trim()
    .split(" ");
  return { folder: dirname(path), version: found };
}

/** Lines of a Markdown table: median, minimum and maximum of the rounds. */
export function knobsTable({ runs }: KnobResults): string[] {
  const rounds = [...new Set(runs.map(({ round }) => round))];
  const ratio = (one: SettingName, other: SettingName, of: (cost: Cost) => number) => {
    const cost = (round: number, setting: SettingName) => {
      const run = runs.find((each) => each.round === round && each.setting === setting);
      return run === undefined ? NaN : of(run);
    };
    const ratios = rounds.map((round) => cost(round, one) / cost(round, other));
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
    return `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
  };
  const rows = COMPARED.map(([one, other]) => [
    one,
    other,
    `\`${SETTINGS[one].command}\``,
    ratio(one, other, ({ seconds }) => seconds),
    ratio(one, other, ({ cpuSeconds }) => cpuSeconds),
  ]);
  const header = ["With", "Compared with", "Command", "Time", "Processor time"];
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
