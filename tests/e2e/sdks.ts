import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { type Stack } from "../../testkit/stack";

const repository = resolve(__dirname, "../..");
const generator = join(__dirname, "sdks");
const execute = promisify(execFile);

/** The flags with which the Pulumi CLI is built, so that Go compiles the modules of both once. */
const GO = { CGO_ENABLED: "0", GOWORK: "off", GOTOOLCHAIN: "auto" } as const;
export const GO_FLAGS = ["-trimpath", "-buildvcs=false"] as const;

/** Runs a command, and fails with what it printed. */
export async function run(
  file: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const env = { ...process.env, ...GO, ...environment };
    const { stdout, stderr } = await execute(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout + stderr;
  } catch (error) {
    const { message, stdout = "", stderr = "" } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}${stderr}`, { cause: error });
  }
}

/** Gives the copy of an example the packages of this repository, where a project of its own has them. */
export function linkPackages(folder: string): void {
  const file = join(folder, "Pulumi.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("../../node_modules", "node_modules"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
}

/** For a program's stack, whose home is empty: Go's caches, and flags with which they have what is built. */
export async function goEnvironment(folder: string): Promise<Record<string, string>> {
  const caches = await run("go", ["env", "-json", "GOCACHE", "GOMODCACHE"], folder);
  return { ...(JSON.parse(caches) as Record<string, string>), ...GO, GOFLAGS: GO_FLAGS.join(" ") };
}

/** A group of the second tenant, whose ids are its own. */
export const EU_ADMINS = "grp_euQ7hWm3Jz8vPdSa5nYcRb";
const EU: SeedInput = {
  roles: [{ id: "rol_euR4tYk9Lw2bNcXe", name: "support-agent" }],
  groups: [{ id: EU_ADMINS, name: "directory-admins" }],
};

/** Starts the second tenant of the pages' programs, which have it once the stack's configuration does. */
export async function startSecondTenant(stack: Stack, seed = EU): Promise<Simulator> {
  const eu = await startSimulator({ seed });
  await stack.config("euDomain", eu.url);
  await stack.config("euClientId", eu.clientId);
  await stack.config("euClientSecret", eu.clientSecret, { secret: true });
  return eu;
}

let built: Promise<string> | undefined;

/** Generates an SDK from schema.json, as `pulumi package add` does. Needs Go. */
export async function generateSdk(language: "go" | "nodejs" | "python", folder: string): Promise<void> {
  built ??= build();
  mkdirSync(folder, { recursive: true });
  await run(await built, [join(repository, "schema.json"), language, folder], repository);
}

async function build(): Promise<string> {
  const program = join(mkdtempSync(join(tmpdir(), "pulumi-identity-sdks-")), "generate");
  await run("go", ["build", ...GO_FLAGS, "-o", program, "."], generator);
  return program;
}
