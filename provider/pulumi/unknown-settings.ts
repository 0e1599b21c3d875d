import { misspelt, nearest } from "../service/near-names";
import { environmentName, SETTING_NAMES, type SettingName } from "./settings-table";

export const NAMESPACE = "identity:";

/** What looks like a setting and is none: it would have no effect. */
export interface UnknownSetting {
  says: string;
  advice: string;
}

export function unknownSettings(keys: readonly string[], project: string | undefined): UnknownSetting[] {
  // Keys without a namespace are those of the project, which may be called so.
  if (`${project}:` === NAMESPACE) return [];
  const names = keys.filter((key) => key.startsWith(NAMESPACE)).map((key) => key.slice(NAMESPACE.length));
  return names
    .filter((name) => !(SETTING_NAMES as readonly string[]).includes(name))
    .sort()
    .map((name) => {
      const meant = settingNear(name);
      return {
        says: `identity:${name} is no setting${meant === undefined ? "." : `: did you mean identity:${meant}?`}`,
        advice: `Correct the key, or remove it: pulumi config rm identity:${name}.`,
      };
    });
}

/** Variables that are nearly those of a setting: others have variables that begin with IDENTITY_, too. */
export function misspeltVariables(environment: NodeJS.ProcessEnv): UnknownSetting[] {
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

/** The setting that somebody may have meant. */
export function settingNear(name: string): SettingName | undefined {
  const [meant] = nearest(name, SETTING_NAMES, 1, 2);
  return meant as SettingName | undefined;
}
