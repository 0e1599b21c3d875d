import { type Border } from "../../../provider/border";
import { type SignedIn } from "../../../provider/review/signed-in";
import { type Answer, isNotFound } from "../../tenant/questions";
import { type SignInsOfUser } from "../../tenant/reader";
import { type SignOut } from "../kinds/effects";
import { isAsked, type TenantAnswers } from "./answers";

/** The sign-outs, with what the tenant says of their users. */
export function withSignIns(
  signOuts: readonly SignOut[],
  tenant: Pick<TenantAnswers, "hosts" | "signIns">,
): SignOut[] {
  return signOuts.map((signOut) => {
    const signIns = isAsked(tenant, signOut.tenant) ? tenant.signIns.get(signOut.user) : undefined;
    return signIns === undefined ? signOut : { ...signOut, signedIn: endedBy(signOut, signIns) };
  });
}

function endedBy({ client }: SignOut, signIns: SignInsOfUser): SignedIn {
  const { user, sessions, refreshTokens, deviceCredentials } = signIns;
  const isOf = (record: { client_id?: string | null | undefined }) =>
    client === undefined || record.client_id === client;
  const ofOne = client === undefined ? {} : { sessions: undefined };
  return {
    exists: isNotFound(user) ? false : user.value && true,
    sessions: sessions.value?.items.length,
    refreshTokens: refreshTokens.value?.items.filter(isOf).length,
    deviceCredentials: deviceCredentials.value?.filter(isOf).length,
    ...ofOne,
    more: (client === undefined && sessions.value?.isMore === true) || refreshTokens.value?.isMore === true,
    unread: [
      ...(client === undefined ? unreadOf("sessions", sessions) : []),
      ...unreadOf("refresh tokens", refreshTokens),
      ...unreadOf("device credentials", deviceCredentials),
    ],
  };
}

function unreadOf(what: string, { reason }: Answer<unknown>): string[] {
  return reason === undefined ? [] : [`${what} (${reason})`];
}

/** The people who are signed out, by name or else by address. */
export function namesOfUsers(
  signIns: ReadonlyMap<string, SignInsOfUser>,
  border: Border,
): (readonly [string, string])[] {
  return [...signIns].flatMap(([id, { user }]) => {
    const name = user.value?.name ?? user.value?.email ?? "";
    return name === "" ? [] : [[id, border.quote(name)] as const];
  });
}
