// Links the examples' simulator and Pulumi's plugin into node_modules/.bin. npm doesn't, because they aren't
// built yet when it installs. The end of `npm run build`: node scripts/link-commands.mjs
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./process.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
/** Names of packages by their commands. */
const COMMANDS = {
  "pulumi-identity": "pulumi-identity",
  "pulumi-identity-simulator": "pulumi-identity-simulator",
  "pulumi-resource-identity": "pulumi-identity",
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await linkCommands(console.error);

/** @param {import("./process.mjs").Log} log */
export async function linkCommands(log) {
  const missing = Object.entries(COMMANDS).filter(
    ([command]) => !existsSync(join(root, "node_modules", ".bin", command)),
  );
  if (missing.length === 0) return;
  const packages = new Set(missing.map(([, name]) => name));
  const { problem } = await npm(["rebuild", "--ignore-scripts", ...packages], {
    seconds: 60,
    cwd: root,
    doing: "linking",
    log,
  });
  if (problem === "") return;
  const names = missing.map(([command]) => command).join(" and ");
  log(`${names} could not be linked: ${problem}. The examples need them.`);
}
