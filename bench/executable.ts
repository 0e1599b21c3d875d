import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";

/** The plugin of this checkout as one executable, for this machine. */
export interface Executable {
  /** As `pulumi plugin install` takes it. */
  archive: string;
  file: string;
}

const root = resolve(__dirname, "..");

/** Makes the executable for as long as `use` takes. */
export async function withExecutable<Result>(use: (made: Executable) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  try {
    const args = [join(root, "scripts/plugin/index.mjs"), "--output", folder];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    const archive = join(folder, readdirSync(folder).find((name) => name.endsWith(".tar.gz")) ?? "");
    await extract({ file: archive, cwd: folder });
    return await use({ archive, file: join(folder, "pulumi-resource-identity") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
