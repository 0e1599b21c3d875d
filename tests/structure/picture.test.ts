import { spawnSync } from "node:child_process";
import { join } from "node:path";

test("the picture of provider/ in CONTRIBUTING.md is current", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(__dirname, "../../scripts/picture.mjs"), "--check"],
    {
      encoding: "utf8",
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
