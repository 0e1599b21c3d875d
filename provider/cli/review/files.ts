import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { CommandError, INPUT_UNUSABLE, USAGE } from "../errors";

/** The text of a file; `-` for standard input. */
export async function readInput(file: string): Promise<string> {
  if (file !== "-") return readFile(file);
  if (process.stdin.isTTY) {
    throw new CommandError(
      "Name a file, or pipe the output of `pulumi preview --json` into this command.",
      USAGE,
    );
  }
  // A synchronous read fails with EAGAIN where the other end of the pipe does not block.
  return text(process.stdin);
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(
      `${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
      INPUT_UNUSABLE,
    );
  }
}

/** To standard output if there is no file. */
export function write(file: string | undefined, text: string): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`, USAGE);
  }
}

export function readNames(file: string): Record<string, string> {
  const isNames = (value: unknown): value is Record<string, string> =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((name) => typeof name === "string");
  try {
    const names = JSON.parse(readFile(file)) as unknown;
    if (isNames(names)) return names;
  } catch (error) {
    if (error instanceof CommandError) throw error;
  }
  throw new CommandError(`${file} is not a JSON object of names by id, such as {"rol_1": "support-agent"}.`);
}
