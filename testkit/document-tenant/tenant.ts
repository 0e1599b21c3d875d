import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { type Choices, drawChoices } from "./choices";
import { type Fields } from "./contents";
import { profileBody } from "./documented";
import { gatewayAnswer } from "./gateway";
import { type Answer, type Request } from "./messages";
import { Service } from "./service";

/** Hits the next request that it names. */
export interface Fault {
  method?: string;
  /** The path as `requests()` has it. */
  path?: string;
  /** The service does what the request asks first, and its answer is lost. */
  processed?: boolean;
  /** An answer instead of the service's, or a connection that ends without one. */
  action: Answer | "drop";
}

interface LoggedRequest {
  method: string;
  /** Unescaped, and without `/api/v2`. */
  path: string;
  body: string;
  /** What was answered, or what became of the connection. */
  status: number | "dropped";
}

export interface DocumentTenant {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A bearer token that was got elsewhere. */
  readonly accessToken: string;
  readonly choices: Choices;
  /** What it holds at the start. */
  readonly ids: Record<"roles" | "groups" | "profiles" | "credentials" | "users", string[]>;
  /** IDs by the same schemes, of nothing. */
  readonly missing: Record<"role" | "group" | "profile" | "credential" | "user", string>;
  state(): TenantState;
  requests(): LoggedRequest[];
  fail(fault: Fault): void;
  /** Goes back to the start, without requests and faults. */
  reset(): void;
  close(): Promise<void>;
}

export interface TenantState {
  roles: Record<string, string[]>;
  profiles: Record<string, Fields>;
  credentials: string[];
  users: Record<string, { user: Fields; permissions: Fields[] }>;
}

/** Starts the tenant of a seed and an index. Each choice that isn't given is drawn. */
export async function startDocumentTenant(
  given: Pick<Choices, "seed" | "index"> & Partial<Choices>,
): Promise<DocumentTenant> {
  const choices: Choices = { ...drawChoices(given.seed, given.index), ...given };
  const server = createServer((incoming, response) => {
    // A client may go away while it sends.
    received(incoming).then(
      (request) => serve(request, response),
      () => incoming.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let service = new Service(choices, url);
  let requests: LoggedRequest[] = [];
  let faults: Fault[] = [];
  let gets = 0;
  const { clientId, clientSecret, accessToken } = service;

  function serve(request: Request, response: ServerResponse) {
    const { method, body } = request;
    const path = unescaped(request.path).replace(/^\/api\/v2(?=\/)/, "");
    const fault = faults.find((one) => (one.method ?? method) === method && (one.path ?? path) === path);
    faults = faults.filter((one) => one !== fault);
    const instead = fault ? fault.action : gatewayAnswer(request, gets, url, choices);
    if (!fault && method === "GET") gets += 1;
    const own = instead === undefined || fault?.processed === true ? service.answer(request) : undefined;
    const action = instead ?? own;
    const isDropped = action === "drop" || action === undefined;
    requests.push({ method, path, body, status: isDropped ? "dropped" : action.status });
    if (isDropped) response.destroy();
    else send(response, action, choices);
  }

  const contents = () => service.contents;
  const start = contents();
  const tenant: DocumentTenant = {
    url,
    clientId,
    clientSecret,
    accessToken,
    choices,
    ids: {
      roles: [...start.roles.keys()],
      groups: [...start.groups.keys()],
      profiles: [...start.profiles.keys()],
      credentials: [...start.credentials.keys()],
      users: [...start.users.keys()],
    },
    missing: start.missing,
    state: () =>
      structuredClone({
        roles: Object.fromEntries([...contents().roles].map(([id, { groups }]) => [id, groups])),
        profiles: Object.fromEntries(
          [...contents().profiles].map(([id, profile]) => [id, profileBody(id, profile, choices)]),
        ),
        credentials: [...contents().credentials.keys()],
        users: Object.fromEntries(contents().users),
      }),
    requests: () => structuredClone(requests),
    fail: (fault) => faults.push(fault),
    reset() {
      service = new Service(choices, url);
      requests = [];
      faults = [];
      gets = 0;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return tenant;
}

async function received(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = incoming;
  const end = url.includes("?") ? url.indexOf("?") : url.length;
  return {
    method,
    host: headers.host ?? "",
    path: url.slice(0, end),
    query: new URLSearchParams(url.slice(end)),
    contentType: headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "",
    authorization: headers.authorization ?? "",
    body: Buffer.concat(chunks).toString(),
  };
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function send(response: ServerResponse, answer: Answer, { jsonType, framing }: Choices) {
  const { status, body, type = jsonType, headers = {} } = answer;
  const text = answer.text ?? JSON.stringify(body) ?? "";
  response.statusCode = status;
  if (text !== "" && type !== "none") response.setHeader("Content-Type", type);
  // Node.js sends the length, unless told otherwise.
  if (framing === "chunked" && status !== 204) response.setHeader("Transfer-Encoding", "chunked");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}
