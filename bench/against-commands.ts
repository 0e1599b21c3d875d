import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SeedInput } from "../simulator";
import {
  BIG_GROUPS,
  changesOf,
  GROUPS,
  largeTenant,
  ROLES,
  RULES,
  SMALL_GROUPS,
  TWELVE,
} from "../testkit/cli/large-tenant";
import { groups, previewText, step, TENANT } from "../testkit/cli/previews";
import { type Tenant } from "./subjects";
import { NO_LIMIT, requestsOf, withTenant } from "./tenant-process";

/* What commands of a checkout's build ask of a large tenant, and what they take. */

export interface CommandCost {
  /** Without those for who has roles directly, which an older checkout may not ask for. */
  requests: number;
  /** Of processor time. */
  seconds: number;
  /** Peak memory. */
  megabytes: number;
}

type Changes = ReturnType<typeof changesOf>;

interface Job {
  what: string;
  seed: SeedInput;
  rules: string;
  /** A review of these; without them an audit. */
  changes?: Changes;
}

const onTenants = (what: string, changes?: Changes): Job[] =>
  [
    { members: "100 at most", seed: SMALL_GROUPS },
    { members: "hundreds", seed: BIG_GROUPS },
  ].map(({ members, seed }) => ({
    what: `${what}, 200 roles, 60 groups, members of a group: ${members}`,
    seed,
    rules: RULES,
    ...(changes && { changes }),
  }));

/** Their requests count. */
export const LARGE: readonly Job[] = [
  ...onTenants("access --rules"),
  ...onTenants("review --rules of 200 roles", changesOf(200)),
  ...onTenants("review --rules of 12 roles", TWELVE),
];

/** Their time and memory count. */
export const CONFLICTS: readonly Job[] = [
  {
    what: "access --rules, two roles of 3,000 groups each that conflict",
    seed: twoRoles(3_000),
    rules: JSON.stringify({ conflicts: [ROLES.slice(0, 2)] }),
  },
];

/** The older checkout runs out of memory. */
export const ONE_CONFLICT: Job = {
  what: "access --rules, 200 roles in one conflict, 60 groups",
  seed: largeTenant(() => 5, 300),
  rules: JSON.stringify({ conflicts: [ROLES] }),
};

function twoRoles(each: number): SeedInput {
  const ids = Array.from({ length: 2 * each }, (_, index) =>
    `${GROUPS[0]}${index + 1111}`.replaceAll("0", "z"),
  );
  return {
    groups: ids.map((id, index) => ({ id, name: `group ${index}` })),
    roles: ROLES.slice(0, 2).map((id, role) => ({
      id,
      name: `role ${role}`,
      groups: ids.filter((_, index) => index % 2 === role),
    })),
    users: [],
  };
}

export async function costOfCommand(folder: string, { seed, rules, changes }: Job): Promise<CommandCost> {
  const place = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  const file = (name: string, text = "") => {
    const path = join(place, name);
    writeFileSync(path, text);
    return path;
  };
  try {
    const seeded = file("seed.json", JSON.stringify(seed));
    return await withTenant(
      NO_LIMIT,
      async (tenant) => {
        const given =
          changes === undefined
            ? ["access", "--state", file("state.json", '{"version":3,"deployment":{"resources":[]}}')]
            : ["review", file("preview.json", previewOf(changes, tenant))];
        const args = [...given, "--rules", file("rules.json", rules), "--output", join(place, "output")];
        const { seconds, megabytes } = await use(folder, args, tenant, [
          file("hook.cjs", HOOK),
          file("use.json"),
        ]);
        const asked = (await requestsOf(tenant)).filter(({ path }) => !path.includes("/users?"));
        return { requests: asked.length, seconds, megabytes };
      },
      ["--seed", seeded],
    );
  } finally {
    rmSync(place, { recursive: true });
  }
}

const HOOK = `process.on("exit", () =>
  require("node:fs").writeFileSync(process.env.USE, JSON.stringify(process.resourceUsage())));`;

async function use(
  folder: string,
  args: readonly string[],
  tenant: Tenant,
  [hook = "", file = ""]: readonly string[],
): Promise<Pick<CommandCost, "seconds" | "megabytes">> {
  const all = ["--require", hook, join(folder, "dist/cli/index.js"), ...args];
  const child = spawn(process.execPath, all, {
    cwd: join(hook, ".."),
    env: {
      PATH: "",
      USE: file,
      IDENTITY_DOMAIN: tenant.url,
      IDENTITY_CLIENT_ID: tenant.clientId,
      IDENTITY_CLIENT_SECRET: tenant.clientSecret,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${errors}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(
    readFileSync(file, "utf8"),
  ) as NodeJS.ResourceUsage;
  return { seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
}

/** Gives each role to one more group. */
function previewOf(changes: Changes, { url }: Tenant): string {
  const named = changes.map((change, index) => ({ ...change, name: `assignment-${index}` }));
  return previewText(
    named.map(({ name, role, group }) => step({ name, after: { ...groups(group), roleId: role } })),
    named.map(({ name, role, group }) => `${name}: role ${role}: + ${group}`),
  ).replaceAll(TENANT, new URL(url).host);
}
