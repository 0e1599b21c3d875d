import { constants, createHmac, randomBytes, randomUUID, verify } from "node:crypto";
import { ApiError } from "./errors";
import { type Client } from "./types";
import { type Tenant } from "./tenant";

/** An error answer of the token endpoint: `{error, error_description}`. */
export class OAuthError extends Error {
  constructor(
    readonly statusCode: number,
    readonly error: string,
    description: string,
  ) {
    super(description);
  }

  /** The body as sent. */
  get body(): object {
    return { error: this.error, error_description: this.message };
  }
}

/** The rights of a bearer token. */
export interface Grant {
  scopes: ReadonlySet<string>;
  /** The token's subject: a user id, or `<client id>@clients`. */
  subject: string | undefined;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** The client that got it; undefined for a token of the seed. */
  clientId: string | undefined;
}

/** A successful answer of the token endpoint. */
export interface TokenAnswer {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_LIFETIME_SECONDS = 180;
const RELATIVE_AUDIENCE = "/api/v2/";

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const pkcs1 = { padding: constants.RSA_PKCS1_PADDING };
const algorithms: Record<string, { digest: string; options: object }> = {
  RS256: { digest: "sha256", options: pkcs1 },
  RS384: { digest: "sha384", options: pkcs1 },
  RS512: { digest: "sha512", options: pkcs1 },
  PS256: { digest: "sha256", options: pss },
  PS384: { digest: "sha384", options: pss },
  PS512: { digest: "sha512", options: pss },
};

/** The token endpoint and the check of bearer tokens. */
export class Authority {
  readonly #grants = new Map<string, Grant>();
  readonly #seenAssertions = new Set<string>();
  readonly #signingKey = randomBytes(32);
  #handedOut: string[] = [];
  #tenant: Tenant;

  /**
   * @param tenant Whose clients and tokens count.
   * @param urls The tenant's own URLs, without a trailing slash; the first is the issuer of tokens.
   * @param now Clock in epoch milliseconds.
   * @param tokenLifetime Seconds.
   */
  constructor(
    tenant: Tenant,
    private readonly urls: () => readonly string[],
    private readonly now: () => number,
    private readonly tokenLifetime: number,
  ) {
    this.#tenant = tenant;
    this.useTenant(tenant);
  }

  /** Every access token from the token endpoint, oldest first. */
  get handedOut(): readonly string[] {
    return this.#handedOut;
  }

  /** Issued tokens stay valid if their client still exists. */
  useTenant(tenant: Tenant): void {
    this.#tenant = tenant;
    for (const [token, { clientId }] of this.#grants) {
      if (clientId === undefined || !tenant.clients.has(clientId)) this.#grants.delete(token);
    }
    for (const { access_token, scope, subject, expires_in = Infinity } of tenant.tokens) {
      this.#grants.set(access_token, {
        scopes: new Set(words(scope)),
        subject,
        expiresAt: this.now() + expires_in * 1000,
        clientId: undefined,
      });
    }
  }

  /** Answers a token request. */
  token(parameters: Readonly<Record<string, unknown>>): TokenAnswer {
    const text = (name: string): string | undefined => {
      const value = parameters[name];
      if (value === undefined || value === "") return undefined;
      if (typeof value !== "string")
        throw new OAuthError(
          400,
          "invalid_request",
          `The parameter ${name} must be given once, as a string.`,
        );
      return value;
    };
    const grantType = text("grant_type");
    if (grantType === undefined)
      throw new OAuthError(400, "invalid_request", "Missing required parameter: grant_type");
    if (grantType !== "client_credentials")
      throw new OAuthError(403, "unsupported_grant_type", `Unsupported grant type: ${grantType}`);
    const client = this.#authenticate(text);
    const audience = this.#checkAudience(text("audience"));
    const granted = words(client.scope);
    if (granted.length === 0)
      throw new OAuthError(
        403,
        "unauthorized_client",
        `Client is not authorized to access "${audience}". Create a client grant to authorize it.`,
      );
    const requested = words(text("scope") ?? client.scope);
    const missing = requested.filter((scope) => !granted.includes(scope));
    if (missing.length > 0)
      throw new OAuthError(403, "access_denied", `Client has not been granted scopes: ${missing.join(", ")}`);
    return this.#issue(client, requested.join(" "));
  }

  /** Returns the rights of this `Authorization` header's bearer token, or throws a 401. */
  grant(authorization: string | undefined): Grant {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw new ApiError(401, "Missing authentication");
    const grant = this.#grants.get(token);
    if (grant === undefined)
      throw new ApiError(
        401,
        token.split(".").length === 3
          ? "Invalid signature received for JSON Web Token validation"
          : "Invalid token",
      );
    if (grant.expiresAt <= this.now())
      throw new ApiError(401, "Expired token received for JSON Web Token validation");
    return grant;
  }

  #authenticate(text: (name: string) => string | undefined): Client {
    const secret = text("client_secret");
    const assertion = text("client_assertion");
    if (secret !== undefined && assertion !== undefined)
      throw new OAuthError(
        400,
        "invalid_request",
        "Give either client_secret or client_assertion, not both.",
      );
    // The same answer for an unknown client and a wrong secret, so that nobody learns which clients exist.
    const denied = new OAuthError(401, "access_denied", "Unauthorized");
    if (assertion === undefined) {
      const client = this.#tenant.clients.get(text("client_id") ?? "");
      if (client?.client_secret === undefined || client.client_secret !== secret) throw denied;
      return client;
    }
    if (text("client_assertion_type") !== ASSERTION_TYPE)
      throw new OAuthError(400, "invalid_request", `client_assertion_type must be ${ASSERTION_TYPE}`);
    const claims = decode(assertion.split(".")[1]);
    const clientId = text("client_id") ?? claims?.iss;
    const client = typeof clientId === "string" ? this.#tenant.clients.get(clientId) : undefined;
    if (client?.public_key === undefined || claims === undefined) throw denied;
    this.#checkAssertion(client, client.public_key, assertion, claims);
    return client;
  }

  #checkAssertion(client: Client, publicKey: string, assertion: string, claims: Claims): void {
    const refuse = (why: string): never => {
      throw new OAuthError(401, "access_denied", `Invalid client assertion: ${why}.`);
    };
    const [header, payload, signature, ...rest] = assertion.split(".");
    const algorithm = algorithms[String(decode(header)?.alg)];
    if (algorithm === undefined) return refuse(`alg must be one of ${Object.keys(algorithms).join(", ")}`);
    const signed = verify(
      algorithm.digest,
      Buffer.from(`${header}.${payload}`),
      { key: publicKey, ...algorithm.options },
      Buffer.from(signature ?? "", "base64url"),
    );
    if (!signed || rest.length > 0) refuse("the signature does not match the client's public key");
    if (claims.iss !== client.client_id || claims.sub !== client.client_id)
      refuse("iss and sub must both be the client id");
    const audiences = this.urls().map((url) => `${url}/`);
    if (typeof claims.aud !== "string" || !audiences.includes(claims.aud))
      refuse(`aud must be ${audiences[0]}, with the slash`);
    const now = this.now() / 1000;
    if (typeof claims.exp !== "number" || claims.exp <= now) return refuse("it has expired or has no exp");
    // A second of grace, because exp is often counted from a clock that was rounded up.
    if (claims.exp > now + ASSERTION_LIFETIME_SECONDS + 1)
      refuse(`exp must be at most ${ASSERTION_LIFETIME_SECONDS} s ahead`);
    if (typeof claims.jti !== "string" || claims.jti === "") return refuse("jti is missing");
    if (this.#seenAssertions.has(`${client.client_id} ${claims.jti}`)) refuse("jti was used before");
    this.#seenAssertions.add(`${client.client_id} ${claims.jti}`);
  }

  #checkAudience(audience: string | undefined): string {
    if (audience === undefined)
      throw new OAuthError(
        403,
        "access_denied",
        "No audience parameter was provided, and no default audience has been configured",
      );
    const { audience: form } = this.#tenant.behaviour;
    const relative = form !== "absolute" ? [RELATIVE_AUDIENCE] : [];
    const absolute = form !== "relative" ? this.urls().map((url) => url + RELATIVE_AUDIENCE) : [];
    if (![...relative, ...absolute].includes(audience))
      throw new OAuthError(403, "access_denied", `Service not enabled within domain: ${audience}`);
    return audience;
  }

  #issue(client: Client, scope: string): TokenAnswer {
    const subject = client.subject ?? `${client.client_id}@clients`;
    const issuedAt = Math.floor(this.now() / 1000);
    const unsigned = [
      { alg: "HS256", typ: "JWT" },
      {
        iss: `${this.urls()[0]}/`,
        sub: subject,
        aud: `${this.urls()[0]}${RELATIVE_AUDIENCE}`,
        iat: issuedAt,
        exp: issuedAt + this.tokenLifetime,
        scope,
        gty: "client-credentials",
        azp: client.client_id,
        jti: randomUUID(),
      },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const signature = createHmac("sha256", this.#signingKey).update(unsigned).digest("base64url");
    const token = `${unsigned}.${signature}`;
    this.#grants.set(token, {
      scopes: new Set(words(scope)),
      subject,
      expiresAt: this.now() + this.tokenLifetime * 1000,
      clientId: client.client_id,
    });
    this.#handedOut.push(token);
    return { access_token: token, token_type: "Bearer", expires_in: this.tokenLifetime, scope };
  }
}

type Claims = Record<string, unknown>;

function decode(part: string | undefined): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? "", "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
