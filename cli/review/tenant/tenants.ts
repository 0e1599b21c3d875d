import { type Border } from "../../../provider/border";
import { type IdentityClient } from "../../../provider/http/client";
import { ConfigurationError } from "../../../provider/http/errors";
import { makeBorder } from "../../../provider/pulumi/clients";
import { makeReadingClient } from "../../tenant/client";
import { type OpenTenant, TenantReader } from "../../tenant/reader";
import { type Progress } from "../../terminal";
import { type AskedBy } from "../input/sources";

/** A review must not hang: give up on a tenant after this much silence. */
const LONGEST_TENANT_SILENCE_MS = 30_000;

/** The tenants of a review. Each has one client, so that nothing is asked twice, whatever asks. */
export class Tenants {
  readonly #open = new Map<string, OpenTenant>();

  constructor(
    readonly progress: Progress,
    private readonly longestSilenceMs = LONGEST_TENANT_SILENCE_MS,
  ) {}

  /** Returns the tenant, or why the settings make no client. Sends nothing. */
  open(by: AskedBy): OpenTenant | string {
    const key = keyOf(by);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    // Standard output may be for the review itself.
    const client = clientOf(
      by,
      makeBorder(by.settings, (line) => this.progress.notice(line)),
    );
    if (typeof client === "string") return client;
    // Counts would be printed over a preview that still runs.
    const counting = (what: string, all: number) =>
      this.progress.isShown ? this.progress.counting(what, all) : () => undefined;
    const reader = new TenantReader(client, { counting }, this.longestSilenceMs);
    const open = { client, reader };
    this.#open.set(key, open);
    return open;
  }

  async close(): Promise<void> {
    for (const { client, reader } of this.#open.values()) {
      reader.end();
      client.cancel("the review is done");
      await client.close();
    }
  }
}

/** Equal for those who are asked by the same client. */
export function keyOf(by: AskedBy): string {
  return JSON.stringify(by);
}

function clientOf({ settings, source }: AskedBy, border: Border): IdentityClient | string {
  try {
    return makeReadingClient(settings, source, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.replace(/\.$/, "");
  }
}
