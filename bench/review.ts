import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { groups, previewText, step } from "../testkit/cli/previews";

const bin = resolve(__dirname, "../dist/cli/index.js");

export interface Cost {
  /** From the start of the process to its end. */
  milliseconds: number;
  /** Peak memory. */
  megabytes: number;
}

/** Measures one start of `pulumi-identity review`, or of Node.js alone without a number of changes. */
export function costOfReview(changes: number | undefined): Cost {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-bench-"));
  try {
    const [preview, hook, memory] = ["preview.json", "hook.cjs", "memory"].map((name) => join(folder, name));
    if (preview === undefined || hook === undefined || memory === undefined) throw new Error("No files.");
    writeFileSync(preview, previewOf(changes ?? 0));
    const script = `process.on("exit", () =>
      require("node:fs").writeFileSync(${JSON.stringify(memory)}, String(process.resourceUsage().maxRSS)));`;
    writeFileSync(hook, script);
    const args = changes === undefined ? ["-e", "0"] : [bin, "review", preview, "--no-read"];
    const begin = performance.now();
    const { status } = spawnSync(process.execPath, ["--require", hook, ...args]);
    const milliseconds = performance.now() - begin;
    if (status !== 0) throw new Error(`The review ended with code ${status}.`);
    return { milliseconds, megabytes: Number(readFileSync(memory, "utf8")) / 1024 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Creates of assignments, each with its preview line. */
function previewOf(changes: number): string {
  const all = Array.from({ length: changes }, (_, index) => {
    const roleId = `rol_${String(index).padStart(16, "0")}`;
    return { name: `assignment-${index}`, roleId };
  });
  return previewText(
    all.map(({ name, roleId }) => step({ name, after: { ...groups("grp_5BmRd9aSj2WqTgFx7cUkEn"), roleId } })),
    all.map(({ name, roleId }) => `${name}: role ${roleId}: + grp_5BmRd9aSj2WqTgFx7cUkEn`),
  );
}
