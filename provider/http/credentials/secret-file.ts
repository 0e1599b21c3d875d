import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { ConfigurationError } from "../errors";

/** No secret and no key comes near this; it keeps a wrong file from filling the memory. */
const MOST_SECRET_BYTES = 16 * 1024;

/** Checks the path of a file, without looking at the file; a problem is the rule that the value breaks. */
export function parseFilePath(
  text: string,
  sample = "/run/secrets/identity",
): { file: string } | { problem: string } {
  const file = text.trim();
  // What is no path may be the secret itself, pasted by mistake: no problem repeats it.
  if (file.startsWith("-----BEGIN")) return { problem: "holds a key: it must be the path of a file" };
  if (file.startsWith("~"))
    return { problem: 'begins with "~", which is not expanded: give the absolute path' };
  if (!isAbsolute(file) || /\p{Cc}/u.test(file)) {
    return {
      problem: `must be an absolute path, such as ${sample}: a program can run in any folder`,
    };
  }
  return { file };
}

/**
 * The text in a file, without line breaks at its end. Throws a `ConfigurationError` that names the setting and the file,
 * and says nothing of what is in it.
 */
export async function readSecretFile(file: string, setting: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await bytesOf(file);
  } catch (error) {
    throw fileError(file, setting, fileProblem(error));
  }
  if (bytes.length > MOST_SECRET_BYTES) {
    throw fileError(
      file,
      setting,
      `holds more than ${MOST_SECRET_BYTES / 1024} KiB: it must hold nothing but the secret`,
    );
  }
  let text: string;
  try {
    // Takes a byte order mark away, too.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/[\r\n]+$/, "");
  } catch {
    throw fileError(file, setting, "is not text in UTF-8");
  }
  if (text.trim() === "") throw fileError(file, setting, "is empty");
  return text;
}

export function fileError(file: string, setting: string, problem: string): ConfigurationError {
  return new ConfigurationError(`${setting}: the file ${JSON.stringify(file)} ${problem}.`);
}

class NoFile extends Error {}

/** The first bytes of a file, one more than are allowed. */
async function bytesOf(file: string): Promise<Buffer> {
  // Opening a pipe would otherwise wait for whoever writes to it.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new NoFile(status.isDirectory() ? "is a folder" : "is not a regular file");
    const buffer = Buffer.alloc(MOST_SECRET_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

function fileProblem(error: unknown): string {
  if (error instanceof NoFile) return error.message;
  const { code = "no reason given" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by the user who runs this";
  return `could not be read (${code})`;
}
