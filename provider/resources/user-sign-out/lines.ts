import { type SignOutAct } from "../../review/act";
import { partName } from "../../review/signed-in";
import { count, list, word } from "../../sentence";
import { type SignOutPart } from "./schema";

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
  return `User ${user}${ofClient(client)}: ${done.join(", ")}.`;
}

/** These failed. */
export function unfinishedText({ user }: SignOutAct, unfinished: readonly SignOutPart[]): string {
  return `The ${namesOf(unfinished)} of user ${user} were not ended. The next pulumi up tries again.`;
}

/** For a destroy. */
export function staysText({ user, client }: SignOutAct, unfinished: readonly SignOutPart[]): string {
  const left =
    unfinished.length === 0
      ? ""
      : ` An earlier run failed to end the ${namesOf(unfinished)}: nothing ends them now.`;
  return `A sign-out can't be undone, so nothing was sent for user ${user}${ofClient(client)}.${left}`;
}

function ofClient(client: string | undefined): string {
  return client === undefined ? "" : `, client ${client}`;
}

export function notServedText(
  { user }: SignOutAct,
  { part, why }: { part: SignOutPart; why: string },
): string {
  return `The ${partName(part)} of user ${user} were not ended: ${why}. End them on the tenant by hand.`;
}

export function missingText({ user }: SignOutAct, tenant: string): string {
  return (
    `User ${user} is not on ${tenant}, so there are no sessions to end. Check the id: if it has a typo, the person is ` +
    "still signed in."
  );
}

function namesOf(parts: readonly SignOutPart[]): string {
  return list(parts.map((part) => word(partName(part)))).toString();
}
