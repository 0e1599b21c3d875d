import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"] as const;

/** Returns the project's file in a folder or the nearest one above, like the Pulumi CLI. */
export function projectFileOf(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = FILES.map((name) => join(at, name)).find((path) => existsSync(path));
    if (file !== undefined || dirname(at) === at) return file;
  }
}
