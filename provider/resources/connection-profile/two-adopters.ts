import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { hashOf } from "../../pulumi/run-folder";
import { folderOfProgram, ProgramMemory, refuseRun } from "../../pulumi/program/program-run";
import { knownValue } from "../../pulumi/program/dependencies";
import { type Declaration } from "../../pulumi/program/registration";
import { tenantKey, tenantKeyAtOnce } from "../../pulumi/program/tenant";
import { profileFactOf } from "./lines";

interface ProgramProfile {
  name: string;
  tenant: unknown;
  /** Whether messages must not show the id. */
  isSecret: boolean;
  /** Each undefined until it is known. */
  adopt?: string | undefined;
  id?: string | undefined;
}

const DECLARED_PROFILES = new ProgramMemory("profiles/1", (): ProgramProfile[] => []);

/**
 * Two resources that manage one profile would undo each other's work for ever. Throws at once if the inputs
 * say so as they stand; otherwise the program ends when they are known.
 */
export function refuseTwoAdopters({ resource, name, props, opts }: Declaration): undefined {
  const all = DECLARED_PROFILES.recall();
  if (all === undefined) return;
  const given = props["adopt"] as pulumi.Input<string | undefined>;
  const self: ProgramProfile = { name, tenant: tenantKeyAtOnce(opts), isSecret: false };
  if (typeof given === "string") self.adopt = given;
  // What throws here is not declared, and no other is to be refused because of it.
  if (self.tenant !== undefined) refuse([...all, self], self);
  all.push(self);
  // A rejection that nobody handles ends the program with this message.
  void (async () => {
    const adopt = pulumi.output(given);
    self.isSecret = await pulumi.isSecret(adopt);
    self.adopt = await knownValue(adopt);
    self.tenant = await tenantKey(resource.getProvider("pulumi-nodejs:dynamic/identity:ConnectionProfile"));
    refuse(all, self);
    // For hosts that are not told of the resource.
    if (typeof self.tenant === "string" && self.adopt !== undefined)
      folderOfProgram()?.leave(profileFactOf("declared", self.tenant, hashOf(self.adopt)));
    // What the engine says of a resource that can't be registered is told by the resource itself.
    self.id = await knownValue(resource.id).catch(() => undefined);
    refuse(all, self);
  })();
}

function refuse(all: readonly ProgramProfile[], self: ProgramProfile): void {
  for (const other of all) {
    if (other === self || other.tenant !== self.tenant) continue;
    const [first, second] = all.indexOf(self) < all.indexOf(other) ? [self, other] : [other, self];
    const problem = bothAdopt(first, second) ?? adopts(self, other) ?? adopts(other, self);
    if (problem !== undefined)
      throw refuseRun(
        new InvalidInputError(`ConnectionProfile ${problem}. Let one of them manage the profile.`),
      );
  }
}

function bothAdopt(first: ProgramProfile, second: ProgramProfile): string | undefined {
  if (first.adopt === undefined || first.adopt !== second.adopt) return undefined;
  const which = first.isSecret || second.isSecret ? "one profile" : first.adopt;
  return `"${first.name}" and "${second.name}" both adopt ${which}`;
}

function adopts(adopter: ProgramProfile, manager: ProgramProfile): string | undefined {
  if (adopter.adopt === undefined || adopter.adopt !== manager.id) return undefined;
  const which = adopter.isSecret || manager.isSecret ? "a profile" : adopter.adopt;
  return `"${adopter.name}" adopts ${which}, which "${manager.name}" manages`;
}
