import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, outcomeOf } from "../../http/errors";
import { connectionProfiles, profileRecord, type ProfileRecord } from "../../service/connection-profiles";
import { settingsFromWire, PROFILE_SETTINGS, toWire } from "../../service/profile-fields";
import { type JsonObject } from "../../service/record";
import { isSame } from "./equality";
import { howToAdopt, listed, tellNamesakes } from "./namesakes";

export interface Created {
  record: ProfileRecord;
  /** True when the answer was lost, and the profile was found: it could have been there before, just like this. */
  wasFound: boolean;
}

/** Ids of profiles that were there before, or have been made by this run: no lost create has made them. */
export interface KnownProfiles {
  has(id: string): boolean;
  add(id: string): unknown;
}

/**
 * Creates a profile, normally by one request. When the outcome of the request is unknown it looks whether the profile is
 * there, several times since a service can be slow, and posts again only if it is not.
 */
export async function createOnce(
  client: IdentityClient,
  settings: JsonObject,
  known: KnownProfiles = new Set(),
): Promise<Created> {
  const profiles = connectionProfiles(client, profileRecord);
  for (let isSecond = false; ; isSecond = true) {
    try {
      const record = await profiles.create(toWire(settings));
      known.add(record.id);
      return { record, wasFound: false };
    } catch (error) {
      const isConflict = error instanceof ApiError && error.status === 409;
      // After a lost answer a conflict may well be with what that request made.
      if (isConflict && !isSecond) throw await nameConflict(client, settings, error);
      if (!isConflict && outcomeOf(error) !== "unknown") throw error;
      const found = await lookForCreated(client, settings, known, error as IdentityError);
      if (found !== undefined) return { record: found, wasFound: true };
      if (isSecond) throw error;
    }
  }
}

/** A slow service may finish what it was asked long after the connection broke. */
const LOOKS_AFTER_MS = [0, 1_000, 3_000] as const;

/** The profile that a create with an unknown outcome has made; undefined: none. Throws when that can't be told. */
async function lookForCreated(
  client: IdentityClient,
  settings: JsonObject,
  known: KnownProfiles,
  lost: IdentityError,
): Promise<ProfileRecord | undefined> {
  let namesakes: ProfileRecord[] = [];
  for (const ms of LOOKS_AFTER_MS) {
    await setTimeout(ms);
    namesakes = await namesakesOf(client, settings).catch((error: unknown) => {
      throw new IdentityError(
        `${lost.message} The connection profile may have been created all the same; looking for it failed: ` +
          `${(error as Error).message} If the next run finds it in the way, take it over with adopt: "<its id>".`,
        "unknown",
      );
    });
    if (namesakes.some(({ id }) => !known.has(id))) break;
  }
  const [only, ...others] = namesakes;
  if (only === undefined) return undefined;
  if (others.length === 0 && !known.has(only.id) && isAsWanted(only, settings)) {
    // Before anything else runs: another create whose answer was lost must not find the same profile.
    known.add(only.id);
    return only;
  }
  throw new IdentityError(
    `${lost.message} Whether it was created can't be told: the tenant ${client.tenant} holds ${listed(namesakes)} ` +
      `named ${JSON.stringify(settings["name"])}. ${howToAdopt(only)}`,
    "unknown",
  );
}

async function nameConflict(
  client: IdentityClient,
  settings: JsonObject,
  error: ApiError,
): Promise<ApiError> {
  // The list only improves the message: if it can't be read, the conflict itself is reported.
  const [first, ...others] = await namesakesOf(client, settings).catch(() => []);
  if (first === undefined) return error;
  return new ApiError(
    error.call,
    error.answer,
    tellNamesakes(client.tenant, settings["name"], [first, ...others]),
  );
}

async function namesakesOf(client: IdentityClient, settings: JsonObject): Promise<ProfileRecord[]> {
  const all = await connectionProfiles(client, profileRecord).list();
  return all.filter(({ name }) => name === settings["name"]);
}

/** Whether a profile is exactly what a create would have made of these settings. */
function isAsWanted(record: ProfileRecord, settings: JsonObject): boolean {
  const live = settingsFromWire(record);
  return PROFILE_SETTINGS.every((name) => isSame(name, live[name], settings[name]));
}
