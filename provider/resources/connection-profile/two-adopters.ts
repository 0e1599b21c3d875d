import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { knownValue } from "../../pulumi/program/dependencies";
import { type Declaration } from "../../pulumi/program/registration";
import { ProgramMemory } from "../../pulumi/program/program-memory";
import { tenantKey } from "../../pulumi/program/tenant-key";

/** A profile of the program. */
interface Declared {
  name: string;
  tenant: unknown;
  /** Whether messages must not show the id. */
  isSecret: boolean;
  /** Each undefined until it is known. */
  adopt?: string | undefined;
  id?: string | undefined;
}

const DECLARED = new ProgramMemory((): Declared[] => []);

/** Two resources that manage one profile would undo each other's work for ever. */
export function refuseTwoAdopters({ resource, name, props }: Declaration): void {
  const all = DECLARED.recall();
  if (all === undefined) return;
  const self: Declared = { name, tenant: undefined, isSecret: false };
  all.push(self);
  // A rejection that nobody handles ends the program with this message.
  void (async () => {
    const adopt = pulumi.output(props["adopt"] as pulumi.Input<string | undefined>);
    self.isSecret = await pulumi.isSecret(adopt);
    self.adopt = await knownValue(adopt);
    self.tenant = await tenantKey(resource.getProvider("pulumi-nodejs:dynamic/identity:ConnectionProfile"));
    refuse(all, self);
    // What the engine says of a resource that can't be registered is told by the resource itself.
    self.id = await knownValue(resource.id).catch(() => undefined);
    refuse(all, self);
  })();
}

function refuse(all: readonly Declared[], self: Declared): void {
  for (const other of all) {
    if (other === self || other.tenant !== self.tenant) continue;
    const isBoth = self.adopt !== undefined && self.adopt === other.adopt;
    const [adopter, manager] =
      self.adopt !== undefined && self.adopt === other.id ? [self, other] : [other, self];
    const isManaged = adopter.adopt !== undefined && adopter.adopt === manager.id;
    if (!isBoth && !isManaged) continue;
    const [first, second] = all.indexOf(self) < all.indexOf(other) ? [self, other] : [other, self];
    const isSecret = self.isSecret || other.isSecret;
    const problem = isBoth
      ? `"${first.name}" and "${second.name}" both adopt ${isSecret ? "one profile" : self.adopt}`
      : `"${adopter.name}" adopts ${isSecret ? "a profile" : adopter.adopt}, which "${manager.name}" manages`;
    throw new InvalidInputError(`ConnectionProfile ${problem}. Let one of them manage the profile.`);
  }
}
