import { type Holders, TenantReader } from "../../cli/tenant/reader";
import { Progress } from "../../cli/terminal";
import { makeBorder, makeClient } from "../../provider/pulumi/clients";
import { readSettings } from "../../provider/pulumi/settings";
import { type Simulator } from "../../simulator";
import { environmentOf } from "../simulator";

export { type Holders, type TenantReader };

/**
 * Reads with a client of the simulated tenant, and returns what was asked besides the token. `terminal`:
 * where progress is shown.
 */
export async function reading(
  simulator: Simulator,
  read: (reader: TenantReader) => Promise<void>,
  terminal?: ConstructorParameters<typeof Progress>[0],
): Promise<string[]> {
  const settings = readSettings(() => undefined, environmentOf(simulator));
  const client = makeClient(
    settings,
    { from: "environment" },
    makeBorder(settings, () => undefined),
  );
  const progress = terminal && new Progress(terminal);
  const reader = new TenantReader(client, progress);
  try {
    await read(reader);
  } finally {
    reader.end();
    progress?.clear();
    client.cancel("the test is done");
    await client.close();
  }
  return simulator
    .requests()
    .flatMap(({ method, path }) => (method === "GET" ? [path.replace(/^\/api\/v2|\?.*$/g, "")] : []));
}
