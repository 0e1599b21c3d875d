import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type ROLE_ID } from "../provider/service/ids";
import { CommandError, INPUT_UNUSABLE, USAGE } from "./errors";

/** The text of a file; `-` for standard input. `what`: the command whose output is expected there. */
export async function readInput(file: string, what: string): Promise<string> {
  if (file !== "-") return readFile(file);
  if (process.stdin.isTTY) {
    throw new CommandError(`Name a file, or pipe the output of \`${what}\` into this command.`, USAGE);
  }
  // A synchronous read fails with EAGAIN where the other end of the pipe does not block.
  return text(process.stdin);
}

export function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CommandError(
      `${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
      INPUT_UNUSABLE,
    );
  }
}

/** Refuses what can't be an id; `hint`: a sentence that follows. */
export function checkIds(option: string, ids: readonly string[], schema: typeof ROLE_ID, hint = ""): void {
  for (const id of ids) {
    const problem = schema.safeParse(id).error?.issues[0]?.message;
    if (problem !== undefined)
      throw new CommandError(`${option} ${JSON.stringify(id)} ${problem}.${hint}`, USAGE);
  }
}
