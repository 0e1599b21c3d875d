/*
 * Writes the fixtures of a release with the real CLI and that release's own code:
 *
 *   node --import tsx tests/upgrade/write.ts 0.1.0               # the code as it is
 *   node --import tsx tests/upgrade/write.ts draft a0688e4       # the code of a commit, built in a temporary folder
 *
 * The fixtures of a release are never written again once it is published: they are what its users have.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { environmentOf, Stack } from "../../testkit/stack";
import { type Fault, type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { PROGRAM, type Situation, SITUATIONS, stepOf, writeFixture } from "./fixtures";

const repository = resolve(__dirname, "../..");
const modules = join(repository, "node_modules");

const id = (prefix: string, last: number) => `${prefix}${"1".repeat(15)}${last}`;
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => id(prefix, i + 1));

/** The tenant before the program runs. The third group got the roles elsewhere. */
const SEED: SeedInput = {
  clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }],
  groups: ids("grp_", 5).map((group) => ({ id: group })),
  roles: ids("rol_", 6).map((role) => ({ id: role, groups: [id("grp_", 5)] })),
  connection_profiles: ids("cop_", 3).map((profile, i) => ({ id: profile, name: `by hand ${i + 1}` })),
  device_credentials: ids("dcr_", 4).map((credential) => ({ id: credential, type: "refresh_token" })),
};

const RECEIVER = "urn:pulumi:test::test::pulumi-nodejs:dynamic/identity:RoleGroupAssignment::receiver";

/** Lost answers that can't be looked up: each leaves a note in state. */
function faults(simulator: Simulator): Fault[] {
  const complete = simulator.state().connection_profiles.find(({ name }) => name === "complete");
  const profile = `/api/v2/connection-profiles/${complete?.id}`;
  const groups = (role: number) => `/api/v2/roles/${id("rol_", role)}/groups`;
  return [
    { method: "PATCH", path: profile, action: { drop: "after" } },
    { method: "GET", path: profile, times: 9, action: { status: 500 } },
    { method: "POST", path: groups(1), action: { drop: "after" } },
    { method: "GET", path: groups(1), times: 9, action: { status: 500 } },
  ];
}

/** Builds the package of a commit; `undefined`: the repository itself. */
function builtPackage(commit: string | undefined): string {
  if (commit === undefined) return repository;
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-release-"));
  const archive = execFileSync("git", ["archive", commit, "provider", "package.json", "tsconfig.json"], {
    cwd: repository,
  });
  execFileSync("tar", ["x"], { cwd: folder, input: archive });
  symlinkSync(modules, join(folder, "node_modules"), "junction");
  execFileSync(process.execPath, [join(modules, "typescript", "bin", "tsc"), "--project", folder]);
  return folder;
}

/** Links the repository's packages, with another one in place of its own. */
function install(packageFolder: string, programFolder: string): void {
  const installed = join(programFolder, "node_modules");
  rmSync(installed);
  mkdirSync(installed);
  for (const name of readdirSync(modules)) {
    const target = name === "pulumi-identity" ? packageFolder : join(modules, name);
    symlinkSync(target, join(installed, name), "junction");
  }
}

async function write(release: string, situation: Situation, packageFolder: string): Promise<void> {
  const simulator = await startSimulator({ seed: SEED });
  const stack = await Stack.create({
    program: PROGRAM,
    env: environmentOf(simulator),
  });
  try {
    install(packageFolder, stack.folder);
    const { code, all } = await stack.up({ env: stepOf(release, "settled") });
    if (code !== 0) throw new Error(all);
    if (situation === "unfinished") {
      simulator.fail(...faults(simulator));
      // Nobody has the giver's groups yet: another note.
      const args = ["--continue-on-error", "--exclude", RECEIVER];
      const unfinished = await stack.up({ env: stepOf(release, "unfinished"), args });
      if (unfinished.code === 0) throw new Error(`The run was to fail: ${unfinished.all}`);
      console.log(unfinished.all);
    }
    await writeFixture(release, situation, stack, simulator);
  } finally {
    stack.remove();
    await simulator.close();
  }
}

async function main([release, commit]: string[]): Promise<void> {
  if (release === undefined) throw new Error("Which release? See the head of this file.");
  const packageFolder = builtPackage(commit);
  for (const situation of SITUATIONS) await write(release, situation, packageFolder);
  if (packageFolder !== repository) rmSync(packageFolder, { recursive: true });
}

void main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
