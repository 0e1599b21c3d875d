import { type Border } from "../../../provider/border";
import { partName, type SignedIn } from "../../../provider/review/signed-in";
import { isNotFound } from "../../tenant/questions";
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

function endedBy({ client, rest }: SignOut, signIns: SignInsOfUser): SignedIn {
  const { user, sessions, refreshTokens, deviceCredentials } = signIns;
  const isDue = (part: string) =>
    rest === undefined ? part !== "sessions" || client === undefined : rest.includes(part);
  const isOf = (record: { client_id?: string | null | undefined }) =>
    client === undefined || record.client_id === client;
  const due = [
    { part: "sessions", answer: sessions, items: sessions.value?.items },
    { part: "refreshTokens", answer: refreshTokens, items: refreshTokens.value?.items.filter(isOf) },
    { part: "deviceCredentials", answer: deviceCredentials, items: deviceCredentials.value?.filter(isOf) },
  ].filter(({ part }) => isDue(part));
  // A single answer may lag behind.
  const isEmpty = due.every(({ items = [] }) => items.length === 0);
  return {
    exists: isNotFound(user) && isEmpty ? false : user.value && true,
    ...Object.fromEntries(due.map(({ part, items }) => [part, items?.length])),
    more: [sessions, refreshTokens].some(
      (answer) => answer.value?.isMore === true && due.some((one) => one.answer === answer),
    ),
    unread: due.flatMap(({ part, answer: { reason } }) =>
      reason === undefined ? [] : [`${partName(part)} (${reason})`],
    ),
  };
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
