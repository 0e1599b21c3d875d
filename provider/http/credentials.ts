import { createPrivateKey, randomUUID } from "node:crypto";

/** How the client proves who it is. `privateKey` is PEM. */
export type Credentials =
  | { type: "access-token"; accessToken: string }
  | { type: "client-secret"; clientId: string; clientSecret: string }
  | { type: "private-key"; clientId: string; privateKey: string; algorithm: string };

/** A token with any other character can't be sent in a header. */
export const HEADER_TEXT = /^[\x21-\x7e]+$/;

/** Returns the secrets among credentials: no message may repeat them. */
export function secretsOf(credentials: Credentials): string[] {
  switch (credentials.type) {
    case "access-token":
      return [credentials.accessToken];
    case "client-secret":
      return [credentials.clientSecret];
    case "private-key":
      return [credentials.privateKey];
  }
}

const SETTING_OF = {
  "access-token": "accessToken",
  "private-key": "privateKey",
  "client-secret": "clientSecret",
} as const satisfies Record<Credentials["type"], string>;

/**
 * Names the settings to check when the credentials are refused: `identity:clientId` and
 * `identity:clientSecret`.
 */
export function credentialNames({
  credentials,
  nameOf,
}: {
  credentials: Credentials;
  nameOf: (setting: string) => string;
}): [string, ...string[]] {
  const proof = nameOf(SETTING_OF[credentials.type]);
  return "clientId" in credentials ? [nameOf("clientId"), proof] : [proof];
}

const ASSERTION_LIFETIME_SECONDS = 120;
/** Token signatures need at least this RSA key size. */
const LEAST_KEY_BITS = 2048;

/** Brings a private key into proper PEM form; a problem is the rule that the value breaks. */
export function parsePrivateKey(text: string): { pem: string } | { problem: string } {
  // Shells and CI systems often hand over line breaks as the two characters \ and n.
  const pem = text.trim().replaceAll("\\r", "").replaceAll("\\n", "\n");
  if (/^-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    return { problem: "is encrypted: give the key without a passphrase" };
  }
  let key;
  try {
    key = createPrivateKey(pem);
  } catch {
    return {
      problem: 'must be an RSA private key in PEM form, beginning with "-----BEGIN PRIVATE KEY-----"',
    };
  }
  if (key.asymmetricKeyType !== "rsa") return { problem: "must be an RSA key" };
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_KEY_BITS) {
    return { problem: `must be an RSA key of at least ${LEAST_KEY_BITS} bits` };
  }
  return { pem };
}

/** Signs the client's assertion of who it is: a JSON Web Token for a host. `now`: epoch milliseconds. */
export async function clientAssertion(
  { clientId, privateKey, algorithm }: Credentials & { type: "private-key" },
  audience: string,
  now: number,
): Promise<string> {
  // Loaded on demand: few programs need it, and it takes longer to load than the rest of the client.
  const { SignJWT } = await import("jose");
  const seconds = Math.floor(now / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ASSERTION_LIFETIME_SECONDS)
    .setJti(randomUUID())
    .sign(createPrivateKey(privateKey));
}
