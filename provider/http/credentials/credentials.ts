/** How the client proves who it is. `privateKey` is PEM. */
export type GivenCredentials =
  | { kind: "access-token"; accessToken: string }
  | { kind: "client-secret"; clientId: string; clientSecret: string }
  | { kind: "private-key"; clientId: string; privateKey: string; algorithm: string };

/** Where that is kept, to be read when a token is needed: a file by its absolute path, a command by its words. */
export type KeptCredentials =
  | { kind: "access-token-command"; command: readonly string[] }
  | { kind: "client-secret-file"; clientId: string; file: string }
  | { kind: "private-key-file"; clientId: string; file: string; algorithm: string };

export type Credentials = GivenCredentials | KeptCredentials;

/** What a token may hold: anything else can't be sent in a header. */
export const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** The secrets among credentials: no message may repeat them. */
export function secretsOf(credentials: Credentials): string[] {
  switch (credentials.kind) {
    case "access-token":
      return [credentials.accessToken];
    case "client-secret":
      return [credentials.clientSecret];
    case "private-key":
      return [credentials.privateKey];
    default:
      return [];
  }
}

const SETTING_OF = {
  "access-token": "accessToken",
  "access-token-command": "accessTokenCommand",
  "private-key": "privateKey",
  "private-key-file": "privateKeyFile",
  "client-secret": "clientSecret",
  "client-secret-file": "clientSecretFile",
} as const satisfies Record<Credentials["kind"], string>;

/** What a person should check when the credentials are refused: `identity:clientId` and `identity:clientSecret`. */
export function credentialNames({
  credentials,
  nameOf,
}: {
  credentials: Credentials;
  nameOf: (setting: string) => string;
}): [string, ...string[]] {
  const setting = nameOf(SETTING_OF[credentials.kind]);
  const proof =
    "file" in credentials ? `the file ${JSON.stringify(credentials.file)} of ${setting}` : setting;
  return "clientId" in credentials ? [nameOf("clientId"), proof] : [proof];
}

/** True for a text that was meant for a setting of a file, as `/run/secrets/identity` in place of what is in it. */
export function looksLikePath(text: string): boolean {
  return /^(?:~|\.{0,2})\/[\w./-]+$/.test(text.trim());
}
