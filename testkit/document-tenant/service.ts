import { BrokenRule, errorBody, Refusal } from "./answers";
import { operationsAround } from "./around";
import { Bucket } from "./bucket";
import { type Choices } from "./choices";
import { contentsOf } from "./contents";
import { documentedOperations, usualScopes } from "./documented";
import { type Answer, type Operation, type Request } from "./messages";
import { readBody } from "./rules";
import { isTokenPath, jsonWebToken, tokenAnswer } from "./token";

const BASE = "/api/v2";

/** What the document describes, without connections: a request comes in, an answer goes out. */
export class Service {
  readonly contents;
  readonly clientId;
  readonly clientSecret;
  readonly accessToken;
  readonly scopes: readonly string[];
  private readonly tokens = new Set<string>();
  private readonly operations: Operation[];
  private readonly bucket: Bucket;

  constructor(
    private readonly choices: Choices,
    readonly url: string,
  ) {
    this.clientId = `client-${choices.index}`;
    this.clientSecret = `secret-${choices.seed}-${choices.index}`;
    this.scopes = usualScopes(choices);
    this.accessToken = this.issue();
    this.contents = contentsOf(choices);
    this.operations = documentedOperations(choices, this.contents);
    if (choices.operations === "documented and around")
      this.operations.push(...operationsAround(choices, this.contents));
    this.bucket = new Bucket(choices);
  }

  answer(request: Request): Answer {
    const headers = {};
    try {
      if (isTokenPath(request.path)) return tokenAnswer(request, this, this.choices);
      if (request.path.startsWith(`${BASE}/`)) this.limit(headers);
      const answer = this.operate(request);
      return { ...answer, headers: { ...headers, ...answer.headers } };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, headers, ...errorBody(this.choices.errorShape, error) };
    }
  }

  /** Section 5: "Authorization: Bearer <ACCESS_TOKEN>", from either scheme. */
  private isAuthorized({ authorization }: Request): boolean {
    return this.tokens.has(/^Bearer (.+)$/i.exec(authorization)?.[1] ?? "");
  }

  issue(): string {
    const claims = { sub: `${this.clientId}@clients`, aud: `${BASE}/`, jti: String(this.tokens.size) };
    const token = jsonWebToken(this.clientSecret, claims);
    this.tokens.add(token);
    return token;
  }

  private limit(headers: Record<string, string>) {
    const taken = this.bucket.take(Date.now());
    Object.assign(headers, taken.headers);
    if (!taken.allowed) throw new Refusal(429, "too_many_requests", "Too many requests.");
  }

  private operate(request: Request): Answer {
    const found = this.find(request);
    const { otherRoutes, otherRoutesNeedToken } = this.choices;
    const nothing = new Refusal(otherRoutes, "no_such_route", "There is no such operation.");
    if (!found && !otherRoutesNeedToken) throw nothing;
    if (!this.isAuthorized(request)) throw new Refusal(401, "invalid_token", "Invalid token.");
    if (!found) throw nothing;

    const { operation, id } = found;
    if (operation.scopes.length > 0 && !operation.scopes.some((scope) => this.scopes.includes(scope))) {
      const expected = operation.scopes.join(", ");
      throw new Refusal(403, "insufficient_scope", `Insufficient scope, expected any of: ${expected}`);
    }
    try {
      return operation.answer({
        id: decoded(id),
        query: request.query,
        body: readBody(request.contentType, request.body, operation.bodyTypes),
        scopes: this.scopes,
      });
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      throw new Refusal(operation.brokenRule, "invalid_request", error.message);
    }
  }

  private find({ method, path }: Request): { operation: Operation; id: string } | undefined {
    for (const operation of this.operations) {
      const [before = "", after] = operation.path.split("{id}");
      const start = BASE + before;
      if (operation.method !== method || !path.startsWith(start)) continue;
      if (after === undefined ? path === start : path.endsWith(after)) {
        const id = path.slice(start.length, path.length - (after?.length ?? 0));
        if (after === undefined || (id !== "" && !id.includes("/"))) return { operation, id };
      }
    }
    return undefined;
  }
}

/** Section 7: "The request URI is invalid." */
function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new BrokenRule("The request URI is invalid.");
  }
}
