import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PluginHost } from "../testkit/hosts/plugin-host";
import { type CommandResult, Stack } from "../testkit/stack";
import { CONFLICTS, costOfCommand, LARGE, ONE_CONFLICT } from "./against-commands";
import { type DoorName, OPERATIONS, pluginOf, spentInStep } from "./in-step";
import { processorMilliseconds, watchProcesses } from "./processes";
import { NO_LIMIT, requestsOf, withTenant } from "./tenant-process";

/*
 * This checkout against an older one, built as well. Both take turns, so that other work on the machine
 * affects them alike, and what counts is the ratio within a turn.
 */

/** Ratios of one subject, by turn. */
export interface SideBySide {
  what: string;
  unit: string;
  old: number[];
  now: number[];
}

type Side = "old" | "now";

const PROFILES = 500;
const FEW_PROFILES = 50;
const ASSIGNMENTS = 20;
const LATENCY_MS = "50";
const LONGEST_CALL_MS = 300_000;
/** The older one takes minutes for the larger number. */
const GROUPS = { few: 20_000, many: 300_000 } as const;

/** Calls `onRow` with each comparison as soon as it's made. */
export async function measureAgainst(
  older: string,
  turns: number,
  onRow: (row: SideBySide) => void,
): Promise<void> {
  const folders = { old: resolve(older), now: resolve(__dirname, "..") };
  for (const measure of [commands, ports, groups, fewResources, hosts, reviews, profiles])
    for (const row of await measure(folders, turns)) onRow(row);
}

async function repeated<Result>(times: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let turn = 0; turn < times; turn++) results.push(await run());
  return results;
}

type Folders = Readonly<Record<Side, string>>;

/** Runs each side in turn; the results of a turn by what they are of. */
async function compared(
  turns: number,
  measure: (side: Side) => Promise<Record<string, readonly [value: number, unit: string]>>,
): Promise<SideBySide[]> {
  const rows = new Map<string, SideBySide>();
  for (let turn = 0; turn < turns; turn++) {
    for (const side of turn % 2 === 0 ? (["old", "now"] as const) : (["now", "old"] as const)) {
      for (const [what, [value, unit]] of Object.entries(await measure(side))) {
        const row = rows.get(what) ?? { what, unit, old: [], now: [] };
        rows.set(what, row);
        row[side].push(value);
      }
    }
  }
  return [...rows.values()];
}

function ports(folders: Folders, turns: number): Promise<SideBySide[]> {
  return compared(5 * turns, async (side) => {
    const empty = await untilOutput(["-e", "process.stdout.write('1'); setInterval(() => {}, 1000)"]);
    const plugin = await untilOutput([pluginOf(folders[side]), "127.0.0.1:1"]);
    return { "plugin to its port, over an empty Node.js": [plugin - empty, "ms of processor time"] };
  });
}

/** Milliseconds of processor time until a process prints something. */
export async function untilOutput(args: readonly string[], command = process.execPath): Promise<number> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const spent = processorMilliseconds(child.pid ?? -1);
  child.kill("SIGKILL");
  await once(child, "exit");
  return spent;
}

async function groups(folders: Folders): Promise<SideBySide[]> {
  const few = await compared(1, async (side) => ({
    [`${GROUPS.few} groups in one assignment: check and diff`]: [
      await groupsCost(folders[side], GROUPS.few),
      "s of processor time",
    ],
  }));
  const many = await groupsCost(folders.now, GROUPS.many);
  const what = `${GROUPS.many} groups in one assignment: check and diff`;
  return [...few, { what, unit: "s of processor time", old: [], now: [many] }];
}

/** Seconds of processor time in the plugin. */
async function groupsCost(folder: string, count: number): Promise<number> {
  const host = await PluginHost.start({ plugin: pluginOf(folder), callMs: LONGEST_CALL_MS });
  const ids = Array.from(
    { length: count + 1 },
    (_, i) => `grp_${String(i).replaceAll("0", "Z").padStart(22, "A")}`,
  );
  const __provider = "require('pulumi-identity/runtime').roleGroupAssignment";
  const roleId = "rol_4hNkVx8QmTz2bRcW";
  const inputs = { roleId, exclusive: false, __provider };
  try {
    await host.configure({ "identity:domain": "tenant.example.com", "identity:accessToken": "none" });
    const before = processorMilliseconds(host.processId);
    const news = { ...inputs, groupIds: ids.slice(1) };
    const checked = await host.check({ ...inputs, groupIds: ids.slice(0, -1) }, news);
    const { failures } = checked;
    if (failures.length > 0) throw new Error(failures[0]?.reason);
    const state = { ...inputs, groupIds: ids.slice(0, -1), tenant: "tenant.example.com" };
    await host.diff(roleId, state, checked.inputs);
    return (processorMilliseconds(host.processId) - before) / 1000;
  } finally {
    await host.stop();
  }
}

/** Commands on a large tenant. */
async function commands(folders: Folders, turns: number): Promise<SideBySide[]> {
  const rows: SideBySide[] = [];
  for (const job of LARGE)
    rows.push(
      ...(await compared(1, async (side) => ({
        [`${job.what}: requests`]: [(await costOfCommand(folders[side], job)).requests, ""],
      }))),
    );
  for (const job of CONFLICTS)
    rows.push(
      ...(await compared(turns, async (side) => costRow(job.what, await costOfCommand(folders[side], job)))),
    );
  const now = costRow(ONE_CONFLICT.what, await costOfCommand(folders.now, ONE_CONFLICT));
  for (const [what, [value, unit]] of Object.entries(now)) rows.push({ what, unit, old: [], now: [value] });
  return rows;
}

function costRow(what: string, { seconds, megabytes }: { seconds: number; megabytes: number }) {
  return {
    [what]: [seconds, "s of processor time"],
    [`${what}: most memory`]: [megabytes, "MiB"],
  } as const;
}

/** Hosts alone, both at once. */
function hosts(folders: Folders, turns: number): Promise<SideBySide[]> {
  return inStep(folders, turns, PROFILES, ["plugin", "dynamic"]);
}

function fewResources(folders: Folders, turns: number): Promise<SideBySide[]> {
  return inStep(folders, turns, FEW_PROFILES, ["plugin"]);
}

async function inStep(
  folders: Folders,
  turns: number,
  profiles: number,
  doors: readonly DoorName[],
): Promise<SideBySide[]> {
  const rows: SideBySide[] = [];
  for (const door of doors) {
    const spent = await repeated(turns, () =>
      withTenant(NO_LIMIT, (ofOld) =>
        withTenant(NO_LIMIT, (ofNow) =>
          spentInStep(
            door,
            [
              { folder: folders.old, tenant: ofOld },
              { folder: folders.now, tenant: ofNow },
            ],
            profiles,
          ),
        ),
      ),
    );
    for (const operation of OPERATIONS)
      for (const [part, unit] of [
        ["seconds", "s of processor time"],
        ["megabytes", "MiB, most memory"],
      ] as const) {
        const of = (side: number) => spent.map((turn) => turn[side]?.[operation][part] ?? NaN);
        rows.push({
          what: `${profiles} profiles, ${door} host in step: ${operation}`,
          unit,
          old: of(0),
          now: of(1),
        });
      }
  }
  return rows;
}

/** A review beside the preview that it makes. */
async function reviews(folders: Folders, turns: number): Promise<SideBySide[]> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  const [seed, program] = seedAndProgram();
  const file = join(folder, "seed.json");
  writeFileSync(file, seed);
  try {
    return await withTenant(
      NO_LIMIT,
      (tenant) =>
        withStacks(folders, { program, language: "yaml" }, async (stacks) => {
          // By the environment alone, a preview of a YAML program doesn't say which tenant it is of.
          for (const stack of Object.values(stacks)) await stack.configure(tenant);
          const runs = (stack: Stack) => ({
            preview: () => stack.preview(),
            "review --no-read": () => stack.review({ args: ["--no-read"] }),
            review: () => stack.review(),
          });
          // Short commands that differ by hundredths of a second.
          const rows = await compared(3 * turns, async (side) => {
            const found: Record<string, readonly [number, string]> = {};
            for (const [what, run] of Object.entries(runs(stacks[side])))
              found[`${ASSIGNMENTS} assignments, ${LATENCY_MS} ms a request: ${what}`] = [
                (await timed(run)).seconds,
                "s",
              ];
            await fetch(`${tenant.url}/_simulator/reset`, { method: "POST" });
            await stacks[side].review();
            found["requests of that review"] = [(await requestsOf(tenant)).length, ""];
            return found;
          });
          const [preview, unread, review] = rows;
          const ratio = (what: string, one: SideBySide | undefined, other: SideBySide | undefined) => ({
            what,
            unit: "",
            old: (one?.old ?? []).map((value, turn) => value / (other?.old[turn] ?? NaN)),
            now: (one?.now ?? []).map((value, turn) => value / (other?.now[turn] ?? NaN)),
          });
          return [
            ...rows,
            ratio("review --no-read ÷ preview", unread, preview),
            ratio("review ÷ review --no-read", review, unread),
          ];
        }),
      ["--latency", LATENCY_MS, "--seed", file],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Half of the roles have a group already; each group has a member. */
function seedAndProgram(): [seed: string, program: string] {
  const idOf = (prefix: string, index: number, length: number) =>
    `${prefix}_${String(111_111 + index)
      .replaceAll("0", "Z")
      .padEnd(length, "a")}`;
  const places = Array.from({ length: ASSIGNMENTS }, (_, index) => ({
    role: idOf("rol", index, 16),
    group: idOf("grp", index, 22),
    other: idOf("grp", (index + 1) % ASSIGNMENTS, 22),
  }));
  const seed = {
    roles: places.map(({ role, other }, index) => ({
      id: role,
      name: `role ${index}`,
      groups: index % 2 === 0 ? [other] : [],
    })),
    groups: places.map(({ group }, index) => ({ id: group, name: `group ${index}` })),
    users: places.map(({ group }, index) => ({ user_id: `auth0|${index}`, groups: [group] })),
  };
  const resources = places.map(
    ({ role, group }, index) => `  assignment-${index}:
    type: identity:RoleGroupAssignment
    properties:
      roleId: ${role}
      groupIds: [${group}]
`,
  );
  return [JSON.stringify(seed), `resources:\n${resources.join("")}`];
}

async function profiles(folders: Folders, turns: number): Promise<SideBySide[]> {
  const yaml = Array.from(
    { length: PROFILES },
    (_, index) => `  profile-${index}:
    type: identity:ConnectionProfile
    properties:
      name: profile ${index}
      connectionNamePrefixTemplate: "con-{org_id}"
      enabledFeatures: [scim]
`,
  );
  const js = `
    const { ConnectionProfile } = require("pulumi-identity");
    for (let i = 0; i < ${PROFILES}; i++)
      new ConnectionProfile("profile-" + i, {
        name: "profile " + i, connectionNamePrefixTemplate: "con-{org_id}", enabledFeatures: ["scim"],
      });`;
  const doors = [
    { door: "plugin", program: `resources:\n${yaml.join("")}`, language: "yaml" },
    { door: "dynamic", program: js, language: "js" },
  ] as const;
  const rows: SideBySide[] = [];
  for (const { door, ...given } of doors)
    rows.push(
      ...(await withTenant(NO_LIMIT, (ofOld) =>
        withTenant(NO_LIMIT, (ofNow) =>
          withStacks(folders, given, async (stacks) => {
            await stacks.old.configure(ofOld);
            await stacks.now.configure(ofNow);
            return lives(stacks, { door, turns });
          }),
        ),
      )),
    );
  return rows;
}

async function lives(
  stacks: Readonly<Record<Side, Stack>>,
  { door, turns }: { door: string; turns: number },
): Promise<SideBySide[]> {
  const title = `${PROFILES} profiles, ${door}`;
  const first = await compared(turns, async (side) => {
    await stacks[side].destroy();
    const { host, megabytes } = await timed(() => stacks[side].up(), stacks[side]);
    return {
      [`${title}: create, the host`]: [host, "s of processor time"],
      [`${title}: create, most memory of a host`]: [megabytes, "MiB"],
    };
  });
  const others = await compared(turns, async (side) => {
    const stack = stacks[side];
    const refresh = await timed(() => stack.refresh(), stack);
    const plan = await timed(() => stack.preview({ args: ["--refresh"] }), stack);
    return {
      [`${title}: refresh, the host`]: [refresh.host, "s of processor time"],
      [`${title}: refresh, all processes`]: [refresh.all, "s of processor time"],
      [`${title}: refresh, most memory of a host`]: [refresh.megabytes, "MiB"],
      [`${title}: plan with reads, all processes`]: [plan.all, "s of processor time"],
      [`${title}: plan with reads, most memory of a host`]: [plan.megabytes, "MiB"],
    };
  });
  return [...first, ...others];
}

async function withStacks<Result>(
  folders: Folders,
  options: { program: string; language: "js" | "yaml" },
  run: (stacks: Readonly<Record<Side, Stack>>) => Promise<Result>,
): Promise<Result> {
  const old = await Stack.create({ ...options, checkout: folders.old });
  try {
    const now = await Stack.create({ ...options, checkout: folders.now });
    try {
      return await run({ old, now });
    } finally {
      now.remove();
    }
  } finally {
    old.remove();
  }
}

interface Spent {
  seconds: number;
  /** Seconds of processor time. */
  host: number;
  all: number;
  /** Peak memory of a host. */
  megabytes: number;
}

async function timed(run: () => Promise<CommandResult>, stack?: Stack): Promise<Spent> {
  const watch = stack && watchProcesses(stack.home);
  const begin = performance.now();
  const { code, all } = await run();
  const seconds = (performance.now() - begin) / 1000;
  const use = watch?.end();
  if (code !== 0) throw new Error(all);
  const { host = 0, program = 0, pulumi = 0 } = use?.processorSeconds ?? {};
  return { seconds, host, all: host + program + pulumi, megabytes: use?.hostMegabytes ?? 0 };
}
