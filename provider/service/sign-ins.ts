import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { readUpTo } from "../http/pages";
import { recordOf } from "./record";

/*
 * What a person is signed in with, apart from device credentials. The source document has only the scopes of
 * these calls; the rest is from the public documentation. Not every tenant serves them.
 */

const SESSIONS = "/users/{id}/sessions";
const REFRESH_TOKENS = "/users/{id}/refresh-tokens";

/** How often these are used isn't needed, so a time in another form doesn't fail a read. */
const time = z.string().optional().catch(undefined);

const sessionRecord = recordOf({ last_interacted_at: time }).extend({ id: z.string().min(1) });
export type SessionRecord = z.infer<typeof sessionRecord>;

const refreshTokenRecord = recordOf({ client_id: z.string(), last_exchanged_at: time }).extend({
  id: z.string().min(1),
});
export type RefreshTokenRecord = z.infer<typeof refreshTokenRecord>;

export function readSessions(
  client: IdentityClient,
  userId: string,
  most: number,
  signal?: AbortSignal,
): Promise<{ items: SessionRecord[]; isMore: boolean }> {
  const list = { path: SESSIONS, ids: { id: userId }, entries: "sessions", record: sessionRecord };
  return readUpTo(client, { ...list, scopes: ["read:sessions"] }, most, { signal });
}

export function readRefreshTokens(
  client: IdentityClient,
  userId: string,
  most: number,
  signal?: AbortSignal,
): Promise<{ items: RefreshTokenRecord[]; isMore: boolean }> {
  const list = { path: REFRESH_TOKENS, ids: { id: userId }, entries: "tokens", record: refreshTokenRecord };
  return readUpTo(client, { ...list, scopes: ["read:refresh_tokens"] }, most, { signal });
}

/** Ends all sessions of a user, within moments of the answer. */
export function deleteSessions(client: IdentityClient, userId: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: SESSIONS,
    ids: { id: userId },
    isLookUp: true,
    scopes: ["delete:sessions"],
  });
}

/** Ends all refresh tokens of a user, within moments of the answer. */
export function deleteRefreshTokens(client: IdentityClient, userId: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: REFRESH_TOKENS,
    ids: { id: userId },
    isLookUp: true,
    scopes: ["delete:refresh_tokens"],
  });
}

/** Ends the refresh tokens that a user has for one client. */
export function revokeRefreshTokens(client: IdentityClient, userId: string, clientId: string): Promise<void> {
  return client.send({
    method: "POST",
    path: "/refresh-tokens/revoke",
    body: { user_id: userId, client_id: clientId },
    scopes: ["delete:refresh_tokens"],
  });
}
