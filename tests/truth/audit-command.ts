import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessCommand } from "../../cli/access/command";
import { CommandError } from "../../cli/errors";
import { type Fault, type Simulator } from "../../simulator";
import { assignment, state } from "../../testkit/cli/access";
import { environmentOf } from "../../testkit/simulator";
import { roleOf } from "./audits";
import { organizationOf } from "./places";

/* `access` in this process, for searches with many audits. */

export interface Result {
  code: number;
  /** Undefined: the command has refused to answer. */
  output: string | undefined;
}

/** Keeps quiet, and restores the environment after the tests of a file. */
export function quietly(): void {
  const before = { ...process.env };
  beforeAll(() => void jest.spyOn(process.stderr, "write").mockReturnValue(true));
  afterAll(() => {
    jest.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

/** Audits a tenant, of which some requests fail. */
export async function audited(
  tenant: Simulator,
  folder: string,
  format: string,
  options: readonly string[],
  faults: readonly Fault[] = [],
): Promise<Result> {
  const output = join(folder, `answer.${format}`);
  rmSync(output, { force: true });
  tenant.reset();
  tenant.fail(...faults);
  Object.assign(process.env, environmentOf(tenant));
  const args = [...options, "--format", format, "--output", output];
  try {
    await accessCommand().exitOverride().parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: 1, output: undefined };
  }
  const code = Number(process.exitCode ?? 0);
  process.exitCode = 0;
  return { code, output: existsSync(output) ? readFileSync(output, "utf8") : undefined };
}

interface Claim {
  key: string;
  stack: number;
  /** Or a secret. */
  groups: unknown;
  until: string | undefined;
}

/** Writes these stacks' states with their assignments, and returns the options that read them. */
export function stateOptions(
  tenant: Simulator,
  folder: string,
  claims: readonly Claim[],
  stacks: readonly number[] = [0, 1],
): string[] {
  const type = "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment";
  return stacks.flatMap((stack) => {
    const ofStack = claims.filter((claim) => claim.stack === stack);
    const resources = ofStack.map(({ key, groups, until }, index) => {
      const organization = organizationOf(key);
      const there = organization !== undefined && { organizationId: organization, roleId: roleOf(key) };
      const made = assignment(key, groups, { until, ...there });
      return [`a${index}`, { ...made, ...(there && { type }) }] as const;
    });
    const file = join(folder, `stack${stack}.json`);
    const { host } = new URL(tenant.url);
    writeFileSync(file, state(host, `access/stack${stack}`, Object.fromEntries(resources)).text);
    return ["--state", file];
  });
}
