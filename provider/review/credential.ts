import { grouped, say, type Sentence, tail, word } from "../sentence";

/** A removed credential, as the tenant describes it. */
export interface RemovedCredential {
  type: string;
  device?: string;
  /** The user's id. */
  user?: string;
  /** Refresh tokens of that user and application, with this one. */
  tokens: number;
  /** True if all of these end with it. Null: unknown. */
  endsAll: boolean | null;
}

const TYPES: Readonly<Record<string, string>> = {
  public_key: "public key",
  refresh_token: "refresh token",
  rotating_refresh_token: "rotating refresh token",
};

/** `: the refresh token of auth0|64c1 on lost phone`. Empty if the tenant wasn't asked. */
export function credentialSentence(credential: RemovedCredential | null | undefined): Sentence {
  if (credential === undefined) return say``;
  if (credential === null)
    return say`: the tenant doesn't know it. If its id has a typo, the lost device keeps its access`;
  const { type, device, user, tokens, endsAll } = credential;
  const whose = say`${tail` of ${user}`}${tail` on ${device}`}`;
  return say`: the ${word(TYPES[type] ?? type)}${whose}${grantSentence(tokens, endsAll)}`;
}

const SETTING = "Refresh Token Revocation Deletes Grant";

function grantSentence(tokens: number, endsAll: boolean | null): Sentence {
  if (tokens < 2 || endsAll === false) return say``;
  const all = `up to ${grouped(tokens)} refresh tokens of that user and application`;
  return endsAll === true
    ? word(`. With it end ${all}`)
    : word(`. It depends on the tenant's setting ${SETTING} if ${all} end with it`);
}
