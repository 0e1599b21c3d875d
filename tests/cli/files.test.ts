import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../cli/errors";
import { checkOutputs, makeFolders, readFile, readInput } from "../../cli/files";
import { useFolder } from "../../testkit/folder";

const folder = useFolder();

test("folders are made, all or none, and an error is no stack trace", () => {
  mkdirSync(join(folder, "there"));
  writeFileSync(join(folder, "file"), "");
  const last = join(folder, "file/c");
  const make = () => makeFolders([join(folder, "there"), join(folder, "a/b"), last]);
  expect(make).toThrow(new CommandError(`${last} could not be made (ENOTDIR).`));
  expect(readdirSync(folder)).toEqual(["file", "there"]);
  makeFolders([join(folder, "there"), join(folder, "a/b")]);
  expect(readdirSync(folder)).toEqual(["a", "file", "there"]);
});

test("an output in the place of an input is refused, however its path is written", () => {
  const file = `${folder}/./rules.yaml`;
  expect(() => checkOutputs([file], [undefined, join(folder, "rules.yaml")])).toThrow(
    new CommandError(`${file} is to be read, and to be written over: name another file.`),
  );
  expect(() => checkOutputs([undefined, join(folder, "other")], [undefined, file, "-"])).not.toThrow();
});

test.each<[string, Buffer]>([
  ["UTF-8", Buffer.from('{"é": 1}')],
  ["UTF-8 with a mark", Buffer.from('\ufeff{"é": 1}')],
  ["UTF-16, as PowerShell redirects output", Buffer.from('\ufeff{"é": 1}', "utf16le")],
  ["UTF-16, big-endian", Buffer.from('\ufeff{"é": 1}', "utf16le").swap16()],
])("another command's output is read in %s", async (_, bytes) => {
  const file = join(folder, "output");
  writeFileSync(file, bytes);
  expect(await readInput(file, "pulumi")).toEqual({ file, text: '{"é": 1}' });
  expect(readFile(file)).toBe('{"é": 1}');
});

const OTHER = "letters of another encoding, such as Windows-1252";
const NONE = "is no text: perhaps it is UTF-16 without a byte order mark";

test.each<[string, Buffer, string]>([
  ["Windows-1252", Buffer.from("a\r\nb\rcafé\n", "latin1"), `is not UTF-8: line 3 has ${OTHER}`],
  ["half a letter at the end", Buffer.from("a\né").subarray(0, 3), `is not UTF-8: line 2 has ${OTHER}`],
  ["UTF-16 without a mark", Buffer.from("a\nb", "utf16le"), NONE],
  ["half of UTF-16", Buffer.from("\ufeffa\nbc", "utf16le").subarray(0, 9), "is UTF-16, and broken on line 2"],
  ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), "is UTF-32"],
])("a file in %s is refused by its name", (_, bytes, why) => {
  const file = join(folder, "rules.yaml");
  writeFileSync(file, bytes);
  expect(() => readFile(file)).toThrow(new CommandError(`${file} ${why}. Save it as UTF-8.`));
});

test("a replacement character of the file's own is no torn letter", () => {
  const file = join(folder, "output");
  for (const encoding of ["utf8", "utf16le"] as const) {
    writeFileSync(file, "\ufeffa\ufffd", encoding);
    expect(readFile(file)).toBe("a\ufffd");
  }
});
