import { isDeepStrictEqual } from "node:util";
import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, mayHaveReached } from "../../http/errors";
import {
  type ConnectionProfileBody,
  type ConnectionProfileRecord,
  listConnectionProfiles,
  postConnectionProfile,
} from "../../service/connection-profiles";
import { readsOf } from "../shared-reads";

/**
 * Section 2.4: creates a profile, normally by one request. When the answer is lost it looks whether the profile is
 * there, and posts again only if it is not.
 */
export async function createConnectionProfile(
  client: IdentityClient,
  body: ConnectionProfileBody,
  {
    isManaged = () => false,
    onFound,
  }: {
    /** True for the id of a profile that the caller knows from before. */
    isManaged?: (id: string) => boolean;
    /** Told that the answer was lost, and the profile found: it could have been there before, just like this. */
    onFound?: () => void;
  } = {},
): Promise<ConnectionProfileRecord> {
  for (let lost = false; ; lost = true) {
    try {
      return mine(client, await postConnectionProfile(client, body));
    } catch (error) {
      const conflict = error instanceof ApiError && error.status === 409;
      // After a lost answer a conflict may well be with what that request made.
      if (conflict && !lost) throw await conflictError(client, body, error);
      if (!conflict && !mayHaveReached(error)) throw error;
      const found = await look(client, body, isManaged, error as IdentityError);
      if (found !== undefined) {
        onFound?.();
        return mine(client, found);
      }
      if (lost) throw error;
    }
  }
}

function mine(client: IdentityClient, record: ConnectionProfileRecord): ConnectionProfileRecord {
  readsOf(client).profiles.known.add(record.id);
  return record;
}

/** The profile that a create with a lost answer has made; undefined: none. Throws when that can't be told. */
async function look(
  client: IdentityClient,
  body: ConnectionProfileBody,
  isManaged: (id: string) => boolean,
  lost: IdentityError,
): Promise<ConnectionProfileRecord | undefined> {
  const namesakes = await namesakesOf(client, body).catch((error: Error) => {
    throw new IdentityError(
      `${lost.message} The connection profile may have been created all the same; looking for it failed: ` +
        `${error.message} If the next run finds it in the way, take it over with adopt: "<its id>".`,
    );
  });
  const [only, ...others] = namesakes;
  if (only === undefined) return undefined;
  const isNew = !readsOf(client).profiles.known.has(only.id) && !isManaged(only.id);
  if (others.length === 0 && isNew && equals(only, body)) return only;
  throw new IdentityError(
    `${lost.message} Whether it was created can't be told: the tenant ${client.tenant} holds ${listed(namesakes)} ` +
      `named ${JSON.stringify(body.name)}. ${howToAdopt(only)}`,
  );
}

async function conflictError(
  client: IdentityClient,
  body: ConnectionProfileBody,
  error: ApiError,
): Promise<ApiError> {
  // The listing only makes the message better: if it fails, the conflict is still what is to be told.
  const [first, ...others] = await namesakesOf(client, body).catch(() => []);
  if (first === undefined) return error;
  return new ApiError(
    error.call,
    error.answer,
    `The tenant ${client.tenant} already holds ${listed([first, ...others])} named ${JSON.stringify(body.name)}. ` +
      howToAdopt(first),
  );
}

async function namesakesOf(
  client: IdentityClient,
  body: ConnectionProfileBody,
): Promise<ConnectionProfileRecord[]> {
  const profiles = await listConnectionProfiles(client);
  return profiles.filter(({ name }) => name === body.name);
}

function listed(profiles: readonly ConnectionProfileRecord[]): string {
  const ids = profiles.map(({ id }) => id).join(", ");
  return profiles.length === 1 ? `the connection profile ${ids}` : `the connection profiles ${ids}`;
}

function howToAdopt({ id }: ConnectionProfileRecord): string {
  return `To manage it with this resource, add adopt: ${JSON.stringify(id)}; otherwise choose another name.`;
}

const FIELDS = [
  "name",
  "organization",
  "connection_name_prefix_template",
  "enabled_features",
  "connection_config",
  "strategy_overrides",
] as const satisfies readonly (keyof ConnectionProfileBody)[];

/** Whether a profile is exactly what a create would have made of `body`. */
function equals(record: ConnectionProfileRecord, body: ConnectionProfileBody): boolean {
  return FIELDS.every((field) => isDeepStrictEqual(comparable(record[field]), comparable(body[field])));
}

/** Unset fields come back as null or empty, and lists of features are sets. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(comparable).sort();
  if (typeof value !== "object" || value === null) return value === "" ? undefined : (value ?? undefined);
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, comparable(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
