import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A Pulumi project. */
export interface Project {
  /** Path of its Pulumi.yaml. */
  file: string;
  /** Where the program is: what it requires is resolved from here, in the program and in the provider host. */
  folder: string;
}

const FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"] as const;

/** The project of a folder or the nearest one above, as the Pulumi CLI finds it. */
export function projectOf(folder: string): Project | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = FILES.map((name) => join(at, name)).find((path) => existsSync(path));
    if (file !== undefined) return { file, folder: programFolder(file) };
    if (dirname(at) === at) return undefined;
  }
}

/** `main` of a project is the program's folder or file. */
function programFolder(file: string): string {
  const main = resolve(dirname(file), mainOf(readFileSync(file, "utf8")) ?? ".");
  const isFolder = existsSync(main) && statSync(main).isDirectory();
  return isFolder || main === dirname(file) ? main : dirname(main);
}

/** The one key that is needed, on a line of its own in YAML, or of an object in JSON. */
function mainOf(text: string): string | undefined {
  const [, quoted, plain] =
    /(?:^|[{,\n]\s*)["']?main["']?\s*:\s*(?:["']([^"'\n]+)["']|([^\s#"',}]+))/.exec(text) ?? [];
  return quoted ?? plain;
}
