import { setTimeout } from "node:timers/promises";
import { IdentityError, isGoneInBulk } from "../../http/errors";
import { keptLine } from "../../review/facts";
import { type Observed, type Prior, type Request } from "../resource-kind";
import { RunMemory } from "../run";

/** Pulumi reads in bursts, and the rest of a burst may still find something. */
const BURST_MS = 50;

/**
 * Keeps a refresh from dropping a whole stack. With another tenant's token, or without a permission, the
 * service answers 404 for every object, as if all were deleted.
 */
class Sightings {
  #hasSeen = false;
  #underWay = 0;
  #waiting = 0;
  #gone = 0;

  /** Runs a read; undefined means gone. Rejects if that isn't credible. */
  async during<T extends { isAssumed?: true }>(
    tenant: string,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    this.#underWay++;
    try {
      const seen = await read();
      if (seen !== undefined) this.#hasSeen ||= seen.isAssumed !== true;
      else await this.#believe(tenant);
      return seen;
    } finally {
      this.#underWay--;
    }
  }

  async #believe(tenant: string): Promise<void> {
    this.#gone++;
    this.#waiting++;
    do await setTimeout(BURST_MS);
    while (!this.#hasSeen && this.#waiting < this.#underWay);
    this.#waiting--;
    if (this.#hasSeen || !isGoneInBulk(this.#gone)) return;
    throw new IdentityError(
      `It is not on ${tenant}, and neither is anything else that this run has looked for so far, so state keeps it. Check ` +
        "that the credentials are this tenant's, and that the client may still read. If it was deleted with all the " +
        "others, refresh one resource after the other: pulumi refresh --target <URN>.",
    );
  }
}

export const SIGHTINGS = new RunMemory(() => new Sightings());

/** Reads lag behind writes, so an object this stack has just written isn't gone at once. */
export function notShownYet<Inputs extends object>(
  kind: string,
  { inputs, outputs }: Prior<Inputs>,
  { client, id, tell }: Request<Inputs>,
): Observed<Inputs> {
  tell(keptLine({ kept: `${kind} ${id}`, on: client.tenant }));
  return { inputs, outputs: { ...outputs }, isAssumed: true };
}
