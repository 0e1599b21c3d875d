import { UndiciTransport } from "../../provider/http/transport";
import { settingsOf } from "../../testkit/client";

/** Sends a request to each origin through its proxy, and prints a line for each: a process of its own reads
 * NODE_EXTRA_CA_CERTS. */
async function main(requests: { origin: string; proxy: string }[]): Promise<void> {
  for (const { origin, proxy } of requests) {
    process.env["HTTPS_PROXY"] = proxy;
    const transport = new UndiciTransport(settingsOf(origin));
    const answer = transport.send({ method: "GET", path: "/", headers: {} });
    console.log(
      await answer.then(
        ({ status, body }) => `${status} ${body}`,
        (error: Error) => error.message,
      ),
    );
  }
  process.exit();
}

void main(JSON.parse(process.argv[2] ?? "[]") as { origin: string; proxy: string }[]);
