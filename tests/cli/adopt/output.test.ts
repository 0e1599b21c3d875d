import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { checkOutput, writeOutput } from "../../../cli/files";
import { useFolder } from "../../../testkit/folder";

const folder = useFolder();

describe.each([true, false])("with force: %p, what is no file is refused and stays as it is", (force) => {
  test.each<[string, (path: string) => void]>([
    ["a folder", (path) => mkdirSync(path)],
    ["a pipe", (path) => execFileSync("mkfifo", [path])],
    ["a device", (path) => symlinkSync("/dev/null", path)],
    ["a link that leads nowhere", (path) => symlinkSync("nowhere", path)],
  ])("%s", (what, make) => {
    const path = join(folder, "out");
    make(path);
    const before = lstatSync(path);

    for (const write of [() => checkOutput(path, force), () => writeOutput(path, "text", force)])
      expect(write).toThrow(`${path} is ${what}: name a file.`);

    expect(lstatSync(path).mode).toBe(before.mode);
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  test("a device itself", () => {
    expect(() => writeOutput("/dev/null", "text", force)).toThrow("/dev/null is a device: name a file.");
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  });
});

test("a link stays a link, and the file it leads to is replaced", () => {
  mkdirSync(join(folder, "real"));
  const [link, file] = [join(folder, "out"), join(folder, "real", "file")];
  writeFileSync(file, "before");
  symlinkSync("real/file", link);

  expect(() => checkOutput(link, false)).toThrow(/is there already/);
  writeOutput(link, "after", true);

  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("after");
  expect(readdirSync(join(folder, "real"))).toEqual(["file"]);
});

test("a file that is not there yet is made", () => {
  const path = join(folder, "new");
  checkOutput(path, false);
  expect(existsSync(path)).toBe(false);
  writeOutput(path, "text", false);
  expect(readFileSync(path, "utf8")).toBe("text");
});
