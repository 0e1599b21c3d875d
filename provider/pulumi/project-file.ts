import { existsSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";

const FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"] as const;

/** Returns the project's file in a folder or the nearest one above, like the Pulumi CLI. */
export function projectFileOf(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = FILES.map((name) => join(at, name)).find((path) => existsSync(path));
    if (file !== undefined || dirname(at) === at) return file;
  }
}

/** A stack's file is beside the project's, or in the folder that it names. */
export function stackFileOf(
  file: string,
  { stackConfigDir, config }: Readonly<Record<string, unknown>>,
  stack: string,
): string {
  // The older way to name the folder.
  const [folder = ""] = [stackConfigDir, config].filter((each) => typeof each === "string");
  return join(dirname(file), folder, `Pulumi.${stack.replaceAll("/", "-")}${extname(file)}`);
}
