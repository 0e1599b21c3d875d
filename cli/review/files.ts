import { rmSync, statSync, writeFileSync } from "node:fs";
import { CommandError, USAGE } from "../errors";
import { readFile } from "../input";

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

/** Nobody must take what an earlier run has written for what this one says. */
export function remove(file: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) rmSync(file);
  } catch (error) {
    throw new CommandError(`${file} could not be removed (${(error as NodeJS.ErrnoException).code}).`, USAGE);
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
