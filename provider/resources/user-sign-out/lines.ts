import { type SignOutAct } from "../../review/act";
import { count } from "../../sentence";
import { type SignOutPart } from "./schema";

const NAMES: Readonly<Record<SignOutPart, string>> = {
  sessions: "sessions",
  refreshTokens: "refresh tokens",
  deviceCredentials: "device credentials",
};

/** For a preview. `unfinished`: only these parts are left. */
export function foreseenText({ user, client }: SignOutAct, unfinished?: readonly SignOutPart[]): string {
  if (unfinished !== undefined)
    return `permanently ends what an earlier run could not: ${namesOf(unfinished)} of user ${user}`;
  const what = client === undefined ? "all sessions, refresh tokens" : `refresh tokens of client ${client}`;
  return `permanently signs out user ${user}: ends ${what} and device credentials`;
}

/** `removed`: the number of device credentials. */
export function doneText(
  { user, client }: SignOutAct,
  ended: readonly { part: SignOutPart; removed?: number }[],
): string {
  const others = ended.filter(({ removed }) => removed === undefined).map(({ part }) => part);
  const done = [
    ...(others.length > 0 ? [`ended all ${namesOf(others)}`] : []),
    ...ended.flatMap(({ removed }) =>
      removed === undefined ? [] : [`deleted ${count(removed, "device credential")}`],
    ),
  ];
  return `User ${user} is signed out${client === undefined ? "" : ` of client ${client}`}: ${done.join(", ")}.`;
}

export function notServedText(
  { user }: SignOutAct,
  { part, why }: { part: SignOutPart; why: string },
): string {
  return `The ${NAMES[part]} of user ${user} were not ended: ${why}. End them on the tenant by hand.`;
}

export function missingText({ user }: SignOutAct, tenant: string): string {
  return (
    `User ${user} is not on ${tenant}, so there are no sessions to end. Check the id: if it has a typo, the person is ` +
    "still signed in."
  );
}

function namesOf(parts: readonly SignOutPart[]): string {
  return parts.map((part) => NAMES[part]).join(" and ");
}
