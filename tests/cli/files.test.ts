import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError } from "../../cli/errors";
import { checkOutputs, makeFolders, readFile, readInput, write } from "../../cli/files";
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

test("a failure has its reason in words", () => {
  const [file, lost] = [join(folder, "file"), join(folder, "none/file")];
  expect(() => readFile(file)).toThrow(new CommandError(`${file} could not be read (no such file).`));
  expect(() => readFile(folder)).toThrow(new CommandError(`${folder} could not be read (it is a folder).`));
  expect(() => write(folder, "")).toThrow(
    new CommandError(`${folder} could not be written (it is a folder).`),
  );
  const noFolder = new CommandError(`${lost} could not be written (no such folder).`);
  expect(() => write(lost, "")).toThrow(noFolder);
  expect(() => checkOutputs([undefined, file, lost])).toThrow(noFolder);
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
});
