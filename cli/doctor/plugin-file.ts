import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, resolve } from "node:path";

/*
 * A plugin's file is judged by its bytes. We never run it: Pulumi gives a plugin the tenant's credentials,
 * and until we know that it's ours it may be anybody's. Whoever can write there can copy our mark, too. So
 * this finds mix-ups, such as another provider called `identity`, and no forgeries.
 */

export interface PluginFile {
  /** The release that it was built for; undefined if it isn't ours. */
  version: string | undefined;
  /** For example `linux-amd64`, as in the archives' names; undefined for a script. */
  platform: string | undefined;
  isExecutable: boolean;
}

/** The build puts it in front of the bundle, which the executable holds as it is. */
const MARK = "/*! pulumi-resource-identity ";
const LONGEST_VERSION = 64;
const CHUNK = 4 * 1024 * 1024;
const LARGEST_SHIM = 8 * 1024;

export function readPluginFile(file: string): PluginFile {
  const held = programOf(file);
  return { version: versionIn(held), platform: platformOf(firstBytes(held)), isExecutable: canRun(file) };
}

/** As for the engine: Windows starts whatever has one of its extensions. */
export function canRun(file: string): boolean {
  try {
    accessSync(file, process.platform === "win32" ? constants.R_OK : constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** pnpm, and npm on Windows, link commands by small scripts that name the file. */
function programOf(file: string): string {
  if (statSync(file).size > LARGEST_SHIM) return file;
  const text = readFileSync(file, "utf8");
  // A quoted path may have spaces in it.
  const [, path] =
    /["']([^"'\n]*[\\/]plugin\.js)["']/.exec(text) ?? /\s(\S*[\\/]plugin\.js)\b/.exec(text) ?? [];
  if (path === undefined) return file;
  const named = resolve(
    dirname(file),
    path.replace(/^(?:\$basedir|%~?dp0%?)[\\/]*/, "").replaceAll("\\", "/"),
  );
  try {
    return realpathSync(named);
  } catch {
    return file;
  }
}

function versionIn(file: string): string | undefined {
  const opened = openSync(file, "r");
  try {
    const kept = MARK.length + LONGEST_VERSION;
    const chunk = Buffer.alloc(kept + CHUNK);
    for (let length = 0, read = -1; read !== 0;) {
      read = readSync(opened, chunk, length, CHUNK, null);
      length += read;
      const at = chunk.subarray(0, length).indexOf(MARK);
      // A mark at the end of a chunk stands at the beginning of the next.
      if (at !== -1 && (at + kept <= length || read === 0))
        return /^\S+/.exec(chunk.toString("latin1", at + MARK.length, Math.min(at + kept, length)))?.[0];
      const rest = at === -1 ? kept : length - at;
      chunk.copy(chunk, 0, Math.max(0, length - rest), length);
      length = Math.min(length, rest);
    }
    return undefined;
  } finally {
    closeSync(opened);
  }
}

function firstBytes(file: string): Buffer {
  const opened = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(1024);
    return bytes.subarray(0, readSync(opened, bytes));
  } finally {
    closeSync(opened);
  }
}

const MACHINES: Readonly<Record<number, string>> = {
  0x3e: "amd64",
  0xb7: "arm64",
  0x8664: "amd64",
  0xaa64: "arm64",
  0x01000007: "amd64",
  0x0100000c: "arm64",
};

/** By the heads of ELF, PE and Mach-O; undefined for anything else. */
function platformOf(head: Buffer): string | undefined {
  const at = (os: string, machine: number) => `${os}-${MACHINES[machine] ?? "of another machine"}`;
  if (head.length < 64) return undefined;
  if (head.readUInt32BE(0) === 0x7f454c46) return at("linux", head.readUInt16LE(18));
  if (head.readUInt32LE(0) === 0xfeedfacf) return at("darwin", head.readUInt32LE(4));
  if (head.toString("latin1", 0, 2) !== "MZ") return undefined;
  const header = head.readUInt32LE(60);
  return header + 6 > head.length ? undefined : at("windows", head.readUInt16LE(header + 4));
}
