import * as pulumi from "@pulumi/pulumi";
import { EXPLICIT_PROVIDER_KEY, type RawSettings } from "../settings";
import {
  ENDED_NAMES,
  type EndedName,
  SECRET_NAMES,
  SETTING_NAMES,
  type SettingName,
} from "../settings-table";

/** Settings of one tenant. Each has the meaning of the stack configuration key of the same name. */
export interface ProviderArgs {
  /** Host name of the tenant, such as `tenant.example.com`; `http://` only for a loopback host. */
  domain: pulumi.Input<string>;
  /** Client of the client credentials flow; with one of the two arguments below. */
  clientId?: pulumi.Input<string>;
  /** Secret of the client. Always kept as a secret. */
  clientSecret?: pulumi.Input<string>;
  /** PKCS #8 key in PEM form for a private-key JWT instead of a secret. Always kept as a secret. */
  privateKey?: pulumi.Input<string>;
  /**
   * How the JWT is signed: RS256, RS384, RS512, PS256, PS384 or PS512.
   *
   * @default "RS256"
   */
  privateKeyAlgorithm?: pulumi.Input<string>;
  /** A bearer token instead of client credentials. Always kept as a secret. */
  accessToken?: pulumi.Input<string>;
  /**
   * Audience of the token, sent as given.
   *
   * @default `https://<domain>/api/v2/` and, if that is refused, `/api/v2/`
   */
  audience?: pulumi.Input<string>;
  /** Comma-separated host names by which older state knows this tenant, e.g. `old.example.com`. */
  formerDomains?: pulumi.Input<string>;
  /**
   * Share of the rate limit that is left to live traffic, 0 to 0.9.
   *
   * @default 0.2
   */
  rateLimitReserve?: pulumi.Input<number>;
  /**
   * Requests in flight at once, a whole number from 1 to 256.
   *
   * @default 16
   */
  maxConcurrency?: pulumi.Input<number>;
  /**
   * Requests started per second, 0.01 to 10,000.
   *
   * @default `undefined`: as many as the service allows.
   */
  maxRequestsPerSecond?: pulumi.Input<number>;
  /**
   * Seconds that one operation may wait for the rate limit and between its retries, 1 to 86,400.
   *
   * @default 300
   */
  maxWaitSeconds?: pulumi.Input<number>;
  /**
   * Seconds until an attempt without an answer is given up, 1 to 600.
   *
   * @default 30
   */
  requestTimeoutSeconds?: pulumi.Input<number>;
  /**
   * Most roles of groups and device credentials that one run may take away, a whole number from 0.
   *
   * @default `undefined`: any number.
   */
  maxRevocations?: pulumi.Input<number>;
  /**
   * File with the JSON of a review: nothing is written that it does not hold. `IDENTITY_REVIEW_FILE` wins
   * over it.
   *
   * @default `undefined`: runs are held to nothing.
   */
  reviewFile?: pulumi.Input<string>;
  /**
   * `true`: nothing is written without a review; or the SHA-256 of its file. `IDENTITY_REQUIRE_REVIEW` wins
   * over it.
   *
   * @default false
   */
  requireReview?: pulumi.Input<boolean | string>;
}

/**
 * By it the copies of this package that one program loads, of whatever release, know each other's Providers.
 * Permanent, as is what it gives.
 */
export const OF_PROVIDER = Symbol.for("pulumi-identity.provider");

/** What data sources, which run in the program itself, must know of a Provider. */
export interface ProviderFacts {
  readonly name: string;
  readonly settings: pulumi.Output<RawSettings>;
  /** The argument, where it is a plain text: known at once. */
  readonly domain: string | undefined;
  /** True for a Provider of `pulumi-identity/plugin`. */
  readonly isPlugin?: true;
}

/** A `Provider` of this copy of the package or of another one. */
export type AnyProvider = pulumi.ProviderResource & { [OF_PROVIDER](): ProviderFacts };

export function isProvider(resource: pulumi.ProviderResource): resource is AnyProvider {
  return OF_PROVIDER in resource;
}

/**
 * A tenant of its own for some resources and data sources: `{ provider: eu }`. It takes exactly what it is
 * given; neither the environment nor stack configuration adds to it, but for the review that a run is held
 * to. Changing its credentials changes no resource.
 *
 * Missing or wrong settings are found when a resource or data source first uses it: a {@link
 * ConfigurationError}.
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
  /** Private at run time too, so that nobody prints it: it holds credentials. */
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
  const settings: { [Setting in SettingName | EndedName]?: pulumi.Output<string> } = {};
  const given: Partial<Record<string, pulumi.Input<string | number | boolean> | null>> = { ...args };
  // Former ones go along: whoever uses the settings says what to do instead.
  for (const setting of [...SETTING_NAMES, ...ENDED_NAMES]) {
    const value = given[setting];
    if (value === undefined || value === null) continue;
    // All settings are texts, as in stack configuration; an empty one counts as not set.
    const text = pulumi
      .output(value)
      .apply((known: string | number | boolean | null | undefined) => String(known ?? ""));
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
