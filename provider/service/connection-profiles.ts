import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type Page, readPage } from "../http/page";
import { readList } from "../http/pages";
import { CONNECTION_PROFILE_ID } from "./ids";
import { PROFILE_FIELDS, type ProfileField } from "./profile-fields";
import { type JsonObject } from "./record";

/**
 * The minimum of each record: enough if no other field is used, since other fields must not fail the read.
 */
export const connectionProfileRecord = z.looseObject({ id: CONNECTION_PROFILE_ID, name: z.string() });
export type ProfileRecord = z.infer<typeof connectionProfileRecord>;

const PROFILES_PATH = "/connection-profiles";
const PROFILE_PATH = "/connection-profiles/{id}";

/** The most records that the service puts on one page. */
const PROFILES_PER_PAGE = 10;

/**
 * Sections 2.4 and 4.4: the operations on connection profiles, each one request; `list` one per page. Bodies
 * use the API's names.
 */
export function connectionProfiles(client: IdentityClient, record = profileRecord) {
  const list = {
    path: PROFILES_PATH,
    entries: "connection_profiles",
    record,
    perPage: PROFILES_PER_PAGE,
    scopes: ["read:connection_profiles"],
  };

  return {
    create: (body: JsonObject): Promise<ProfileRecord> =>
      client.send({
        method: "POST",
        path: PROFILES_PATH,
        body,
        answer: record,
        scopes: ["create:connection_profiles"],
      }),

    read: (id: string, signal?: AbortSignal): Promise<ProfileRecord> =>
      client.send(
        {
          method: "GET",
          path: PROFILE_PATH,
          ids: { id },
          answer: record,
          list: PROFILES_PATH,
          scopes: ["read:connection_profiles"],
        },
        { signal },
      ),

    update: (id: string, body: JsonObject): Promise<ProfileRecord> =>
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
        list: PROFILES_PATH,
        scopes: ["delete:connection_profiles"],
      }),

    /** Reads one page of the list; `from`: the cursor of the page before. */
    page: (from?: string, signal?: AbortSignal): Promise<Page<ProfileRecord>> =>
      readPage(client, list, from === undefined ? undefined : { from }, signal),

    /** `onPage`: called after each page with the number of profiles so far. */
    list: (onPage?: (entries: number) => void): Promise<ProfileRecord[]> =>
      readList(client, list, onPage && { onPage }),
  };
}

/** A record in which each field we use has its documented type. */
export const profileRecord: z.ZodType<ProfileRecord> = connectionProfileRecord.extend({
  ...typesOf(PROFILE_FIELDS, "wire"),
  name: connectionProfileRecord.shape.name,
});

/** The settings as state has them: only the types are fixed, because rules for inputs don't bind a tenant. */
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
