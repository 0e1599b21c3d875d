import { execFile } from "node:child_process";
import { z } from "zod";
import { type Border } from "../border";
import { makeBorder } from "../pulumi/clients";
import {
  CREDENTIAL_NAMES,
  type RawSettings,
  readSettings,
  SETTING_NAMES,
  type SettingName,
} from "../pulumi/settings";

/** The settings of a tenant as a program in a folder would see them. */
export interface FoundSettings {
  settings: RawSettings;
  /** Where each of them comes from. */
  sourceOf: Partial<Record<SettingName, "environment" | "stack">>;
  stack: StackConfiguration | UnreadStack;
}

/** What the configuration of a stack has to say beside the settings that are used. */
export interface StackConfiguration {
  name: string | undefined;
  /** Settings that are not used because the environment wins. */
  overruled: SettingName[];
  /** Credentials that are stored without `--secret`. */
  plain: SettingName[];
  /** Keys below `identity:` that are no settings: misspelt, or of another version. */
  unknown: string[];
}

/** Why the configuration of the stack is not known, and what to do about it: each a sentence. */
export interface UnreadStack {
  unread: string;
  advice: string;
}

export interface StackOfProgram {
  /** Default: the selected stack. */
  stack?: string | undefined;
  /** Where the program is: the folder of its Pulumi.yaml, or one below. */
  folder: string;
  environment: NodeJS.ProcessEnv;
}

const LONGEST_MS = 60_000;
const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024;
const NAMESPACE = "identity:";

/** Reads the environment, which wins, and the configuration of the stack by the `pulumi` on the PATH. */
export async function readStackSettings(
  { stack, folder, environment }: StackOfProgram,
  longestMs = LONGEST_MS,
): Promise<FoundSettings> {
  const settings = readSettings(() => undefined, environment);
  const pulumi = new Pulumi(folder, environment, makeBorder(settings), longestMs);
  const [config, name] = await Promise.all([
    pulumi.run(["config", "--json", "--show-secrets", ...(stack === undefined ? [] : ["--stack", stack])]),
    stack === undefined ? pulumi.run(["stack", "--show-name"]) : { output: stack },
  ]);
  if ("unread" in config) return { settings, sourceOf: sourcesOf(settings, settings), stack: config };
  const parsed = parseConfig(config.output);
  if (parsed === undefined) {
    const unread = "`pulumi config --json` printed something else than the configuration of a stack.";
    const advice = "Update the Pulumi CLI.";
    return { settings, sourceOf: sourcesOf(settings, settings), stack: { unread, advice } };
  }
  return merged(parsed, environment, "output" in name ? name.output.trim() : undefined);
}

/** Values of the namespace by their name in it. */
type Config = ReadonlyMap<string, { value: string; secret: boolean }>;

const configJson = z.record(
  z.string(),
  z.looseObject({ value: z.string().optional(), secret: z.boolean().optional() }),
);

function parseConfig(json: string): Config | undefined {
  let parsed;
  try {
    parsed = configJson.safeParse(JSON.parse(json));
  } catch {
    return undefined;
  }
  if (!parsed.success) return undefined;
  const entries = Object.entries(parsed.data).filter(([key]) => key.startsWith(NAMESPACE));
  return new Map(
    entries.map(([key, { value = "", secret = false }]) => [key.slice(NAMESPACE.length), { value, secret }]),
  );
}

function merged(config: Config, environment: NodeJS.ProcessEnv, name: string | undefined): FoundSettings {
  const settings = readSettings((setting) => config.get(setting)?.value, environment);
  const ofEnvironment = readSettings(() => undefined, environment);
  const sourceOf = sourcesOf(settings, ofEnvironment);
  const isGiven = (setting: SettingName) => (config.get(setting)?.value ?? "").trim() !== "";
  return {
    settings,
    sourceOf,
    stack: {
      name,
      overruled: SETTING_NAMES.filter((setting) => isGiven(setting) && sourceOf[setting] !== "stack"),
      plain: CREDENTIAL_NAMES.filter((setting) => isGiven(setting) && config.get(setting)?.secret === false),
      unknown: [...config.keys()].filter((key) => !(SETTING_NAMES as readonly string[]).includes(key)),
    },
  };
}

function sourcesOf(settings: RawSettings, ofEnvironment: RawSettings): FoundSettings["sourceOf"] {
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [name, ofEnvironment[name] === undefined ? "stack" : "environment"]),
  );
}

/** The Pulumi CLI on the PATH, asked about the program of a folder. */
class Pulumi {
  constructor(
    private readonly folder: string,
    private readonly environment: NodeJS.ProcessEnv,
    private readonly border: Border,
    private readonly longestMs: number,
  ) {}

  run(args: readonly string[]): Promise<{ output: string } | UnreadStack> {
    return new Promise((resolve) => {
      const child = execFile(
        "pulumi",
        [...args, "--cwd", this.folder, "--non-interactive"],
        {
          env: this.environment,
          timeout: this.longestMs,
          killSignal: "SIGKILL",
          maxBuffer: LONGEST_ANSWER_BYTES,
        },
        (error, stdout, stderr) =>
          resolve(error === null ? { output: stdout } : this.#explain(error, stderr || stdout)),
      );
      child.stdin?.end();
    });
  }

  #explain(error: { code?: string | number | null; killed?: boolean }, printed: string): UnreadStack {
    if (error.code === "ENOENT") {
      return {
        unread: "There is no `pulumi` on the PATH.",
        advice:
          "Install the Pulumi CLI (https://www.pulumi.com/docs/install/), or add its folder to the PATH.",
      };
    }
    if (error.killed === true) {
      return {
        unread: `\`pulumi config\` was ended after ${this.longestMs / 1000} s without an answer.`,
        advice: "Run it by hand: the state backend may not be reachable.",
      };
    }
    // Notes on newer versions and the like stand on other lines.
    const lines = printed.split("\n").filter((line) => line.trim() !== "");
    const errors = lines.filter((line) => line.startsWith("error: "));
    const said = this.border.quote((errors.length > 0 ? errors : lines).join(" ").replaceAll("error: ", ""));
    const what = typeof error.code === "number" ? `exited with ${error.code}` : `failed (${error.code})`;
    return { unread: `\`pulumi config\` ${what}${said && `: ${said}`}`, advice: adviceOn(said) };
  }
}

function adviceOn(said: string): string {
  if (/no Pulumi\.yaml/.test(said)) return "Run this in the folder of the program's Pulumi.yaml.";
  if (/no stack selected/.test(said)) return "Run `pulumi stack select NAME`, or add --stack NAME.";
  if (/no stack named/.test(said)) return "Name one that `pulumi stack ls` lists.";
  if (/passphrase/.test(said)) {
    return "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of the stack.";
  }
  if (/PULUMI_ACCESS_TOKEN|pulumi login/.test(said)) {
    return "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL.";
  }
  return "Run `pulumi config` by hand in this folder.";
}
