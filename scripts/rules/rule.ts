import { join, resolve } from "node:path";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/* What the rules of this repository are written with. */

export const root = resolve(__dirname, "../..");

/** `path`: relative to the repository, here and below. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8");
export const isThere = (path: string): boolean => existsSync(join(root, path));

export interface Manifest {
  version: string;
  license: string;
  engines: { node: string };
  exports: object;
  bin: object;
  workspaces: string[];
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  /** npm ignores it, and JSON has no comments. */
  "//devDependencies"?: string;
  repository?: unknown;
}
export const manifest = (path: string): Manifest => JSON.parse(read(path)) as Manifest;

/** Returns the files below folders whose names end so. */
export function filesIn(folders: readonly string[], ending: string): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((name) => name.endsWith(ending) && !name.includes("node_modules"))
      .sort(),
  );
}

export const problems: string[] = [];

/** Judges a rule: it's broken if `holds` throws. */
export function rule(title: string, holds: () => void): void {
  try {
    holds();
  } catch (error) {
    problems.push(`${title}: ${(error as Error).message}`);
  }
}
