import * as z from "../provider/zod";
import { parseJson } from "../provider/http/shape";
import { isShown, parseCommand } from "../provider/http/credentials/token-command";
import { makeBorder } from "../provider/pulumi/clients";
import {
  HIDDEN_NAMES,
  NAMESPACE,
  SECRET_NAMES,
  SETTING_NAMES,
  type SettingName,
} from "../provider/pulumi/settings-table";
import { type RawSettings, readSettings, type SettingsSource } from "../provider/pulumi/settings";
import { LONGEST_CALL_MS, PulumiCli, type Unanswered } from "./pulumi-cli";

/** The settings of a tenant as a program in a folder would see them. */
export interface FoundSettings {
  settings: RawSettings;
  /** Where each of them comes from. */
  sourceOf: Partial<Record<SettingName, "environment" | "stack">>;
  /** Those whose values are not to be shown: credentials, and what the stack stores with `--secret`. */
  secret: SettingName[];
  stack: StackConfiguration | Unanswered;
}

/** What the configuration of a stack has to say beside the settings that are used. */
interface StackConfiguration {
  name: string | undefined;
  /** Settings that are not used because the environment wins. */
  overruled: SettingName[];
  plain: SettingName[];
  /** Misspelt, or of another version. */
  unknown: string[];
}

export interface StackOfProgram {
  stack?: string | undefined;
  /** Where the program is: the folder of its Pulumi.yaml, or one below. */
  folder: string;
  environment: NodeJS.ProcessEnv;
}

/** Messages name a setting by its key and by its environment variable. */
export const SOURCE: SettingsSource = { kind: "stack" };

/** Not to be shown, wherever it comes from. The words after a command may be secrets. */
function isHiddenSetting(setting: SettingName, { accessTokenCommand = "" }: RawSettings): boolean {
  if (setting !== "accessTokenCommand") return HIDDEN_NAMES.includes(setting);
  const parsed = parseCommand(accessTokenCommand);
  const [name = "", ...words] = "command" in parsed ? parsed.command : [];
  return name === "" || words.length > 0 || !isShown(name);
}

/** Reads the environment, which wins, and the configuration of the stack by the `pulumi` on the PATH. */
export async function readStackSettings(
  { stack, folder, environment }: StackOfProgram,
  longestMs = LONGEST_CALL_MS,
): Promise<FoundSettings> {
  const settings = readSettings(() => undefined, environment);
  const pulumi = new PulumiCli(folder, environment, makeBorder(settings), longestMs);
  const [config, name] = await Promise.all([
    pulumi.run("config", "--json", "--show-secrets", ...(stack === undefined ? [] : ["--stack", stack])),
    stack === undefined ? pulumi.run("stack", "--show-name") : { output: stack },
  ]);
  const parsed = "unread" in config ? config : parseConfig(config.output);
  if ("unread" in parsed) {
    const secret = SETTING_NAMES.filter(
      (setting) => settings[setting] !== undefined && isHiddenSetting(setting, settings),
    );
    return { settings, sourceOf: settingSources(settings, settings), secret, stack: parsed };
  }
  return merged(parsed, environment, "output" in name ? name.output.trim() : undefined);
}

/** Values of the namespace by their name in it. */
type Config = ReadonlyMap<string, { value: string; secret: boolean }>;

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
  const entries = Object.entries(parsed.data).filter(([key]) => key.startsWith(NAMESPACE));
  return new Map(
    entries.map(([key, { value = "", secret = false }]) => [key.slice(NAMESPACE.length), { value, secret }]),
  );
}

function merged(config: Config, environment: NodeJS.ProcessEnv, name: string | undefined): FoundSettings {
  const settings = readSettings((setting) => config.get(setting)?.value, environment);
  const ofEnvironment = readSettings(() => undefined, environment);
  const sourceOf = settingSources(settings, ofEnvironment);
  const isGiven = (setting: SettingName) => (config.get(setting)?.value ?? "").trim() !== "";
  const isSecret = (setting: SettingName) =>
    isHiddenSetting(setting, settings) ||
    (sourceOf[setting] === "stack" && config.get(setting)?.secret === true);
  return {
    settings,
    sourceOf,
    secret: SETTING_NAMES.filter((setting) => settings[setting] !== undefined && isSecret(setting)),
    stack: {
      name,
      overruled: SETTING_NAMES.filter((setting) => isGiven(setting) && sourceOf[setting] !== "stack"),
      plain: SECRET_NAMES.filter((setting) => isGiven(setting) && config.get(setting)?.secret === false),
      unknown: [...config.keys()].filter((key) => !(SETTING_NAMES as readonly string[]).includes(key)),
    },
  };
}

function settingSources(settings: RawSettings, ofEnvironment: RawSettings): FoundSettings["sourceOf"] {
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [name, ofEnvironment[name] === undefined ? "stack" : "environment"]),
  );
}
