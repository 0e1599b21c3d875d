import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { type Customer, onboard } from "./onboard";

/*
 * IDENTITY_DOMAIN, IDENTITY_CLIENT_ID, IDENTITY_CLIENT_SECRET and PULUMI_CONFIG_PASSPHRASE are in the environment:
 *
 *   pulumi login file://~ && npx tsc && node bin/index.js
 *   curl -N http://127.0.0.1:8080 --data '{"name": "example", "roleId": "rol_…", "groupIds": ["grp_…"]}'
 */

/** Answers one line for each step, and last what became of it. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const tell = (line: string) => response.write(`${line}\n`);
  try {
    const customer = (await json(request)) as Customer;
    if (!/^[a-z][a-z0-9-]{0,49}$/.test(customer.name))
      throw new Error("name: must be letters, digits and hyphens.");
    tell(`done: profile ${await onboard(customer, tell)}`);
  } catch (error) {
    tell(`failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  response.end();
}

// On the loopback interface only: who may call it gives access to the tenant.
const server = createServer((request, response) => void serve(request, response));
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`listening on port ${(server.address() as { port: number }).port}`);
});
