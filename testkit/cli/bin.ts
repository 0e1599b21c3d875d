import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const bin = resolve(__dirname, "../../dist/cli/index.js");

/** Runs `pulumi-identity`, and lists the packages that it loads. */
export async function runListing(...[env, args, given]: Parameters<typeof runBin>) {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-loaded-"));
  try {
    const [listing, loaded] = [join(folder, "listing.cjs"), join(folder, "loaded.json")];
    const list = `require("node:fs").writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache)))`;
    writeFileSync(listing, `process.on("exit", () => ${list});`);
    const result = await runBin({ ...env, NODE_OPTIONS: `--require ${listing}` }, args, given);
    const files = JSON.parse(readFileSync(loaded, "utf8")) as string[];
    const packages = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
    return { ...result, packages: [...new Set(packages)].sort() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs `pulumi-identity` in an environment outside of CI; `input`: what it reads from standard input. */
export function runBin(
  env: Record<string, string>,
  args: readonly string[],
  { cwd, input = "" }: { cwd?: string; input?: string } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { PATH, TMPDIR } = process.env;
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [bin, ...args],
      { env: { PATH, TMPDIR, ...env }, cwd, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    // It may end without reading.
    child.stdin?.on("error", () => undefined).end(input);
  });
}
