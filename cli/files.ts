import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { decoded, NotDecodable } from "../provider/decoded";
import { fileReason } from "../provider/sentence";
import { CommandError, INPUT_UNUSABLE, USAGE } from "./errors";
import { type StackExport } from "./stack-export";

/** `-`: standard input. `what`: the command whose output is expected. */
export async function readInput(file: string, what: string): Promise<{ file: string; text: string }> {
  if (file !== "-") return { file, text: readFile(file) };
  if (process.stdin.isTTY) {
    throw new CommandError(`Name a file, or pipe the output of \`${what}\` into this command.`, USAGE);
  }
  // A synchronous read fails with EAGAIN if the other end of the pipe doesn't block.
  const input = "The input";
  return { file: input, text: textOf(input, await buffer(process.stdin)) };
}

/** Reads the states named by `--state`. */
export async function readExports(files: readonly string[]): Promise<StackExport[]> {
  const exports: StackExport[] = [];
  for (const file of files) exports.push(await readInput(file, "pulumi stack export"));
  return exports;
}

/** The text of a file, as any editor, shell or spreadsheet saves it; `saveAs`: what to choose there. */
export function readFile(file: string, saveAs?: string): string {
  return textOf(file, readBytes(file), saveAs);
}

export function textOf(file: string, bytes: Uint8Array, saveAs = "UTF-8"): string {
  try {
    return decoded(bytes);
  } catch (error) {
    if (!(error instanceof NotDecodable)) throw error;
    throw new CommandError(`${file} ${error.message}. Save it as ${saveAs}.`, INPUT_UNUSABLE);
  }
}

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw failed(file, "read", error, INPUT_UNUSABLE);
  }
}

/** Writes to standard output if there is no file. */
export function write(file: string | undefined, content: string): void {
  if (file === undefined) {
    process.stdout.write(content);
    return;
  }
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw failed(file, "written", error);
  }
}

/** Removes the file, so that nobody takes an earlier run's output for this one's. */
export function remove(file: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) rmSync(file);
  } catch (error) {
    throw failed(file, "removed", error);
  }
}

/** Makes all of them or none. */
export function makeFolders(folders: readonly string[]): void {
  const made: string[] = [];
  for (const folder of folders)
    try {
      const first = mkdirSync(folder, { recursive: true });
      if (first !== undefined) made.push(first);
    } catch (error) {
      for (const path of made) rmSync(path, { recursive: true });
      throw failed(folder, "made", error);
    }
}

/** Writes a file as a whole or not at all. */
export function writeOutput(file: string, content: string, force: boolean): void {
  const place = checkOutput(file, force);
  const temporary = join(dirname(place), `.${basename(place)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, content, { flag: "wx" });
    renameSync(temporary, place);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw failed(file, "written", error);
  }
}

/**
 * Returns the file's real path, behind any link. Throws early if it isn't writable, so that nobody waits in
 * vain.
 */
export function checkOutput(file: string, force: boolean): string {
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
    throw failed(file, "written", error);
  }
}

function kindOfTarget(target: Stats | undefined): string {
  if (target === undefined) return "a link that leads nowhere";
  if (target.isDirectory()) return "a folder";
  if (target.isFIFO()) return "a pipe";
  return target.isSocket() ? "a socket" : "a device";
}

/**
 * Throws for output that could not be written in the end, before anybody waits for it, or would take the
 * place of what the command reads.
 */
export function checkOutputs(
  outputs: readonly (string | undefined)[],
  inputs: readonly (string | undefined)[] = [],
): void {
  const read = new Set(inputs.map((file) => file && resolve(file)));
  for (const file of outputs) {
    if (file === undefined) continue;
    if (!existsSync(dirname(file))) throw failed(file, "written", { code: "ENOENT" });
    if (read.has(resolve(file)))
      throw new CommandError(`${file} is to be read, and to be written over: name another file.`, USAGE);
  }
}

/** Standard output, or an error stream, failed in the middle. */
export function writeFailed(error: unknown): CommandError {
  return failed("The output", "written", error);
}

function failed(file: string, done: string, error: unknown, exitCode = USAGE): CommandError {
  const reason = fileReason(error, done === "read" ? "no such file" : "no such folder");
  return new CommandError(`${file} could not be ${done} (${reason}).`, exitCode);
}
