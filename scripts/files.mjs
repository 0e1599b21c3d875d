import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the paths of all files in a folder that may not be there, sorted.
 *
 * @param {string} folder
 * @returns {string[]}
 */
export function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
