import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, outcomeOf } from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { connectionProfiles, type ProfileRecord } from "../../service/connection-profiles";
import { isShared, PROFILE_SETTINGS, settingsFromWire, toWire } from "../../service/profile-fields";
import { type JsonObject } from "../../service/record";
import { patchOf, type PatchInput, removedBy } from "./effects";
import { howToAdopt, listed, tellNamesakes } from "./lines";
import { PROFILES } from "./profiles-of-run";
import { isSame, isStillThere, keysOf, merge } from "./values";

interface Created {
  record: ProfileRecord;
  /** The answer was lost, and the profile found: it may have been there before, just like this. */
  wasFound: boolean;
}

/** Ids of profiles that were there before, or have been made by this run: no lost create has made them. */
type KnownProfiles = Pick<Set<string>, "has" | "add">;

/** Looks, when the outcome is unknown, several times: a service can be slow. Posts again only if it must. */
export async function createOnce(
  client: IdentityClient,
  settings: JsonObject,
  known: KnownProfiles = new Set(),
): Promise<Created> {
  const profiles = connectionProfiles(client);
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

/** What a create with an unknown outcome has made; undefined: nothing. Throws when that can't be told. */
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
      `named ${JSON.stringify(settings["name"])}. ${howToAdopt(namesakes)}`,
    "unknown",
  );
}

async function nameConflict(
  client: IdentityClient,
  settings: JsonObject,
  error: ApiError,
): Promise<ApiError> {
  // The list only improves the message: if it can't be read, the conflict itself is reported.
  const namesakes = await namesakesOf(client, settings).catch(() => []);
  if (namesakes.length === 0) return error;
  const message = tellNamesakes(client.tenant, settings["name"], namesakes);
  return new ApiError(error.call, error.answer, message);
}

async function namesakesOf(client: IdentityClient, settings: JsonObject): Promise<ProfileRecord[]> {
  const all = await connectionProfiles(client).list();
  return all.filter(({ name }) => name === settings["name"]);
}

/** Whether a profile is exactly what a create would have made of these settings. */
function isAsWanted(record: ProfileRecord, settings: JsonObject): boolean {
  const live = settingsFromWire(record);
  return PROFILE_SETTINGS.every((name) => isSame(name, live[name], settings[name]));
}

export interface ProfileChange extends PatchInput {
  id: string;
}

/** What became of a change: the settings of the profile, and why it is not done. */
export interface Changed {
  live: JsonObject;
  failure?: unknown;
  isUnconfirmed?: boolean;
}

export async function readProfileSettings(
  client: IdentityClient,
  id: string,
  signal?: AbortSignal,
): Promise<JsonObject> {
  return settingsFromWire(await connectionProfiles(client).read(id, signal));
}

/** Changes a profile in as few requests as possible: none, one PATCH, or a read and a PATCH. */
export async function changeProfile(context: Context, change: ProfileChange): Promise<Changed> {
  const { client, run } = context;
  const first = patchOf(change);
  if (Object.keys(first).length === 0) return { live: change.live };
  if (!change.isFresh && Object.keys(first).some(isShared)) {
    // The service may replace the whole object: what others have put into it must be sent along.
    return changeProfile(context, {
      ...change,
      live: await readProfileSettings(client, change.id),
      isFresh: true,
    });
  }
  run.recall(PROFILES).forgetReads();
  try {
    return await patchUntilDone(context, change, first);
  } finally {
    run.recall(PROFILES).forgetReads();
  }
}

async function patchUntilDone(context: Context, change: ProfileChange, patch: JsonObject): Promise<Changed> {
  const { id, wanted, owned } = change;
  const send = async (settings: JsonObject) =>
    settingsFromWire(await connectionProfiles(context.client).update(id, toWire(settings)));
  let live: JsonObject;
  try {
    live = await send(patch);
  } catch (failure) {
    if (outcomeOf(failure) !== "unknown") throw failure;
    // Whether it was done shows in the profile itself.
    const seen = await readProfileSettings(context.client, id).catch(() => undefined);
    if (seen === undefined) return { live: change.live, failure, isUnconfirmed: true };
    const rest = patchOf({ live: seen, wanted, owned, isFresh: true });
    try {
      live = Object.keys(rest).length === 0 ? seen : await send(rest);
    } catch (error) {
      return { live: seen, failure: error, isUnconfirmed: outcomeOf(error) === "unknown" };
    }
  }
  const keptIn = (answer: JsonObject) =>
    removedBy(wanted, owned, answer).filter((pointer) => isStillThere(answer, pointer));
  if (keptIn(live).length > 0) {
    try {
      // Nobody says whether leaving a value out, or an empty value, removes it. Null says it, too.
      live = await send(nullsAt(keptIn(live)));
    } catch (failure) {
      const isRefused = failure instanceof ApiError && failure.status === 400;
      if (!isRefused) return { live, failure };
    }
  }
  const kept = keptIn(live).map((pointer) => keysOf(pointer).join("."));
  if (kept.length > 0)
    context.tell(
      `Connection profile ${id}: the service kept ${kept.join(", ")}, which the program no longer sets. Set another ` +
        "value in the program, or remove it on the tenant; until then it stays as it is.",
    );
  return { live };
}

function nullsAt(pointers: readonly string[]): JsonObject {
  return pointers
    .map((pointer) => keysOf(pointer).reduceRight<unknown>((value, key) => ({ [key]: value }), null))
    .reduce<JsonObject>((body, nulls) => merge(body, nulls) as JsonObject, {});
}
