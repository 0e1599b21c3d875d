import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(__dirname, "../..");

test.each([
  ["the picture of provider/ in CONTRIBUTING.md is", ["scripts/picture.mjs"]],
  ["the tables of inputs, outputs and results in docs/ are", ["--import", "tsx", "scripts/tables.ts"]],
])("%s current", (_, command) => {
  const { status, stderr } = spawnSync(process.execPath, [...command, "--check"], {
    cwd: root,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
