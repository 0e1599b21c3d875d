import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";

/** Links a program's packages, except the one that downloads the CLI, because npx would run that. */
export function linkPackages(folder: string): void {
  const [all, own] = [resolve(__dirname, "../../node_modules"), join(folder, "node_modules")];
  const commands = {
    "pulumi-identity": resolve(__dirname, "../../dist/cli/index.js"),
    "pulumi-resource-identity": resolve(__dirname, "../../dist/provider/plugin.js"),
  };
  rmSync(own);
  mkdirSync(join(own, ".bin"), { recursive: true });
  for (const name of readdirSync(all))
    if (name !== ".bin" && name !== "pulumi") symlinkSync(join(all, name), join(own, name));
  for (const [name, command] of Object.entries(commands)) {
    // npm does this when it installs a package; here it was installed before there was a build.
    chmodSync(command, 0o755);
    symlinkSync(command, join(own, ".bin", name));
  }
}
