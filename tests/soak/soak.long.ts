import { execFile } from "node:child_process";
import { join, resolve } from "node:path";

/**
 * A short run of index.ts: growth with each run shows in listeners and messages, and, if it's large, in
 * memory.
 */
test("inline programs of four stacks, again and again in one process", async () => {
  const args = ["--runs", "60", "--warm-up", "20", "--growth", "25", "--rest", "0.2"];
  const { code, output } = await new Promise<{ code: unknown; output: string }>((done) =>
    execFile(
      process.execPath,
      ["--expose-gc", "--import", "tsx", join(__dirname, "index.ts"), ...args],
      { cwd: resolve(__dirname, "../..") },
      (error, stdout, stderr) => done({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    ),
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^60 runs in .*/m) as string });
});
