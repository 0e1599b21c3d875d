import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessCommand } from "../../cli/access/command";
import { CommandError } from "../../cli/errors";
import { type Fault, type Simulator } from "../../simulator";
import { assignment, state } from "../../testkit/cli/access";
import { environmentOf } from "../../testkit/simulator";
import { roleIn } from "./places";

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
  organization?: string | undefined;
  role: string;
  /** Or a secret. */
  groups: unknown;
  until: string | undefined;
}

/** Writes a stack's state with these assignments, and returns the option that reads it. */
export function stateOption(
  tenant: Simulator,
  folder: string,
  stack: number,
  claims: readonly Claim[],
): string[] {
  const type = "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment";
  const resources = claims.map(({ organization, role, groups, until }, index) => {
    const there = organization && { organizationId: organization, roleId: role };
    const made = assignment(roleIn(organization, role), groups, { until, ...there });
    return [`a${index}`, { ...made, ...(there && { type }) }] as const;
  });
  const file = join(folder, `stack${stack}.json`);
  writeFileSync(
    file,
    state(new URL(tenant.url).host, `access/stack${stack}`, Object.fromEntries(resources)).text,
  );
  return ["--state", file];
}
