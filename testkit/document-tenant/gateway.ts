import { STATUS_CODES } from "node:http";
import { type Choices } from "./choices";
import { type Answer, type Request } from "./messages";

const MAINTENANCE = "/maintenance";
const EVERY = 4;

/** Answers each fourth GET, and any host that it doesn't know, where the tenant has a gateway. */
export function gatewayAnswer(
  request: Request,
  gets: number,
  url: string,
  choices: Choices,
): Answer | undefined {
  if (choices.gateway === "none") return undefined;
  if (`http://${request.host}` !== url) return page(404);
  if (request.path === MAINTENANCE) return page(200);
  if (request.method !== "GET" || gets % EVERY !== EVERY - 1) return undefined;
  if (choices.gateway === "redirects") return page(302, { Location: url + MAINTENANCE });
  return page(gets % (2 * EVERY) < EVERY ? 502 : 503);
}

function page(status: number, headers = {}): Answer {
  const text = `<!DOCTYPE html><title>${status} ${STATUS_CODES[status]}</title><h1>Example Gateway</h1>`;
  return { status, text, type: "text/html", headers };
}
