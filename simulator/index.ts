import formBody from "@fastify/formbody";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { setMaxListeners } from "node:events";
import { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Authority, OAuthError } from "./auth";
import { addControlRoutes, CONTROL_PATH } from "./control";
import { DEFAULT_SEED } from "./default-seed";
import { ApiError } from "./errors";
import { type Exchange } from "./exchange";
import {
  answerFault,
  isFaultBefore,
  isTokenPath,
  isUnanswered,
  partOf,
  postpone,
  spoil,
} from "./fault-answers";
import { FaultPlan } from "./faults";
import { parseInput } from "./input";
import { rateSchema, TokenBucket } from "./rate-limit";
import { addRoutes } from "./routes";
import { Lag } from "./lag";
import { Tenant } from "./tenant";
import { type Rate, type Simulator, type SimulatorOptions } from "./types";

export { DEFAULT_SEED } from "./default-seed";
export { recordsOf } from "./records";
export {
  type Behaviour,
  type BehaviourInput,
  type Fault,
  type FaultAction,
  type LoggedRequest,
  type Rate,
  type SeedInput,
  type Simulator,
  type SimulatorOptions,
  type SimulatorState,
  type TenantState,
} from "./types";

/** The rate limit of the largest plan. */
export const DEFAULT_RATE: Rate = { burst: 50, perSecond: 16 };

const HOST = "127.0.0.1";
const API_PATH = "/api/v2";
/** Stands for every target that can't be decoded: the router would refuse those before any hook runs. */
const BAD_URI_PATH = `${API_PATH}/!undecodable`;

/**
 * Starts a simulated tenant on 127.0.0.1: on a free port, with the records of {@link DEFAULT_SEED} and the
 * rate limit {@link DEFAULT_RATE}, unless the options say otherwise. It listens when the promise is
 * fulfilled, until `close()`.
 *
 * ```ts
 * const simulator = await startSimulator({ seed: { groups: [{ id: "grp_7TqWc2nYx5RkHbVd9sPmZa" }] } });
 * // … a program with IDENTITY_DOMAIN, IDENTITY_CLIENT_ID and IDENTITY_CLIENT_SECRET from
 * // simulator.url, simulator.clientId and simulator.clientSecret …
 * expect(simulator.log()).toEqual(["POST /oauth/token 200", "POST /api/v2/connection-profiles 201"]);
 * await simulator.close();
 * ```
 *
 * @throws {Error} A seed, a rate or a switch is wrong: the message names each wrong path, e.g.
 * `users[0].user_id`.
 * @throws {Error} With the code `EADDRINUSE`: the port is in use.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const clock = options.now ?? Date.now;
  const skew = (options.skew ?? 0) * 1000;
  const now = () => clock() + skew;
  const stopping = new AbortController();
  // Each held-back request adds a listener.
  setMaxListeners(0, stopping.signal);
  const delay = async (milliseconds: number) => {
    await sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
  };

  let tenant = new Tenant(options.seed ?? DEFAULT_SEED, options.behaviour);
  let url = "";
  const urls = () => {
    const loopback = [url, url.replace(HOST, "localhost")];
    // Clients limited to https ask for tokens under that name, whatever carries their requests afterwards.
    const known = [...loopback, ...loopback.map((name) => name.replace("http:", "https:"))];
    return options.tenantUrl === undefined ? known : [options.tenantUrl, ...known];
  };
  const authority = new Authority(tenant, urls, now, options.tokenLifetime ?? 86_400);
  const bucket = new TokenBucket(
    parseInput("The rate", rateSchema, options.rate ?? DEFAULT_RATE),
    clock,
    options.traffic,
  );
  const writeBucket =
    options.deviceCredentialRate &&
    new TokenBucket(parseInput("The deviceCredentialRate", rateSchema, options.deviceCredentialRate), clock);
  const faults = new FaultPlan();
  const lag = new Lag(() => tenant);
  let endRefusal: () => void = () => undefined;
  let exchanges: Exchange[] = [];

  const simulator: Simulator = {
    get url() {
      return url;
    },
    get clientId() {
      return firstClient(tenant).client_id;
    },
    get clientSecret() {
      return firstClient(tenant).client_secret ?? "";
    },
    requests: () =>
      structuredClone(exchanges.filter((exchange) => exchange.done).map((exchange) => exchange.entry)),
    log: () => simulator.requests().map(({ method, path, status }) => `${method} ${path} ${status}`),
    reset() {
      exchanges = [];
      faults.clear();
      lag.end();
      endRefusal();
    },
    fail: (...planned) => faults.add(planned),
    refuse(milliseconds) {
      if (!app.server.listening) return;
      const { port } = app.server.address() as AddressInfo;
      app.server.close();
      const timer = setTimeout(() => endRefusal(), milliseconds);
      endRefusal = () => {
        clearTimeout(timer);
        endRefusal = () => undefined;
        listenAgain();
      };
      // Another process may have taken the port in the meantime.
      const listenAgain = () => {
        if (stopping.signal.aborted) return;
        const retry = (error: NodeJS.ErrnoException) => {
          if (error.code !== "EADDRINUSE") throw error;
          setTimeout(listenAgain, 20);
        };
        app.server.once("error", retry).listen(port, HOST, () => app.server.off("error", retry));
      };
      stopping.signal.addEventListener("abort", () => clearTimeout(timer));
    },
    seed(seed) {
      tenant = new Tenant(seed, options.behaviour);
      lag.end();
      authority.useTenant(tenant);
    },
    state: () => ({ ...tenant.state(), access_tokens: [...authority.handedOut] }),
    async close() {
      // First, so that held-back requests end without an answer.
      app.server.closeAllConnections();
      stopping.abort();
      await app.close();
    },
  };

  const app = Fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 2048 },
    rewriteUrl: ({ url: target = "/" }) => (isDecodable(target) ? target : BAD_URI_PATH),
  });
  acceptBodies(app);
  app.decorateRequest("exchange", undefined);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw isTokenPath(request)
      ? new OAuthError(404, "not_found", "Not found.")
      : new ApiError(404, "Not Found");
  });

  app.addHook("onRequest", async (request, reply) => {
    if (request.originalUrl.startsWith(CONTROL_PATH)) return;
    const exchange: Exchange = {
      entry: { method: request.method, path: redacted(request.originalUrl), status: 0, at: clock() },
      done: false,
    };
    request.exchange = exchange;
    exchanges.push(exchange);
    if (options.latency) await delay(options.latency);
    if (isApiPath(request)) takeToken(request, exchange);
    exchange.fault = faults.next(request.method, request.originalUrl);
    if (isFaultBefore(exchange.fault)) {
      exchange.done = isUnanswered(exchange.fault);
      return answerFault(exchange.fault, request, reply);
    }
    if (isApiPath(request) && !request.is404) checkScopes(request);
  });

  app.addHook("preHandler", async (request) => {
    if (request.exchange && isApiPath(request) && request.body !== undefined)
      request.exchange.entry.body = structuredClone(request.body);
    const { exchange } = request;
    // Drop its connection now, whenever it takes effect.
    if (exchange?.fault && "late" in exchange.fault) exchange.done = true;
    const part = partOf(exchange?.fault);
    const { groups } = (request.body ?? {}) as { groups?: unknown };
    if (part !== undefined && Array.isArray(groups)) request.body = { groups: groups.slice(0, part) };
    await postpone(exchange?.fault, request, delay);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { exchange } = request;
    if (exchange === undefined) return payload;
    reply.header("date", new Date(now()).toUTCString());
    if (exchange.rate) {
      const { limit, remaining, resetAt } = exchange.rate;
      const headers = {
        "x-ratelimit-limit": limit,
        "x-ratelimit-remaining": remaining,
        "x-ratelimit-reset": Math.ceil((resetAt + skew) / 1000),
      };
      // A planned answer may have its own headers.
      for (const [name, value] of Object.entries(headers))
        if (!reply.hasHeader(name)) reply.header(name, value);
    }
    exchange.done = isUnanswered(exchange.fault);
    if (exchange.fault && "refuse" in exchange.fault) simulator.refuse(exchange.fault.refuse);
    const sent = await spoil(exchange.fault, request, reply, payload, delay);
    exchange.entry.status = isUnanswered(exchange.fault) ? 0 : reply.statusCode;
    exchange.done = true;
    return sent;
  });

  function takeToken(request: FastifyRequest, exchange: Exchange): void {
    const own = request.routeOptions.config?.deviceCredentialWrite ? writeBucket : undefined;
    exchange.rate = (own ?? bucket).take();
    if (!exchange.rate.allowed) throw new ApiError(429, "Global limit has been reached", "too_many_requests");
  }

  function checkScopes(request: FastifyRequest): void {
    request.grant = authority.grant(request.headers.authorization);
    const { scopes } = request.routeOptions.config;
    if (scopes && !scopes.some((scope) => request.grant.scopes.has(scope)))
      throw new ApiError(
        403,
        `Insufficient scope, expected any of: ${scopes.join(",")}`,
        "insufficient_scope",
      );
  }

  for (const [path, refused] of [
    ["/oauth/token", "with_slash"],
    ["/oauth/token/", "without_slash"],
  ] as const) {
    app.post(path, (request, reply) => {
      if (tenant.behaviour.token_path === refused) return reply.callNotFound();
      return reply
        .header("cache-control", "no-store")
        .send(authority.token((request.body ?? {}) as Record<string, unknown>));
    });
  }
  app.all(BAD_URI_PATH, () => {
    throw new ApiError(
      400,
      "Path validation error: 'The path is not validly percent-encoded'.",
      "invalid_uri",
    );
  });
  await app.register(
    (api, _options, done) => {
      addRoutes(api, { seen: lag.seen, written: lag.written });
      done();
    },
    { prefix: API_PATH },
  );
  addControlRoutes(app, simulator);

  if (options.background) app.server.on("listening", () => app.server.unref());
  await app.listen({ host: HOST, port: options.port ?? 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return simulator;
}

function firstClient(tenant: Tenant) {
  return tenant.clients.values().next().value!;
}

/**
 * Uses the service's own words for an unreadable body; form bodies are only for the routes that take them.
 */
function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    if (text === "") return done(null, undefined);
    try {
      done(null, JSON.parse(text as string));
    } catch {
      done(new ApiError(400, "Invalid request payload JSON format", "invalid_body"));
    }
  });
  app.register(formBody);
}

function answerError(
  error: FastifyError | Error,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (error instanceof ApiError || error instanceof OAuthError)
    return reply.code(error.statusCode).send(error.body);
  const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
  return reply.code(status).send(new ApiError(status, error.message).body);
}

function isApiPath(request: FastifyRequest): boolean {
  return /^\/api\/v2(?=[/?]|$)/.test(request.originalUrl);
}

function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

/** Nobody should send these in a query, but if it happens, keep them out of the log. */
function redacted(target: string): string {
  return target.replace(/([?&](?:client_secret|client_assertion|access_token)=)[^&]*/g, "$1removed");
}
