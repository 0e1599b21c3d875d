import { type Border } from "../../border";
import { type Credentials, type GivenCredentials, parsePrivateKey, secretsOf } from "./credentials";
import { type TenantSettings } from "../settings";
import { tokenFromCommand } from "./token-command";
import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { buffer } from "node:stream/consumers";
import { ConfigurationError } from "../errors";

interface ReadingOptions {
  /** Learns what is read before anybody else does. */
  border: Border;
  cancelled?: AbortSignal | undefined;
}

/** As they are given, or read anew from where they are kept. Throws a `ConfigurationError`. */
export async function readCredentials(
  { credentials, nameOf }: Pick<TenantSettings, "credentials" | "nameOf">,
  options: ReadingOptions,
): Promise<GivenCredentials> {
  const read = await readKept(credentials, nameOf, options);
  options.border.secrets.renew(...secretsOf(read));
  return read;
}

async function readKept(
  credentials: Credentials,
  nameOf: TenantSettings["nameOf"],
  { border, cancelled }: ReadingOptions,
): Promise<GivenCredentials> {
  switch (credentials.kind) {
    case "access-token-command": {
      const setting = nameOf("accessTokenCommand");
      const accessToken = await tokenFromCommand(credentials.command, { setting, border, cancelled });
      return { kind: "access-token", accessToken };
    }
    case "client-secret-file": {
      const { file, clientId } = credentials;
      const setting = nameOf("clientSecretFile");
      const clientSecret = await readSecretFile(file, setting);
      if (!/[\r\n]/.test(clientSecret)) return { kind: "client-secret", clientId, clientSecret };
      throw fileError(file, setting, "holds more than one line: it must hold nothing but the secret");
    }
    case "private-key-file": {
      const { file, clientId, algorithm } = credentials;
      const setting = nameOf("privateKeyFile");
      const text = await readSecretFile(file, setting);
      border.secrets.renew(text);
      const key = parsePrivateKey(text);
      if ("pem" in key) return { kind: "private-key", clientId, privateKey: key.pem, algorithm };
      throw fileError(file, setting, `is not usable: the key ${key.problem}`);
    }
    default:
      return credentials;
  }
}

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

/** Without line breaks at its end. Throws a `ConfigurationError`, which says nothing of the content. */
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
  if (!isUtf8(bytes)) throw fileError(file, setting, "is not text in UTF-8");
  // Unlike toString, it takes a byte order mark away.
  const text = new TextDecoder().decode(bytes).replace(/[\r\n]+$/, "");
  if (text.trim() === "") throw fileError(file, setting, "is empty");
  return text;
}

function fileError(file: string, setting: string, problem: string): ConfigurationError {
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
    return await buffer(handle.createReadStream({ end: MOST_SECRET_BYTES, autoClose: false }));
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
