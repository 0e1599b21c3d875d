import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { adoptCommand } from "../../../cli/adopt/command";
import { runCommand } from "../../../testkit/cli/in-process";
import { useFolder } from "../../../testkit/folder";
import { environmentOf, useSimulator } from "../../../testkit/simulator";

/* What `--output` leads to. tests/e2e/adopt-command.test.ts writes, keeps and replaces plain files. */

const folder = useFolder();
const simulator = useSimulator({ seed: { connection_profiles: [] } });
const adopt = (path: string, ...options: string[]) =>
  runCommand(adoptCommand(), ["--output", path, ...options], {
    env: { PATH: "", ...environmentOf(simulator) },
  });

test.each<[string, (path: string) => void]>([
  ["a folder", (path) => mkdirSync(path)],
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a device", (path) => symlinkSync("/dev/null", path)],
  ["a link that leads nowhere", (path) => symlinkSync("nowhere", path)],
])("%s is refused, with --force too, and stays as it is", async (what, make) => {
  const path = join(folder, "out");
  make(path);
  const before = lstatSync(path);
  for (const force of [[], ["--force"]])
    expect(await adopt(path, ...force)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${path} is ${what}: name a file.\n`,
    });
  expect(lstatSync(path).mode).toBe(before.mode);
  expect(readdirSync(folder)).toEqual(["out"]);
});

test("a device itself is refused", async () => {
  expect((await adopt("/dev/null", "--force")).stderr).toBe("/dev/null is a device: name a file.\n");
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("a link stays a link, and the file it leads to is replaced", async () => {
  mkdirSync(join(folder, "real"));
  const [link, file] = [join(folder, "out"), join(folder, "real", "file")];
  writeFileSync(file, "before");
  symlinkSync("real/file", link);

  expect((await adopt(link)).stderr).toContain("is there already");
  expect(await adopt(link, "--force")).toMatchObject({ code: 0 });

  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("There is no connection profile");
  expect(readdirSync(join(folder, "real"))).toEqual(["file"]);
});
