import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, InvalidInputError, NotServedError, outcomeOf } from "../../http/errors";
import { listText } from "../../review/preview-lines";
import { type Request } from "../../pulumi/resource-kind";
import { connectionProfiles, type ProfileRecord } from "../../service/connection-profiles";
import { isShared, PROFILE_SETTINGS, settingsFromWire, toWire } from "../../service/profile-fields";
import { isObject, type JsonObject, own } from "../../service/record";
import { howToAdopt, listed, tellNamesakes } from "./lines";
import { type ProfilePlan, plan, type Situation } from "./plan";
import { PROFILES } from "./profiles-of-run";
import { type ProfileInputs } from "./schema";
import { type Changed, unsettled } from "./settle";
import { isSame } from "./values";
import { pathText } from "../../review/raw-inputs";

interface Created {
  record: ProfileRecord;
  /** The answer was lost and the profile found, so it may have existed before in exactly this form. */
  wasFound: boolean;
}

/** Ids of profiles that existed before, or that this run has made: no lost create made them. */
type KnownProfiles = Pick<Set<string>, "has" | "add">;

/**
 * Creates a profile once. If the outcome is unknown, looks for it several times, because a service can be
 * slow, and posts again only if it must.
 *
 * `open`: names of profiles that a create of this run may have made. Hooks repeat creates.
 */
export async function createOnce(
  client: IdentityClient,
  settings: JsonObject,
  known: KnownProfiles = new Set(),
  open = new Set<unknown>(),
): Promise<Created> {
  const { name } = settings;
  const look = async (lost: string): Promise<Created | undefined> => {
    open.add(name);
    const record = await lookForCreated(client, settings, known, lost);
    if (record === undefined) return undefined;
    open.delete(name);
    return { record, wasFound: true };
  };
  const afterFailure = async (error: unknown, isSecond: boolean): Promise<Created | undefined> => {
    const isConflict = error instanceof ApiError && error.status === 409;
    // After a lost answer, the conflict may be with the profile that request made.
    if (isConflict && !isSecond) throw await nameConflict(client, settings, error);
    // Done: the answer only lacks the profile.
    const isDone = outcomeOf(error) === "done";
    if (!isConflict && !isDone && outcomeOf(error) !== "unknown")
      throw open.has(name) ? withDoubt(error, name) : error;
    const created = await look((error as Error).message);
    if (created === undefined && isDone) throw withDoubt(error, name, "");
    if (created === undefined && isSecond) throw withDoubt(error, name);
    return created;
  };
  let created = open.has(name) ? await look("An earlier try to create it had no answer.") : undefined;
  for (let isSecond = false; created === undefined; isSecond = true) {
    try {
      const record = await connectionProfiles(client).create(toWire(settings));
      known.add(record.id);
      open.delete(name);
      created = { record, wasFound: false };
    } catch (error) {
      created = await afterFailure(error, isSecond);
    }
  }
  return created;
}

/**
 * Returns the milliseconds between looks. A slow service may finish long after the connection broke, and its
 * list may lag: the last look comes as late as an answer could have come.
 */
function pausesBeforeLooks({ settings }: IdentityClient): number[] {
  const pauses = [0, 1_000, 3_000];
  const rest = settings.limits.requestTimeoutSeconds * 1000 - 4_000;
  return rest > 0 ? [...pauses, rest] : pauses;
}

/**
 * Finds the profile that a create with an unknown outcome has made; undefined if there is none. Throws if
 * that's uncertain.
 */
async function lookForCreated(
  client: IdentityClient,
  settings: JsonObject,
  known: KnownProfiles,
  lost: string,
): Promise<ProfileRecord | undefined> {
  let namesakes: ProfileRecord[] = [];
  for (const ms of pausesBeforeLooks(client)) {
    await setTimeout(ms);
    namesakes = await namesakesOf(client, settings).catch((error: unknown) => {
      throw new IdentityError(
        `${lost} The connection profile may have been created all the same; looking for it failed: ` +
          `${(error as Error).message} ${howToLook(settings["name"])}`,
        "unknown",
      );
    });
    if (namesakes.some(({ id }) => !known.has(id))) break;
  }
  const [only, ...others] = namesakes;
  if (only === undefined) return undefined;
  if (others.length === 0 && !known.has(only.id) && isAsWanted(only, settings)) {
    // Before anything else runs: another create without an answer must not find the same profile.
    known.add(only.id);
    return only;
  }
  throw new IdentityError(
    `${lost} It is unclear if it was created: the tenant ${client.tenant} has ${listed(namesakes)} ` +
      `named ${JSON.stringify(settings["name"])}. ${howToAdopt(namesakes)}`,
    "unknown",
  );
}

/** Adds to an error that the profile may be there all the same, although no look found it. */
function withDoubt(error: unknown, name: unknown, why = "An earlier try had no answer. "): IdentityError {
  return new IdentityError(
    `${(error as Error).message} ${why}The connection profile may have been created, ` +
      `although no list shows it yet. ${howToLook(name)}`,
    "unknown",
  );
}

function howToLook(name: unknown): string {
  return (
    "Look for it before the next run, which would make another one: " +
    `\`npx --no pulumi-identity adopt --only ${JSON.stringify(name)}\` prints its id for adopt.`
  );
}

async function nameConflict(
  client: IdentityClient,
  settings: JsonObject,
  error: ApiError,
): Promise<ApiError> {
  // The list only improves the message; if reading it fails, report the conflict itself.
  const namesakes = await namesakesOf(client, settings).catch(() => []);
  if (namesakes.length === 0) return error;
  const message = tellNamesakes(client.tenant, settings["name"], namesakes);
  return new ApiError(error.call, error.answer, message);
}

async function namesakesOf(client: IdentityClient, settings: JsonObject): Promise<ProfileRecord[]> {
  const all = await connectionProfiles(client).list();
  return all.filter(({ name }) => name === settings["name"]);
}

/** True if a profile is exactly what a create with these settings would have made. */
function isAsWanted(record: ProfileRecord, settings: JsonObject): boolean {
  const live = settingsFromWire(record);
  return PROFILE_SETTINGS.every((name) => isSame(name, live[name], settings[name]));
}

export async function readProfileSettings(
  client: IdentityClient,
  id: string,
  signal?: AbortSignal,
): Promise<JsonObject> {
  return settingsFromWire(await connectionProfiles(client).read(id, signal));
}

/**
 * Changes a profile with as few requests as possible: none, one PATCH, or a read and a PATCH. Refuses to
 * overwrite anything nobody has seen, before it sends anything.
 */
export async function changeProfile(
  request: Request<ProfileInputs>,
  id: string,
  situation: Situation,
): Promise<Changed> {
  const { client, run } = request;
  const { had, live, isUnconfirmed = false } = situation;
  const planned = plan(situation);
  const names = Object.keys(planned.settings);
  if (live === undefined && (isUnconfirmed || names.some(isShared))) {
    const seen = await readIfServed(client, id, names);
    if (seen !== undefined) return changeProfile(request, id, { ...situation, live: seen });
  }
  if (planned.unseen.length > 0) throw unseenIn(id, planned.unseen, had);
  if (names.length === 0) return { live: live ?? had };
  run.recall(PROFILES).forgetReads();
  try {
    return await patchUntilDone(request, id, situation, planned);
  } finally {
    run.recall(PROFILES).forgetReads();
  }
}

/**
 * Returns a profile's settings; undefined if the tenant has no call to read one, and the settings with these
 * names may be sent unseen. Throws if one is an object: that may hold what the program doesn't give.
 */
export async function readIfServed(
  client: IdentityClient,
  id: string,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<JsonObject | undefined> {
  try {
    return await readProfileSettings(client, id, signal);
  } catch (error) {
    if (!(error instanceof NotServedError)) throw error;
    const objects = names.filter(isShared);
    if (objects.length === 0) return undefined;
    throw new InvalidInputError(
      `Connection profile ${id} was not changed: ${listText(objects)} can't be set unseen, since the tenant may hold more ` +
        `there. Take ${objects.length === 1 ? "it" : "them"} out of the program, or change the profile by hand. ${error.message}`,
    );
  }
}

function unseenIn(id: string, paths: readonly string[][], had: JsonObject): IdentityError {
  // A refresh reads only the settings that state has.
  const isRefreshed = paths.every(([name = ""]) => name in had);
  const way = isRefreshed
    ? "Add it to the program to keep it; or run `pulumi up --refresh`, whose preview shows it as drift, to remove it."
    : "Add it to the program to keep it, or remove it on the tenant.";
  return new IdentityError(
    `Connection profile ${id} was not changed: neither the program nor state has ${listText(paths.map(pathText).sort())}, ` +
      `which this update would remove. ${way}`,
    "not sent",
  );
}

async function patchUntilDone(
  request: Request<ProfileInputs>,
  id: string,
  situation: Situation,
  { settings, removes }: ProfilePlan,
): Promise<Changed> {
  const send = async (body: JsonObject) =>
    settingsFromWire(await connectionProfiles(request.client).update(id, toWire(body)));
  let live: JsonObject;
  try {
    live = await send(settings);
  } catch (failure) {
    const changed = await afterLook(request, id, { situation, settings, failure, send });
    if (changed.failure !== undefined) return changed;
    live = changed.live;
  }
  const keptIn = (answer: JsonObject) => removes.filter((path) => stillHas(answer, path));
  if (keptIn(live).length > 0) {
    try {
      // The document doesn't say whether omitting a value, or sending it empty, removes it. Try null too.
      live = await send(withNulls(settings, keptIn(live)));
    } catch (failure) {
      if (outcomeOf(failure) === "done")
        live = await readProfileSettings(request.client, id).catch(() => live);
      else if (!(failure instanceof ApiError && failure.status === 400)) return { live, failure };
    }
  }
  const kept = keptIn(live);
  if (kept.length > 0)
    request.tell(
      `Connection profile ${id}: the service kept ${kept.map(pathText).join(", ")}, which the program doesn't give. Remove it on the ` +
        "tenant, or add it to the program; until then a refresh shows it as drift.",
    );
  const isOpen = unsettled(situation, Object.keys(settings), live).length > 0;
  const look = isOpen ? await readProfileSettings(request.client, id).catch(() => undefined) : undefined;
  return { live, look, kept: kept.flatMap(([name = ""]) => name) };
}

/** Goes on after a PATCH whose answer was lost or lacks the profile, which itself shows what was done. */
async function afterLook(
  { client }: Request<ProfileInputs>,
  id: string,
  {
    situation,
    settings,
    failure,
    send,
  }: {
    situation: Situation;
    settings: JsonObject;
    failure: unknown;
    send: (body: JsonObject) => Promise<JsonObject>;
  },
): Promise<Changed> {
  const isDone = outcomeOf(failure) === "done";
  if (!isDone && outcomeOf(failure) !== "unknown") throw failure;
  const before = situation.live ?? situation.had;
  const seen = await readProfileSettings(client, id).catch((error: unknown) =>
    isDone && isRefusal(error) ? { ...before, ...settings } : undefined,
  );
  if (seen === undefined) return { live: before, failure, isUnconfirmed: true };
  const rest = plan({ ...situation, live: seen }).settings;
  if (Object.keys(rest).length === 0) return { live: seen };
  try {
    return { live: await send(rest) };
  } catch (error) {
    if (outcomeOf(error) === "done") return { live: { ...seen, ...rest } };
    // This look may have come too early to see the change.
    return { live: seen, failure: error, isUnconfirmed: true };
  }
}

/** True if the tenant doesn't let the profile be read. */
function isRefusal(error: unknown): boolean {
  return outcomeOf(error) === "refused" || error instanceof NotServedError;
}

function stillHas(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return value !== undefined && value !== null;
  return isObject(value) && stillHas(own(value, key), rest);
}

/** Sets these paths in the settings to null. */
function withNulls(settings: JsonObject, paths: readonly string[][]): JsonObject {
  const concerned = Object.entries(settings).filter(([name]) => paths.some(([first]) => first === name));
  return paths.reduce<unknown>(withNull, Object.fromEntries(concerned)) as JsonObject;
}

function withNull(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return null;
  const object = isObject(value) ? value : {};
  return { ...object, [key]: withNull(own(object, key), rest) };
}
