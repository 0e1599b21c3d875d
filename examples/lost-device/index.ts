import * as pulumi from "@pulumi/pulumi";
import { type DeviceCredential, DeviceCredentialRemoval, getDeviceCredentials } from "pulumi-identity";

/*
 * All credentials of a user who has lost a device, as the tenant has them now: the user must sign in again everywhere.
 *
 *   pulumi config set lostBy 'auth0|64c1f0a2b7d83e5f9a1b2c3d'
 *   pulumi preview                # one removal for each credential
 *   pulumi up
 *   pulumi config rm lostBy       # do not skip this
 *   pulumi up                     # the removals leave the state: nothing is sent
 *
 * As long as `lostBy` is set, each run removes what the user has by then, also the credentials of the new device. So set it
 * for one run. What was removed is not found any more, so that the next run, with or without `lostBy`, shows these resources
 * as deleted. That is only their end in the state: a removal can't be undone, and destroying it sends nothing.
 */
export = async (): Promise<object> => {
  const userId = new pulumi.Config().get("lostBy");
  if (userId === undefined) return { removed: [] };

  const { deviceCredentials } = await getDeviceCredentials({ userId });
  // Named after the credential: device names may repeat, and a name that changes would be another resource.
  for (const { id } of deviceCredentials) new DeviceCredentialRemoval(id, { deviceCredentialId: id });
  return { removed: deviceCredentials.map(describe) };
};

/** Who approves the preview sees which devices are signed out. */
function describe({ id, type, deviceName = "a device without a name" }: DeviceCredential): string {
  return `${id}: ${type} of ${deviceName}`;
}
