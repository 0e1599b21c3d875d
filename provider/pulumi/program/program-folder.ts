import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { isInline, isMocked } from "./program-run";

/** The program's folder, unless the program changed it before loading this package. */
const PROGRAM_FOLDER = process.cwd();

let resolves: boolean | undefined;

/**
 * Refuses a resource whose handlers the dynamic provider host won't find. The host looks for the package from
 * the program's folder, and would print twenty lines of stack per resource. A program can load the package
 * and still lack it there: as a dependency of a dependency, or bundled.
 */
export function refuseUnresolvable(resource: string): void {
  if (pulumi.runtime.getMonitor() === undefined || isMocked()) return;
  // An inline program's host runs where its project settings say, and Plug'n'Play resolves in its own way.
  if (isInline() || process.versions["pnp"] !== undefined) return;
  resolves ??= isResolvableFrom(PROGRAM_FOLDER);
  if (resolves) return;
  throw new InvalidInputError(
    `${resource}: Pulumi runs resources with the package pulumi-identity as it finds it from the program's folder, ` +
      `${PROGRAM_FOLDER}, and there is none. Add "pulumi-identity" to the dependencies in ${nearestManifest(PROGRAM_FOLDER)}, and install them.`,
  );
}

function isResolvableFrom(directory: string): boolean {
  try {
    createRequire(join(directory, "index.js")).resolve("pulumi-identity/runtime");
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND";
  }
}

/** Returns the package.json that npm would change there; a folder without one gets its own. */
function nearestManifest(directory: string): string {
  const manifest = join(directory, "package.json");
  const parent = dirname(directory);
  if (existsSync(manifest)) return manifest;
  return parent === directory ? join(PROGRAM_FOLDER, "package.json") : nearestManifest(parent);
}
