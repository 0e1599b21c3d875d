import { type IdentityClient } from "../../http/client";
import { ApiError, outcomeOf } from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { connectionProfiles, profileRecord } from "../../service/connection-profiles";
import { settingsFromWire, isShared, toWire } from "../../service/profile-fields";
import { type JsonObject } from "../../service/record";
import { patchOf, type PatchInput, removedBy } from "./effects";
import { isStillThere, keysOf, merge } from "./json-tree";
import { PROFILES } from "./profiles-of-run";

/** A profile that is to become what the program wants. */
export interface ProfileChange extends PatchInput {
  id: string;
}

/** What became of a change: the settings of the profile, and why it is not done. */
export interface Changed {
  live: JsonObject;
  failure?: unknown;
  /** True when it is unknown whether the change was done. */
  isUnconfirmed?: boolean;
}

/** The settings of a profile as they are now. */
export async function readProfileSettings(
  client: IdentityClient,
  id: string,
  signal?: AbortSignal,
): Promise<JsonObject> {
  return settingsFromWire(await connectionProfiles(client, profileRecord).read(id, signal));
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
    settingsFromWire(await connectionProfiles(context.client, profileRecord).update(id, toWire(settings)));
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
      // Nobody says whether leaving a value out, or an empty value, removes it. Null is the other way to say it.
      live = await send(nullsAt(keptIn(live)));
    } catch (failure) {
      const isRefused = failure instanceof ApiError && failure.status === 400;
      if (!isRefused) return { live, failure };
    }
  }
  tellKeptSettings(context, id, keptIn(live));
  return { live };
}

function nullsAt(pointers: readonly string[]): JsonObject {
  return pointers
    .map((pointer) => keysOf(pointer).reduceRight<unknown>((value, key) => ({ [key]: value }), null))
    .reduce<JsonObject>((body, nulls) => merge(body, nulls) as JsonObject, {});
}

function tellKeptSettings({ tell }: Context, id: string, pointers: readonly string[]): void {
  if (pointers.length === 0) return;
  tell(
    `Connection profile ${id}: the service kept ${pointers.map((pointer) => keysOf(pointer).join(".")).join(", ")}, which ` +
      "the program no longer sets. Set another value in the program, or remove it on the tenant; until then it stays as it is.",
  );
}
