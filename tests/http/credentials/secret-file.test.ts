import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../../../provider/http/errors";
import { parseFilePath, readSecretFile } from "../../../provider/http/credentials/source";
import { failure } from "../tenant";

const SETTING = "identity:clientSecretFile";
const CONTENT = "hidden-content-of-the-file";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-secrets-"));
  // Another user gets as far as the file.
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(content: string | Buffer, name = "secret"): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

test.each([
  ["as it is", CONTENT, CONTENT],
  ["without the line break at its end", `${CONTENT}\n`, CONTENT],
  ["without several, of either kind", `${CONTENT}\r\n\n`, CONTENT],
  ["with blanks at its ends, which may be part of a secret", ` ${CONTENT} \n`, ` ${CONTENT} `],
  ["without a byte order mark", `\ufeff${CONTENT}`, CONTENT],
  ["up to 16 KiB", "x".repeat(16 * 1024), "x".repeat(16 * 1024)],
])("what a file holds is taken %s", async (_, content, expected) => {
  expect(await readSecretFile(fileOf(content), SETTING)).toBe(expected);
});

test("a link is followed, and each reading sees what the file holds by then", async () => {
  const file = fileOf("first");
  const link = join(folder, "link");
  symlinkSync(file, link);
  expect(await readSecretFile(link, SETTING)).toBe("first");
  fileOf("second");
  expect(await readSecretFile(link, SETTING)).toBe("second");
});

/** What reading a file fails with, without the part that each message begins with. */
async function problem(file: string): Promise<string> {
  const error = await failure(readSecretFile(file, SETTING));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).not.toContain("hidden");
  const before = `${SETTING}: the file ${JSON.stringify(file)} `;
  expect(error.message.slice(0, before.length)).toBe(before);
  return error.message.slice(before.length);
}

describe("is told, with the setting and the file and nothing of the content:", () => {
  test.each([
    ["no file", () => join(folder, "none"), "does not exist."],
    ["a file where a folder should be", () => join(fileOf(CONTENT), "none"), "does not exist."],
    ["a folder", () => folder, "is a folder."],
    ["a device, which never ends", () => "/dev/zero", "is not a regular file."],
    ["an empty file", () => fileOf(""), "is empty."],
    ["a file of line breaks", () => fileOf("\n \r\n"), "is empty."],
    [
      "a file that is too large",
      () => fileOf(CONTENT.repeat(1000)),
      "holds more than 16 KiB: it must hold nothing but the secret.",
    ],
    [
      "another encoding, as of PowerShell's >",
      () => fileOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(CONTENT, "utf16le")])),
      "is not text in UTF-8.",
    ],
    ["a file that can't be read", () => "/proc/self/mem", "could not be read (EIO)."],
  ])("%s", async (_, file, expected) => {
    expect(await problem(file())).toBe(expected);
  });

  test("a pipe, for whose writer nobody waits", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await problem(pipe)).toBe("is not a regular file.");
  });

  test("a file of somebody else", async () => {
    const file = fileOf(CONTENT, "theirs");
    chmodSync(file, 0o000);
    // The superuser may read everything.
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65534);
    try {
      expect(await problem(file)).toBe("may not be read by the user who runs this.");
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
  });
});

const NOT_ABSOLUTE =
  "must be an absolute path, such as /run/secrets/identity: a program can run in any folder";
const NOT_EXPANDED = 'begins with "~", which is not expanded: give the absolute path';

test.each<[string, ReturnType<typeof parseFilePath>]>([
  ["/run/secrets/identity", { file: "/run/secrets/identity" }],
  [" /run/secrets/with blank\n", { file: "/run/secrets/with blank" }],
  ["~/identity", { problem: NOT_EXPANDED }],
  ["~", { problem: NOT_EXPANDED }],
  ["identity", { problem: NOT_ABSOLUTE }],
  ["./identity", { problem: NOT_ABSOLUTE }],
  ["../identity", { problem: NOT_ABSOLUTE }],
  ["/run/a\nb", { problem: NOT_ABSOLUTE }],
  ["-----BEGIN PRIVATE KEY-----\nAAAA", { problem: "holds a key: it must be the path of a file" }],
])("the path %j", (path, expected) => {
  expect(parseFilePath(path)).toEqual(expected);
});

test("another sample is named where the file is no secret of its user", () => {
  expect(parseFilePath("token", "/tmp/token")).toEqual({
    problem: "must be an absolute path, such as /tmp/token: a program can run in any folder",
  });
});
