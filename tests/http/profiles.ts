import { type IdentityClient } from "../../provider/http/client";
import {
  type ConnectionProfileBody,
  connectionProfiles,
  profileRecord,
} from "../../provider/service/connection-profiles";

/* The operations on connection profiles, as calls to try a client with. */

const of = (client: IdentityClient) => connectionProfiles(client, profileRecord);

export const postConnectionProfile = (client: IdentityClient, body: ConnectionProfileBody) =>
  of(client).create(body);
export const readConnectionProfile = (client: IdentityClient, id: string) => of(client).read(id);
export const updateConnectionProfile = (client: IdentityClient, id: string, body: ConnectionProfileBody) =>
  of(client).update(id, body);
export const deleteConnectionProfile = (client: IdentityClient, id: string) => of(client).delete(id);
export const listConnectionProfilePage = (client: IdentityClient, from: string | undefined) =>
  of(client).page(from);
