// Names the packages that are bundled: whoever installs ours finds them in no lock file.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/**
 * A package's name, its version and its licence.
 *
 * @param {string} name
 */
export function noticeOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`Parts of ${name} ${version}.`, ...(texts.length > 0 ? texts : [`License: ${license}`])].join(
    "\n\n",
  );
}
