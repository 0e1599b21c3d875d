import { type SettingProblem, type SettingProblems } from "../../provider/pulumi/settings";
import {
  ENDED_NAMES,
  environmentName,
  misspeltVariables,
  SETTING_NAMES,
  type SettingName,
  settingNear,
  unknownSettings,
} from "../../provider/pulumi/settings-table";
import { type FoundSettings } from "../stack-settings";
import { type Finding, fine, unchecked, warning, wrong } from "./report";

const LONGEST_SETTING = 80;

interface SettingsSurroundings {
  /** Whether nothing can go on without the stack. */
  isStackNeeded: boolean;
  environment: NodeJS.ProcessEnv;
  project: string | undefined;
}

export function settingFindings(
  found: FoundSettings,
  { missing, wrong: broken, ended }: SettingProblems,
  { isStackNeeded, environment, project }: SettingsSurroundings,
): Finding[] {
  const problems = [
    ...ended.map(({ setting, says, advice }) => wrong(`settings.${setting}`, says, advice)),
    ...missing.map((problem) => missingSetting(problem, "unread" in found.stack)),
    ...broken.map((problem) => brokenFinding(problem, found)),
  ];
  const given = SETTING_NAMES.filter((name) => found.settings[name] !== undefined);
  const told = new Set(problems.map(({ id }) => id));
  return [
    stackFinding(found, isStackNeeded),
    ...given.map((name) => valueFinding(name, found)).filter(({ id }) => !told.has(id)),
    ...problems,
    ...misspeltFindings(found, environment, project),
  ];
}

function stackFinding({ stack }: FoundSettings, isNeeded: boolean): Finding {
  const id = "settings.stack";
  if (!("unread" in stack)) {
    const { name = "the selected stack", overruled } = stack;
    const over = overruled.length === 0 ? "" : `; the environment wins over its ${overruled.join(", ")}`;
    return fine(id, `${name}${over}`);
  }
  if (stack.cause === "no pulumi") return unchecked(id, "not read: that takes the Pulumi CLI");
  if (stack.cause === "no project") return unchecked(id, "not read: that takes the program's folder");
  if (isNeeded) return wrong(id, `not read: ${stack.unread}`, stack.advice);
  return warning(id, `not read; the environment has all that is needed: ${stack.unread}`, stack.advice);
}

function valueFinding(name: SettingName, { settings, sourceOf, secret, stack }: FoundSettings): Finding {
  const id = `settings.${name}` as const;
  const source = sourceOf[name] ?? "environment";
  const from = source === "stack" ? `identity:${name}` : environmentName(name);
  const value = secret.includes(name) ? "(secret)" : shortened(settings[name] ?? "");
  const says = `${value}, from ${from}`;
  if (source === "stack" && !("unread" in stack) && stack.plain.includes(name)) {
    const advice = `Run \`pulumi config set --secret identity:${name}\`, and rotate it: the old value stays in the history of both.`;
    return { ...warning(id, `${says}, in clear in stack configuration and state`, advice), source };
  }
  return { ...fine(id, says), source };
}

function shortened(text: string): string {
  return text.length > LONGEST_SETTING ? `${text.slice(0, LONGEST_SETTING)}...` : text;
}

/** What is not set may well stand in a stack that could not be read. */
function missingSetting({ setting, says }: SettingProblem, isUnread: boolean): Finding {
  const id = `settings.${setting}` as const;
  if (isUnread) return unchecked(id, "not set in the environment");
  return wrong(id, "not set", says);
}

function brokenFinding({ setting, says }: SettingProblem, { sourceOf, secret }: FoundSettings): Finding {
  const source = sourceOf[setting] ?? "environment";
  const flag = secret.includes(setting) ? "--secret " : "";
  const advice =
    source === "environment"
      ? `Correct ${environmentName(setting)} in the environment.`
      : `Correct ${setting}: \`pulumi config set ${flag}identity:${setting}\`.`;
  return { ...wrong(`settings.${setting}`, says, advice), source };
}

/** Of the environment only what is near a setting: others have variables that begin with IDENTITY_, too. */
function misspeltFindings(
  { stack }: FoundSettings,
  environment: NodeJS.ProcessEnv,
  project: string | undefined,
): Finding[] {
  const id = "settings.unknown";
  const keys = "unread" in stack ? [] : stack.unknown.map((name) => `identity:${name}`);
  const unknown = [...unknownSettings(keys, project), ...misspeltVariables(environment)];
  if (unknown.length > 0) {
    const [says, advice] = [unknown.map((one) => one.says), unknown.map((one) => one.advice)];
    return [wrong(id, says.join(" "), [...new Set(advice)].join(" "))];
  }
  // Runs go on with these: they may well be somebody else's.
  const known = [...SETTING_NAMES, ...ENDED_NAMES].map(environmentName);
  const similar = Object.keys(environment).flatMap((variable) => {
    const name = settingNear(variable.replace(/^IDENTITY/, ""));
    if (!variable.startsWith("IDENTITY_") || known.includes(variable) || name === undefined) return [];
    return [`${variable} is no setting: did you mean ${environmentName(name)}?`];
  });
  if (similar.length === 0) return [];
  return [warning(id, similar.join(" "), "Correct it, or remove it: it has no effect.")];
}
