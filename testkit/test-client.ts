import { type Simulator } from "../simulator/index";

/** An answer of the simulator. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text if it isn't JSON. */
  body: unknown;
}

/** A test's call to a simulator: without a client's help, so nothing is retried or corrected. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Calls with a JSON body (or a form, if it is URLSearchParams; or raw, if it is a string). */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const isRaw = typeof body === "string" || body instanceof URLSearchParams;
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { ...(body === undefined || isRaw ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

/** Calls under `/api/v2` with this bearer token. */
export function caller(simulator: Simulator, accessToken: string): Call {
  return (method, path, body, headers) =>
    call(simulator.url, method, `/api/v2${path}`, body, {
      authorization: `Bearer ${accessToken}`,
      ...headers,
    });
}

/** Returns parameters of a successful token request, with overrides; undefined leaves one out. */
export function tokenRequest(
  simulator: Simulator,
  overrides: Record<string, string | undefined> = {},
): Record<string, string> {
  const parameters = {
    grant_type: "client_credentials",
    client_id: simulator.clientId,
    client_secret: simulator.clientSecret,
    audience: "/api/v2/",
    ...overrides,
  };
  return Object.fromEntries(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
