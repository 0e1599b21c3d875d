import { DEFAULT_LIMITS } from "../http/settings";
import { misspelt, nearest } from "../near-names";
import { grouped } from "../sentence";

/*
 * All settings. Each row is a key of stack configuration, an environment variable, an argument of `Provider`,
 * and a line of docs/configuration.md. `npm run picture` writes the page and the defaults of the arguments.
 */

/** The rule for a setting's value. If absent, the setting has its own parser. */
interface ValueRule<Value> {
  /** The type in the package schema: for a choice, what each value means. */
  of: { type: "number" | "integer" | "boolean" | "string" } | { enum: Readonly<Record<string, string>> };
  shown: string;
  /** The end of a sentence that begins with the setting's name. */
  rule: string;
  /** Undefined if the text breaks the rule. */
  parse: (text: string) => Value | undefined;
}

export interface Setting<Value> {
  meaning: string;
  values?: ValueRule<Value>;
  /** Used if the setting isn't given; a text describes the effect. */
  default?: Value | { says: string };
  secret?: true;
  /** An argument of a `Provider` is a list of texts. In configuration, commas separate them. */
  isList?: true;
}

export const SETTINGS = {
  domain: {
    meaning: "Host name of the tenant. `http://` only for a loopback host.",
    default: { says: "required" },
  },
  clientId: { meaning: "Client of the client credentials grant." },
  clientSecret: { meaning: "Its secret.", secret: true },
  privateKey: {
    meaning: "Instead of the secret: a PKCS #8 key in PEM form, for a private-key JWT.",
    secret: true,
  },
  privateKeyAlgorithm: {
    meaning: "RS256, RS384, RS512, PS256, PS384 or PS512.",
    values: oneOf({
      RS256: "RSASSA-PKCS1-v1_5 with SHA-256.",
      RS384: "RSASSA-PKCS1-v1_5 with SHA-384.",
      RS512: "RSASSA-PKCS1-v1_5 with SHA-512.",
      PS256: "RSASSA-PSS with SHA-256.",
      PS384: "RSASSA-PSS with SHA-384.",
      PS512: "RSASSA-PSS with SHA-512.",
    }),
    default: "RS256",
  },
  accessToken: {
    meaning: "Instead of a client: a bearer token. It is never renewed.",
    secret: true,
  },
  audience: {
    meaning: "Audience of the token, sent as given.",
    default: { says: "`https://<domain>/api/v2/` or, if the tenant refuses that, `/api/v2/`" },
  },
  formerDomains: {
    meaning: "Comma-separated names that state may know the tenant by.",
    isList: true,
    default: { says: "none" },
  },
  rateLimitReserve: {
    meaning: "Share of the rate limit left to the tenant's live traffic.",
    values: number(0, 0.9),
    default: DEFAULT_LIMITS.rateLimitReserve,
  },
  maxConcurrency: {
    meaning: "Requests in flight at once. Without it, commands send up to 64.",
    values: wholeNumber(1, 256),
    default: DEFAULT_LIMITS.maxConcurrency,
  },
  maxRequestsPerSecond: {
    meaning: "Requests started per second.",
    values: number(0.01, 10_000),
    default: { says: "as many as the service allows" },
  },
  maxWaitSeconds: {
    meaning: "How long one operation may wait for the rate limit and between retries, in seconds.",
    values: number(1, 86_400),
    default: DEFAULT_LIMITS.maxWaitSeconds,
  },
  requestTimeoutSeconds: {
    meaning: "How long one attempt may stay without an answer, in seconds.",
    values: number(1, 600),
    default: DEFAULT_LIMITS.requestTimeoutSeconds,
  },
  maxRevocations: {
    meaning: "Most access that a run takes away: [what counts](held.md#limit-revocations).",
    values: wholeNumber(0),
    default: { says: "any number" },
  },
  reviewFile: {
    meaning:
      "JSON of a review: the run refuses anything that isn't in it. [Apply what was reviewed](held.md).",
    default: { says: "no review" },
  },
  requireReview: {
    meaning: "`true`: nothing is written without a review.",
    values: {
      of: { type: "boolean" },
      shown: "",
      rule: "must be true or false",
      parse: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined),
    },
    default: false,
  },
  reviewDigest: {
    meaning: "SHA-256 of the review's file: nothing is written without a review, and no other file counts.",
    values: {
      of: { type: "string" },
      shown: "",
      rule: "must be the SHA-256 of the review's file, 64 hexadecimal digits",
      parse: (text) => (isDigest(text) ? text.toLowerCase() : undefined),
    },
    default: { says: "any file" },
  },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** A SHA-256 in hexadecimal. */
function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text.trim());
}

export const SECRET_NAMES = SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting<unknown>).secret);

export type RuledName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { values: ValueRule<unknown> } ? Name : never;
}[SettingName];

export type ValueOf<Name extends RuledName> =
  (typeof SETTINGS)[Name]["values"] extends ValueRule<infer Value> ? Value : never;

/** `clientSecret` → `IDENTITY_CLIENT_SECRET`. */
export function environmentName(setting: SettingName): string {
  return `IDENTITY_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

export const NAMESPACE = "identity:";

/** A name that looks like a setting and isn't one: it would have no effect. */
export interface UnknownSetting {
  says: string;
  advice: string;
}

export function unknownSettings(keys: readonly string[], project: string | undefined): UnknownSetting[] {
  // Keys without a namespace are the project's, and the project may be called that.
  if (`${project}:` === NAMESPACE) return [];
  const names = keys.filter((key) => key.startsWith(NAMESPACE)).map((key) => key.slice(NAMESPACE.length));
  return names
    .filter((name) => !isSetting(name))
    .sort()
    .map((name) => {
      const meant = settingNear(name);
      return {
        says: `identity:${name} is no setting${meant === undefined ? "." : `: did you mean identity:${meant}?`}`,
        advice: `Correct the key, or remove it: pulumi config rm identity:${name}.`,
      };
    });
}

/** Keys with nearly the name of a setting. */
export function misspeltSettings(keys: readonly string[], project: string | undefined): UnknownSetting[] {
  const isNear = (key: string) => settingNear(key.slice(NAMESPACE.length)) !== undefined;
  return unknownSettings(keys.filter(isNear), project);
}

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** Returns variables with nearly the name of a setting. Others may be another tool's. */
export function wrongVariables(environment: NodeJS.ProcessEnv): UnknownSetting[] {
  const names = SETTING_NAMES.map(environmentName);
  const given = Object.keys(environment).filter((variable) => variable.startsWith("IDENTITY_"));
  return given.sort().flatMap((variable) => {
    const meant = misspelt(variable, names);
    if (meant === undefined) return [];
    return [
      {
        says: `${variable} is no setting: did you mean ${meant}?`,
        advice: "Rename the variable, or unset it.",
      },
    ];
  });
}

/** Returns the setting that somebody may have meant. */
export function settingNear(name: string): SettingName | undefined {
  const [meant] = nearest(name, SETTING_NAMES, 1, 2);
  return meant as SettingName | undefined;
}

function number(least: number, most: number): ValueRule<number> {
  return {
    of: { type: "number" },
    shown: `${least}–${grouped(most)}`,
    rule: `must be a number from ${least} to ${most}`,
    parse: (text) => (/^[\d.]+$/.test(text) ? within(Number(text), least, most) : undefined),
  };
}

function wholeNumber(least: number, most?: number): ValueRule<number> {
  return {
    of: { type: "integer" },
    shown: most === undefined ? `≥ ${least}` : `${least}–${most}`,
    rule: `must be a whole number ${most === undefined ? `of at least ${least}` : `from ${least} to ${most}`}`,
    parse: (text) => (/^\d{1,9}$/.test(text) ? within(Number(text), least, most) : undefined),
  };
}

function within(value: number, least: number, most = Infinity): number | undefined {
  return value >= least && value <= most ? value : undefined;
}

function oneOf<Value extends string>(meanings: Readonly<Record<Value, string>>): ValueRule<Value> {
  const values = Object.keys(meanings) as Value[];
  return {
    of: { enum: meanings },
    shown: "",
    rule: `must be one of ${values.join(", ")}`,
    parse: (text) => values.find((value) => value === text),
  };
}
