import { count, id, list, say, type Sentence, tail, word } from "../sentence";

/** What a user is signed in with, as far as the tenant tells. */
export interface SignedIn {
  /** Undefined: unknown. */
  exists?: boolean | undefined;
  sessions?: number | undefined;
  refreshTokens?: number | undefined;
  deviceCredentials?: number | undefined;
  /** True if there are more than were counted. */
  more: boolean;
  /** What could not be read, and why. */
  unread: readonly string[];
}

interface SignedOut {
  user: string;
  client: string | undefined;
  /** The parts that an earlier run failed to end. */
  rest?: readonly string[] | undefined;
}

/** `user auth0|64c1 is signed out of client mobileApp` */
export function signOutSentence({ user, client, rest }: SignedOut): Sentence {
  const of = tail` of client ${client}`;
  if (rest === undefined) return say`user ${id(user)} is signed out${of}`;
  const parts = list(rest.map((part) => word(partName(part))));
  return say`user ${id(user)} is signed out${of} of what an earlier run left (${parts})`;
}

const PARTS: Readonly<Record<string, string>> = {
  sessions: "sessions",
  refreshTokens: "refresh tokens",
  deviceCredentials: "device credentials",
};

/** By its name in state. */
export function partName(part: string): string {
  return PARTS[part] ?? part;
}

/** `: 2 sessions, 3 refresh tokens and 1 device credential end`. Empty if the tenant wasn't asked. */
export function signedInSentence(signedIn: SignedIn | undefined): Sentence {
  if (signedIn === undefined) return say``;
  const { exists, sessions, refreshTokens, deviceCredentials, more, unread } = signedIn;
  if (exists === false)
    return say`: the tenant doesn't know this user. If the id has a typo, the person stays signed in`;
  const counted = [
    ...numberOf(sessions, "session"),
    ...numberOf(refreshTokens, "refresh token"),
    ...numberOf(deviceCredentials, "device credential"),
  ];
  const end = word(more ? "and more end" : "end");
  const known = counted.length === 0 ? say`` : say`: ${list(counted.map(word))} ${end}`;
  return unread.length === 0 ? known : say`${known}. Not known: ${list(unread)}`;
}

function numberOf(number: number | undefined, noun: string): string[] {
  return number === undefined ? [] : [count(number, noun)];
}
