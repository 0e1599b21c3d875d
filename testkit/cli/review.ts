import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { reviewSchema } from "../../provider/review/model";
import { violations } from "../json-schemas";

const bin = resolve(__dirname, "../../dist/cli/index.js");

export interface ReviewResult {
  code: number;
  /** Markdown. */
  stdout: string;
  stderr: string;
  /** The model, checked against its schema; undefined if it wasn't written. */
  json: unknown;
}

/** Runs `pulumi-identity review` on previews, given as text. It asks no tenant. */
export function review(previews: readonly string[], ...args: string[]): Promise<ReviewResult> {
  return reviewIn({}, previews, "--no-read", ...args);
}

/** Runs it in an environment with these variables, outside of CI. */
export async function reviewIn(
  env: Record<string, string>,
  previews: readonly string[],
  ...args: string[]
): Promise<ReviewResult> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-review-"));
  try {
    const files = previews.map((text, index) => {
      const file = join(folder, `preview-${index}.json`);
      writeFileSync(file, text);
      return file;
    });
    const result = await runBin(env, ["review", ...files, "--json", join(folder, "model.json"), ...args]);
    const model = join(folder, "model.json");
    const json = existsSync(model) ? read(model) : undefined;
    return { ...result, json };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(file: string): unknown {
  const json = JSON.parse(readFileSync(file, "utf8")) as unknown;
  expect(violations("review", json)).toEqual([]);
  return Array.isArray(json) ? json.map((one) => reviewSchema.parse(one)) : reviewSchema.parse(json);
}

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
): Promise<Omit<ReviewResult, "json">> {
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
