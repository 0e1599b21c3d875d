import { type IdentityClient } from "../../provider/http/client";
import { connectionProfiles } from "../../provider/service/connection-profiles";
import { type JsonObject } from "../../provider/service/record";

/* The operations on connection profiles, as calls for trying out a client. */

export const postConnectionProfile = (client: IdentityClient, body: JsonObject) =>
  connectionProfiles(client).create(body);
export const readConnectionProfile = (client: IdentityClient, id: string) =>
  connectionProfiles(client).read(id);
export const updateConnectionProfile = (client: IdentityClient, id: string, body: JsonObject) =>
  connectionProfiles(client).update(id, body);
export const deleteConnectionProfile = (client: IdentityClient, id: string) =>
  connectionProfiles(client).delete(id);
export const listConnectionProfilePage = (client: IdentityClient, from: string | undefined) =>
  connectionProfiles(client).page(from);
