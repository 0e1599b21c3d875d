import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import { makeClient } from "../../provider/pulumi/clients";
import { type RawSettings, type SettingsSource } from "../../provider/pulumi/settings";

/** Commands only read, and a person waits for them: four times as many at once as in a host. */
const READS_AT_ONCE = "64";

/** Returns the client of a command; throws a `ConfigurationError`. */
export function makeReadingClient(
  settings: RawSettings,
  source: SettingsSource,
  border: Border,
): IdentityClient {
  const { maxConcurrency = READS_AT_ONCE } = settings;
  return makeClient({ ...settings, maxConcurrency }, source, border);
}
