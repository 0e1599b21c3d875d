import { type FastifyReply, type FastifyRequest } from "fastify";
import { STATUS_CODES } from "node:http";
import { OAuthError } from "./auth";
import { ApiError } from "./errors";
import { type FaultAction } from "./faults";

type StatusFault = Extract<FaultAction, { body?: unknown }>;
type FaultBefore = StatusFault | Extract<FaultAction, { redirect: string }> | { drop: "before" };

/** Whether the request is not to be processed at all. */
export function isFaultBefore(fault: FaultAction | undefined): fault is FaultBefore {
  if (fault === undefined) return false;
  if ("drop" in fault) return fault.drop === "before";
  return "redirect" in fault || (isStatus(fault) && !fault.processed);
}

function isStatus(fault: FaultAction): fault is StatusFault {
  return "status" in fault && !("redirect" in fault);
}

/** Answers a request in place of the service. */
export function answerFault(fault: FaultBefore, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if ("drop" in fault) {
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  if ("redirect" in fault) return reply.redirect(fault.redirect, fault.status ?? 302);
  return reply.send(plannedAnswer(fault, request, reply));
}

/** Sets status and headers of a planned answer, and gives its body as it goes over the wire. */
function plannedAnswer(fault: StatusFault, request: FastifyRequest, reply: FastifyReply): string {
  const { status, headers = {}, body } = fault;
  reply.code(status);
  const isDefault = body === undefined && status >= 400;
  if (isDefault && status === 429 && isTokenPath(request)) reply.header("retry-after", "1");
  if (typeof body !== "string" && (isDefault || body !== undefined))
    reply.header("content-type", "application/json; charset=utf-8");
  reply.headers(headers);
  if (typeof body === "string") return body;
  if (body !== undefined) return JSON.stringify(body);
  return isDefault ? JSON.stringify(defaultError(status, request)) : "";
}

const oauthErrors: Record<number, string> = {
  401: "access_denied",
  403: "unauthorized_client",
  429: "too_many_requests",
};

function defaultError(status: number, request: FastifyRequest): object {
  const phrase = STATUS_CODES[status] ?? "Unknown";
  if (isTokenPath(request)) return new OAuthError(status, oauthErrors[status] ?? "server_error", phrase).body;
  return status === 429
    ? new ApiError(429, "Global limit has been reached", "too_many_requests").body
    : new ApiError(status, phrase).body;
}

const garbage = {
  "invalid-json": ["application/json; charset=utf-8", '{"id":"cop_'],
  "wrong-shape": ["application/json; charset=utf-8", '{"unexpected":["shape"]}'],
  html: ["text/html; charset=utf-8", "<!doctype html><title>Welcome</title><p>This is not the service.</p>"],
} as const;

/** Whether the client gets no answer. */
export function isDrop(fault: FaultAction | undefined): boolean {
  return fault !== undefined && "drop" in fault;
}

/** What a fault does to an answer that was already made; gives the body to send. */
export async function spoil(
  fault: FaultAction | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  delay: (milliseconds: number) => Promise<void>,
): Promise<unknown> {
  if (fault === undefined || isFaultBefore(fault)) return payload;
  if ("delay" in fault) await delay(fault.delay);
  if ("drop" in fault) request.raw.socket.destroy();
  if ("garbage" in fault) {
    const [type, body] = garbage[fault.garbage];
    reply.removeHeader("content-length");
    reply.header("content-type", type);
    return body;
  }
  if (isStatus(fault)) {
    reply.removeHeader("content-length");
    return plannedAnswer(fault, request, reply);
  }
  return payload;
}

/** The token endpoint has errors of its own shape. */
export function isTokenPath(request: FastifyRequest): boolean {
  return /^\/oauth\/token\/?(?=\?|$)/.test(request.originalUrl);
}
