import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { generateSdk } from "./sdks";
import { pulumiCli } from "../../testkit/stack";

const MYPY = "mypy==1.19.1";
const run = promisify(execFile);
const EXAMPLE = resolve(__dirname, "../../examples/python");

/**
 * Makes a virtual environment with the packages of the example and its SDK, and returns its folder and the
 * `PATH` on which it is active: Pulumi's host takes the `python3` it finds there.
 *
 * @throws {Error} One sentence that says what is missing.
 */
export async function pythonEnvironment(): Promise<{ venv: string; PATH: string }> {
  const cli = await pulumiCli("--languages");
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-python-"));
  const venv = join(folder, "venv");
  copyFileSync(join(EXAMPLE, "requirements.txt"), join(folder, "requirements.txt"));
  await generateSdk("python", join(folder, "sdks/identity"));
  await run("python3", ["-m", "venv", venv]).catch((error: Failure) =>
    fail("These tests need python3 with venv (Debian and Ubuntu: apt-get install python3-venv)", error),
  );
  const bin = join(venv, "bin");
  await run(join(bin, "python3"), ["-m", "pip", "install", "--quiet", "-r", "requirements.txt", MYPY], {
    cwd: folder,
  }).catch((error: Failure) =>
    fail("These tests need Python's package index, to install examples/python/requirements.txt", error),
  );
  return { venv, PATH: [bin, cli.env.PATH].join(delimiter) };
}

type Failure = Error & { stdout?: string; stderr?: string };

function fail(sentence: string, { stdout = "", stderr = "", message }: Failure): never {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  throw new Error(`${sentence}: ${lines.at(-1) ?? message}`);
}
