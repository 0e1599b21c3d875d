import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { projectFileOf } from "../provider/pulumi/project-file";

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
  const text = readFileSync(file, "utf8");
  return {
    file,
    folder: programFolder(file, projectValue("main", text)),
    name: projectValue("name", text),
  };
}

/** A project's `main` is the program's folder or file. */
function programFolder(file: string, path = "."): string {
  const main = resolve(dirname(file), path);
  return statSync(main, { throwIfNoEntry: false })?.isDirectory() === true ? main : dirname(main);
}

/** The keys we need are on their own lines in YAML, or in the object in JSON. */
function projectValue(key: "main" | "name", text: string): string | undefined {
  const [, quoted, plain] =
    new RegExp(`(?:^|[{,\\n]\\s*)["']?${key}["']?\\s*:\\s*(?:["']([^"'\\n]+)["']|([^\\s#"',}]+))`).exec(
      text,
    ) ?? [];
  return quoted ?? plain;
}
