/*
 * Records what the site's terminals show, from real runs: the demo, and a review of the quickstart on the
 * tenant of `npm run simulator`. node --import tsx scripts/record.ts
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startSimulator } from "../simulator";
import { PLAYGROUND_SEED } from "../simulator/playground";
import { environmentOf, Stack } from "../testkit/stack";

const root = resolve(__dirname, "..");
const PORT = /127\.0\.0\.1:\d+/g;

function write(name: string, command: string, output: string): void {
  const text = `$ ${command}\n${output.trim()}\n`.replace(PORT, "127.0.0.1:8000");
  writeFileSync(join(root, "docs/site/recordings", `${name}.txt`), text);
}

async function main(): Promise<void> {
  const demo = await promisify(execFile)(process.execPath, ["--import", "tsx", "scripts/demo.ts"], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
  });
  write("demo", "npm run demo", demo.stdout);

  const simulator = await startSimulator({ seed: PLAYGROUND_SEED });
  const stack = await Stack.create({ folder: "examples/quickstart", env: environmentOf(simulator) });
  try {
    await stack.config("identity:domain", simulator.url);
    const { code, stdout, stderr } = await stack.review({
      args: ["--format", "text"],
      env: { COLUMNS: "80" },
    });
    if (code !== 0) throw new Error(stderr);
    write("review", "npx --no pulumi-identity review", stdout);
  } finally {
    stack.remove();
    await simulator.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
