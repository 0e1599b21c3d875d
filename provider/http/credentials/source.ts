import { type Border } from "../../border";
import { fileError, readSecretFile } from "./secret-file";
import { type Credentials, type GivenCredentials, secretsOf } from "./credentials";
import { parsePrivateKey } from "./private-key";
import { type TenantSettings } from "../settings";
import { tokenFromCommand } from "./token-command";

export interface ReadingOptions {
  /** Learns what is read before anybody else does. */
  border: Border;
  /** Ends a command that runs. */
  cancelled?: AbortSignal | undefined;
}

/**
 * The credentials themselves: as they are given, or read anew from where they are kept. Throws a `ConfigurationError` that
 * names the setting and the file or command.
 */
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
