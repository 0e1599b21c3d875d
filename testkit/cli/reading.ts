import { TenantReader } from "../../cli/tenant/reader";
import { type Progress } from "../../cli/terminal";
import { makeBorder, makeClient } from "../../provider/pulumi/clients";
import { readSettings } from "../../provider/pulumi/settings";
import { type Simulator } from "../../simulator";
import { environmentOf } from "../simulator";

/** Reads with a client of the simulated tenant, and returns what was asked besides the token. */
export async function reading(
  simulator: Simulator,
  read: (reader: TenantReader) => Promise<void>,
  progress?: Progress,
): Promise<string[]> {
  const settings = readSettings(() => undefined, environmentOf(simulator));
  const client = makeClient(
    settings,
    { from: "environment" },
    makeBorder(settings, () => undefined),
  );
  const reader = new TenantReader(client, progress);
  try {
    await read(reader);
  } finally {
    reader.end();
    client.cancel("the test is done");
    await client.close();
  }
  return simulator
    .requests()
    .flatMap(({ method, path }) => (method === "GET" ? [path.replace(/^\/api\/v2|\?.*$/g, "")] : []));
}
