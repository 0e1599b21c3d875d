import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, getUserPermissions, IdentityError } from "pulumi-identity";

// The contractors are in Pulumi.yaml.
const config = new pulumi.Config();
const contractors = config.requireObject<string[]>("contractors");
const adminPermissions = new RegExp(config.get("adminPermissions") ?? "^(admin|delete):");

export = async () => {
  // Asked in every preview and update. Whoever can't be read fails the deployment, too: no answer is no
  // proof.
  const access = await Promise.all(contractors.map((userId) => getUserPermissions({ userId })));
  const findings = access.flatMap(({ userId, permissions }) =>
    permissions
      .filter(({ permissionName = "" }) => adminPermissions.test(permissionName))
      .map(
        ({ permissionName, resourceServerIdentifier, sources = [] }) =>
          `${userId} holds ${permissionName} of ${resourceServerIdentifier}, from ` +
          (sources.map(({ sourceName, sourceType }) => sourceName || sourceType).join(" and ") ||
            "elsewhere"),
      ),
  );
  if (findings.length > 0) {
    // Unlike other errors, it is printed at once, by its message.
    throw new IdentityError(`Contractors must not hold admin permissions: ${findings.join("; ")}`);
  }

  // What the guard protects. Nothing of it is planned before the guard has passed.
  const partners = new ConnectionProfile("partners", { name: "partners" });
  return { profileId: partners.id };
};
