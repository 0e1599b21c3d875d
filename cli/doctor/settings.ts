import { credentialOf, type SettingProblem, type SettingProblems } from "../../provider/pulumi/settings";
import {
  environmentName,
  wrongVariables,
  SECRET_NAMES,
  SETTING_NAMES,
  type SettingName,
  settingNear,
  unknownSettings,
} from "../../provider/pulumi/settings-table";
import { adviceFor, type FoundSettings } from "../stack-settings";
import { type Finding, ok, unchecked, warning, failure } from "./report";

const LONGEST_SETTING = 80;

interface SettingsSurroundings {
  /** True if nothing works without the stack. */
  isStackNeeded: boolean;
  /** The name of the selected stack. */
  selected: string | undefined;
  /** The stack that the person has named. */
  named: string | undefined;
  environment: NodeJS.ProcessEnv;
  project: string | undefined;
}

export function settingFindings(
  found: FoundSettings,
  { missing, wrong: broken }: SettingProblems,
  { isStackNeeded, named, selected, environment, project }: SettingsSurroundings,
): Finding[] {
  const problems = [
    ...missing.map((problem) => missingSetting(problem, found, environment)),
    ...broken.map((problem) => brokenFinding(problem, found)),
  ];
  const given = SETTING_NAMES.filter((name) => found.settings[name] !== undefined);
  const known = new Set(problems.map(({ id }) => id));
  const findings = [
    stackFinding(found, isStackNeeded, named ?? selected),
    ...given.map((name) => valueFinding(name, found)).filter(({ id }) => !known.has(id)),
    ...problems,
    ...misspeltFindings(found, environment, project),
  ];
  return findings.map((finding) =>
    finding.do === undefined ? finding : { ...finding, do: adviceFor(named, finding.do) },
  );
}

function stackFinding({ stack }: FoundSettings, isNeeded: boolean, name = "the selected stack"): Finding {
  const id = "settings.stack";
  if (!("unread" in stack)) {
    const { overruled } = stack;
    const over = overruled.length === 0 ? "" : `; the environment wins over its ${overruled.join(", ")}`;
    return ok(id, `${name}${over}`);
  }
  if (stack.cause === "no pulumi") return unchecked(id, "not read: that takes the Pulumi CLI");
  if (stack.cause === "no project") return unchecked(id, "not read: that takes the program's folder");
  if (isNeeded) return failure(id, `not read: ${stack.unread}`, stack.advice);
  return warning(id, `not read; the environment has all that is needed: ${stack.unread}`, stack.advice);
}

/** Without a terminal to ask at, Pulumi takes the passphrase from the environment, secrets or none. */
export function passphraseFinding(environment: NodeJS.ProcessEnv): Finding[] {
  const variables = ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE"] as const;
  // An empty passphrase is one, too.
  if (variables.some((name) => environment[name] !== undefined)) return [];
  const says = "the stack has one, and PULUMI_CONFIG_PASSPHRASE is not set: reviews and pipelines fail";
  return [
    warning("settings.passphrase", says, "Run `export PULUMI_CONFIG_PASSPHRASE=…` with the stack's own."),
  ];
}

function valueFinding(name: SettingName, { settings, sourceOf, secret, stack }: FoundSettings): Finding {
  const id = `settings.${name}` as const;
  const source = sourceOf[name] ?? "environment";
  const from = source === "stack" ? `identity:${name}` : environmentName(name);
  const value = secret.includes(name) ? "(secret)" : shortened(settings[name] ?? "");
  const says = `${value}, from ${from}`;
  if (PLACEHOLDER.test((settings[name] ?? "").trim()))
    return {
      ...failure(
        id,
        `${JSON.stringify(settings[name])} is a placeholder, from ${from}`,
        `Put the tenant's own value into ${from}.`,
      ),
      source,
    };
  if (source === "stack" && !("unread" in stack) && stack.plain.includes(name)) {
    const advice = `Run \`pulumi config set --secret identity:${name}\`, and rotate it: the old value stays in the history of both.`;
    return { ...warning(id, `${says}, in clear in stack configuration and state`, advice), source };
  }
  return { ...ok(id, says), source };
}

/** `<client id>` and `…`, as in examples. */
const PLACEHOLDER = /^(<.*>|…|\.\.\.|\{\{.*\}\}|\$\{.*\})$/;

function shortened(text: string): string {
  return text.length > LONGEST_SETTING ? `${text.slice(0, LONGEST_SETTING)}...` : text;
}

/** A missing setting may be in a stack that couldn't be read. */
function missingSetting(
  { setting, says: advice }: SettingProblem,
  { settings, stack }: FoundSettings,
  environment: NodeJS.ProcessEnv,
): Finding {
  const id = `settings.${setting}` as const;
  const isUnread = "unread" in stack;
  // A missing client id stands for everything the credentials lack.
  const lacking = setting === "clientId" && credentialOf(settings) === undefined ? CLIENT : [setting];
  const ofAuth0 = lacking.flatMap((name) => auth0Setting(name, isUnread ? [] : stack.auth0, environment));
  if (ofAuth0.length === 0)
    return isUnread ? unchecked(id, "not set in the environment") : failure(id, "not set", advice);
  const are = ofAuth0.length > 1 ? "are" : "is";
  const others = `but ${ofAuth0.map(({ name }) => name).join(" and ")} ${are}, which only @pulumi/auth0 reads`;
  const copy = `Copy ${ofAuth0.length > 1 ? "them" : "it"}: ${ofAuth0.map((one) => one.copy).join(" && ")}`;
  return failure(id, `not set${isUnread ? " in the environment" : ""}, ${others}`, copy);
}

const CLIENT = ["clientId", "clientSecret"] as const;

/** Returns the same setting of @pulumi/auth0, and the command that copies it. */
function auth0Setting(
  setting: SettingName,
  ofStack: readonly string[],
  environment: NodeJS.ProcessEnv,
): { name: string; copy: string }[] {
  const variable = environmentName(setting).replace(/^IDENTITY/, "AUTH0");
  if ((environment[variable] ?? "").trim() !== "")
    return [{ name: variable, copy: `export ${environmentName(setting)}="$${variable}"` }];
  if (!ofStack.includes(setting)) return [];
  const flag = SECRET_NAMES.includes(setting) ? "--secret " : "";
  const copy = `pulumi config get auth0:${setting} | pulumi config set ${flag}identity:${setting}`;
  return [{ name: `auth0:${setting}`, copy }];
}

function brokenFinding({ setting, says }: SettingProblem, { sourceOf, secret }: FoundSettings): Finding {
  const source = sourceOf[setting] ?? "environment";
  const flag = secret.includes(setting) ? "--secret " : "";
  const advice =
    source === "environment"
      ? `Correct ${environmentName(setting)} in the environment.`
      : `Correct ${setting}: \`pulumi config set ${flag}identity:${setting}\`.`;
  return { ...failure(`settings.${setting}`, says, advice), source };
}

/** Checks only variables close to a setting's name: other tools' variables may begin with IDENTITY_ too. */
function misspeltFindings(
  { stack }: FoundSettings,
  environment: NodeJS.ProcessEnv,
  project: string | undefined,
): Finding[] {
  const id = "settings.unknown";
  const keys = "unread" in stack ? [] : stack.unknown.map((name) => `identity:${name}`);
  const unknown = [...unknownSettings(keys, project), ...wrongVariables(environment)];
  if (unknown.length > 0) {
    const [says, advice] = [unknown.map((problem) => problem.says), unknown.map((problem) => problem.advice)];
    return [failure(id, says.join(" "), [...new Set(advice)].join(" "))];
  }
  // Runs continue with these, because they may belong to another tool.
  const known = SETTING_NAMES.map(environmentName);
  const similar = Object.keys(environment).flatMap((variable) => {
    const name = settingNear(variable.replace(/^IDENTITY/, ""));
    if (!variable.startsWith("IDENTITY_") || known.includes(variable) || name === undefined) return [];
    return [`${variable} is no setting: did you mean ${environmentName(name)}?`];
  });
  if (similar.length === 0) return [];
  return [warning(id, similar.join(" "), "Correct it, or remove it: it has no effect.")];
}
