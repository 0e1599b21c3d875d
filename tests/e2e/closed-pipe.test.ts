import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { groups, previewText, step } from "../../testkit/cli/previews";
import { useFolder } from "../../testkit/folder";

/* `… | head -1`: the reader leaves before the command has written everything. */

const root = resolve(__dirname, "../..");
const bin = resolve(root, "dist/cli/index.js");
const simulator = resolve(root, "simulator/dist/main.js");

const folder = useFolder();

test.each(["", "review"])("help of the command %j ends without an error if nobody reads it", async (name) => {
  const args = name === "" ? ["--help"] : [name, "--help"];
  expect(await unread([bin, ...args])).toEqual({ code: 0, stderr: "" });
});

test("a review keeps its exit code", async () => {
  const preview = join(folder, "preview.json");
  writeFileSync(preview, previewText([step({ name: "a", after: groups("grp_a") })]));
  const args = ["review", preview, "--no-read", "--fail-on", "grant"];
  expect(await unread([bin, ...args])).toEqual({ code: 3, stderr: "" });
});

test("the simulator's help ends without an error as well", async () =>
  expect(await unread([simulator, "--help"])).toEqual({ code: 0, stderr: "" }));

async function unread(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const { PATH, TMPDIR } = process.env;
  const child = spawn(process.execPath, args, { env: { PATH, TMPDIR }, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [stderr] = await Promise.all([text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stderr };
}
