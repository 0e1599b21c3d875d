import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { type Stack } from "../../testkit/stack";

const repository = resolve(__dirname, "../..");
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

/** Go's caches, for a program's stack, whose home is empty, and flags with which they have what is built. */
export async function goEnvironment(folder: string): Promise<Record<string, string>> {
  const caches = await run("go", ["env", "-json", "GOCACHE", "GOMODCACHE"], folder);
  return { ...(JSON.parse(caches) as Record<string, string>), ...GO, GOFLAGS: GO_FLAGS.join(" ") };
}

/**
 * Commits sdk/ and its tag where Go finds them as on GitHub. Returns the environment of commands that take it
 * from there, into a cache of their own, and all other modules from the cache of this machine first.
 *
 * @param folder Empty; the cache is in it, too.
 */
export async function publishForGo(folder: string): Promise<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  const clone = join(folder, "clone");
  cpSync(join(repository, "sdk"), join(clone, "sdk"), { recursive: true });
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    [...author, "commit", "--quiet", "--message", "Release"],
    ["tag", `sdk/go/v${version}`],
  ])
    await run("git", args, clone);
  const go = JSON.parse(await run("go", ["env", "-json", "GOMODCACHE", "GOPROXY"], clone)) as {
    GOMODCACHE: string;
    GOPROXY: string;
  };
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${clone}.insteadOf`,
    GIT_CONFIG_VALUE_0: "https://github.com/pulumi-identity/pulumi-identity",
    GOPRIVATE: "github.com/pulumi-identity",
    GOMODCACHE: join(folder, "modules"),
    GOPROXY: `file://${join(go.GOMODCACHE, "cache/download")},${go.GOPROXY}`,
    GOFLAGS: [...GO_FLAGS, "-modcacherw"].join(" "),
  };
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
