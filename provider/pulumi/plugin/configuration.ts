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
 * The settings of a provider. A refresh or a destroy without the program brings those of the last `up`, while
 * the environment has the stack's current configuration: a default provider takes credentials and limits
 * from there.
 *
 * @param today `PULUMI_CONFIG`
 */
export function configOf(args: RawInputs, provider: Urn, today: string | undefined): HostConfig {
  const given = textsOf(args);
  const isDefault = provider.name === "" || isDefaultName(provider.name);
  const settings = isDefault
    ? withToday(given, todaysSettings(today))
    : { ...given, [EXPLICIT_PROVIDER_KEY.slice(NAMESPACE.length)]: provider.name };
  return {
    get: (key) => (key.startsWith(NAMESPACE) ? settings[key.slice(NAMESPACE.length)] : undefined),
    projectName: provider.project,
    isCurrent: isDefault,
  };
}

function withToday(given: Settings, today: Settings): Settings {
  // Restraints apply as soon as they are configured, and no longer than that. Without any setting, nobody
  // knows today's: some hosts get none.
  const isKnown = Object.keys(today).length > 0;
  const hasCredential = CREDENTIALS.some((name) => name !== "privateKeyAlgorithm" && name in today);
  const replaced: readonly string[] = [
    ...(hasCredential ? CREDENTIALS : []),
    ...(isKnown ? RESTRAINT_NAMES : []),
  ];
  const kept = Object.entries(given).filter(([name]) => !replaced.includes(name));
  const taken = [...CREDENTIALS, ...RESTRAINT_NAMES].filter((name) => name in today);
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(taken.map((name) => [name, today[name] as string])),
  };
}

/** Problems with the names of a provider's settings, a sentence each. */
export function misspelt(args: RawInputs, provider: Urn): string[] {
  // The project's own keys arrive there, too.
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

/** The settings, with credentials as secrets: state holds a provider's settings as they are answered here. */
export function withSecrets(args: RawInputs): RawInputs {
  const { values } = unmark(args);
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      SECRET_NAMES.some((one) => one === name) ? secret(values[name]) : value,
    ]),
  );
}

type Settings = Readonly<Record<string, string>>;

/** All settings are texts for the handlers, however a language has written them. */
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
