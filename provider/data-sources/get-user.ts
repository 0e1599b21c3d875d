import * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { NotFoundError } from "../http/errors";
import { USER_ID } from "../service/ids";
import {
  type IdentityRecord,
  identityRecord,
  profileDataRecord,
  readUser,
  type UserRecord,
  userRecord,
} from "../service/users";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { camelCase, fromWire } from "./records";

/** Arguments of {@link getUser}. */
export interface GetUserArgs {
  /** Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. */
  userId: string;
  /**
   * Names of the fields to include or leave out, e.g. `email` and `emailVerified`.
   *
   * The service's spelling, such as `email_verified`, does too. Any other name is sent as written, and its
   * field comes back in `additionalProperties`. Sent as `fields`.
   *
   * @default `undefined`: all fields.
   */
  fields?: UserField[];
  /**
   * True includes the `fields`, false leaves them out.
   *
   * Sent as `include_fields`.
   *
   * @default true
   */
  includeFields?: boolean;
  /**
   * Returns the identity providers' tokens in `identities`, as secrets.
   *
   * Needs the scope `read:user_idp_tokens`. Nothing else with a name like a token's is ever returned. In a
   * generated SDK, ask for tokens in the Output form only: the plain form returns them in clear text.
   *
   * @default false
   */
  includeIdentityTokens?: boolean;
  /**
   * If false, a user who doesn't exist is no error.
   *
   * @remarks
   * Here, the result is `undefined`.
   *
   * @default true
   */
  required?: boolean;
}

/** `emailVerified` → `email_verified` */
type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

/**
 * A field of a user: a documented one, in our spelling or the service's (`emailVerified`, `email_verified`),
 * or any other, as the service spells it.
 */
export type UserField =
  | DocumentedField
  | SnakeCase<DocumentedField>
  // Editors suggest the names above, and every string is accepted.
  | (string & {});
type DocumentedField = Exclude<keyof GetUserResult, "additionalProperties">;

/** Arguments of {@link getUserOutput}. */
export type GetUserOutputArgs = { [Name in keyof GetUserArgs]: pulumi.Input<GetUserArgs[Name]> };

/**
 * Result of {@link getUser}: a user. A field is undefined if the tenant left it out. `Token` is a secret
 * Output in the plain form, and text in the Output form, where `includeIdentityTokens` makes the whole result
 * a secret.
 */
export interface GetUserResult<Token = pulumi.Output<string>> {
  /** Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. */
  userId?: string;
  /** Email address. */
  email?: string;
  /** True if the email address is verified. */
  emailVerified?: boolean;
  /** Username. */
  username?: string;
  /** Phone number in E.164 format, e.g. `+15550100`. */
  phoneNumber?: string;
  /** True if the phone number is verified. */
  phoneVerified?: boolean;
  /** When the user was created, an ISO 8601 date and time. */
  createdAt?: string;
  /** When the user was last changed, an ISO 8601 date and time. */
  updatedAt?: string;
  /** The user's linked accounts. */
  identities?: UserIdentity<Token>[];
  /** Free-form metadata that the user can't change. */
  appMetadata?: Record<string, unknown>;
  /** Free-form metadata that the user can change. */
  userMetadata?: Record<string, unknown>;
  /** URL of the user's picture. */
  picture?: string;
  /** Name. */
  name?: string;
  /** Nickname. */
  nickname?: string;
  /** Multi-factor providers that the user has enrolled with. */
  multifactor?: string[];
  /** When the multi-factor providers last changed, an ISO 8601 date and time. */
  multifactorLastModified?: string;
  /** IP address of the last login. */
  lastIp?: string;
  /** When the user last logged in, an ISO 8601 date and time. */
  lastLogin?: string;
  /** When the password was last reset, an ISO 8601 date and time. */
  lastPasswordReset?: string;
  /** How often the user has logged in. */
  loginsCount?: number;
  /** True if an administrator has blocked the user. */
  blocked?: boolean;
  /** Given name. */
  givenName?: string;
  /** Family name. */
  familyName?: string;
  /** Further fields, with the tenant's names. Fields with names like a token's are left out. */
  additionalProperties: Record<string, unknown>;
}

/** A linked account of a user: one of the user's `identities`. */
export interface UserIdentity<Token = pulumi.Output<string>> {
  /** Name of the connection. */
  connection?: string;
  /** Id of the user within this identity. */
  userId?: string | number;
  /** Kind of identity provider. */
  provider?: IdentityProviderName;
  /** True if the identity provider is a social one. */
  isSocial?: boolean;
  /** The identity provider's data about the user. */
  profileData?: UserProfileData;
  /** The identity provider's access token, a secret; only with `includeIdentityTokens`. */
  accessToken?: Token;
  /** The secret of that access token; only with `includeIdentityTokens`. */
  accessTokenSecret?: Token;
  /** The identity provider's refresh token, a secret; only with `includeIdentityTokens`. */
  refreshToken?: Token;
}

/** The identity provider's data about the user: the `profileData` of an identity. */
export interface UserProfileData {
  /** Email address. */
  email?: string;
  /** True if the email address is verified. */
  emailVerified?: boolean;
  /** Name. */
  name?: string;
  /** Username. */
  username?: string;
  /** Given name. */
  givenName?: string;
  /** Phone number. */
  phoneNumber?: string;
  /** True if the phone number is verified. */
  phoneVerified?: boolean;
  /** Family name. */
  familyName?: string;
  /** Further fields, with the tenant's names. Fields with names like a token's are left out. */
  additionalProperties: Record<string, unknown>;
}

const FIELD_RULE = "must be one name of a field, without a comma or control characters";

const schema = z.strictObject({
  userId: USER_ID,
  fields: z
    .array(z.string(FIELD_RULE).refine(isFieldName, FIELD_RULE), "must be a list of fields")
    .optional(),
  includeFields: z.boolean("must be true or false").optional(),
  includeIdentityTokens: z.boolean("must be true or false").optional(),
  required: z.boolean("must be true or false").optional(),
});

/** The service takes a list with commas, in which an empty name means all fields. */
function isFieldName(name: string): boolean {
  return name.trim() !== "" && !/[,\p{Cc}\p{Cs}]/u.test(name);
}

/** @internal */
export const getUserSource: DataSource<
  GetUserArgs,
  GetUserResult<string> | undefined,
  GetUserResult | undefined
> = {
  name: "getUser",
  mayBeMissing: true,
  schema,

  async read(client, { userId, fields = [], includeFields, includeIdentityTokens = false, required }, ask) {
    const wireNames = [...new Set(fields.map(wireName))];
    try {
      const record = await ask(["user", userId, wireNames, includeFields], () =>
        readUser(client, userId, { fields: wireNames, includeFields }),
      );
      return toUser(record, includeIdentityTokens);
    } catch (error) {
      if (required === false && error instanceof NotFoundError) return undefined;
      throw error;
    }
  },

  advice: (error) =>
    error instanceof NotFoundError ? "Pass required: false if the user need not exist." : undefined,

  isSecret: ({ includeIdentityTokens = false }) => includeIdentityTokens,

  result(user, { required }) {
    // A mock can't answer undefined.
    if (user === undefined || (required === false && Object.keys(user).length === 0)) return undefined;
    const { identities, ...rest } = user;
    return { ...rest, ...(identities !== undefined && { identities: identities.map(withSecretTokens) }) };
  },
};

/** What isn't documented is spelled as the service does. */
function wireName(field: string): string {
  return Object.keys(userRecord.shape).find((name) => camelCase(name) === field) ?? field;
}

function toUser(record: UserRecord, withTokens: boolean): GetUserResult<string> {
  const { known, additionalProperties } = fromWire(userRecord.shape, record);
  const { identities, ...fields } = known;
  return {
    ...fields,
    ...(identities && { identities: identities.map((identity) => toIdentity(identity, withTokens)) }),
    additionalProperties: withoutTokens(additionalProperties),
  };
}

/** Undocumented fields could be credentials. */
function toIdentity(identity: IdentityRecord, withTokens: boolean): UserIdentity<string> {
  const { profileData, ...fields } = fromWire(identityRecord.shape, identity).known;
  const kept: UserIdentity<string> = withTokens ? fields : withoutTokens(fields);
  if (profileData === undefined) return kept;
  const { known, additionalProperties } = fromWire(profileDataRecord.shape, profileData);
  return { ...kept, profileData: { ...known, additionalProperties: withoutTokens(additionalProperties) } };
}

function withSecretTokens(identity: UserIdentity<string>): UserIdentity {
  const fields = Object.entries(identity).map(([name, value]: [string, unknown]) => [
    name,
    speaksOfToken(name) ? pulumi.secret(value) : value,
  ]);
  return Object.fromEntries(fields) as UserIdentity;
}

/**
 * Reads a user, in previews too.
 *
 * Scope: `read:users`; with a user's own token `read:current_user`; for tokens of identities
 * `read:user_idp_tokens`.
 *
 * @remarks
 * Calls for the same user in one program share one request.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws a {@link NotFoundError} when the user doesn't exist, unless `required` is false.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example Some fields
 * ```ts
 * import { getUser } from "pulumi-identity";
 *
 * export const email = getUser({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   fields: ["email"],
 * }).then((user) => user.email);
 * ```
 *
 * @example A field that isn't documented
 * ```ts
 * import { getUser } from "pulumi-identity";
 *
 * export const plan = getUser({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   fields: ["plan"],
 * }).then(({ additionalProperties }) => additionalProperties["plan"]);
 * ```
 */
export function getUser(
  args: GetUserArgs & { required?: true },
  options?: DataSourceOptions,
): Promise<GetUserResult>;
/**
 * A user who may not exist.
 *
 * @example Whether a user exists
 * ```ts
 * import { getUser } from "pulumi-identity";
 *
 * export const exists = getUser({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   required: false,
 * }).then((user) => user !== undefined);
 * ```
 */
export function getUser(args: GetUserArgs, options?: DataSourceOptions): Promise<GetUserResult | undefined>;
export function getUser(args: GetUserArgs, options?: DataSourceOptions): Promise<GetUserResult | undefined> {
  return invoke(getUserSource, args, options);
}

/**
 * {@link getUser} for Outputs as arguments. With `includeIdentityTokens` the whole result is a secret. An
 * error fails the Output, and so the program.
 *
 * @example A secret user id
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { getUserOutput } from "pulumi-identity";
 *
 * export const email = getUserOutput({ userId: new pulumi.Config().requireSecret("userId") }).email;
 * ```
 */
export function getUserOutput(
  args: GetUserOutputArgs & { required?: true },
  options?: DataSourceOutputOptions,
): pulumi.Output<GetUserResult<string>>;
/** A user who may not exist. */
export function getUserOutput(
  args: GetUserOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetUserResult<string> | undefined>;
export function getUserOutput(
  args: GetUserOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetUserResult<string> | undefined> {
  return invokeOutput(getUserSource, args, options);
}

/** The known kinds of identity provider; any other text is possible too. */
// prettier-ignore
export type IdentityProviderName =
  | "ad" | "adfs" | "amazon" | "apple" | "auth0" | "auth0-oidc" | "baidu" | "bitbucket" | "bitly" | "box" | "custom"
  | "daccount" | "dropbox" | "dwolla" | "email" | "evernote" | "evernote-sandbox" | "exact" | "facebook" | "fitbit"
  | "github" | "google-apps" | "google-oauth2" | "instagram" | "ip" | "line" | "linkedin" | "oauth1" | "oauth2"
  | "office365" | "oidc" | "okta" | "paypal" | "paypal-sandbox" | "pingfederate" | "planningcenter" | "salesforce"
  | "salesforce-community" | "salesforce-sandbox" | "samlp" | "sharepoint" | "shopify" | "shop" | "sms" | "soundcloud"
  | "thirtysevensignals" | "twitter" | "untappd" | "vkontakte" | "waad" | "weibo" | "windowslive" | "wordpress"
  | "yahoo" | "yandex"
  // Editors suggest the names above, and every string is accepted.
  | (string & {});

/** True for `access_token`, `accessTokenSecret`, `id-token`, `tokens` and other names like a token's. */
function speaksOfToken(name: string): boolean {
  return /token/i.test(name);
}

/** Removes fields with names like a token's, at any depth. */
function withoutTokens<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutTokens) as Value;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !speaksOfToken(name));
  return Object.fromEntries(kept.map(([name, child]) => [name, withoutTokens<unknown>(child)])) as Value;
}
