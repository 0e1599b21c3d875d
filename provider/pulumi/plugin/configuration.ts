import { parseJson } from "../../http/shape";
import { isObject } from "../../service/record";
import { type RawInputs } from "../../review/raw-inputs";
import { type HostConfig } from "../host/door";
import { CREDENTIAL_NAMES, EXPLICIT_PROVIDER_KEY, RESTRAINT_NAMES } from "../settings";
import { isSetting, NAMESPACE, SECRET_NAMES, settingNear } from "../settings-table";
import { isDefaultName, type Urn } from "../urn";
import { secret, unmark } from "./values";

/** The engine adds these to the settings. */
const OF_ENGINE: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "pluginChecksums"]);

/** Replaced as a set: a secret of the last `up` must not survive a switch to a key. */
const CREDENTIALS: readonly string[] = ["clientId", ...CREDENTIAL_NAMES, "privateKeyAlgorithm"];

/**
 * Returns a provider's settings. Without the program, a refresh or a destroy gets those of the last `up`. The
 * environment has the stack's current configuration, so a default provider takes credentials and restraints
 * from there.
 *
 * @param today `PULUMI_CONFIG`
 */
export function configOf(args: RawInputs, provider: Urn, today: string | undefined): HostConfig {
  const given = textsOf(args);
  const isDefault = provider.name === "" || isDefaultName(provider.name);
  const current = todaysSettings(today);
  const settings = isDefault
    ? withToday(given, current)
    : { ...given, [EXPLICIT_PROVIDER_KEY.slice(NAMESPACE.length)]: provider.name };
  return {
    get: (key) => (key.startsWith(NAMESPACE) ? settings[key.slice(NAMESPACE.length)] : undefined),
    projectName: provider.project,
    todaysKeys: Object.keys(current).map((name) => `${NAMESPACE}${name}`),
    // Restraints of the last `up` that nothing confirms may be old.
    isCurrent: isDefault && (isKnown(current) || RESTRAINT_NAMES.every((name) => !(name in given))),
  };
}

/** Some hosts get no settings at all, and then today's are unknown. */
function isKnown(today: Settings): boolean {
  return Object.keys(today).length > 0;
}

function withToday(given: Settings, today: Settings): Settings {
  // Restraints apply from when they are set until they are removed.
  const hasCredential = CREDENTIALS.some((name) => name !== "privateKeyAlgorithm" && name in today);
  const replaced: readonly string[] = [
    ...(hasCredential ? CREDENTIALS : []),
    ...(isKnown(today) ? RESTRAINT_NAMES : []),
  ];
  const kept = Object.entries(given).filter(([name]) => !replaced.includes(name));
  const taken = [...CREDENTIALS, ...RESTRAINT_NAMES].filter((name) => name in today);
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(taken.map((name) => [name, today[name] as string])),
  };
}

/** Returns a sentence for each misspelt setting of a provider. */
export function misspelt(args: RawInputs, provider: Urn): string[] {
  // A project of this name has keys of its own there.
  const isAny = provider.project === NAMESPACE.slice(0, -1);
  return Object.keys(args)
    .filter((name) => !isSetting(name) && !OF_ENGINE.has(name) && !name.startsWith("__"))
    .sort()
    .flatMap((name) => {
      const meant = settingNear(name);
      const isDefault = isDefaultName(provider.name);
      if (isDefault && (meant === undefined || isAny)) return [];
      const prefix = isDefault ? NAMESPACE : "";
      const suggestion = meant === undefined ? "." : `: did you mean ${prefix}${meant}?`;
      return isDefault
        ? [`${prefix}${name} is no setting${suggestion} Correct the key in the stack's configuration.`]
        : [`${name} is no setting of the Provider "${provider.name}"${suggestion}`];
    });
}

/** Marks the credentials as secrets: state records a provider's settings as this answer has them. */
export function withSecrets(args: RawInputs): RawInputs {
  const { values } = unmark(args);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      SECRET_NAMES.some((secretName) => secretName === name) ? secret(values[name]) : value,
    ]),
  );
}

type Settings = Readonly<Record<string, string>>;

/** Handlers expect texts, and some languages send numbers and booleans. */
function textsOf(args: RawInputs): Settings {
  const entries = Object.entries(unmark(args).values).filter(
    ([name, value]) => isSetting(name) && value !== null,
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}

function todaysSettings(text = "{}"): Settings {
  const parsed = parseJson(text);
  if (!isObject(parsed)) return {};
  const entries = Object.entries(parsed).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries.map(([name, value]) => [name.replace(NAMESPACE, ""), value as string]));
}
