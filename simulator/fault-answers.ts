import { type FastifyReply, type FastifyRequest } from "fastify";
import { STATUS_CODES } from "node:http";
import { Readable } from "node:stream";
import { OAuthError } from "./auth";
import { ApiError } from "./errors";
import { type FaultAction } from "./types";

type StatusFault = Extract<FaultAction, { body?: unknown }>;
type RawFault = Extract<FaultAction, { raw: string }>;
type FaultBefore =
  | StatusFault
  | RawFault
  | Extract<FaultAction, { redirect: string }>
  | { drop: "before" }
  | { hang: "before" };

/** True if the request must not be processed at all. */
export function isFaultBefore(fault: FaultAction | undefined): fault is FaultBefore {
  if (fault === undefined) return false;
  if ("drop" in fault) return fault.drop === "before";
  if ("hang" in fault) return fault.hang === "before";
  if (partOf(fault) !== undefined) return false;
  return "redirect" in fault || ((isStatus(fault) || isRaw(fault)) && !fault.processed);
}

/** Returns the number of groups in the body for which a request takes effect. */
export function partOf(fault: FaultAction | undefined): number | undefined {
  return fault !== undefined && isStatus(fault) ? fault.part : undefined;
}

function isRaw(fault: FaultAction): fault is RawFault {
  return "raw" in fault;
}

function isStatus(fault: FaultAction): fault is StatusFault {
  return "status" in fault && !("redirect" in fault);
}

/** Answers a request in place of the service. */
export function answerFault(fault: FaultBefore, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if ("redirect" in fault) return reply.redirect(fault.redirect, fault.status ?? 302);
  if (isStatus(fault)) return reply.send(plannedAnswer(fault, request, reply));
  reply.hijack();
  if (isRaw(fault)) request.raw.socket.end(fault.raw);
  else if ("drop" in fault) reset(request);
  return reply;
}

function reset(request: FastifyRequest): void {
  request.raw.socket.resetAndDestroy();
}

/** Sets status and headers of a planned answer, and returns its body as sent. */
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

/** True if the client gets no whole answer. */
export function isUnanswered(fault: FaultAction | undefined): boolean {
  return fault !== undefined && ["drop", "late", "hang", "raw", "endless"].some((action) => action in fault);
}

/** Resets the connection of a request that takes effect later, and waits until then. */
export async function postpone(
  fault: FaultAction | undefined,
  request: FastifyRequest,
  delay: (milliseconds: number) => Promise<void>,
): Promise<void> {
  if (fault === undefined || !("late" in fault)) return;
  reset(request);
  await delay(fault.late);
}

/** Applies a fault to a finished answer; returns the body to send. */
export async function spoil(
  fault: FaultAction | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  delay: (milliseconds: number) => Promise<void>,
): Promise<unknown> {
  if (fault === undefined || isFaultBefore(fault)) return payload;
  if ("delay" in fault) await delay(fault.delay);
  if ("drop" in fault && fault.drop === "after") reset(request);
  if ("drop" in fault && fault.drop === "answering") breakOff(request, reply, textOf(payload));
  if ("hang" in fault || ("drop" in fault && fault.drop === "answering")) await delay(FOREVER);
  if (isRaw(fault)) {
    request.raw.socket.end(fault.raw);
    await delay(FOREVER);
  }
  if ("headers" in fault && !isStatus(fault)) reply.headers(fault.headers);
  if ("refuse" in fault) reply.header("connection", "close");
  if ("drip" in fault) return streamed(reply, dripping(textOf(payload), fault.drip, delay));
  if ("endless" in fault) return streamed(reply, endless());
  if ("alter" in fault) {
    reply.removeHeader("content-length");
    return altered(textOf(payload), fault.alter);
  }
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

/** Longer than any test; requests that wait this long end with the simulator. */
const FOREVER = 2 ** 31 - 1;

/** Announces a longer answer than it sends; one without a body breaks off among its headers. */
function breakOff(request: FastifyRequest, reply: FastifyReply, text: string): void {
  const { socket } = request.raw;
  const head = `HTTP/1.1 ${reply.statusCode} Answer\r\ncontent-type: application/json\r\n`;
  const begun = text === "" ? head : `${head}content-length: ${text.length}\r\n\r\n${text.slice(0, -2)}`;
  socket.write(begun, () => socket.resetAndDestroy());
}

function streamed(reply: FastifyReply, chunks: AsyncIterable<Buffer>): Readable {
  reply.removeHeader("content-length");
  if (reply.statusCode === 204) reply.code(200);
  return Readable.from(chunks);
}

async function* dripping(
  text: string,
  interval: number,
  delay: (milliseconds: number) => Promise<void>,
): AsyncIterable<Buffer> {
  for (const byte of Buffer.from(text || " ")) {
    await delay(interval);
    yield Buffer.of(byte);
  }
}

/** White space before JSON: valid as far as it goes. */
// eslint-disable-next-line @typescript-eslint/require-await -- the stream waits for its reader
async function* endless(): AsyncIterable<Buffer> {
  const chunk = Buffer.alloc(64 * 1024, " ");
  for (;;) yield chunk;
}

function altered(text: string, values: Record<string, unknown>): string {
  let answer = JSON.parse(text) as unknown;
  for (const [pointer, value] of Object.entries(values)) {
    const keys = pointer.slice(1).split("/");
    const last = keys.pop() as string;
    if (keys.length === 0 && last === "") {
      answer = value;
      continue;
    }
    const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], answer);
    (parent as Record<string, unknown>)[last] = value;
  }
  return JSON.stringify(answer);
}

function textOf(payload: unknown): string {
  return typeof payload === "string" ? payload : "";
}

/** The token endpoint's errors have their own shape. */
export function isTokenPath(request: FastifyRequest): boolean {
  return /^\/oauth\/token\/?(?=\?|$)/.test(request.originalUrl);
}
