import { mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { pulumiCli, type Stack, succeeded } from "../../testkit/stack";
import { onceARun } from "./once";
import { run } from "./sdks";

/* The plugin's executable, for programs on machines without Node.js. */

const repository = resolve(__dirname, "../..");

/** This machine, as Pulumi calls it. */
export const PLATFORM = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

/** Returns the archive for this platform, which stands alone in its folder with its checksum. */
export function buildArchive(): Promise<string> {
  return onceARun("archive", async (folder) => {
    const script = join(repository, "scripts/plugin/index.mjs");
    const archives = join(folder, "archives");
    const output = await run(process.execPath, [script, "--output", archives], folder);
    const [, name = ""] = /^(\S+\.tar\.gz)$/m.exec(output) ?? [];
    // The pages give it to `pulumi plugin install`, from wherever they are.
    if (!isAbsolute(name)) throw new Error(`No path of an archive: ${output}`);
    return name;
  });
}

/** Installs the archive in the home of a stack. */
export async function installPlugin(stack: Stack, archive: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  const args = `resource identity v${version} --reinstall --file '${archive}'`;
  succeeded(await stack.shell(`pulumi plugin install ${args}`));
}

/** A `PATH` with Pulumi and these programs of the machine, without Node.js. */
export async function pathOf(folder: string, programs: readonly string[]): Promise<string> {
  const bin = mkdtempSync(join(folder, "bin-"));
  for (const name of programs) symlinkSync((await run("which", [name], folder)).trim(), join(bin, name));
  const { bin: pulumi } = await pulumiCli("--languages");
  const PATH = [dirname(pulumi), bin].join(delimiter);
  await run("/bin/sh", ["-c", "! command -v node"], folder, { PATH });
  return PATH;
}
