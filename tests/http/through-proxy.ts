import { UndiciTransport } from "../../provider/http/transport";
import { settingsOf } from "../../testkit/client";

/**
 * Sends one request to the given origin and prints the result, in its own process: proxies and certificates
 * are read at the start.
 */
async function main(origin: string): Promise<void> {
  try {
    const transport = new UndiciTransport(settingsOf(origin));
    const { status, body } = await transport.send({ method: "GET", path: "/", headers: {} });
    console.log(`${status} ${body}`);
    await transport.close();
  } catch (error) {
    console.log((error as Error).message);
    process.exit();
  }
}

void main(process.argv[2] ?? "");
