import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { projectFileOf, stackFileOf } from "../provider/pulumi/project-file";
import { readFile } from "./files";

export interface Project {
  file: string;
  /** The program's folder: its imports are resolved from here, in the program and in the provider host. */
  folder: string;
  name: string | undefined;
}

/** Finds the project of a folder or the nearest one above, like the Pulumi CLI. */
export function projectOf(folder: string): Project | undefined {
  const file = projectFileOf(folder);
  if (file === undefined) return undefined;
  const text = readFile(file);
  return {
    file,
    folder: programFolder(file, projectValue("main", text)),
    name: projectValue("name", text),
  };
}

/** True if a stack of the project encrypts its secrets, also if it has none, with a passphrase. */
export function hasPassphrase(folder: string, stack: string | undefined): boolean {
  const file = projectFileOf(folder);
  if (file === undefined || stack === undefined) return false;
  const text = readFile(file);
  const named = { stackConfigDir: projectValue("stackConfigDir", text) };
  try {
    const ofStack = readFile(stackFileOf(file, named, stack.replace(/^.*\//, "")));
    return /^["'\s{]*encryptionsalt\b/m.test(ofStack);
  } catch {
    return false;
  }
}

/** A project's `main` is the program's folder or file. */
function programFolder(file: string, path = "."): string {
  const main = resolve(dirname(file), path);
  return statSync(main, { throwIfNoEntry: false })?.isDirectory() === true ? main : dirname(main);
}

/** In YAML the keys of the project itself aren't indented: `runtime` has a `name`, too. */
function projectValue(key: "main" | "name" | "stackConfigDir", text: string): string | undefined {
  const isFlow = /^\s*\{/.test(text);
  const value = isFlow ? valueIn(text, key) : undefined;
  if (value !== undefined) return value;
  const start = isFlow ? "[{,]\\s*" : "^";
  const found = new RegExp(`${start}["']?${key}["']?\\s*:\\s*(?:["']([^"'\\n]+)["']|([^\\s#"',}]+))`, "m");
  const [, quoted, plain] = found.exec(text) ?? [];
  return quoted ?? plain;
}

function valueIn(json: string, key: string): string | undefined {
  try {
    const value = (JSON.parse(json) as Record<string, unknown>)[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}
