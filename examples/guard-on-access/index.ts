import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, getUserPermissions } from "pulumi-identity";

// pulumi config set --path 'contractors[0]' 'auth0|64c1f0a2b7d83e5f9a1b2c3d'
const config = new pulumi.Config();
const contractors = config.requireObject<string[]>("contractors");
const adminPermissions = new RegExp(config.get("adminPermissions") ?? "^(admin|delete):");

/** Pulumi spends half a minute on printing an error from an async program, unless the error knows how to show itself. */
class Refused extends pulumi.RunError {
  [inspect.custom] = () => this.message;
}

export = async () => {
  // Asked in every preview and update. Whoever can't be read fails the deployment, too: no answer is no proof.
  const access = await Promise.all(contractors.map((userId) => getUserPermissions({ userId })));
  const findings = access.flatMap(({ userId, permissions }) =>
    permissions
      .filter(({ permissionName = "" }) => adminPermissions.test(permissionName))
      .map(
        ({ permissionName, resourceServerIdentifier, sources }) =>
          `${userId} holds ${permissionName} of ${resourceServerIdentifier}, from ${JSON.stringify(sources)}`,
      ),
  );
  if (findings.length > 0) {
    throw new Refused(`Contractors must not hold admin permissions:\n${findings.join("\n")}`);
  }

  // What the guard protects. Nothing of it is planned before the guard has passed.
  const partners = new ConnectionProfile("partners", { name: "partners" });
  return { profileId: partners.id };
};
