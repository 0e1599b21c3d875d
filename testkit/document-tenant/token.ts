import { createHmac } from "node:crypto";
import { Refusal } from "./answers";
import { type Choices } from "./choices";
import { type Answer, type Request } from "./messages";
import { FORM_TYPE } from "./rules";

interface Issuer {
  url: string;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
  /** Returns a token that the tenant will accept. */
  issue(): string;
}

/** Section 5: the token path is `/oauth/token/`. Many a server takes or leaves the last slash. */
export function isTokenPath(path: string): boolean {
  return path === "/oauth/token" || path === "/oauth/token/";
}

/** OAuth 2.0 client credentials, where section 5 says no more than the path and the audience. */
export function tokenAnswer(request: Request, issuer: Issuer, choices: Choices): Answer {
  const { tokenPath, otherTokenPath, wrongAudience, wrongCredentials } = choices;
  if (tokenPath !== "both" && request.path !== tokenPath) {
    if (otherTokenPath >= 400) throw new Refusal(otherTokenPath, "not_found", "There is nothing here.");
    return { status: otherTokenPath, headers: { Location: issuer.url + tokenPath } };
  }
  if (request.method !== "POST") throw new Refusal(405, "method_not_allowed", "Use POST.");
  if (request.contentType !== FORM_TYPE)
    throw new Refusal(400, "invalid_request", `Content-Type must be ${FORM_TYPE}.`, true);

  const form = new URLSearchParams(request.body);
  if (form.get("grant_type") !== "client_credentials")
    throw new Refusal(400, "unsupported_grant_type", "grant_type must be client_credentials.", true);
  if (!authenticates(request.authorization, form, issuer, choices))
    throw new Refusal(wrongCredentials.status, wrongCredentials.code, "Denied.", wrongCredentials.isOAuth);
  if (!audiences(issuer.url, choices).includes(form.get("audience") ?? ""))
    throw new Refusal(wrongAudience.status, wrongAudience.code, "Unknown audience.", wrongAudience.isOAuth);

  const body = {
    access_token: issuer.issue(),
    ...(choices.tokenTypeInAnswer ? { token_type: "Bearer" } : {}),
    ...(choices.expiresIn === "absent" ? {} : { expires_in: choices.expiresIn }),
    ...(choices.scopeInAnswer ? { scope: issuer.scopes.join(" ") } : {}),
  };
  return { status: choices.tokenStatus, body, headers: { "Cache-Control": "no-store" } };
}

/** The document says "constant value `/api/v2/`". It may be short for the address that it's relative to. */
function audiences(url: string, { audience }: Choices): string[] {
  const all = { "/api/v2/": "/api/v2/", absolute: `${url}/api/v2/` };
  return audience === "both" ? Object.values(all) : [all[audience]];
}

/** Of OAuth's two ways for a client's secret (RFC 6749, 2.3.1), the document names none. */
function authenticates(
  authorization: string,
  form: URLSearchParams,
  issuer: Issuer,
  choices: Choices,
): boolean {
  const { clientId, clientSecret } = issuer;
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const inForm = form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
  return (
    (inForm && choices.clientAuthentication !== "header") ||
    (authorization === basic && choices.clientAuthentication !== "form")
  );
}

/** "The bearer format is a JSON Web Token." */
export function jsonWebToken(secret: string, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
