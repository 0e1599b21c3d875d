import { z } from "zod";
import { type IdentityClient } from "../http/client";
import { allPages, type CheckpointPage } from "../http/pages";

/** Section 2.4 of the source document, with what the service leaves out: unset fields are null. */
export const connectionProfileRecord = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  organization: z.record(z.string(), z.unknown()).nullish(),
  connection_name_prefix_template: z.string().nullish(),
  enabled_features: z.array(z.string()).nullish(),
  connection_config: z.record(z.string(), z.unknown()).nullish(),
  strategy_overrides: z.record(z.string(), z.unknown()).nullish(),
});
export type ConnectionProfileRecord = z.infer<typeof connectionProfileRecord>;

/** The fields that a connection profile is created or changed with. */
export type ConnectionProfileBody = Partial<Record<Exclude<keyof ConnectionProfileRecord, "id">, unknown>>;

const PROFILE = "/connection-profiles/{id}";

/** Just the request; `createConnectionProfile` also knows what to do when its answer is lost. */
export function postConnectionProfile(
  client: IdentityClient,
  body: ConnectionProfileBody,
): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "POST",
    path: "/connection-profiles",
    body,
    answer: connectionProfileRecord,
    scopes: ["create:connection_profiles"],
  });
}

export function readConnectionProfile(client: IdentityClient, id: string): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "GET",
    path: PROFILE,
    ids: { id },
    answer: connectionProfileRecord,
    scopes: ["read:connection_profiles"],
  });
}

/** Section 4.4. An empty body changes nothing and answers with the record. */
export function updateConnectionProfile(
  client: IdentityClient,
  id: string,
  body: ConnectionProfileBody,
): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "PATCH",
    path: PROFILE,
    ids: { id },
    body,
    answer: connectionProfileRecord,
    scopes: ["update:connection_profiles"],
  });
}

export function deleteConnectionProfile(client: IdentityClient, id: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: PROFILE,
    ids: { id },
    scopes: ["delete:connection_profiles"],
  });
}

const connectionProfilePage = z.looseObject({
  connection_profiles: z.array(connectionProfileRecord),
  next: z.string().nullish(),
});

/** Most records that the service puts on one page. */
const PROFILES_PER_PAGE = 10;

export async function listConnectionProfilePage(
  client: IdentityClient,
  from: string | undefined,
): Promise<CheckpointPage<ConnectionProfileRecord>> {
  const page = await client.send({
    method: "GET",
    path: "/connection-profiles",
    query: { take: PROFILES_PER_PAGE, from },
    answer: connectionProfilePage,
    scopes: ["read:connection_profiles"],
  });
  return { items: page.connection_profiles, next: page.next ?? undefined };
}

export function listConnectionProfiles(client: IdentityClient): Promise<ConnectionProfileRecord[]> {
  return allPages((from) => listConnectionProfilePage(client, from));
}
