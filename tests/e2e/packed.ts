import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";

/* Packages of this repository as a user gets them: packed, and installed into an empty project. */

const repository = resolve(__dirname, "../..");
const run = promisify(execFile);
const { devDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  devDependencies: Record<string, string>;
};

/** The result of `npm pack`. */
export interface Packed {
  name: string;
  version: string;
  filename: string;
  integrity: string;
  shasum: string;
  files: { path: string }[];
  unpackedSize: number;
}

/** The npm that runs the tests; the one on the PATH may be another. */
export function npm(args: string[], cwd = repository): Promise<{ stdout: string; stderr: string }> {
  const own = process.env["npm_execpath"];
  const [file, ...first]: [string, ...string[]] = own === undefined ? ["npm"] : [process.execPath, own];
  return run(file, [...first, ...args], { cwd });
}

/** Packs the package at `path` into a folder; once a run, and once more where two files begin together. */
export async function pack(path: string, folder: string): Promise<Packed> {
  // The temporary folder of a run is its own: see jest.config.cjs.
  const kept = join(tmpdir(), `packed-${basename(path)}`);
  if (!existsSync(kept)) {
    const own = mkdtempSync(`${kept}-`);
    const { stdout } = await npm(["pack", "--json", "--pack-destination", own], path);
    writeFileSync(join(own, "packed.json"), stdout);
    try {
      renameSync(own, kept);
    } catch (error) {
      // Another worker has been faster.
      if (!existsSync(kept)) throw error;
      rmSync(own, { recursive: true });
    }
  }
  const [packed] = JSON.parse(readFileSync(join(kept, "packed.json"), "utf8")) as [Packed];
  copyFileSync(join(kept, packed.filename), join(folder, packed.filename));
  return packed;
}

export interface Consumer {
  /** Remove it in the end. */
  folder: string;
  project: string;
  /** Paths of the files in the package. */
  files: string[];
  /** What the package manager wrote to stderr. */
  complaints: string;
}

const NPM_INSTALL = ["install", "--prefer-offline", "--no-audit", "--no-fund"];

/**
 * An empty project with the package at `path`, and with packages in the tests' own versions: these are
 * already in npm's cache. `add`: the arguments of npm that install packages, also by another package manager.
 */
export async function installed(path: string, packages: string[], add = NPM_INSTALL): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-package-"));
  const project = join(folder, "project");
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), `{ "name": "consumer", "private": true }`);
  const { filename, files } = await pack(path, folder);
  const versioned = packages.map((name) => `${name}@${devDependencies[name]}`);
  const { stderr } = await npm([...add, join(folder, filename), ...versioned], project);
  return { folder, project, files: files.map((file) => file.path).sort(), complaints: stderr };
}
