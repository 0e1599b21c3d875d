import { execFile } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { onceARun } from "./once";
import { pathOf } from "./plugin-archive";

const TOOLS = ["build==1.6.1", "mypy==1.19.1"];
const repository = resolve(__dirname, "../..");
const execute = promisify(execFile);

export interface PythonEnvironment {
  /** Has mypy. */
  tools: string;
  /** A virtual environment with the packages of the example, and the SDK's wheel. */
  venv: string;
  /** On it, `venv` is active: Pulumi's host takes the `python3` it finds there. There is no Node.js. */
  PATH: string;
  /** What PyPI would get. */
  wheel: string;
  sdist: string;
}

/**
 * Builds the SDK's packages from sdk/python as for PyPI, and installs the wheel and the example's
 * requirements.
 *
 * @throws {Error} One sentence that says what is missing.
 */
export function pythonEnvironment(): Promise<PythonEnvironment> {
  return onceARun("python", make);
}

async function make(folder: string): Promise<PythonEnvironment> {
  const [venv, tools, sources, packages] = ["venv", "tools", "sources", "packages"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  // A build leaves files beside the sources.
  cpSync(join(repository, "sdk/python"), sources, { recursive: true });

  for (const one of [tools, venv])
    await run(
      "python3",
      ["-m", "venv", one],
      "python3 with venv (Debian and Ubuntu: apt-get install python3-venv)",
    );
  const pip = (of: string, args: string[]) =>
    run(
      join(of, "bin/python3"),
      ["-m", "pip", "install", "--quiet", ...args],
      `Python's package index, for ${args.join(" ")}`,
    );
  await pip(tools, TOOLS);
  // Makes the wheel from the sdist.
  const build = ["-m", "build", "--outdir", packages, sources];
  await run(join(tools, "bin/python3"), build, "a package that can be built in sdk/python");
  const packed = (ending: string) =>
    join(packages, readdirSync(packages).find((name) => name.endsWith(ending)) ?? ending);
  const wheel = packed(".whl");
  await pip(venv, [wheel, "--requirement", join(repository, "examples/python/requirements.txt")]);

  return {
    tools,
    venv,
    PATH: [join(venv, "bin"), await pathOf(folder, ["sh"])].join(delimiter),
    wheel,
    sdist: packed(".tar.gz"),
  };
}

type Failure = Error & { stdout?: string; stderr?: string };

/** Returns what mypy complains of. */
export async function mypy(
  { tools, venv }: PythonEnvironment,
  args: readonly string[],
  cwd: string,
): Promise<string[]> {
  const all = ["--python-executable", join(venv, "bin/python3"), ...args];
  const { stdout = "" } = await execute(join(tools, "bin/mypy"), all, { cwd }).catch(
    (error: Failure) => error,
  );
  if (!/^(Found \d+ errors?|Success: no issues found) /m.test(stdout))
    throw new Error(`mypy printed: ${stdout}`);
  return stdout.split("\n").filter((line) => / error: /.test(line));
}

async function run(file: string, args: string[], needed: string): Promise<void> {
  await execute(file, args).catch(({ stdout = "", stderr = "", message }: Failure) => {
    const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
    throw new Error(`These tests need ${needed}: ${lines.at(-1) ?? message}`);
  });
}
