import { type Command, CommanderError } from "commander";
import { CommandError, USAGE } from "../../cli/errors";

interface Place {
  /** All variables of the environment. */
  env?: NodeJS.ProcessEnv;
  /** Default: where the test runs. */
  cwd?: string;
}

/** Runs a command as `pulumi-identity` does, in this process: fifty times as fast. One at a time. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  { env = process.env, cwd = process.cwd() }: Place = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const before = { argv: process.argv, env: process.env, cwd: process.cwd(), exitCode: process.exitCode };
  const stdout = caught(process.stdout);
  const stderr = caught(process.stderr);
  process.argv = [...process.argv.slice(0, 2), command.name(), ...args];
  process.env = { ...env };
  process.chdir(cwd);
  process.exitCode = undefined;
  try {
    const code = await command
      .exitOverride()
      .parseAsync(args, { from: "user" })
      .then(() => Number(process.exitCode ?? 0), exitCodeOf);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.argv = before.argv;
    process.env = before.env;
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    for (const stream of [stdout, stderr]) stream.release();
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof CommandError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return error.exitCode;
}

function caught(stream: NodeJS.WriteStream) {
  const write = stream.write.bind(stream);
  let text = "";
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  return { text: () => text, release: () => (stream.write = write) };
}
