import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reviewCommand } from "../../cli/review/command";
import { reviewSchema } from "../../provider/review/model";
import { violations } from "../json-schemas";
import { runCommand } from "./in-process";

export interface ReviewResult {
  code: number;
  /** Markdown. */
  stdout: string;
  stderr: string;
  /** The model, checked against its schema; undefined if it wasn't written. */
  json: unknown;
}

/** Runs `pulumi-identity review` in this process, on previews given as text. It asks no tenant. */
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
    const { PATH, TMPDIR } = process.env;
    const result = await runCommand(
      reviewCommand(),
      [...files, "--json", join(folder, "model.json"), ...args],
      { env: { PATH, TMPDIR, ...env } },
    );
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
