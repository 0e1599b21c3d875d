import { createPrivateKey } from "node:crypto";
import { type RateLimits } from "./rate-limit/governor";

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

/** Everything that a client needs to know of one tenant. */
export interface TenantSettings {
  /** `https://tenant.example.com`, or `http://127.0.0.1:4100` for a loopback host; no path, no trailing slash. */
  origin: string;
  credentials: Credentials;
  /** Sent as given; when absent, `<origin>/api/v2/` and, if that is refused, `/api/v2/`. */
  audience?: string | undefined;
  limits: ClientLimits;
  /** What messages call a setting: `identity:domain (IDENTITY_DOMAIN)`. */
  nameOf: (setting: string) => string;
  /** How to replace credentials that the tenant refuses, as a sentence; empty where there is nothing to add. */
  rotation: () => string;
}

/** What the client allows itself. */
export interface ClientLimits extends RateLimits {
  /** Seconds that one operation may wait for the rate limit and between retries. */
  maxWaitSeconds: number;
  /** Seconds until one attempt without an answer is given up. */
  requestTimeoutSeconds: number;
}

export const DEFAULT_LIMITS: ClientLimits = {
  rateLimitReserve: 0.2,
  maxConcurrency: 16,
  maxRequestsPerSecond: undefined,
  maxWaitSeconds: 300,
  requestTimeoutSeconds: 30,
};

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for hosts whose traffic never leaves the machine: there `http://` is allowed and no proxy is used. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Turns `tenant.example.com` or a URL into an origin; a string answer is the rule that the value breaks. */
export function parseDomain(domain: string): { origin: string } | { problem: string } {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(domain) ? domain : `https://${domain}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { problem: "must be the tenant's host name, such as tenant.example.com" };
  }
  if (url.username !== "" || url.password !== "")
    return { problem: "must not contain a user name or password" };
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return { problem: "must be a host name without path or query, such as tenant.example.com" };
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return { problem: "may use http:// only for a loopback host such as 127.0.0.1" };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { problem: "must be a host name, optionally with https://" };
  }
  return { origin: url.origin };
}

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
}: Pick<TenantSettings, "credentials" | "nameOf">): [string, ...string[]] {
  const setting = nameOf(SETTING_OF[credentials.kind]);
  const proof =
    "file" in credentials ? `the file ${JSON.stringify(credentials.file)} of ${setting}` : setting;
  return "clientId" in credentials ? [nameOf("clientId"), proof] : [proof];
}

/** True for a text that was meant for a setting of a file, as `/run/secrets/identity` in place of what is in it. */
export function looksLikePath(text: string): boolean {
  return /^(?:~|\.{0,2})\/[\w./-]+$/.test(text.trim());
}

/** Smaller RSA keys are not accepted for signatures of tokens. */
const LEAST_KEY_BITS = 2048;

/** Brings a private key into PEM form as it should be; a problem is the rule that the value breaks. */
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
