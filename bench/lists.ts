import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SeedInput } from "../simulator/types";
import { median } from "./results";
import { type Tenant } from "./subjects";
import { NO_LIMIT, withTenant } from "./tenant-process";

/*
 * The cost of the longest lists: a separate process reads each to its end, with the built package, from a
 * nearby tenant without a limit.
 */

const PROFILES = 100_000;
const ROLES = 1_000;
const GROUPS_OF_ROLE = 2_500;

const dist = resolve(__dirname, "../dist/provider");

const LISTS = {
  nothing: { seed: (): SeedInput => ({}), read: "async () => 0" },
  "connection profiles": {
    seed: (): SeedInput => ({
      connection_profiles: Array.from({ length: PROFILES }, (_, i) => ({
        name: `profile ${i}`,
        connection_name_prefix_template: "con-{org_id}",
        enabled_features: ["scim"],
      })),
    }),
    read: `async (client) => {
      const { connectionProfiles, profileRecord } = require("./service/connection-profiles");
      return (await connectionProfiles(client, profileRecord).list()).length;
    }`,
  },
  "groups of roles": {
    seed: (): SeedInput => {
      const groups = Array.from({ length: GROUPS_OF_ROLE }, (_, i) => idOf("grp", i));
      return {
        groups: groups.map((id) => ({ id, name: id })),
        roles: Array.from({ length: ROLES }, (_, i) => ({ id: idOf("rol", i), name: `role ${i}`, groups })),
      };
    },
    read: `async (client) => {
      const { readRoleGroups } = require("./service/roles");
      const lists = [];
      for (let i = 0; i < ${ROLES}; i++) lists.push(await readRoleGroups(client, idOf("rol", i)));
      return lists.flat().length;
    }`,
  },
};
type ListName = keyof typeof LISTS;

/** Ids contain no 0, I, O and l. */
function idOf(kind: string, number: number): string {
  return `${kind}_${String(number).padStart(18, "0").replaceAll("0", "A")}`;
}

interface ListCost {
  list: ListName;
  entries: number;
  /** Includes the token's request. */
  requests: number;
  seconds: number;
  /** Of the reading process. */
  cpuSeconds: number;
  /** Peak memory of the reading process. */
  megabytes: number;
}

/** Results of `npm run bench -- --only lists`. */
export interface ListResults {
  /** `2026-11-22` */
  date: string;
  node: string;
  runs: ({ round: number } & ListCost)[];
}

export async function measureLists(rounds: number): Promise<ListResults> {
  const runs: ListResults["runs"] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const list of Object.keys(LISTS) as ListName[]) {
      runs.push({ round, ...(await measure(list)) });
      // It takes long, so show that it goes on.
      process.stderr.write(`${JSON.stringify(runs.at(-1))}\n`);
    }
  }
  return { date: new Date().toISOString().slice(0, 10), node: process.version, runs };
}

async function measure(list: ListName): Promise<ListCost> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  try {
    const seed = join(folder, "seed.json");
    writeFileSync(seed, JSON.stringify(LISTS[list].seed()));
    const printed = await withTenant(NO_LIMIT, (tenant) => readIn(list, tenant), ["--seed", seed]);
    return { list, ...(JSON.parse(printed) as Omit<ListCost, "list">) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads a list in a process that loads only the code for it. */
async function readIn(list: ListName, { url, clientId, clientSecret }: Tenant): Promise<string> {
  const script = `
    const { IdentityClient } = require("./http/client");
    const { DEFAULT_LIMITS } = require("./http/settings");
    ${idOf.toString()}
    const client = new IdentityClient({
      origin: ${JSON.stringify(url)},
      credentials: { type: "client-secret", ...${JSON.stringify({ clientId, clientSecret })} },
      limits: DEFAULT_LIMITS,
      nameOf: (setting) => setting,
      rotation: () => "",
    });
    const begin = performance.now();
    (${LISTS[list].read})(client).then((entries) => {
      const { user, system } = process.cpuUsage();
      const { requests, tokenRequests } = client.statistics;
      console.log(JSON.stringify({
        entries,
        requests: requests + tokenRequests,
        seconds: (performance.now() - begin) / 1000,
        cpuSeconds: (user + system) / 1e6,
        megabytes: process.resourceUsage().maxRSS / 1024,
      }));
      process.exit();
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { cwd: dist });
  return stdout;
}

/** Lines of a Markdown table: medians over the rounds. */
export function listsTable({ runs }: ListResults): string[] {
  const header = ["List", "Requests", "Time, s", "Most memory, MiB"];
  const rows = (Object.keys(LISTS) as ListName[]).map((list) => {
    const of = (value: (cost: ListCost) => number) =>
      median(runs.filter((run) => run.list === list).map(value));
    return [
      NAMES[list],
      of(({ requests }) => requests).toLocaleString("en-US"),
      of(({ seconds }) => seconds).toFixed(1),
      of(({ megabytes }) => megabytes).toFixed(0),
    ];
  });
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

const NAMES: Record<ListName, string> = {
  nothing: "none: Node.js by itself",
  "connection profiles": `${PROFILES.toLocaleString("en-US")} connection profiles`,
  "groups of roles": `${ROLES.toLocaleString("en-US")} roles, of ${GROUPS_OF_ROLE.toLocaleString("en-US")} groups each`,
};
