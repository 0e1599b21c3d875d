import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Deployment, type Stack } from "../../testkit/stack";
import { recordsOf, type SeedInput, type Simulator } from "../../simulator";

/*
 * The remains of each release, and of the draft before the first one. For each situation,
 * tests/upgrade/<release>/ has the stack as written by `pulumi stack export --show-secrets`, and the tenant's
 * records. write.ts makes them with program.cjs.
 */

export const SITUATIONS = ["settled", "unfinished"] as const;
/** Settled: all is done. Unfinished: the last run hit faults, so state contains notes. */
export type Situation = (typeof SITUATIONS)[number];

export interface Fixture {
  /** The output of `pulumi stack export`, with a placeholder for the tenant's address. */
  stack: { version: number; deployment: Deployment };
  tenant: SeedInput;
}

/** Stands for the tenant's host and port, which differ in each test. */
const ADDRESS = "{tenant}";

export const RELEASES = readdirSync(__dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The packages' folder on the machine that writes a fixture, in the places recorded in state. */
const PACKAGES = /(?<="project:\/\/\/)(?:\.\.\/)+[^"]+?\/(?=dist\/|node_modules\/|provider\/)/g;

/** The program that made all fixtures. */
export const PROGRAM = readFileSync(join(__dirname, "program.cjs"), "utf8");

/** True if a release lets assignments end. */
export const knowsUntil = (release: string) => release !== "draft";

/** Returns the environment for a step of the program, within what the release knows. */
export function stepOf(release: string, step: string): Record<string, string> {
  return { STEP: step, ...(knowsUntil(release) && { UNTIL: "yes" }) };
}

/** The fixture as in the file; with `url`, for a tenant at this address. */
export function readFixture(release: string, situation: Situation, url?: string): Fixture {
  const text = readFileSync(join(__dirname, release, `${situation}.json`), "utf8");
  return JSON.parse(url === undefined ? text : text.replaceAll(ADDRESS, new URL(url).host)) as Fixture;
}

export async function writeFixture(
  release: string,
  situation: Situation,
  stack: Stack,
  simulator: Simulator,
): Promise<void> {
  const { stdout } = await stack.pulumi(["stack", "export", "--show-secrets"]);
  const fixture: Fixture = {
    stack: JSON.parse(stdout) as Fixture["stack"],
    tenant: recordsOf(simulator.state()),
  };
  const folder = join(__dirname, release);
  if (!existsSync(folder)) mkdirSync(folder);
  const text = JSON.stringify(fixture, undefined, 2)
    .replaceAll(new URL(simulator.url).host, ADDRESS)
    .replaceAll(PACKAGES, "");
  writeFileSync(join(folder, `${situation}.json`), `${text}\n`);
}

/** Restores a fixture's stack and tenant. */
export async function restore(fixture: Fixture, stack: Stack, simulator: Simulator): Promise<void> {
  simulator.seed(fixture.tenant);
  const file = join(stack.home, "fixture.json");
  writeFileSync(file, JSON.stringify(fixture.stack));
  const { code, all } = await stack.pulumi(["stack", "import", "--file", file]);
  if (code !== 0) throw new Error(all);
}
