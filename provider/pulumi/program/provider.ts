import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import { EXPLICIT_PROVIDER_KEY, type RawSettings } from "../settings";
import { SECRET_NAMES, type Setting, SETTING_NAMES, type SettingName, SETTINGS } from "../settings-table";

/** The values of {@link ProviderArgs.privateKeyAlgorithm}, by the names that `pulumi convert` prints. */
export const PrivateKeyAlgorithm = {
  RS256: "RS256",
  RS384: "RS384",
  RS512: "RS512",
  PS256: "PS256",
  PS384: "PS384",
  PS512: "PS512",
} as const;

/** Settings of one tenant, with the meaning of the stack configuration keys of the same names. */
export interface ProviderArgs {
  /** Host name of the tenant, such as `tenant.example.com`. Only a loopback host can have `http://`. */
  domain: pulumi.Input<string>;
  /** Client of the client credentials flow. Needs `clientSecret` or `privateKey` too. */
  clientId?: pulumi.Input<string>;
  /** Secret of the client. Always kept as a secret. */
  clientSecret?: pulumi.Input<string>;
  /** PKCS #8 key in PEM form, for a private-key JWT in place of `clientSecret`. Always kept as a secret. */
  privateKey?: pulumi.Input<string>;
  /**
   * Algorithm of the JWT: RS256, RS384, RS512, PS256, PS384 or PS512.
   *
   * @default "RS256"
   */
  privateKeyAlgorithm?: pulumi.Input<string>;
  /** A bearer token in place of client credentials. Always kept as a secret. */
  accessToken?: pulumi.Input<string>;
  /**
   * Audience of the token, sent unchanged.
   *
   * @default `undefined`: `https://<domain>/api/v2/` or, if the tenant refuses that, `/api/v2/`.
   */
  audience?: pulumi.Input<string>;
  /** The tenant's former host names in older state, e.g. `old.example.com`. */
  formerDomains?: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * Share of the rate limit left to live traffic, 0 to 0.9.
   *
   * @default 0.2
   */
  rateLimitReserve?: pulumi.Input<number>;
  /**
   * Most requests in flight at once, a whole number from 1 to 256.
   *
   * @default 16
   */
  maxConcurrency?: pulumi.Input<number>;
  /**
   * Most requests per second, 0.01 to 10,000.
   *
   * @default `undefined`: as many as the service allows.
   */
  maxRequestsPerSecond?: pulumi.Input<number>;
  /**
   * Most seconds that one operation waits for the rate limit and between its retries, 1 to 86,400.
   *
   * @default 300
   */
  maxWaitSeconds?: pulumi.Input<number>;
  /**
   * Seconds to wait for the answer to a request, 1 to 600.
   *
   * @default 30
   */
  requestTimeoutSeconds?: pulumi.Input<number>;
  /**
   * Most grants and device credentials that one run can revoke, a whole number from 0.
   * `IDENTITY_MAX_REVOCATIONS` takes precedence if it is lower.
   *
   * @default `undefined`: any number.
   */
  maxRevocations?: pulumi.Input<number>;
  /**
   * File with the JSON of a review: the run refuses anything that isn't in it. `IDENTITY_REVIEW_FILE` takes
   * precedence.
   *
   * @default `undefined`: no review.
   */
  reviewFile?: pulumi.Input<string>;
  /**
   * Refuses to write anything without a review. `IDENTITY_REQUIRE_REVIEW` can require one too.
   *
   * @default false
   */
  requireReview?: pulumi.Input<boolean>;
  /**
   * SHA-256 of the review's file, 64 hexadecimal digits: requires a review, and no other file counts.
   * `IDENTITY_REVIEW_DIGEST` counts too, and must be the same.
   *
   * @default `undefined`: any file.
   */
  reviewDigest?: pulumi.Input<string>;
}

/**
 * A program can load several copies of this package, of different releases: by this symbol they recognize
 * each other's Providers. Neither it nor its result can ever change.
 */
export const OF_PROVIDER = Symbol.for("pulumi-identity.provider");

/** Facts about a Provider for data sources, which run in the program itself. */
export interface ProviderFacts {
  readonly name: string;
  readonly settings: pulumi.Output<RawSettings>;
  /** The argument if it is plain text, which is known at once. */
  readonly domain: string | undefined;
  /** True for a Provider of `pulumi-identity/plugin`. */
  readonly isPlugin?: true;
}

/** A `Provider` of this or another copy of the package. */
export type AnyProvider = pulumi.ProviderResource & { [OF_PROVIDER](): ProviderFacts };

export function isProvider(resource: pulumi.ProviderResource): resource is AnyProvider {
  return OF_PROVIDER in resource;
}

/**
 * Connects to a tenant other than the stack's. Give it to resources and data sources by the option
 * `provider`. It uses only its own arguments, no stack configuration. The environment can only restrain it,
 * by a review or a lower limit on revocations. Changing its credentials changes no resource.
 *
 * If settings are missing or wrong, the first resource or data source that uses it fails.
 *
 * @remarks
 * It fails with a {@link ConfigurationError}.
 *
 * @example A second tenant, for a resource and a data source
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { ConnectionProfile, getConnectionProfiles, Provider } from "pulumi-identity";
 *
 * const config = new pulumi.Config();
 * const eu = new Provider("eu", {
 *   domain: "eu.example.com",
 *   clientId: config.require("euClientId"),
 *   clientSecret: config.requireSecret("euClientSecret"),
 * });
 *
 * export const enterprise = new ConnectionProfile("enterprise", { name: "enterprise" }, { provider: eu });
 * export const profiles = getConnectionProfiles({}, { provider: eu });
 * ```
 *
 * @example A private key in place of a secret, and limits for shared tenants
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { Provider } from "pulumi-identity";
 *
 * export const eu = new Provider("eu", {
 *   domain: "eu.example.com",
 *   clientId: "4hNkVx8QmTz2bRcW",
 *   privateKey: readFileSync("/run/secrets/identity.pem", "utf8"),
 *   rateLimitReserve: 0.5,
 *   maxRevocations: 20,
 * });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /** It holds credentials, so it is private at run time too: nobody can print it. */
  readonly #facts: ProviderFacts;

  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const facts = providerFacts(name, args);
    const inputs = Object.entries(facts.inputs).map(
      ([setting, value]) => [`identity:${setting}`, value] as const,
    );
    super("pulumi-nodejs", name, { ...Object.fromEntries(inputs), [EXPLICIT_PROVIDER_KEY]: name }, options);
    this.#facts = facts;
  }

  /** @internal */
  [OF_PROVIDER](): ProviderFacts {
    return this.#facts;
  }
}

/** Returns the facts of a Provider, with its settings as inputs. */
export function providerFacts(name: string, args: ProviderArgs): ProviderFacts & { inputs: pulumi.Inputs } {
  const settings: { [Name in SettingName]?: pulumi.Output<string> } = {};
  const given: Partial<Record<string, unknown>> = { ...args };
  for (const setting of SETTING_NAMES) {
    const value = given[setting];
    if (value === undefined || value === null) continue;
    refuseNoList(setting, value, name);
    const text = pulumi.output(value).apply((known: unknown) => {
      refuseNoList(setting, known, name);
      return textOf(known as Scalar | Scalar[]);
    });
    settings[setting] = SECRET_NAMES.some((secret) => secret === setting) ? pulumi.secret(text) : text;
  }
  const domain: unknown = args.domain;
  return {
    name,
    settings: pulumi.output(settings),
    domain: typeof domain === "string" ? domain : undefined,
    inputs: settings,
  };
}

type Scalar = string | number | boolean | null | undefined;

/** All settings are texts, as in stack configuration. An empty one counts as not set. */
function textOf(value: Scalar | Scalar[]): string {
  return [value]
    .flat()
    .map((one) => String(one ?? ""))
    .join(",");
}

function refuseNoList(setting: SettingName, value: unknown, provider: string): void {
  const isList = (SETTINGS as Partial<Record<string, Setting<unknown>>>)[setting]?.isList === true;
  if (!isList || typeof value !== "string") return;
  const domains = value.split(",").map((domain) => domain.trim());
  throw new InvalidInputError(
    `${setting} of the Provider "${provider}" is a list: write ${setting}: ${JSON.stringify(domains)}.`,
  );
}
