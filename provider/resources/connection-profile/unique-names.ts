import { type IdentityClient } from "../../http/client";
import { IdentityError } from "../../http/errors";
import {
  type ConnectionProfileRecord,
  connectionProfileRecord,
  connectionProfiles,
} from "../../service/connection-profiles";
import { tellNamesakes } from "./namesakes";

/**
 * The setting `uniqueProfileNames`: a name is given to a new profile only if the tenant held no profile of that name before
 * the first create of the run, and no other create of the run wants it. The list is read once, for all creates.
 */
export class UniqueNames {
  readonly #given = new Set<string>();
  #listed: Promise<ConnectionProfileRecord[]> | undefined;

  /** Rejects when a profile must not get this name. `isOwn` knows the profiles that this stack manages. */
  async give(client: IdentityClient, name: string, isOwn: (id: string) => boolean): Promise<void> {
    const refuse = (why: string) => {
      const setting = client.settings.nameOf("uniqueProfileNames");
      throw new IdentityError(
        `POST /connection-profiles was not sent, as ${setting} is on: ${why}`,
        "not sent",
      );
    };
    if (this.#given.has(name)) {
      refuse(`another resource of this run has the name ${JSON.stringify(name)}, too. Choose another one.`);
    }
    this.#given.add(name);
    this.#listed ??= connectionProfiles(client, connectionProfileRecord).list();
    const profiles = await this.#listed.catch((error: Error) =>
      refuse(`which names the tenant holds could not be read. ${error.message}`),
    );
    const [first, ...others] = profiles.filter((profile) => profile.name === name && !isOwn(profile.id));
    if (first !== undefined) refuse(tellNamesakes(client.tenant, name, [first, ...others]));
  }
}
