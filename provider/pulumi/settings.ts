import { ConfigurationError } from "../http/errors";
import { parseFilePath } from "../http/secret-file";
import {
  type ClientLimits,
  type Credentials,
  DEFAULT_LIMITS,
  looksLikePath,
  parseDomain,
  parsePrivateKey,
  type TenantSettings,
} from "../http/settings";
import { parseCommand } from "../http/token-command";
import { isForeignReview, isRequirement, REQUIREMENT_RULE } from "./review-settings";

/** Settings by their name in stack configuration, without the `identity:` before it. */
export type RawSettings = Partial<Record<SettingName, string>>;

export const SETTING_NAMES = [
  "domain",
  "clientId",
  "clientSecret",
  "clientSecretFile",
  "privateKey",
  "privateKeyFile",
  "privateKeyAlgorithm",
  "accessToken",
  "accessTokenCommand",
  "audience",
  "formerDomains",
  "rateLimitReserve",
  "maxConcurrency",
  "maxRequestsPerSecond",
  "maxWaitSeconds",
  "requestTimeoutSeconds",
  "uniqueProfileNames",
  "maxRevocations",
  "reviewFile",
  "requireReview",
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

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

/** Credentials that are secrets themselves; the others say where a secret is kept. */
export const SECRET_NAMES = ["accessToken", "privateKey", "clientSecret"] as const satisfies CredentialName[];

/** Where settings come from: it decides how they are named in messages. */
export type SettingsSource = { kind: "stack" } | { kind: "provider"; name: string } | { kind: "environment" };

/** Settings that are on or off. */
const SWITCHES = ["uniqueProfileNames"] as const satisfies readonly SettingName[];

/** Marks, among the arguments of an explicit provider, that the environment must not change them. */
export const EXPLICIT_PROVIDER_KEY = "identity:provider";

const WHOLE_NUMBER = /^\d{1,9}$/;

const ALGORITHMS: readonly string[] = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];

/** `clientSecret` → `IDENTITY_CLIENT_SECRET`. */
export function environmentName(setting: SettingName): string {
  return `IDENTITY_${setting.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/**
 * Reads all settings: from the environment, which wins since `refresh` and `destroy` see the stack configuration of
 * the last `up`, then from stack configuration. A credential in the environment also wins over another kind of
 * credential in stack configuration.
 */
export function readSettings(
  get: (setting: SettingName) => string | undefined,
  environment: NodeJS.ProcessEnv,
): RawSettings {
  const settings: RawSettings = {};
  let credentialFromEnvironment: SettingName | undefined;
  for (const name of SETTING_NAMES) {
    const fromEnvironment = environment[environmentName(name)];
    const value = isSet(fromEnvironment) ? fromEnvironment : get(name);
    if (isSet(value)) settings[name] = value;
  }
  for (const name of CREDENTIAL_NAMES) {
    if (isSet(environment[environmentName(name)])) credentialFromEnvironment ??= name;
  }
  if (credentialFromEnvironment !== undefined) {
    for (const name of CREDENTIAL_NAMES) if (name !== credentialFromEnvironment) delete settings[name];
  }
  if (isForeignReview(environment)) delete settings.reviewFile;
  return settings;
}

/** Checks settings, all problems at once; throws a `ConfigurationError`. */
export function parseSettings(
  settings: RawSettings,
  source: SettingsSource,
  /** Whether the settings may be those of the last `up`, as a refresh and a destroy have them. */
  mayBeOld: () => boolean = () => false,
): TenantSettings {
  const problems = new Problems();
  const { origin, credentials, limits } = parseAll(settings, source, problems);
  if (origin === undefined || credentials === undefined || problems.all.length > 0) {
    throw new ConfigurationError(
      `The connection to the identity tenant is not configured. ${problems.all.join(" ")}`,
    );
  }
  return {
    origin,
    credentials,
    limits,
    nameOf: (setting) => nameOf(setting as SettingName, source),
    rotation: () => rotationOf(credentials, source, mayBeOld()),
    ...(settings.audience !== undefined && { audience: settings.audience.trim() }),
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

/** What is wrong with the settings that are given; missing ones are no problem here. */
export function wrongSettings(settings: RawSettings, source: SettingsSource): string[] {
  return [...problemsOf(settings, source).wrong];
}

/** All that keeps a client from being made. */
export function problemsOf(settings: RawSettings, source: SettingsSource): SettingProblems {
  const problems = new Problems();
  parseAll(settings, source, problems);
  return problems;
}

function parseAll(settings: RawSettings, source: SettingsSource, problems: Problems) {
  const parsed = {
    origin: parseOrigin(settings, source, problems),
    credentials: parseCredentials(settings, source, problems),
    limits: parseLimits(settings, source, problems),
  };
  checkSwitches(settings, source, problems);
  checkMaxRevocations(settings, source, problems);
  if (settings.requireReview !== undefined && !isRequirement(settings.requireReview))
    problems.wrong.push(`${nameOf("requireReview", source)} ${REQUIREMENT_RULE}.`);
  return parsed;
}

/** Sentences that say what to set, apart for settings that are not given and for those that break a rule. */
export interface SettingProblems {
  readonly missing: readonly string[];
  readonly wrong: readonly string[];
}

class Problems implements SettingProblems {
  readonly missing: string[] = [];
  readonly wrong: string[] = [];

  get all(): string[] {
    return [...this.missing, ...this.wrong];
  }
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

/** Whether a switch is on; off is the default. */
export function isOn(setting: (typeof SWITCHES)[number], settings: RawSettings): boolean {
  return settings[setting]?.trim() === "true";
}

/** Undefined: any number. */
export function maxRevocations({ maxRevocations: text }: RawSettings): number | undefined {
  return text !== undefined && WHOLE_NUMBER.test(text.trim()) ? Number(text) : undefined;
}

/** How messages name the setting, and how it is raised for one run. */
export function maxRevocationsSetting(source: SettingsSource): {
  name: string;
  raise: (count: number) => string;
} {
  const name = nameOf("maxRevocations", source);
  return {
    name,
    raise: (count) =>
      source.kind === "provider"
        ? `raise ${name} to ${count} for this one run`
        : `raise it for this one run: ${environmentName("maxRevocations")}=${count} pulumi up`,
  };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function nameOf(setting: SettingName, source: SettingsSource): string {
  if (source.kind === "provider") return `${setting} of the Provider "${source.name}"`;
  if (source.kind === "environment") return environmentName(setting);
  return `identity:${setting} (${environmentName(setting)})`;
}

function howToSet(setting: SettingName, source: SettingsSource, secret: boolean, sample: string): string {
  if (source.kind === "provider") return `Give ${nameOf(setting, source)}.`;
  if (source.kind === "environment") return `Set ${nameOf(setting, source)}.`;
  const flag = secret ? " --secret" : "";
  return (
    `Set ${nameOf(setting, source)}, for example: pulumi config set${flag} identity:${setting} ${sample}`.trim() +
    "."
  );
}

function parseOrigin(settings: RawSettings, source: SettingsSource, problems: Problems): string | undefined {
  if (settings.domain === undefined) {
    problems.missing.push(howToSet("domain", source, false, "tenant.example.com"));
    return undefined;
  }
  const parsed = parseDomain(settings.domain.trim());
  if ("origin" in parsed) return parsed.origin;
  // What has a user name or password in it must not be repeated.
  const value = settings.domain.includes("@") ? "" : `; it is ${JSON.stringify(settings.domain)}`;
  problems.wrong.push(`${nameOf("domain", source)} ${parsed.problem}${value}.`);
  return undefined;
}

function parseCredentials(
  settings: RawSettings,
  source: SettingsSource,
  problems: Problems,
): Credentials | undefined {
  const clientId = settings.clientId?.trim();
  const setting = credentialOf(settings);
  if (setting === "accessToken" || setting === "accessTokenCommand") {
    return parseToken(setting, settings[setting] ?? "", source, problems);
  }
  if (setting === undefined && clientId === undefined) {
    problems.missing.push(
      `Credentials are missing: set ${nameOf("clientId", source)} and ${nameOf("clientSecret", source)} or ` +
        `${nameOf("privateKey", source)}, or ${nameOf("accessToken", source)}.`,
    );
    return undefined;
  }
  if (clientId === undefined) {
    problems.missing.push(howToSet("clientId", source, false, "…"));
    return undefined;
  }
  if (setting === undefined) {
    problems.missing.push(
      `${howToSet("clientSecret", source, true, "…")} Instead, ${nameOf("privateKey", source)} or ` +
        `${nameOf("accessToken", source)} will do.`,
    );
    return undefined;
  }
  return parseProof(setting, clientId, settings, source, problems);
}

/** The credential that is used; undefined when none is given. */
export function credentialOf(settings: RawSettings): CredentialName | undefined {
  return CREDENTIAL_NAMES.find((name) => settings[name] !== undefined);
}

function parseToken(
  setting: "accessToken" | "accessTokenCommand",
  text: string,
  source: SettingsSource,
  problems: Problems,
): Credentials | undefined {
  if (setting === "accessToken") {
    if (/^[\x21-\x7e]+$/.test(text.trim())) return { kind: "access-token", accessToken: text.trim() };
    problems.wrong.push(
      `${nameOf(setting, source)} is not a token: it holds spaces or characters outside ASCII.`,
    );
    return undefined;
  }
  const parsed = parseCommand(text);
  if ("command" in parsed) return { kind: "access-token-command", command: parsed.command };
  problems.wrong.push(`${nameOf(setting, source)} ${parsed.problem}.`);
  return undefined;
}

/** What proves that a client is the one it says. */
function parseProof(
  setting: Exclude<CredentialName, "accessToken" | "accessTokenCommand">,
  clientId: string,
  settings: RawSettings,
  source: SettingsSource,
  problems: Problems,
): Credentials | undefined {
  const text = settings[setting] ?? "";
  const wrong = (problem: string) => {
    problems.wrong.push(`${nameOf(setting, source)} ${problem}.`);
    return undefined;
  };
  // A secret may begin or end with a blank; a line break comes from the file or the pipe that it was read from.
  if (setting === "clientSecret")
    return { kind: "client-secret", clientId, clientSecret: text.replace(/[\r\n]+$/, "") };
  if (setting === "clientSecretFile") {
    const parsed = parseFilePath(text);
    return "problem" in parsed ? wrong(parsed.problem) : { kind: "client-secret-file", clientId, ...parsed };
  }
  const algorithm = parseAlgorithm(settings, source, problems);
  if (setting === "privateKeyFile") {
    const parsed = parseFilePath(text);
    return "problem" in parsed
      ? wrong(parsed.problem)
      : { kind: "private-key-file", clientId, algorithm, ...parsed };
  }
  const key = parsePrivateKey(text);
  if ("pem" in key) return { kind: "private-key", clientId, privateKey: key.pem, algorithm };
  const hint = looksLikePath(text)
    ? `; the path of a file goes into ${nameOf("privateKeyFile", source)}`
    : "";
  return wrong(key.problem + hint);
}

function parseAlgorithm(settings: RawSettings, source: SettingsSource, problems: Problems): string {
  const algorithm = settings.privateKeyAlgorithm ?? "RS256";
  if (!ALGORITHMS.includes(algorithm)) {
    problems.wrong.push(
      `${nameOf("privateKeyAlgorithm", source)} must be one of ${ALGORITHMS.join(", ")}; it is ${JSON.stringify(algorithm)}.`,
    );
  }
  return algorithm;
}

function parseLimits(settings: RawSettings, source: SettingsSource, problems: Problems): ClientLimits {
  const number = <Default>(
    setting: SettingName,
    least: number,
    most: number,
    fallback: Default,
    whole = false,
  ) => {
    const text = settings[setting];
    if (text === undefined) return fallback;
    const value = Number(text);
    if (Number.isFinite(value) && value >= least && value <= most && (!whole || Number.isInteger(value)))
      return value;
    const kind = whole ? "a whole number" : "a number";
    problems.wrong.push(
      `${nameOf(setting, source)} must be ${kind} from ${least} to ${most}; it is ${JSON.stringify(text)}.`,
    );
    return fallback;
  };
  return {
    rateLimitReserve: number("rateLimitReserve", 0, 0.9, DEFAULT_LIMITS.rateLimitReserve),
    maxConcurrency: number("maxConcurrency", 1, 256, DEFAULT_LIMITS.maxConcurrency, true),
    maxRequestsPerSecond: number("maxRequestsPerSecond", 0.01, 10_000, DEFAULT_LIMITS.maxRequestsPerSecond),
    maxWaitSeconds: number("maxWaitSeconds", 1, 86_400, DEFAULT_LIMITS.maxWaitSeconds),
    requestTimeoutSeconds: number("requestTimeoutSeconds", 1, 600, DEFAULT_LIMITS.requestTimeoutSeconds),
  };
}

function checkSwitches(settings: RawSettings, source: SettingsSource, problems: Problems): void {
  for (const name of SWITCHES) {
    const text = settings[name];
    if (text === undefined || ["true", "false"].includes(text.trim())) continue;
    problems.wrong.push(`${nameOf(name, source)} must be true or false; it is ${JSON.stringify(text)}.`);
  }
}

function checkMaxRevocations(settings: RawSettings, source: SettingsSource, problems: Problems): void {
  const text = settings.maxRevocations;
  if (text === undefined || maxRevocations(settings) !== undefined) return;
  problems.wrong.push(
    `${nameOf("maxRevocations", source)} must be a whole number of at least 0; it is ${JSON.stringify(text)}.`,
  );
}
