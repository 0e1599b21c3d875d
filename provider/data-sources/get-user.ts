import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { NotFoundError } from "../http/errors";
import { isPathId, PATH_ID_RULE } from "../http/ids";
import { type IdentityRecord, readUser, type UserRecord, userRecord } from "../service/users";
import {
  type DataSource,
  type DataSourceOptions,
  type DataSourceOutputOptions,
  invoke,
  invokeOutput,
} from "../pulumi/program/data-source";
import { type IdentityProviderName } from "./identity-providers";

export { type IdentityProviderName };

export interface GetUserArgs {
  /** Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. API: `id` in the path of section 4.1. */
  userId: string;
  /**
   * Names of API fields, as the service writes them, that are included in the answer or left out of it, e.g.
   * `["user_id", "email"]`. Default: all fields. API: `fields`.
   */
  fields?: string[];
  /** True: `fields` are the ones included; false: the ones left out. Default: the service's, true. API: `include_fields`. */
  includeFields?: boolean;
  /**
   * True: `identities` carry the tokens of the identity providers, as secrets. Needs the scope `read:user_idp_tokens`.
   * Default: false; tokens are dropped.
   */
  includeIdentityTokens?: boolean;
  /** What a user who does not exist is: an error, or `undefined`. Default: `"error"`. */
  ifMissing?: "error" | "undefined";
}

/** Arguments of the Output form. */
export type GetUserOutputArgs = { [Name in keyof GetUserArgs]: pulumi.Input<GetUserArgs[Name]> };

/**
 * Section 2.1 of the source document. A field that the service left out is undefined. `Token`: a secret Output in the
 * plain form; text in the Output form, where `includeIdentityTokens` makes the whole result a secret.
 */
export interface User<Token = pulumi.Output<string>> {
  userId?: string;
  /** Email address. */
  email?: string;
  emailVerified?: boolean;
  username?: string;
  /** E.164, e.g. `+15550100`. */
  phoneNumber?: string;
  phoneVerified?: boolean;
  /** ISO 8601 date and time. */
  createdAt?: string;
  /** ISO 8601 date and time. */
  updatedAt?: string;
  /** The accounts that are linked to the user. */
  identities?: UserIdentity<Token>[];
  /** Free-form; the user can't change it. */
  appMetadata?: Record<string, unknown>;
  /** Free-form; the user can change it. */
  userMetadata?: Record<string, unknown>;
  /** URL. */
  picture?: string;
  name?: string;
  nickname?: string;
  /** Multi-factor providers with which the user has enrolled. */
  multifactor?: string[];
  /** ISO 8601 date and time. */
  multifactorLastModified?: string;
  lastIp?: string;
  /** ISO 8601 date and time. */
  lastLogin?: string;
  /** ISO 8601 date and time. */
  lastPasswordReset?: string;
  loginsCount?: number;
  /** True when an administrator has blocked the user. */
  blocked?: boolean;
  givenName?: string;
  familyName?: string;
  /** Fields that the source document does not list, with the service's own names. */
  additionalProperties: Record<string, unknown>;
}

/** Section 2.2 of the source document. */
export interface UserIdentity<Token = pulumi.Output<string>> {
  /** Name of the connection that holds the identity. */
  connection?: string;
  /** Id of the user within this identity. */
  userId?: string | number;
  /** Kind of identity provider. */
  provider?: IdentityProviderName;
  isSocial?: boolean;
  profileData?: UserProfileData;
  /** A secret; only with `includeIdentityTokens`. */
  accessToken?: Token;
  /** A secret; only with `includeIdentityTokens`. */
  accessTokenSecret?: Token;
  /** A secret; only with `includeIdentityTokens`. */
  refreshToken?: Token;
}

export interface UserProfileData {
  email?: string;
  emailVerified?: boolean;
  name?: string;
  username?: string;
  givenName?: string;
  phoneNumber?: string;
  phoneVerified?: boolean;
  familyName?: string;
  /** Fields that the source document does not list, with the service's own names. */
  additionalProperties: Record<string, unknown>;
}

const FIELD_RULE = "must be the name of one API field, such as email_verified, without commas or spaces";

const schema = z.strictObject({
  userId: z.string(PATH_ID_RULE).refine(isPathId, PATH_ID_RULE),
  fields: z
    .array(z.string(FIELD_RULE).regex(/^[^,\s]+$/, FIELD_RULE), "must be a list of API field names")
    .optional(),
  includeFields: z.boolean("must be true or false").optional(),
  includeIdentityTokens: z.boolean("must be true or false").optional(),
  ifMissing: z.enum(["error", "undefined"], 'must be "error" or "undefined"').optional(),
});

const source: DataSource<GetUserArgs, User<string> | undefined, User | undefined> = {
  name: "getUser",
  schema,

  async read(client, { userId, fields, includeFields, includeIdentityTokens = false, ifMissing }, ask) {
    try {
      const record = await ask(["user", userId, fields ?? [], includeFields], () =>
        readUser(client, userId, { fields, includeFields }),
      );
      return toUser(record, includeIdentityTokens);
    } catch (error) {
      if (ifMissing === "undefined" && error instanceof NotFoundError) return undefined;
      throw error;
    }
  },

  result(user, { ifMissing }) {
    // A mock can't answer undefined.
    if (user === undefined || (ifMissing === "undefined" && Object.keys(user).length === 0)) return undefined;
    const { identities, ...rest } = user;
    return { ...rest, ...(identities !== undefined && { identities: identities.map(withSecretTokens) }) };
  },
};

const TOKENS = ["access_token", "access_token_secret", "refresh_token"];
const IDENTITY = ["connection", "user_id", "provider", "isSocial"];
const PROFILE_DATA = [
  "email",
  "email_verified",
  "name",
  "username",
  "given_name",
  "phone_number",
  "phone_verified",
  "family_name",
];

function toUser(record: UserRecord, withTokens: boolean): User<string> {
  const { known, additionalProperties } = split(record, Object.keys(userRecord.shape));
  const identities = record.identities?.map((identity) => toIdentity(identity, withTokens));
  return { ...known, ...(identities !== undefined && { identities }), additionalProperties };
}

/** Only what the document lists: it allows nothing else, and what else there is could be a credential. */
function toIdentity(identity: IdentityRecord, withTokens: boolean): UserIdentity<string> {
  const { known } = split(identity, withTokens ? [...IDENTITY, ...TOKENS] : IDENTITY);
  if (!identity.profileData) return known;
  const { known: profile, additionalProperties } = split(identity.profileData, PROFILE_DATA);
  for (const token of TOKENS) delete additionalProperties[token];
  return { ...known, profileData: { ...profile, additionalProperties } };
}

/** The documented fields that are set, under our names, and all others under theirs. */
function split(record: object, names: readonly string[]) {
  const known: Record<string, unknown> = {};
  const additionalProperties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (!names.includes(name)) additionalProperties[name] = value;
    else if (value !== null) known[camelCase(name)] = value;
  }
  return { known, additionalProperties };
}

/** `email_verified` → `emailVerified` */
function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function withSecretTokens(identity: UserIdentity<string>): UserIdentity {
  const { accessToken, accessTokenSecret, refreshToken, ...rest } = identity;
  return {
    ...rest,
    ...(accessToken !== undefined && { accessToken: pulumi.secret(accessToken) }),
    ...(accessTokenSecret !== undefined && { accessTokenSecret: pulumi.secret(accessTokenSecret) }),
    ...(refreshToken !== undefined && { refreshToken: pulumi.secret(refreshToken) }),
  };
}

/**
 * Reads a user, in previews too. Calls for the same user in one program share one request.
 *
 * Scope: `read:users`; with a user's own token `read:current_user`; for tokens of identities `read:user_idp_tokens`.
 *
 * @throws InvalidInputError before any call when an argument breaks a rule.
 * @throws NotFoundError when the user does not exist, unless `ifMissing` is `"undefined"`.
 * @throws InsufficientScopeError, AuthenticationError, RateLimitedError, NetworkError as their names say.
 *
 * @example
 * const user = await getUser({ userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" });
 */
export function getUser(
  args: GetUserArgs & { ifMissing?: "error" },
  options?: DataSourceOptions,
): Promise<User>;
export function getUser(args: GetUserArgs, options?: DataSourceOptions): Promise<User | undefined>;
export function getUser(args: GetUserArgs, options?: DataSourceOptions): Promise<User | undefined> {
  return invoke(source, args, options);
}

/** `getUser` for arguments that are Outputs; with `includeIdentityTokens` the whole result is a secret. */
export function getUserOutput(
  args: GetUserOutputArgs & { ifMissing?: "error" },
  options?: DataSourceOutputOptions,
): pulumi.Output<User<string>>;
export function getUserOutput(
  args: GetUserOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<User<string> | undefined>;
export function getUserOutput(
  args: GetUserOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<User<string> | undefined> {
  return invokeOutput(source, args, options);
}
