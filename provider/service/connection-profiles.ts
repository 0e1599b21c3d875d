import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type CheckpointPage, readList, readPage } from "../http/pages";
import { CONNECTION_PROFILE_ID } from "./ids";
import { PROFILE_FIELDS, type ProfileField } from "./profile-fields";

/** What each record has; callers add the fields that they use, so that those are validated, too. */
export const connectionProfileRecord = z.looseObject({ id: CONNECTION_PROFILE_ID, name: z.string() });
export type ProfileRecord = z.infer<typeof connectionProfileRecord>;

/** Fields by the API's names. */
export type ConnectionProfileBody = Record<string, unknown>;

const PROFILES_PATH = "/connection-profiles";
const PROFILE_PATH = "/connection-profiles/{id}";

/** Most records that the service puts on one page. */
const PROFILES_PER_PAGE = 10;

/** Section 2.4 and 4.4: the operations on connection profiles, each one request; `list` one for each page. */
export function connectionProfiles<Record extends ProfileRecord>(
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

/** A record, of which each field that is used has the type that the document gives it. */
export const profileRecord: z.ZodType<ProfileRecord> = connectionProfileRecord.extend({
  ...typesOf(PROFILE_FIELDS, "wire"),
  name: connectionProfileRecord.shape.name,
});

/** The settings as state has them: only the types are fixed, since rules for inputs bind no tenant. */
export const settingTypes = typesOf(PROFILE_FIELDS, "ours");

function typesOf(fields: Record<string, ProfileField>, names: "ours" | "wire"): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      names === "wire" ? field.wire : name,
      typeOf(field, names),
    ]),
  );
}

function typeOf({ empty, entries }: ProfileField, names: "ours" | "wire"): z.ZodType {
  if (entries !== undefined) {
    return z.record(z.string(), z.looseObject(typesOf(entries, names)).nullish()).nullish();
  }
  if (empty === "") return z.string().nullish();
  return Array.isArray(empty) ? z.array(z.string()).nullish() : z.record(z.string(), z.unknown()).nullish();
}
