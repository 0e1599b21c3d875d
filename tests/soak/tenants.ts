import { startSimulator } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, DEFAULT_SEED } from "../../simulator/default-seed";

/*
 * The soak's tenants, in their own process, so that their memory doesn't count as the programs'.
 */

/** A request of the soak; the same message answers it. */
export type Request = { rotateTo: string } | "forget";

async function main(): Promise<void> {
  const options = { rate: { burst: 1_000_000, perSecond: 1_000_000 } };
  const [steady, rotating, failing] = await Promise.all([
    startSimulator(options),
    startSimulator(options),
    startSimulator(options),
  ]);
  const fail = () => failing.fail({ path: "/api/v2/*", times: 1_000_000, action: { status: 500 } });
  fail();
  process.on("message", (request: Request) => {
    if (request === "forget") {
      for (const tenant of [steady, rotating, failing]) tenant.reset();
      fail();
    } else {
      rotating.seed({
        ...DEFAULT_SEED,
        clients: [{ client_id: CLIENT_ID, client_secret: request.rotateTo, scope: ALL_SCOPES }],
      });
    }
    process.send?.(request);
  });
  process.on("disconnect", () => process.exit());
  const { clientId, clientSecret } = steady;
  process.send?.({ clientId, clientSecret, urls: [steady.url, rotating.url, failing.url] });
}

void main();
