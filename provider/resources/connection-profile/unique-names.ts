import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { IdentityError } from "../../http/errors";
import {
  type ProfileRecord,
  connectionProfileRecord,
  connectionProfiles,
} from "../../service/connection-profiles";
import { tellNamesakes } from "./namesakes";

/** When the engine speaks of no further resource for so long, it has come to all that do not wait for others. */
const CHECKS_QUIET_MS = 500;

/**
 * The setting `uniqueProfileNames`: a name is given to a new profile only if the tenant held no profile of that name before
 * the first create of the run, and no other resource of the run wants it. The list is read once, for all creates.
 */
export class UniqueNames {
  readonly #given = new Set<string>();
  /** Names that profiles are to have which are on the tenant already, by resource and how many of each. */
  readonly #wanted = new Map<object, string>();
  readonly #counts = new Map<string, number>();
  #changes = 0;
  /** How much was known when nothing more came for a while. */
  #quietAt: number | undefined;
  #listed: Promise<ProfileRecord[]> | undefined;

  /** `managed`: the ids of profiles that state knows, as the engine comes to them. `isOwn` knows all that the stack manages. */
  constructor(
    private readonly managed: ReadonlySet<string>,
    private readonly isOwn: (id: string) => boolean,
  ) {}

  /** Grows with all that the engine says of resources whose profiles are there. */
  #known(): number {
    return this.#changes + this.managed.size;
  }

  /** The name that the program gives to a profile that is there; undefined when the resource is to make one instead. */
  wants(resource: object, name: string | undefined): void {
    const before = this.#wanted.get(resource);
    if (before === name) return;
    this.#changes++;
    if (before !== undefined) this.#count(before, -1);
    if (name !== undefined) this.#count(name, 1);
    if (name === undefined) this.#wanted.delete(resource);
    else this.#wanted.set(resource, name);
  }

  #count(name: string, by: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  /** Rejects when a profile must not get this name. */
  async give(client: IdentityClient, name: string): Promise<void> {
    const refuse = (why: string) => {
      const setting = client.settings.nameOf("uniqueProfileNames");
      throw new IdentityError(
        `POST /connection-profiles was not sent, as ${setting} is on: ${why}`,
        "not sent",
      );
    };
    const another = `another resource of this run has the name ${JSON.stringify(name)}, too. Choose another one.`;
    if (this.#given.has(name)) refuse(another);
    this.#given.add(name);
    this.#listed ??= connectionProfiles(client, connectionProfileRecord).list();
    const profiles = await this.#listed.catch((error: unknown) =>
      refuse(`which names the tenant holds could not be read. ${(error as Error).message}`),
    );
    for (;;) {
      if ((this.#counts.get(name) ?? 0) > 0) refuse(another);
      const [first, ...others] = profiles.filter(
        (profile) => profile.name === name && !this.isOwn(profile.id),
      );
      if (first === undefined) return;
      // The engine may yet come to the resource of this profile, which may give its name up.
      const known = this.#known();
      if (known === this.#quietAt) refuse(tellNamesakes(client.tenant, name, [first, ...others]));
      await setTimeout(CHECKS_QUIET_MS);
      if (known === this.#known()) this.#quietAt = known;
    }
  }
}
