import { type Credentials } from "./credentials";
import { type RateLimits } from "./rate-limit/governor";

export interface TenantSettings {
  /** `https://tenant.example.com`, or `http://127.0.0.1:4100` on a loopback host; no path, no final slash. */
  origin: string;
  credentials: Credentials;
  /** Sent as given; if absent, `<origin>/api/v2/`, and if that is refused, `/api/v2/`. */
  audience?: string | undefined;
  limits: ClientLimits;
  /** Returns a setting's name for messages: `identity:domain (IDENTITY_DOMAIN)`. */
  nameOf: (setting: string) => string;
  /** Advice on replacing refused credentials, as a sentence; may be empty. */
  rotation: () => string;
}

export interface ClientLimits extends RateLimits {
  /** Seconds that one operation may wait for the rate limit and between retries. */
  maxWaitSeconds: number;
  /** Seconds until we give up on an attempt without an answer. */
  requestTimeoutSeconds: number;
}

export const DEFAULT_LIMITS: ClientLimits = {
  rateLimitReserve: 0.2,
  maxConcurrency: 16,
  maxRequestsPerSecond: undefined,
  maxWaitSeconds: 300,
  requestTimeoutSeconds: 30,
};

/** True for hosts whose traffic never leaves the machine: these allow `http://` and need no proxy. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Parses `tenant.example.com` or a URL; a problem is the rule that the value breaks. */
export function parseDomain(domain: string): { origin: string } | { problem: string } {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(domain) ? domain : `https://${domain}`;
  if (!URL.canParse(text)) return { problem: "must be the tenant's host name, such as tenant.example.com" };
  const url = new URL(text);
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
