import { execFile } from "node:child_process";
import dns from "node:dns";
import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { NetworkError, TimeoutError, UnexpectedAnswerError } from "../../provider/http/errors";
import { DEFAULT_LIMITS } from "../../provider/http/settings";
import { type HttpRequest, UndiciTransport, USER_AGENT } from "../../provider/http/transport";
import { selfSigned } from "../../testkit/certificate";
import { closeAll, failure, onClose, settingsOf } from "../../testkit/client";
import { useFolder } from "../../testkit/folder";

const folder = useFolder();

afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

/** Listens on a free port of the loopback interface until the test ends. */
async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onClose(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return (server.address() as AddressInfo).port;
}

function transportTo(origin: string, requestTimeoutSeconds = 5): UndiciTransport {
  const limits = { ...DEFAULT_LIMITS, requestTimeoutSeconds, maxConcurrency: 4 };
  const transport = new UndiciTransport(settingsOf(origin, { limits }));
  onClose(() => transport.close());
  return transport;
}

async function transportToServer(handle: http.RequestListener, requestTimeoutSeconds?: number) {
  const origin = `http://127.0.0.1:${await listen(http.createServer(handle))}`;
  return { origin, transport: transportTo(origin, requestTimeoutSeconds) };
}

const POST: HttpRequest = { method: "POST", path: "/things?secret=1", headers: {}, body: "{}" };

async function networkFailure(transport: UndiciTransport, request = POST): Promise<NetworkError> {
  const error = await failure(transport.send(request));
  expect(error).toBeInstanceOf(NetworkError);
  return error as NetworkError;
}

test("method, path, headers and body arrive; status, headers and body come back", async () => {
  const seen: unknown[] = [];
  const { transport } = await transportToServer((request, response) => {
    const { method, url, headers } = request;
    request.on("data", (chunk: Buffer) => seen.push(chunk.toString()));
    request.on("end", () => {
      seen.push(method, url, headers["user-agent"], headers["x-mine"], headers.accept);
      response.writeHead(418, { "x-theirs": "b" }).write("{“a”:");
      response.end("1}");
    });
  });
  const answer = await transport.send({ ...POST, headers: { "x-mine": "a" } });
  expect(seen).toEqual(["{}", "POST", "/things?secret=1", USER_AGENT, "a", "application/json"]);
  expect(answer).toMatchObject({ status: 418, headers: { "x-theirs": "b" }, body: "{“a”:1}" });
});

test("the user agent names the package and its version", () => {
  const manifest = readFileSync(join(__dirname, "../../package.json"), "utf8");
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  expect(USER_AGENT).toBe(`${name}/${version}`);
});

test("connections are kept and reused", async () => {
  const ports = new Set<number | undefined>();
  const { transport } = await transportToServer((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  for (let i = 0; i < 20; i++) await transport.send(POST);
  // A request that follows at once finds the previous one's connection still busy.
  expect(ports.size).toBeLessThanOrEqual(2);
});

test("an answer without end is cut off", async () => {
  const { origin, transport } = await transportToServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, "a");
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    more();
  });
  const error = await failure(transport.send(POST));
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect(error.message).toBe(`POST /things on ${origin} answered more than 2 MiB. Check identity:domain.`);
});

test.each(["HTTP/1.1 000 Odd", "HTTP/1.1 99 Odd", "SSH-2.0-OpenSSH_9.6"])(
  "what is no HTTP answer is told as that: %s",
  async (line) => {
    const port = await listen(
      net.createServer((socket) =>
        socket.once("data", () => socket.end(`${line}\r\ncontent-length: 0\r\n\r\n`)),
      ),
    );
    const error = await networkFailure(transportTo(`http://127.0.0.1:${port}`));
    expect(error.outcome).toBe("unknown");
    expect(error.message).toMatch(
      /failed: what came back is no HTTP answer\. Check identity:domain, and what stands before it\.$/,
    );
  },
);

test("a defect is no failure of the network", async () => {
  const { transport } = await transportToServer((_, response) => response.end());
  for (const broken of [
    { ...POST, path: "no slash" },
    { ...POST, headers: { "x-a": "b\r\nc" } },
  ]) {
    const error = await failure(transport.send(broken));
    expect(error).not.toBeInstanceOf(NetworkError);
    expect(error.message).not.toContain("network");
  }
});

describe("nothing was received", () => {
  const withTls = async (server: net.Server) => `https://127.0.0.1:${await listen(server)}`;
  const answering = (act: (socket: net.Socket) => void) =>
    net.createServer((socket) => void socket.once("data", () => act(socket)));

  test.each<[what: string, origin: () => Promise<string>, message: RegExp, timeoutSeconds?: number]>([
    [
      "the connection is refused",
      async () => {
        const port = await listen(net.createServer());
        await closeAll();
        return `http://127.0.0.1:${port}`;
      },
      /^POST \/things on http:\/\/127\.0\.0\.1:\d+ failed: the connection was refused, as nothing listens there\. Check identity:domain\.$/,
    ],
    [
      "the host name can't be resolved",
      () => Promise.resolve("https://tenant.invalid"),
      // The machine's name servers decide which.
      /failed: (no such host is known\. Correct|no name server answered for the host name\. Check) identity:domain/,
    ],
    [
      "the host does not speak TLS",
      () => withTls(net.createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))),
      /failed: the host does not speak TLS as expected \(ERR_SSL_\w+\)\. If it speaks plain HTTP, as a simulator does, set identity:domain to http:\/\/127\.0\.0\.1:\d+\.$/,
    ],
    [
      "the connection breaks during the TLS handshake",
      () => withTls(answering((socket) => socket.resetAndDestroy())),
      /failed: /,
    ],
    [
      "the certificate is not trusted",
      async () => `https://localhost:${await listen(https.createServer(selfSigned("localhost")))}`,
      /the host's certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\..*NODE_EXTRA_CA_CERTS/,
    ],
    [
      "the TLS handshake never ends",
      () => withTls(net.createServer()),
      /could not be sent: no connection was made within/,
      0.1,
    ],
  ])("when %s", async (_, origin, message, ...[timeoutSeconds]) => {
    const error = await networkFailure(transportTo(await origin(), timeoutSeconds));
    expect(error.outcome).toBe("not sent");
    expect(error.message).toMatch(message);
    expect(error instanceof TimeoutError).toBe(timeoutSeconds !== undefined);
  });

  test("when no connection is made: a proxy that is missing is named", async () => {
    jest.spyOn(dns, "lookup").mockImplementation(() => undefined);
    const { message } = await networkFailure(transportTo("https://tenant.example.test", 0.1));
    expect(message).toMatch(
      /within 0.1 s\. Check identity:domain, the network, and HTTPS_PROXY if there is a proxy, or raise/,
    );
  });

  test.each(["signal", "unsentSignal"])("when it is given up before, by its %s", async (kind) => {
    let requests = 0;
    const { transport } = await transportToServer((_, response) => {
      requests++;
      response.end();
    });
    const reason = new Error("given up");
    const error = await failure(transport.send({ ...POST, [kind]: AbortSignal.abort(reason) }));
    expect(error).toBe(reason);
    expect(requests).toBe(0);
  });
});

test("what is not written yet can be given up, and what is written goes on", async () => {
  const silent = await listen(net.createServer());
  const cancelled = new AbortController();
  const reason = new Error("the run was cancelled");
  const connecting = failure(
    transportTo(`https://127.0.0.1:${silent}`).send({ ...POST, unsentSignal: cancelled.signal }),
  );
  const { transport } = await transportToServer((_, response) => {
    cancelled.abort(reason);
    setTimeout(() => response.end("done"), 20);
  });
  const written = await transport.send({ ...POST, unsentSignal: cancelled.signal });
  expect(written.body).toBe("done");
  expect(await connecting).toBe(reason);
});

test("of a header that arrives twice the first value counts that is not blank", async () => {
  const { transport } = await transportToServer((_, response) => {
    response.setHeader("Retry-After", ["", "7", "9"]);
    response.setHeader("X-RateLimit-Limit", ["10", "20"]);
    response.setHeader("X-Request-Id", "one");
    response.end();
  });
  const { headers } = await transport.send(POST);
  expect(headers).toMatchObject({ "retry-after": "7", "x-ratelimit-limit": "10", "x-request-id": "one" });
});

describe("it may have been received", () => {
  test.each([
    ["reset", (socket: net.Socket) => void socket.resetAndDestroy()],
    ["closed", (socket: net.Socket) => void socket.destroy()],
    ["answered by something else", (socket: net.Socket) => void socket.end("220 mail.example.com ESMTP\r\n")],
    [
      "answered in part",
      (socket: net.Socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"),
    ],
  ])("when the connection is %s after the request", async (_, act) => {
    const port = await listen(
      net.createServer((socket) => socket.once("data", () => act(socket)).on("error", () => 0)),
    );
    const error = await networkFailure(transportTo(`http://127.0.0.1:${port}`));
    expect(error.outcome).toBe("unknown");
    expect(error.message).not.toContain("secret");
    expect(error.message).not.toContain("ESMTP");
  });

  test("when no answer comes in time", async () => {
    const { origin, transport } = await transportToServer(() => undefined, 0.1);
    const error = await networkFailure(transport);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.outcome).toBe("unknown");
    expect(error.message).toBe(
      `POST /things on ${origin} got no complete answer within 0.1 s. Check identity:domain and the network, or raise ` +
        "identity:requestTimeoutSeconds.",
    );
  });

  test("when the answer trickles without end", async () => {
    const { transport } = await transportToServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    }, 0.2);
    expect(await networkFailure(transport)).toBeInstanceOf(TimeoutError);
  });
});

test("an abort ends a request on its way at once, and the connection with it", async () => {
  const abort = new AbortController();
  const reason = new Error("given up");
  const gone = new Promise<void>((resolve, reject) => {
    transportToServer((request) => {
      request.socket.on("close", () => resolve());
      abort.abort(reason);
    })
      .then(({ transport }) => failure(transport.send({ ...POST, signal: abort.signal })))
      .then((error) => expect(error).toBe(reason))
      .catch(reject);
  });
  await gone;
});

describe("proxies of the environment", () => {
  const HOST = "tenant.example.test";
  const before = { ...process.env };
  afterEach(() => (process.env = { ...before }));

  /** What a request to the host ends with, in this environment. */
  async function ends(env: Record<string, string>, { origin = `https://${HOST}`, seconds = 5 } = {}) {
    process.env = { ...before, ...env };
    try {
      const { status, body } = await transportTo(origin, seconds).send({ ...POST, method: "GET", path: "/" });
      return `${status} ${body}`;
    } catch (error) {
      return (error as Error).message;
    }
  }
  const closed = async () => {
    const port = await listen(net.createServer());
    await closeAll();
    return `127.0.0.1:${port}`;
  };

  /** A proxy that connects every host to one server, if there is one, and records its requests. */
  async function proxy({ target, refusal }: { target?: number; refusal?: number } = {}) {
    const asked: string[] = [];
    const tunnel = http.createServer((_, response) => response.writeHead(400).end());
    tunnel.on("connect", (request, client) => {
      asked.push(`${request.method} ${request.url}`);
      client.on("error", () => undefined);
      if (refusal !== undefined || target === undefined) {
        client.end(`HTTP/1.1 ${refusal ?? 500} No\r\n\r\n`);
        return;
      }
      const upstream = net.connect(target, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
    });
    return { at: `127.0.0.1:${await listen(tunnel)}`, asked };
  }

  test("a proxy is passed by for the hosts of NO_PROXY, and for this machine", async () => {
    const { at, asked } = await proxy();
    const HTTPS_PROXY = `http://${at}`;
    expect(await ends({ HTTPS_PROXY, NO_PROXY: "other.example,.example.test" })).toMatch(
      /no such host is known|no name server answered/,
    );
    const port = await listen(http.createServer((_, response) => response.end("direct")));
    const origin = `http://127.0.0.1:${port}`;
    expect(await ends({ HTTP_PROXY: HTTPS_PROXY, HTTPS_PROXY }, { origin })).toBe("200 direct");
    expect(asked).toEqual([]);
  });

  const hangsUp = (answer: string) => async () =>
    `127.0.0.1:${await listen(net.createServer((socket) => socket.once("data", () => socket.end(answer))))}`;
  const REFUSED = "the connection was refused, as nothing listens there. Check";
  const NO_NAME =
    /(no such host is known\. Correct|no name server answered for the host name\. Check) HTTPS_PROXY, and NO_PROXY if the host needs none/;

  test.each<[what: string, variable: string, at: () => Promise<string>, why: string | RegExp]>([
    [
      "listens nowhere",
      "HTTPS_PROXY",
      closed,
      `${REFUSED} HTTPS_PROXY, and NO_PROXY if the host needs none.`,
    ],
    ["listens nowhere", "HTTP_PROXY", closed, `${REFUSED} HTTP_PROXY, and NO_PROXY if the host needs none.`],
    // The machine's name servers decide which.
    ["has no address", "HTTPS_PROXY", () => Promise.resolve("proxy.invalid:3128"), NO_NAME],
    ["hangs up", "HTTPS_PROXY", hangsUp(""), "the connection broke before an answer came. Check the network"],
    [
      "isn't one",
      "HTTPS_PROXY",
      hangsUp("220 mail.example.com ESMTP\r\n"),
      "what came back is no HTTP answer. Check HTTPS_PROXY",
    ],
  ])("a proxy that %s, of %s, is named, and not the tenant", async (_, variable, place, why) => {
    const at = await place();
    const message = await ends({ [variable]: `http://me:hidden-password@${at}` });
    expect(message).toContain(`GET / on https://${HOST} failed: no connection to the proxy ${at}: `);
    expect(message).toMatch(why);
    expect(message).not.toMatch(/identity:domain|hidden/);
  });

  test("a proxy that never answers is named", async () => {
    const HTTPS_PROXY = `http://127.0.0.1:${await listen(net.createServer())}`;
    expect(await ends({ HTTPS_PROXY }, { seconds: 0.3 })).toMatch(
      /within 0.3 s\. Check identity:domain, the network and the proxy of HTTPS_PROXY, or/,
    );
  });

  test.each([
    [407, "Put user name and password into HTTPS_PROXY."],
    [403, "Check HTTPS_PROXY, and NO_PROXY if the host needs none."],
  ])("what a proxy refuses with %i is said, and its password is not", async (refusal, advice) => {
    const { at } = await proxy({ refusal });
    const message = await ends({ HTTPS_PROXY: `http://me:hidden-password@${at}` });
    expect(message).toContain(`failed: the proxy refused the connection with ${refusal}. ${advice}`);
    expect(message).not.toContain("hidden");
  });

  test("an unusable proxy is named before the first request, without its password", async () => {
    const message = await ends({ HTTPS_PROXY: "me:hidden-password@proxy:x" });
    expect(message).toContain("HTTPS_PROXY or HTTP_PROXY of the environment must be a URL such as");
    expect(message).not.toContain("hidden");
  });

  test("a certificate that nobody vouches for: NODE_EXTRA_CA_CERTS is looked at", async () => {
    const port = await listen(https.createServer(selfSigned("localhost")));
    const says = (NODE_EXTRA_CA_CERTS: string) =>
      ends({ NODE_EXTRA_CA_CERTS }, { origin: `https://localhost:${port}` });
    expect(await says("")).toMatch(
      /Check identity:domain; if a certificate authority of your own .*_CA_CERTS\.$/,
    );
    expect(await says(__filename)).toContain(
      `is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Check identity:domain; if it is right, add the certificate ` +
        `authority that signed it to ${__filename}, which NODE_EXTRA_CA_CERTS names.`,
    );
    expect(await says("/none/ca.pem")).toContain(
      "is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). NODE_EXTRA_CA_CERTS names /none/ca.pem, which can't be read: correct it.",
    );
  });

  // Node.js reads such certificates when it starts.
  test("certificates of NODE_EXTRA_CA_CERTS are used, also behind a proxy and without a warning, and what is wrong with one is said", async () => {
    const hello = (own: object) => listen(https.createServer(own, (_, response) => response.end("hello")));
    const certificates = {
      good: selfSigned(HOST),
      expired: selfSigned(HOST, "200102000000Z"),
      early: selfSigned(HOST, "491231235959Z", "480101000000Z"),
      another: selfSigned("other.example.test"),
    };
    const proxies: Record<string, Awaited<ReturnType<typeof proxy>>> = {};
    for (const [name, own] of Object.entries(certificates))
      proxies[name] = await proxy({ target: await hello(own) });
    const local = selfSigned("localhost");
    const wanting = (maxVersion: "TLSv1.2" | "TLSv1.3") =>
      hello({ ...local, requestCert: true, rejectUnauthorized: true, maxVersion });
    writeFileSync(
      join(folder, "ca.pem"),
      [...Object.values(certificates), local].map(({ cert }) => cert).join(""),
    );
    const failed = `GET / on https://${HOST} failed: the host's certificate`;
    const cases: [proxy: string, origin: string, says: string][] = [
      ["good", `https://${HOST}`, "200 hello"],
      ["expired", `https://${HOST}`, `${failed} has expired. Have it renewed; if it is new, set this`],
      ["early", `https://${HOST}`, `${failed} is not valid yet. Set this machine's clock.`],
      ["another", `https://${HOST}`, `${failed} is only for other.example.test. Check identity:domain.`],
      [
        "",
        `https://localhost:${await wanting("TLSv1.2")}`,
        "If the host wants a client certificate: pulumi-identity can't send one.",
      ],
      [
        "",
        `https://localhost:${await wanting("TLSv1.3")}`,
        "the host wants a client certificate, and pulumi-identity can't send one. Set identity:domain",
      ],
    ];
    const { PATH = "" } = before;
    const env = { PATH, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    const requests = cases.map(([name, origin]) => ({
      origin,
      proxy: name === "" ? "" : `http://${proxies[name]?.at}`,
    }));
    const args = ["--import", "tsx", join(__dirname, "through-proxy.ts"), JSON.stringify(requests)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env });
    expect(stderr).toBe("");
    const lines = stdout.trim().split("\n");
    expect(lines).toEqual(cases.map(([, , says]) => expect.stringContaining(says) as unknown));
    expect(proxies["good"]?.asked).toEqual([`CONNECT ${HOST}:443`]);
  });
});
