import {
  type Credentials,
  HEADER_TEXT,
  looksLikePath,
  parsePrivateKey,
} from "../http/credentials/credentials";
import { parseFilePath } from "../http/credentials/source";
import { parseCommand } from "../http/credentials/token-command";
import { ConfigurationError } from "../http/errors";
import { type ClientLimits, DEFAULT_LIMITS, parseDomain, type TenantSettings } from "../http/settings";
import {
  environmentName,
  type RuledName,
  SECRET_NAMES,
  type Setting,
  SETTING_NAMES,
  type SettingName,
  SETTINGS,
  type ValueOf,
} from "./settings-table";

/** Settings by their name in stack configuration, without the `identity:` before it. */
export type RawSettings = Partial<Record<SettingName, string>>;

/** Credentials in the order in which they win where several are given at the same place. */
export const CREDENTIAL_NAMES = [
  "accessToken",
  "accessTokenCommand",
  "privateKey",
  "privateKeyFile",
  "clientSecret",
  "clientSecretFile",
] as const;
type CredentialName = (typeof CREDENTIAL_NAMES)[number];

/** Where settings come from: it decides how they are named in messages. */
export type SettingsSource = { kind: "stack" } | { kind: "provider"; name: string } | { kind: "environment" };

/** Marks, among the arguments of an explicit provider, that the environment must not change them. */
export const EXPLICIT_PROVIDER_KEY = "identity:provider";

/**
 * Reads all settings: from the environment, which wins since `refresh` and `destroy` see the stack
 * configuration of the last `up`, then from stack configuration. A credential in the environment also wins
 * over another kind of credential in stack configuration.
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
  // A program must not choose the review where the environment requires one: who does so there says which.
  const isRequired = requiredReview(environment[environmentName("requireReview")]) !== false;
  if (isRequired && !isGiven(environment[environmentName("reviewFile")])) delete settings.reviewFile;
  return settings;
}

/** What the environment says to an explicit provider, which takes exactly what it is given otherwise. */
export function environmentOfProviders(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = [environmentName("reviewFile"), environmentName("requireReview")];
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** Whether nothing may be written without a review, or the SHA-256 that its file must have. */
export function requiredReview(text = ""): boolean | string {
  const value = text.trim().toLowerCase();
  if (value === "" || value === "false") return false;
  return /^[0-9a-f]{64}$/.test(value) ? value : true;
}

/** Checks settings, all problems at once; throws a `ConfigurationError`. */
export function parseSettings(
  settings: RawSettings,
  source: SettingsSource,
  /** Whether the settings may be those of the last `up`, as a refresh and a destroy have them. */
  mayBeOld: () => boolean = () => false,
): TenantSettings {
  const { origin, credentials, limits, tokenCache, problems } = parseAll(settings, source);
  const { missing, wrong } = problems;
  if (origin === undefined || credentials === undefined || missing.length + wrong.length > 0) {
    const says = missing.length > 0 ? "is not configured" : "is configured wrongly";
    const sentences = [...missing, ...wrong].join(" ");
    throw new ConfigurationError(`The connection to the identity tenant ${says}. ${sentences}`);
  }
  return {
    origin,
    credentials,
    limits,
    nameOf: (setting) => settingName(setting as SettingName, source),
    rotation: () => rotationOf(credentials, source, mayBeOld()),
    ...(settings.audience !== undefined && { audience: settings.audience.trim() }),
    ...(tokenCache !== undefined && { tokenCache }),
  };
}

function rotationOf(credentials: Credentials, source: SettingsSource, mayBeOld: boolean): string {
  if ("file" in credentials) return "The file is read again by the next run.";
  if ("command" in credentials) return "The command is run again by the next run.";
  if (!mayBeOld) return "";
  return source.kind === "provider"
    ? `In a pulumi refresh or destroy, the Provider "${source.name}" has the arguments of the last up: add --run-program.`
    : "In a pulumi refresh or destroy, the configuration is that of the last up: pass new credentials in the environment, or add --run-program.";
}

export function settingProblems(settings: RawSettings, source: SettingsSource): SettingProblems {
  return parseAll(settings, source).problems;
}

function parseAll(settings: RawSettings, source: SettingsSource) {
  const problems: SettingProblems = { missing: [], wrong: [] };
  const parsed = {
    problems,
    origin: parseOrigin(settings, source, problems),
    credentials: parseCredentials(settings, source, problems),
    limits: limitsOf(settings),
    tokenCache: parseTokenCache(settings, source, problems),
  };
  for (const name of SETTING_NAMES) {
    const { values }: Setting<unknown> = SETTINGS[name];
    const text = settings[name];
    if (values === undefined || text === undefined || values.parse(text.trim()) !== undefined) continue;
    problems.wrong.push(`${settingName(name, source)} ${values.rule}; it is ${JSON.stringify(text)}.`);
  }
  return parsed;
}

/** Sentences that say what to set, apart for settings that are not given and for those that break a rule. */
export interface SettingProblems {
  missing: string[];
  wrong: string[];
}

/** The tenant's host name if settings name one; nothing is thrown, for previews without configuration. */
export function tenantOf(settings: RawSettings): string | undefined {
  const parsed = parseDomain(settings.domain?.trim() ?? "");
  return "origin" in parsed ? new URL(parsed.origin).host : undefined;
}

/** Host names under which the tenant was known before, so that state which records them is still accepted. */
export function formerTenants(settings: RawSettings): string[] {
  return (settings.formerDomains ?? "")
    .split(",")
    .map((domain) => tenantOf({ domain: domain.trim() }))
    .filter((tenant) => tenant !== undefined);
}

/** A setting with a rule; its default where it is not given or breaks the rule. */
export function settingValue<Name extends RuledName>(
  name: Name,
  settings: RawSettings,
): ValueOf<Name> | undefined {
  const { values, default: fallback } = SETTINGS[name] as Setting<ValueOf<Name>>;
  const given = settings[name] === undefined ? undefined : values?.parse(settings[name].trim());
  return given ?? (typeof fallback === "object" ? undefined : fallback);
}

/** How messages name the setting, and how it is raised for one run. */
export function maxRevocationsSetting(source: SettingsSource): {
  name: string;
  raise: (count: number) => string;
} {
  const name = settingName("maxRevocations", source);
  return {
    name,
    raise: (count) =>
      source.kind === "provider"
        ? `raise ${name} to ${count} for this one run`
        : `raise it for this one run: ${environmentName("maxRevocations")}=${count} pulumi up`,
  };
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function settingName(setting: SettingName, source: SettingsSource): string {
  if (source.kind === "provider") return `${setting} of the Provider "${source.name}"`;
  if (source.kind === "environment") return environmentName(setting);
  return `identity:${setting} (${environmentName(setting)})`;
}

function howToSet(setting: SettingName, source: SettingsSource, sample: string): string {
  if (source.kind === "provider") return `Give ${settingName(setting, source)}.`;
  if (source.kind === "environment") return `Set ${settingName(setting, source)}.`;
  const flag = SECRET_NAMES.includes(setting) ? " --secret" : "";
  return (
    `Set ${settingName(setting, source)}, for example: pulumi config set${flag} identity:${setting} ${sample}`.trim() +
    "."
  );
}

function parseOrigin(
  settings: RawSettings,
  source: SettingsSource,
  problems: SettingProblems,
): string | undefined {
  if (settings.domain === undefined) {
    problems.missing.push(howToSet("domain", source, "tenant.example.com"));
    return undefined;
  }
  const parsed = parseDomain(settings.domain.trim());
  if ("origin" in parsed) return parsed.origin;
  // What has a user name or password in it must not be repeated.
  const value = settings.domain.includes("@") ? "" : `; it is ${JSON.stringify(settings.domain)}`;
  problems.wrong.push(`${settingName("domain", source)} ${parsed.problem}${value}.`);
  return undefined;
}

function parseCredentials(
  settings: RawSettings,
  source: SettingsSource,
  problems: SettingProblems,
): Credentials | undefined {
  const clientId = settings.clientId?.trim();
  const setting = credentialOf(settings);
  const isToken = setting === "accessToken" || setting === "accessTokenCommand";
  if (setting === undefined || (clientId === undefined && !isToken)) {
    problems.missing.push(missingCredentials(clientId, setting, source));
    return undefined;
  }
  const parsed = parseCredential(setting, settings, clientId);
  if (!("problem" in parsed)) return parsed;
  const isPath = setting === "privateKey" && looksLikePath(settings[setting] ?? "");
  const hint = isPath ? `; the path of a file goes into ${settingName("privateKeyFile", source)}` : "";
  problems.wrong.push(`${settingName(setting, source)} ${parsed.problem}${hint}.`);
  return undefined;
}

function missingCredentials(
  clientId: string | undefined,
  setting: CredentialName | undefined,
  source: SettingsSource,
): string {
  const [privateKey, token] = [settingName("privateKey", source), settingName("accessToken", source)];
  if (clientId !== undefined)
    return `${howToSet("clientSecret", source, "…")} Instead, ${privateKey} or ${token} will do.`;
  if (setting !== undefined) return howToSet("clientId", source, "…");
  const [id, secret] = [settingName("clientId", source), settingName("clientSecret", source)];
  return `Credentials are missing: set ${id} and ${secret} or ${privateKey}, or ${token}.`;
}

/** The credential that is used; undefined when none is given. */
export function credentialOf(settings: RawSettings): CredentialName | undefined {
  return CREDENTIAL_NAMES.find((name) => settings[name] !== undefined);
}

/** A problem is the rule that the value breaks. `clientId`: given for all but a token. */
function parseCredential(
  setting: CredentialName,
  settings: RawSettings,
  clientId = "",
): Credentials | { problem: string } {
  const text = settings[setting] ?? "";
  const algorithm = settingValue("privateKeyAlgorithm", settings) ?? "RS256";
  switch (setting) {
    case "accessToken":
      if (HEADER_TEXT.test(text.trim())) return { kind: "access-token", accessToken: text.trim() };
      return { problem: "is not a token: it holds spaces or characters outside ASCII" };
    case "accessTokenCommand": {
      const parsed = parseCommand(text);
      return "problem" in parsed ? parsed : { kind: "access-token-command", ...parsed };
    }
    case "clientSecret":
      // A secret may begin or end with a blank; a line break comes from the file or the pipe that it was read
      // from.
      return { kind: "client-secret", clientId, clientSecret: text.replace(/[\r\n]+$/, "") };
    case "clientSecretFile": {
      const parsed = parseFilePath(text);
      return "problem" in parsed ? parsed : { kind: "client-secret-file", clientId, ...parsed };
    }
    case "privateKey": {
      const key = parsePrivateKey(text);
      return "problem" in key ? key : { kind: "private-key", clientId, privateKey: key.pem, algorithm };
    }
    case "privateKeyFile": {
      const parsed = parseFilePath(text);
      return "problem" in parsed ? parsed : { kind: "private-key-file", clientId, algorithm, ...parsed };
    }
  }
}

function parseTokenCache(
  { tokenCache }: RawSettings,
  source: SettingsSource,
  problems: SettingProblems,
): string | undefined {
  if (tokenCache === undefined) return undefined;
  const parsed = parseFilePath(tokenCache, "/tmp/identity-token");
  if ("file" in parsed) return parsed.file;
  problems.wrong.push(`${settingName("tokenCache", source)} ${parsed.problem}.`);
  return undefined;
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
