import { accessSync, constants, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError, USAGE } from "../errors";

/** Throws if a file can't be written: nobody should wait for a program that has no place. */
export function checkOutput(file: string, force: boolean): void {
  if (existsSync(file)) {
    if (statSync(file).isDirectory()) throw new CommandError(`${file} is a folder: name a file.`, USAGE);
    if (!force)
      throw new CommandError(
        `${file} is there already. Name another file, or add --force to replace it.`,
        USAGE,
      );
  }
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Writes a file as a whole or not at all. */
export function writeOutput(file: string, text: string, force: boolean): void {
  checkOutput(file, force);
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): CommandError {
  return new CommandError(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`, USAGE);
}
