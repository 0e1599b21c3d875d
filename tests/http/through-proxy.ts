import { DEFAULT_LIMITS } from "../../provider/http/settings";
import { UndiciTransport } from "../../provider/http/transport";
import { settingsOf } from "../../testkit/client";

/**
 * Sends one request to the given origin and prints the result, in its own process: proxies and certificates
 * are read at the start.
 */
async function main(origin: string): Promise<void> {
  try {
    const requestTimeoutSeconds = Number(process.env["SECONDS"] ?? DEFAULT_LIMITS.requestTimeoutSeconds);
    const limits = { ...DEFAULT_LIMITS, requestTimeoutSeconds };
    const transport = new UndiciTransport(settingsOf(origin, { limits }));
    const { status, body } = await transport.send({ method: "GET", path: "/", headers: {} });
    console.log(`${status} ${body}`);
    await transport.close();
  } catch (error) {
    console.log((error as Error).message);
    process.exit();
  }
}

void main(process.argv[2] ?? "");
