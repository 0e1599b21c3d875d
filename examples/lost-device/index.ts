import { getDeviceCredentials, getUser, getUserPermissions } from "pulumi-identity";

/*
 * Prints who has lost a device, what a thief could do with it, and a line of code for each of the user's
 * credentials, as the tenant has them now. It deletes nothing. Put the lines of lost devices into your
 * program, and have them reviewed: a removal can't be undone, and the user must sign in again.
 *
 *   npx tsx index.ts 'auth0|64c1f0a2b7d83e5f9a1b2c3d'
 */
async function lines(userId: string): Promise<string[]> {
  const [user, { permissions }, { deviceCredentials }] = await Promise.all([
    getUser({ userId }),
    getUserPermissions({ userId }),
    getDeviceCredentials({ userId }),
  ]);
  const may = permissions.map(({ permissionName = "" }) => permissionName).sort();
  return [
    `// ${plain(user.name ?? userId)} may ${plain(may.join(", ")) || "do nothing"}`,
    ...deviceCredentials.map(({ id, type, deviceName = "a device without a name" }) => {
      // Named after the credential: device names may repeat, and another name would be another resource.
      const text = JSON.stringify(id);
      return `new DeviceCredentialRemoval(${text}, { deviceCredentialId: ${text} }); // ${type} of ${plain(deviceName)}`;
    }),
  ];
}

/** Users name themselves and their devices: nothing of a name may end the comment. */
function plain(name: string): string {
  return name.replace(/[^\p{L}\p{N} .,:'()-]/gu, "?");
}

lines(process.argv[2] ?? "").then(
  (found) => console.log(found.join("\n")),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
