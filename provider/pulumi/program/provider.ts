import * as pulumi from "@pulumi/pulumi";
import {
  EXPLICIT_PROVIDER_KEY,
  type RawSettings,
  SECRET_NAMES,
  SETTING_NAMES,
  type SettingName,
} from "../settings";

/** Settings of one tenant. Each has the meaning of the stack configuration key of the same name. */
export interface ProviderArgs {
  /** Host name of the tenant, such as `tenant.example.com`; `http://` only for a loopback host. */
  domain: pulumi.Input<string>;
  /** Client of the client credentials flow; with `clientSecret` or `privateKey`. */
  clientId?: pulumi.Input<string>;
  /** Always kept as a secret. */
  clientSecret?: pulumi.Input<string>;
  /** Instead of `clientSecret`: absolute path of a file that holds it, read whenever a token is needed. */
  clientSecretFile?: pulumi.Input<string>;
  /** PKCS #8 key in PEM form for a private-key JWT instead of a secret. Always kept as a secret. */
  privateKey?: pulumi.Input<string>;
  /** Instead of `privateKey`: absolute path of a file that holds it, read whenever a token is needed. */
  privateKeyFile?: pulumi.Input<string>;
  /** RS256, RS384, RS512, PS256, PS384 or PS512. Default: RS256. */
  privateKeyAlgorithm?: pulumi.Input<string>;
  /** A bearer token instead of client credentials. Always kept as a secret. */
  accessToken?: pulumi.Input<string>;
  /**
   * Instead of `accessToken`: a command that prints it, as a JSON list of its words or as words between blanks. It runs
   * without a shell, and is ended after 30 s.
   */
  accessTokenCommand?: pulumi.Input<string>;
  /** Sent as given. Default: `https://<domain>/api/v2/`, then `/api/v2/`. */
  audience?: pulumi.Input<string>;
  /** Comma-separated host names under which state may know this tenant from before. */
  formerDomains?: pulumi.Input<string>;
  /** Share (0–0.9) of the rate limit that is left to live traffic. Default: 0.2. */
  rateLimitReserve?: pulumi.Input<number>;
  /** Requests in flight at once, 1–256. Default: 16. */
  maxConcurrency?: pulumi.Input<number>;
  /** Requests started per second. Default: as many as the service allows. */
  maxRequestsPerSecond?: pulumi.Input<number>;
  /** Seconds that one request may wait for the rate limit. Default: 300. */
  maxWaitSeconds?: pulumi.Input<number>;
  /** Seconds until an attempt without an answer is given up. Default: 30. */
  requestTimeoutSeconds?: pulumi.Input<number>;
  /** Lists the tenant's connection profiles before the first create, and makes no second one of a name. Default: false. */
  uniqueProfileNames?: pulumi.Input<boolean>;
  /** Most roles of groups and device credentials that one run may take away, a whole number from 0. Default: any number. */
  maxRevocations?: pulumi.Input<number>;
}

const SECRET_SETTINGS: readonly SettingName[] = SECRET_NAMES;

/**
 * A tenant of its own for some resources and data sources: `{ provider: eu }`. It takes exactly what it is given;
 * neither the environment nor stack configuration adds to it. Changing its credentials changes no resource.
 *
 * @example
 * const eu = new Provider("eu", { domain: "eu.example.com", clientId, clientSecret });
 * new ConnectionProfile("enterprise", { name: "enterprise" }, { provider: eu });
 */
export class Provider extends pulumi.ProviderResource {
  /** For data sources, which run in the program itself. Private at run time too: it holds credentials. */
  readonly #settings: pulumi.Output<RawSettings>;
  readonly #name: string;

  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const settings: { [Setting in SettingName]?: pulumi.Output<string> } = {};
    for (const setting of SETTING_NAMES) {
      const value: pulumi.Input<string | number | boolean> | null | undefined = args[setting];
      if (value === undefined || value === null) continue;
      // All settings are texts, as in stack configuration; an empty one counts as not set.
      const text = pulumi
        .output(value)
        .apply((known: string | number | boolean | null | undefined) => String(known ?? ""));
      settings[setting] = SECRET_SETTINGS.includes(setting) ? pulumi.secret(text) : text;
    }
    const inputs = Object.entries(settings).map(
      ([setting, value]) => [`identity:${setting}`, value] as const,
    );
    super("pulumi-nodejs", name, { ...Object.fromEntries(inputs), [EXPLICIT_PROVIDER_KEY]: name }, options);
    this.#settings = pulumi.output(settings);
    this.#name = name;
  }

  /** @internal */
  static settingsOf(provider: Provider): { name: string; settings: pulumi.Output<RawSettings> } {
    return { name: provider.#name, settings: provider.#settings };
  }
}
