import { type IdentityClient } from "../http/client";

/** Section 4.5. */
export function deleteDeviceCredential(client: IdentityClient, id: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: "/device-credentials/{id}",
    ids: { id },
    scopes: ["delete:device_credentials"],
  });
}
