import {
  accessSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError, USAGE } from "../errors";

/** Throws if a file can't be written: nobody should wait for a program that has no place. */
export function checkOutput(file: string, force: boolean): void {
  realFile(file, force);
}

/** Writes a file as a whole or not at all. */
export function writeOutput(file: string, text: string, force: boolean): void {
  const place = realFile(file, force);
  const temporary = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritten(file, error);
  }
}

/** Where the file is: a link stays, and leads to what is written. */
function realFile(file: string, force: boolean): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const target = found?.isSymbolicLink() === true ? statSync(file, { throwIfNoEntry: false }) : found;
  if (found !== undefined && target?.isFile() !== true) {
    throw new CommandError(`${file} is ${kindOfTarget(target)}: name a file.`, USAGE);
  }
  if (found !== undefined && !force) {
    throw new CommandError(
      `${file} is there already. Name another file, or add --force to replace it.`,
      USAGE,
    );
  }
  try {
    const place = found === undefined ? file : realpathSync(file);
    accessSync(dirname(place), constants.W_OK);
    return place;
  } catch (error) {
    throw notWritten(file, error);
  }
}

function kindOfTarget(target: Stats | undefined): string {
  if (target === undefined) return "a link that leads nowhere";
  if (target.isDirectory()) return "a folder";
  if (target.isFIFO()) return "a pipe";
  return target.isSocket() ? "a socket" : "a device";
}

function notWritten(file: string, error: unknown): CommandError {
  return new CommandError(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`, USAGE);
}
