import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";
import { buildArchive } from "../e2e/plugin-archive";

const root = resolve(__dirname, "../..");
const folder = useFolder();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

function build(target: string, output: string): Buffer {
  const args = ["scripts/plugin/index.mjs", "--target", target, "--output", join(folder, output)];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return readFileSync(join(folder, output, `pulumi-resource-identity-v${version}-${target}.tar.gz`));
}

test("two builds for another platform are equal, byte for byte", () => {
  const target = process.arch === "arm64" ? "linux-amd64" : "linux-arm64";
  const [one, other] = [build(target, "one"), build(target, "other")];
  expect(one.equals(other)).toBe(true);

  const name = `pulumi-resource-identity-v${version}-${target}.tar.gz`;
  const sum = createHash("sha256").update(one).digest("hex");
  expect(readFileSync(join(folder, "one/SHA256SUMS"), "utf8")).toBe(`${sum}  ${name}\n`);
});

test("what NODE_OPTIONS has for the program's Node.js doesn't reach the executable", async () => {
  const archive = await buildArchive();
  expect(spawnSync("tar", ["xzf", archive, "-C", folder]).status).toBe(0);
  const { stdout, stderr } = spawnSync(join(folder, "pulumi-resource-identity"), ["--version"], {
    env: { NODE_OPTIONS: `--require ${join(folder, "nowhere.js")}` },
    encoding: "utf8",
  });
  expect({ stdout, stderr }).toEqual({ stdout: `${version}\n`, stderr: "" });
});
