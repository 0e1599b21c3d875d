import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type CheckpointPage, readList, readPage } from "../http/pages";
import { CONNECTION_PROFILE_ID } from "./ids";

/** What each record has; callers extend it by the shape of the fields that they use, so that those are validated too. */
export const connectionProfileRecord = z.looseObject({ id: CONNECTION_PROFILE_ID, name: z.string() });
export type ConnectionProfileRecord = z.infer<typeof connectionProfileRecord>;

/** Fields by the API's names. */
export type ConnectionProfileBody = Record<string, unknown>;

const PROFILES_PATH = "/connection-profiles";
const PROFILE_PATH = "/connection-profiles/{id}";

/** Most records that the service puts on one page. */
const PROFILES_PER_PAGE = 10;

/** Section 2.4 and 4.4: the operations on connection profiles, each one request; `list` one for each page. */
export function connectionProfiles<Record extends ConnectionProfileRecord>(
  client: IdentityClient,
  record: z.ZodType<Record>,
) {
  const list = {
    path: PROFILES_PATH,
    entries: "connection_profiles",
    record,
    perPage: PROFILES_PER_PAGE,
    scopes: ["read:connection_profiles"],
  };

  return {
    create: (body: ConnectionProfileBody): Promise<Record> =>
      client.send({
        method: "POST",
        path: PROFILES_PATH,
        body,
        answer: record,
        scopes: ["create:connection_profiles"],
      }),

    read: (id: string, signal?: AbortSignal): Promise<Record> =>
      client.send(
        {
          method: "GET",
          path: PROFILE_PATH,
          ids: { id },
          answer: record,
          scopes: ["read:connection_profiles"],
        },
        { signal },
      ),

    update: (id: string, body: ConnectionProfileBody): Promise<Record> =>
      client.send({
        method: "PATCH",
        path: PROFILE_PATH,
        ids: { id },
        body,
        answer: record,
        scopes: ["update:connection_profiles"],
      }),

    delete: (id: string): Promise<void> =>
      client.send({
        method: "DELETE",
        path: PROFILE_PATH,
        ids: { id },
        scopes: ["delete:connection_profiles"],
      }),

    /** One page of the list; `from`: the cursor of the page before. */
    page: (from?: string): Promise<CheckpointPage<Record>> => readPage(client, list, from),

    list: (): Promise<Record[]> => readList(client, list),
  };
}
