import { generateKeyPairSync } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { selfSigned } from "../../testkit/certificate";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";

/** The package's kind of credentials. */
export type CredentialKind = "token" | "secret" | "key";

const GIVEN_TOKEN = "given-token-0123456789-abcdefghijklmnop";
const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const KEY_CLIENT = "keyClient";

/** Returns the stack configuration, and the parts that no message may show. */
export function credentialsOf(kind: CredentialKind): { config: Record<string, string>; secrets: string[] } {
  const [config, secret] = {
    token: [{ "identity:accessToken": GIVEN_TOKEN }, GIVEN_TOKEN] as const,
    secret: [
      { "identity:clientId": CLIENT_ID, "identity:clientSecret": CLIENT_SECRET },
      CLIENT_SECRET,
    ] as const,
    key: [{ "identity:clientId": KEY_CLIENT, "identity:privateKey": privateKey }, privateKey] as const,
  }[kind];
  return { config, secrets: secret.split("\n").filter((line) => line.length > 8) };
}

/** Records of a tenant that knows the credentials of every kind. */
function withCredentials(seed: SeedInput): SeedInput {
  return {
    ...seed,
    clients: [
      { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES },
      { client_id: KEY_CLIENT, public_key: publicKey, scope: ALL_SCOPES },
    ],
    tokens: [{ access_token: GIVEN_TOKEN, scope: ALL_SCOPES }],
  };
}

/** A tenant serves this many cells, one after the other. */
const MOST_CELLS = 8;
const UNLIMITED = { burst: 1_000_000, perSecond: 1_000_000 };

/** Simulated tenants, each for one cell at a time. */
export class Tenants {
  readonly #free: { simulator: Simulator; served: number }[] = [];
  readonly #used = new Map<Simulator, number>();

  /** Takes a tenant with these records; a new one if its clock differs. */
  async take(seed: SeedInput, skew = 0): Promise<Simulator> {
    const records = withCredentials(seed);
    const known = skew === 0 ? this.#free.pop() : undefined;
    const simulator =
      known?.simulator ?? (await startSimulator({ rate: UNLIMITED, skew, seed: records, background: true }));
    if (known !== undefined) simulator.seed(records);
    simulator.reset();
    this.#used.set(simulator, skew === 0 ? (known?.served ?? 0) + 1 : MOST_CELLS);
    return simulator;
  }

  /** `isClean`: nothing of the cell is still running. */
  async giveBack(simulator: Simulator, isClean: boolean): Promise<void> {
    const served = this.#used.get(simulator) ?? MOST_CELLS;
    this.#used.delete(simulator);
    if (isClean && served < MOST_CELLS) this.#free.push({ simulator, served });
    else await simulator.close();
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#used.keys(), ...this.#free.map(({ simulator }) => simulator)].map((s) => s.close()),
    );
  }
}

/** Hosts that aren't the tenant's; they count their visitors. */
export class Strangers {
  readonly #visitors: string[] = [];
  readonly #http = createHttpServer((request, response) => {
    this.#visitors.push(`${request.method} ${request.url}`);
    response.end("{}");
  });
  readonly #tls = createTlsServer(selfSigned("localhost"), (socket) => {
    this.#visitors.push("a connection to a host with an untrusted certificate");
    socket.destroy();
  });

  async open(): Promise<void> {
    for (const server of [this.#http, this.#tls]) {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      server.unref();
    }
    this.#tls.on("tlsClientError", () => undefined);
  }

  get elsewhere(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get untrusted(): string {
    return `https://localhost:${(this.#tls.address() as AddressInfo).port}`;
  }

  /** Requests that arrived here, although none should. */
  get visitors(): readonly string[] {
    return this.#visitors;
  }

  close(): void {
    this.#http.close();
    this.#tls.close();
  }
}
