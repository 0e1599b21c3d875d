import { type Credentials, HEADER_TEXT, parsePrivateKey } from "../http/credentials";
import { ConfigurationError } from "../http/errors";
import { parseJson } from "../http/shape";
import { type ClientLimits, DEFAULT_LIMITS, parseDomain, type TenantSettings } from "../http/settings";
import {
  environmentName,
  type RuledName,
  SECRET_NAMES,
  type Setting,
  SETTING_NAMES,
  type SettingName,
  SETTINGS,
  type UnknownSetting,
  type ValueOf,
} from "./settings-table";

/** Settings by their name in stack configuration, without the `identity:` before it. */
export type RawSettings = Partial<Record<SettingName, string>>;

/** Credentials in order of precedence, if several are given at the same place. */
export const CREDENTIAL_NAMES = ["accessToken", "privateKey", "clientSecret"] as const;
type CredentialName = (typeof CREDENTIAL_NAMES)[number];

/** The source of settings: it decides how messages name them. */
export type SettingsSource = { from: "stack" } | ProviderSource | { from: "environment" };

interface ProviderSource {
  from: "provider";
  name: string;
  /** Settings for which the environment is stricter than the provider's arguments. */
  restrained?: readonly SettingName[];
}

/** Marks the arguments of an explicit provider, which the environment must not change. */
export const EXPLICIT_PROVIDER_KEY = "identity:provider";

/**
 * Reads all settings, first from the environment, then from stack configuration. The environment wins because
 * `refresh` and `destroy` see the stack configuration of the last `up`. A credential in the environment also
 * wins over another kind of credential in stack configuration.
 */
export function readSettings(
  get: (setting: SettingName) => string | undefined,
  environment: NodeJS.ProcessEnv,
): RawSettings {
  const settings: RawSettings = {};
  const ofEnvironment = CREDENTIAL_NAMES.find((name) => isGiven(environment[environmentName(name)]));
  const isOverruled = (name: SettingName) =>
    ofEnvironment !== undefined && name !== ofEnvironment && CREDENTIAL_NAMES.some((other) => other === name);
  for (const name of SETTING_NAMES.filter((each) => !isOverruled(each))) {
    const fromEnvironment = environment[environmentName(name)];
    const value = isGiven(fromEnvironment) ? fromEnvironment : get(name);
    if (isGiven(value)) settings[name] = value;
  }
  return withoutOwnReview(settings, environment);
}

/**
 * Settings that restrain a run, each with the stricter of two values. They count as soon as they are set,
 * wherever a run can know them.
 */
const RESTRAINTS = {
  maxRevocations: lower,
  // Two reviews can't be compared. Whoever runs the program knows which one was approved.
  reviewFile: (_own: string, other: string) => other,
  requireReview: (own, other) => (requiredReview({ requireReview: own }).isRequired ? own : other),
  // No file has two digests, so that together they are no setting.
  reviewDigest: (own, other) => (isSameText(own, other) ? own : `${own} and ${other}`),
} as const satisfies Partial<Record<SettingName, (own: string, other: string) => string>>;

/** A variable that `review` sets for its own previews. */
export const FOR_REVIEW = "PULUMI_IDENTITY_FOR_REVIEW";

export const RESTRAINT_NAMES = Object.keys(RESTRAINTS) as (keyof typeof RESTRAINTS)[];

/** Reads the arguments of an explicit provider, which the environment can only make stricter. */
export function readProviderSettings(
  name: string,
  get: (setting: SettingName) => string | undefined,
  environment: NodeJS.ProcessEnv,
): { settings: RawSettings; source: ProviderSource } {
  const settings = readSettings(get, {});
  const restrained = RESTRAINT_NAMES.filter((setting) => {
    const [own, other] = [settings[setting], environment[environmentName(setting)]];
    if (!isGiven(other)) return false;
    const stricter = own === undefined ? other : RESTRAINTS[setting](own, other);
    settings[setting] = stricter;
    return stricter !== own;
  });
  return {
    settings: withoutOwnReview(settings, environment),
    source: { from: "provider", name, ...(restrained.length > 0 && { restrained }) },
  };
}

/** Today's configuration, as far as a run without the program knows it. */
export interface TodaysSettings {
  restraints: RawSettings;
  /** Why there may be others, as the end of a sentence; undefined if there are none. */
  unknown: string | undefined;
  /** Keys that may have meant restraints. */
  misspelt?: readonly UnknownSetting[];
}

/** Returns the settings of the last `up`, restrained by today's. The environment has the last word. */
export function withToday(
  settings: RawSettings,
  { restraints }: TodaysSettings,
  environment: NodeJS.ProcessEnv,
): RawSettings {
  const stricter = { ...settings };
  for (const name of RESTRAINT_NAMES.filter((each) => !isGiven(environment[environmentName(each)]))) {
    const [own, other] = [settings[name], restraints[name]];
    if (isGiven(other)) stricter[name] = own === undefined ? other : RESTRAINTS[name](own, other);
  }
  return withoutOwnReview(stricter, environment);
}

/**
 * A program must not choose the review if the environment requires one; whoever requires it also names the
 * file.
 */
function withoutOwnReview(
  { reviewFile, ...settings }: RawSettings,
  environment: NodeJS.ProcessEnv,
): RawSettings {
  const { isRequired } = requiredReview({
    requireReview: environment[environmentName("requireReview")] ?? "",
    reviewDigest: environment[environmentName("reviewDigest")] ?? "",
  });
  const isOwn = !isGiven(environment[environmentName("reviewFile")]);
  return reviewFile === undefined || (isRequired && isOwn) ? settings : { ...settings, reviewFile };
}

/** A number that breaks the rule counts as the lower one, because it stops the run. */
function lower(own: string, other: string): string {
  const [a, b] = [own, other].map((text) => SETTINGS.maxRevocations.values.parse(text.trim()));
  return a !== undefined && (b === undefined || b < a) ? other : own;
}

function isSameText(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Says what restrains a run that may not see today's settings. */
export function restraintsText(
  settings: RawSettings,
  source: SettingsSource,
  /** Why today's settings aren't known. */
  why: string | undefined,
): string {
  const limit = settingValue("maxRevocations", settings);
  const { isRequired } = requiredReview(settings);
  const variables = `${environmentName("maxRevocations")} or ${environmentName("requireReview")}`;
  return [
    `In this run, ${limit === undefined ? "revocations have no limit" : `revocations are limited to ${limit}`}, and`,
    settings.reviewFile === undefined
      ? `${isRequired ? "a" : "no"} review is required.`
      : `${settings.reviewFile.trim()} is the review that it is held to.`,
    why === undefined
      ? `A run without the program has the ${source.from === "provider" ? `arguments of the Provider "${source.name}"` : "configuration"} of the last up: to restrain it,`
      : `Today's configuration isn't known, because ${why}. To restrain this run,`,
    `set ${variables} in the environment.`,
  ].join(" ");
}

/**
 * Says if nothing may be written without a review, and which SHA-256 its file must have. Whatever breaks a
 * rule requires one.
 */
export function requiredReview({ requireReview, reviewDigest }: RawSettings): {
  isRequired: boolean;
  digest: string | undefined;
} {
  const given = isGiven(reviewDigest) ? reviewDigest : undefined;
  const isRequired = isGiven(requireReview) && !isSameText(requireReview, "false");
  return { isRequired: isRequired || given !== undefined, digest: given?.trim().toLowerCase() };
}

/** Checks all settings at once; throws a `ConfigurationError`. */
export function parseSettings(
  settings: RawSettings,
  source: SettingsSource,
  /** True if these may be settings of the last `up`, as in a refresh or a destroy. */
  mayBeOld: () => boolean = () => false,
): TenantSettings {
  const { origin, credentials, limits, problems } = parseAll(settings, source);
  const { missing, wrong } = problems;
  if (origin === undefined || credentials === undefined || missing.length + wrong.length > 0) {
    const says = missing.length > 0 ? "is not configured" : "is configured wrongly";
    const sentences = [...missing, ...wrong].map((problem) => problem.says);
    throw new ConfigurationError(`The connection to the identity tenant ${says}. ${sentences.join(" ")}`);
  }
  return {
    origin,
    credentials,
    limits,
    nameOf: (setting) => settingName(setting as SettingName, source),
    rotation: () => (mayBeOld() ? rotationOf(source) : ""),
    ...(settings.audience !== undefined && { audience: settings.audience.trim() }),
  };
}

function rotationOf(source: SettingsSource): string {
  return source.from === "provider"
    ? `In a pulumi refresh or destroy, the Provider "${source.name}" has the arguments of the last up: add --run-program.`
    : "In a pulumi refresh or destroy, the configuration is that of the last up: pass new credentials in the environment, or add --run-program.";
}

export function settingProblems(settings: RawSettings, source: SettingsSource): SettingProblems {
  return parseAll(settings, source).problems;
}

function parseAll(settings: RawSettings, source: SettingsSource) {
  const lacking = missingCredential(settings, source);
  const problems: SettingProblems = {
    missing: lacking === undefined ? [] : [lacking],
    wrong: [],
  };
  if (settings.domain === undefined)
    problems.missing.unshift({ setting: "domain", says: howToSet("domain", source, "tenant.example.com") });
  const parsed = <Value extends object>(
    setting: SettingName,
    parse: (text: string) => Value | { problem: string },
  ): Value | undefined => {
    const text = settings[setting];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (!("problem" in value)) return value;
    problems.wrong.push({ setting, says: `${settingName(setting, source)} ${value.problem}.` });
    return undefined;
  };
  const credential = lacking === undefined ? credentialOf(settings) : undefined;
  const all = {
    problems,
    origin: parsed("domain", parseOrigin)?.origin,
    credentials: credential && parsed(credential, () => parseCredential(credential, settings)),
    limits: limitsOf(settings),
  };
  for (const name of SETTING_NAMES) parsed(name, (text) => keepsRule(name, text));
  return all;
}

function keepsRule(setting: SettingName, text: string): { problem: string } | object {
  const { values }: Setting<unknown> = SETTINGS[setting];
  if (values === undefined || values.parse(text.trim()) !== undefined) return {};
  return { problem: `${values.rule}; it is ${JSON.stringify(text)}` };
}

export interface SettingProblem {
  setting: SettingName;
  /** Says what to set, as a sentence. */
  says: string;
}

/** Separate for missing settings and broken rules. */
export interface SettingProblems {
  missing: SettingProblem[];
  wrong: SettingProblem[];
}

/** Returns the tenant's host name if settings have one; never throws, for previews without configuration. */
export function tenantOf(settings: RawSettings): string | undefined {
  const parsed = parseDomain(settings.domain?.trim() ?? "");
  return "origin" in parsed ? new URL(parsed.origin).host : undefined;
}

/** The tenant's earlier host names, so that state with one of these is still accepted. */
export function formerTenants({ formerDomains = "" }: RawSettings): string[] {
  return domainsIn(formerDomains)
    .map((domain) => tenantOf({ domain: domain.trim() }))
    .filter((tenant) => tenant !== undefined);
}

/** Configuration separates them by commas; generated SDKs send lists as JSON. */
function domainsIn(text: string): string[] {
  const list = text.trim().startsWith("[") ? parseJson(text) : undefined;
  return Array.isArray(list) ? list.map(String) : text.split(",");
}

/** Returns a setting with a rule, or its default if it's missing or breaks the rule. */
export function settingValue<Name extends RuledName>(
  name: Name,
  settings: RawSettings,
): ValueOf<Name> | undefined {
  const { values, default: fallback } = SETTINGS[name] as Setting<ValueOf<Name>>;
  const given = settings[name] === undefined ? undefined : values?.parse(settings[name].trim());
  return given ?? (typeof fallback === "object" ? undefined : fallback);
}

/** Returns the setting's name for messages, and how to raise it for one run. */
export function maxRevocationsSetting(source: SettingsSource): {
  name: string;
  raise: (count: number) => string;
} {
  const name = settingName("maxRevocations", source);
  return {
    name,
    raise: (count) =>
      source.from === "provider" && !isRestrained("maxRevocations", source)
        ? `raise ${name} to ${count} for this one run; a destroy sees it with --run-program`
        : `run the same command with ${environmentName("maxRevocations")}=${count}`,
  };
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

/** The setting's name in messages. */
export function settingName(setting: SettingName, source: SettingsSource): string {
  if (source.from === "environment" || isRestrained(setting, source)) return environmentName(setting);
  if (source.from === "provider") return `${setting} of the Provider "${source.name}"`;
  return `identity:${setting} (${environmentName(setting)})`;
}

function isRestrained(setting: SettingName, source: SettingsSource): boolean {
  return source.from === "provider" && source.restrained?.some((name) => name === setting) === true;
}

function howToSet(setting: SettingName, source: SettingsSource, sample: string): string {
  if (source.from === "provider") return `Give ${settingName(setting, source)}.`;
  if (source.from === "environment") return `Set ${settingName(setting, source)}.`;
  const flag = SECRET_NAMES.includes(setting) ? " --secret" : "";
  return (
    `Set ${settingName(setting, source)}, for example: pulumi config set${flag} identity:${setting} ${sample}`.trim() +
    "."
  );
}

/** Returns the missing settings if there is no credential, or one that needs a client and has none. */
function missingCredential(settings: RawSettings, source: SettingsSource): SettingProblem | undefined {
  const setting = credentialOf(settings);
  if (setting === "accessToken") return undefined;
  const [privateKey, token] = [settingName("privateKey", source), settingName("accessToken", source)];
  if (settings.clientId === undefined) {
    if (setting !== undefined) return { setting: "clientId", says: howToSet("clientId", source, "…") };
    const [id, secret] = [settingName("clientId", source), settingName("clientSecret", source)];
    const says = `Credentials are missing: set ${id} and ${secret} or ${privateKey}, or ${token}.`;
    return { setting: "clientId", says };
  }
  if (setting !== undefined) return undefined;
  const says = `${howToSet("clientSecret", source, "…")} Instead, ${privateKey} or ${token} will do.`;
  return { setting: "clientSecret", says };
}

function parseOrigin(domain: string): { origin: string } | { problem: string } {
  const parsed = parseDomain(domain.trim());
  // Don't repeat a value that has a user name or password in it.
  if ("origin" in parsed || domain.includes("@")) return parsed;
  return { problem: `${parsed.problem}; it is ${JSON.stringify(domain)}` };
}

export function credentialOf(settings: RawSettings): CredentialName | undefined {
  return CREDENTIAL_NAMES.find((name) => settings[name] !== undefined);
}

/** A problem is the rule that the value breaks. */
function parseCredential(setting: CredentialName, settings: RawSettings): Credentials | { problem: string } {
  const text = settings[setting] ?? "";
  // Present unless the credential is a token.
  const clientId = settings.clientId?.trim() ?? "";
  const algorithm = settingValue("privateKeyAlgorithm", settings) ?? "RS256";
  switch (setting) {
    case "accessToken":
      if (HEADER_TEXT.test(text.trim())) return { type: "access-token", accessToken: text.trim() };
      return { problem: "is not a token: it holds spaces or characters outside ASCII" };
    case "clientSecret":
      // A secret may begin or end with a blank; a line break comes from the file or pipe it was read from.
      return { type: "client-secret", clientId, clientSecret: text.replace(/[\r\n]+$/, "") };
    case "privateKey": {
      const key = parsePrivateKey(text);
      return "pem" in key ? { type: "private-key", clientId, privateKey: key.pem, algorithm } : key;
    }
  }
}

function limitsOf(settings: RawSettings): ClientLimits {
  const limit = <Name extends RuledName & keyof ClientLimits>(name: Name) =>
    settingValue(name, settings) ?? DEFAULT_LIMITS[name];
  return {
    rateLimitReserve: limit("rateLimitReserve"),
    maxConcurrency: limit("maxConcurrency"),
    maxRequestsPerSecond: limit("maxRequestsPerSecond"),
    maxWaitSeconds: limit("maxWaitSeconds"),
    requestTimeoutSeconds: limit("requestTimeoutSeconds"),
  };
}
