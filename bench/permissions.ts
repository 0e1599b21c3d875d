import { IdentityClient } from "../provider/http/client";
import { listUserPermissions } from "../provider/service/users";
import { parseSettings } from "../provider/pulumi/settings";
import { startSimulator } from "../simulator";

const PAGES = 10;
const LATENCY_MS = 100;

/**
 * 1,000 permissions: wall time ÷ (slowest page × ceil(pages ÷ concurrency)). Only the first page shows how
 * many there are, so 2 is the minimum even if all the others fit in at once.
 */
export async function permissionsRatio(concurrency: number): Promise<number> {
  return (await wallTime(concurrency)) / (LATENCY_MS * Math.ceil(PAGES / concurrency));
}

async function wallTime(concurrency: number): Promise<number> {
  const userId = "auth0|bench";
  const permissions = Array.from({ length: PAGES * 100 }, (_, i) => ({
    resource_server_identifier: "https://api.example.com/",
    permission_name: `read:${i}`,
  }));
  const simulator = await startSimulator({
    latency: LATENCY_MS,
    rate: { burst: 1000, perSecond: 1000 },
    seed: {
      users: [{ user_id: userId, permissions }],
      tokens: [{ access_token: "bench", scope: "read:users" }],
    },
  });
  const client = new IdentityClient(
    parseSettings(
      { domain: simulator.url, accessToken: "bench", maxConcurrency: String(concurrency) },
      { from: "stack" },
    ),
  );
  try {
    // Connections are made and code is compiled only once per process.
    await listUserPermissions(client, userId);
    simulator.reset();
    const begin = performance.now();
    const { length } = await listUserPermissions(client, userId);
    const wall = performance.now() - begin;
    const requests = simulator.requests().length;
    if (length !== PAGES * 100 || requests !== PAGES) {
      throw new Error(`${length} permissions in ${requests} requests instead of ${PAGES}.`);
    }
    return wall;
  } finally {
    await client.close();
    await simulator.close();
  }
}
