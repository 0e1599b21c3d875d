import * as z from "../provider/zod";
import { parseJson } from "../provider/http/shape";
import { makeBorder } from "../provider/pulumi/clients";
import {
  isSetting,
  NAMESPACE,
  SECRET_NAMES,
  SETTING_NAMES,
  type SettingName,
} from "../provider/pulumi/settings-table";
import { type RawSettings, readSettings, type SettingsSource } from "../provider/pulumi/settings";
import { runPulumi, type StackOfProgram, type Unanswered } from "./pulumi-cli";

/** A tenant's settings as a program in a folder would see them. */
export interface FoundSettings {
  settings: RawSettings;
  sourceOf: Partial<Record<SettingName, "environment" | "stack">>;
  /** Settings whose values must not be shown: credentials, and those stored with `--secret`. */
  secret: SettingName[];
  stack: StackConfiguration | Unanswered;
}

interface StackConfiguration {
  /** Settings overridden by the environment. */
  overruled: SettingName[];
  plain: SettingName[];
  /** Misspelt, or from another version. */
  unknown: string[];
  /** Keys that only @pulumi/auth0 reads. */
  auth0: string[];
}

/** Messages name a setting by its key and by its environment variable. */
export const SOURCE: SettingsSource = { from: "stack" };

/** Commands that a text advises act on the selected stack otherwise. */
export function adviceFor(stack: string | undefined, text: string): string {
  if (stack === undefined) return text;
  return text.replace(/\bpulumi config (get|set|rm)\b/g, (command) => `${command} --stack ${stack}`);
}

/** Reads the environment, which wins, and the configuration of the stack by the `pulumi` on the PATH. */
export async function readStackSettings(program: StackOfProgram, longestMs?: number): Promise<FoundSettings> {
  const { environment } = program;
  const ofEnvironment = readSettings(() => undefined, environment);
  const args = ["config", "--json", "--show-secrets"];
  const printed = await runPulumi(args, program, makeBorder(ofEnvironment), longestMs);
  const parsed = "unread" in printed ? printed : parseConfig(printed.output);
  const config: Config["own"] = "unread" in parsed ? new Map() : parsed.own;
  const settings = readSettings((setting) => config.get(setting)?.value, environment);
  const given = SETTING_NAMES.filter((setting) => settings[setting] !== undefined);
  const isOfStack = (setting: SettingName) =>
    settings[setting] !== undefined && ofEnvironment[setting] === undefined;
  const isSecret = (setting: SettingName) =>
    SECRET_NAMES.includes(setting) || (isOfStack(setting) && config.get(setting)?.secret === true);
  const isConfigured = (setting: SettingName) => (config.get(setting)?.value ?? "").trim() !== "";
  return {
    settings,
    sourceOf: Object.fromEntries(
      given.map((setting) => [setting, isOfStack(setting) ? "stack" : "environment"]),
    ),
    secret: given.filter(isSecret),
    stack:
      "unread" in parsed
        ? parsed
        : {
            overruled: SETTING_NAMES.filter((setting) => isConfigured(setting) && !isOfStack(setting)),
            plain: SECRET_NAMES.filter(
              (setting) => isConfigured(setting) && config.get(setting)?.secret === false,
            ),
            unknown: [...config.keys()].filter((key) => !isSetting(key)),
            auth0: parsed.auth0,
          },
  };
}

/** The name of the selected stack, if Pulumi knows one. */
export async function selectedStack(program: StackOfProgram): Promise<string | undefined> {
  const border = makeBorder(readSettings(() => undefined, program.environment));
  const answer = await runPulumi(["stack", "--show-name"], program, border);
  return "output" in answer ? answer.output.trim() : undefined;
}

interface Config {
  /** Values in our namespace, by their name in it. */
  own: ReadonlyMap<string, { value: string; secret: boolean }>;
  /** Names in the namespace of @pulumi/auth0. */
  auth0: string[];
}

const AUTH0_NAMESPACE = "auth0:";

const configJson = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() }),
);

const NO_CONFIG: Unanswered = {
  cause: "other",
  unread: "`pulumi config --json` printed something else than the configuration of a stack.",
  advice: "Update the Pulumi CLI.",
};

function parseConfig(json: string): Config | Unanswered {
  const parsed = configJson.safeParse(parseJson(json));
  if (!parsed.success) return NO_CONFIG;
  const entries = Object.entries(parsed.data);
  const own = entries.filter(([key]) => key.startsWith(NAMESPACE));
  const auth0 = entries.filter(([key]) => key.startsWith(AUTH0_NAMESPACE));
  return {
    own: new Map(
      own.map(([key, { value = "", secret = false }]) => [key.slice(NAMESPACE.length), { value, secret }]),
    ),
    auth0: auth0.map(([key]) => key.slice(AUTH0_NAMESPACE.length)),
  };
}
