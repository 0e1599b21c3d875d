import { createReadStream, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { type Duplex } from "node:stream";
import { createSecureContext } from "node:tls";
import { selfSigned } from "../../testkit/certificate";

const API = "api.github.com";
/** Where GitHub sends whoever asks for a file. */
const FILES = "release-assets.githubusercontent.com";
/** The last two have nothing; they are here so that the log says what was asked of them. */
const HOSTS = [API, FILES, "github.com", "get.pulumi.com"];
const REPOSITORY = "pulumi-identity/pulumi-identity";

/**
 * The releases of our repository on GitHub, as Pulumi asks for them, and the proxy through which it asks: it
 * sees every request for another machine.
 */
export interface Releases {
  /** A client's variables. Go takes `SSL_CERT_FILE` on Linux only. */
  env: Record<string, string>;
  /** Returns the requests since the last call, in their order. */
  requests(): string[];
  /** Lets this many downloads end in their middle. */
  breakOff(downloads: number): void;
  close(): Promise<void>;
}

/** `folder`: has the files of the release of `tag`. Its certificates are written to `home`. */
export async function startReleases(tag: string, folder: string, home: string): Promise<Releases> {
  const log: string[] = [];
  let broken = 0;
  const contexts = new Map(
    HOSTS.map((host) => {
      const { cert, key } = selfSigned(host);
      return [host, { cert, context: createSecureContext({ cert, key }) }];
    }),
  );
  const trusted = join(home, "certificates.pem");
  writeFileSync(trusted, [...contexts.values()].map(({ cert }) => cert).join(""));

  const names = readdirSync(folder);
  const assets = names.map((name, index) => ({
    name,
    url: `https://${API}/repos/${REPOSITORY}/releases/assets/${index + 1}`,
  }));
  const json = (response: ServerResponse, body: object, status = 200) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));

  function answer(
    { method = "", url = "", headers: { host = "" } }: IncomingMessage,
    response: ServerResponse,
  ) {
    log.push(`${method} https://${host}${url}`);
    const [, number] = /^\/(?:repos\/.+\/)?assets\/(\d+)$/.exec(url) ?? [];
    const name = names[Number(number) - 1];
    if (
      host === API &&
      [`tags/${tag}`, "latest"].some((end) => url === `/repos/${REPOSITORY}/releases/${end}`)
    )
      json(response, { tag_name: tag, assets });
    else if (name === undefined) json(response, { message: "Not Found" }, 404);
    else if (host === API) response.writeHead(302, { Location: `https://${FILES}/assets/${number}` }).end();
    else send(join(folder, name), response);
  }

  function send(file: string, response: ServerResponse): void {
    const { size } = statSync(file);
    response.writeHead(200, { "Content-Length": size });
    if (broken === 0) {
      createReadStream(file).pipe(response);
      return;
    }
    broken--;
    const half = createReadStream(file, { end: Math.floor(size / 2) });
    half.once("end", () => response.destroy()).pipe(response, { end: false });
  }

  const sockets = new Set<Duplex>();
  const github = createTlsServer(
    { SNICallback: (host, done) => done(null, contexts.get(host)?.context) },
    answer,
  );
  const proxy = createServer((request, response) => {
    log.push(`refused ${request.method} ${request.url}`);
    response.writeHead(403).end();
  });
  proxy.on("connect", ({ url = "" }: IncomingMessage, socket: Duplex) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
    if (!HOSTS.some((host) => url === `${host}:443`)) {
      log.push(`refused ${url}`);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const through = connect(portOf(github), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      through.pipe(socket).pipe(through);
    });
    through.on("error", () => socket.destroy());
  });
  for (const server of [github, proxy])
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));

  return {
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
      HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`,
      NO_PROXY: "127.0.0.1",
      SSL_CERT_FILE: trusted,
    },
    requests: () => log.splice(0),
    breakOff: (downloads) => (broken = downloads),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      for (const server of [github, proxy]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;
