import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parse } from "yaml";
import { decoded } from "../../decoded";
import { isObject, type JsonObject } from "../../service/record";
import { projectFileOf, stackFileOf } from "../project-file";
import { RESTRAINT_NAMES, type TodaysSettings } from "../settings";
import { misspeltSettings, NAMESPACE, type SettingName } from "../settings-table";

/** Where to look for a stack's configuration. */
interface StackLocation {
  /** The program's folder. */
  folder: string;
  project: string | undefined;
  /** As state names it. */
  stack: string | undefined;
  /** The keys that the last `up` had. */
  keys: readonly string[];
}

/**
 * Returns today's restraints as the files of a project show them. A refresh or a destroy without the program
 * has the configuration of the last `up`, and the SDK's host doesn't get any other.
 */
export function restraintsInFiles({ folder, project, stack, keys }: StackLocation): TodaysSettings {
  const unknown = (why: string): TodaysSettings => ({ restraints: {}, unknown: why });
  if (stack === undefined) return unknown("state doesn't name its stack");
  const file = projectFileOf(folder);
  const ofProject = file === undefined ? undefined : read(file);
  if (file === undefined || project === undefined || ofProject?.["name"] !== project)
    return unknown(`there is no Pulumi.yaml of this project in ${folder} or above`);
  const path = stackFileOf(file, ofProject, stack);
  const ofStack = existsSync(path) ? read(path) : {};
  if (ofStack === undefined) return unknown(`${basename(path)} can't be read`);
  const values = new Map([...valuesIn(ofProject, project), ...valuesIn(ofStack, project)]);
  const given = RESTRAINT_NAMES.filter((name) => values.has(`${NAMESPACE}${name}`));
  const valueOf = (name: SettingName) => values.get(`${NAMESPACE}${name}`);
  const misspelt = misspeltSettings([...values.keys()], project);
  return {
    ...(misspelt.length > 0 && { misspelt }),
    restraints: Object.fromEntries(given.map((name) => [name, valueOf(name)])),
    unknown: whyUnknown(path, {
      encrypted: given.find((name) => valueOf(name) === undefined),
      lacking: keys.find((key) => !values.has(key)),
      hasEnvironment: "environment" in ofStack,
    }),
  };
}

/** Why the file may not show all; undefined if it does. */
function whyUnknown(
  path: string,
  found: { encrypted: SettingName | undefined; lacking: string | undefined; hasEnvironment: boolean },
): string | undefined {
  const name = basename(path);
  if (found.encrypted !== undefined) return `${NAMESPACE}${found.encrypted} is encrypted in ${name}`;
  if (found.hasEnvironment) return `${name} imports an environment`;
  if (!existsSync(path) && hasStackFiles(path)) return `there is no ${name}, by which state knows the stack`;
  return found.lacking === undefined ? undefined : `${name} lacks ${found.lacking}, which the last up had`;
}

/** Undefined if it can't be read. */
function read(path: string): JsonObject | undefined {
  try {
    // Texts stay as they are written.
    const parsed: unknown = parse(decoded(readFileSync(path)), { schema: "failsafe", logLevel: "error" });
    return isObject(parsed) ? parsed : {};
  } catch {
    return undefined;
  }
}

/** True if another stack has a file, as after a rename. */
function hasStackFiles(path: string): boolean {
  try {
    return readdirSync(dirname(path)).some((name) => /^Pulumi\..+\.(ya?ml|json)$/.test(name));
  } catch {
    return false;
  }
}

/** The values of a file's `config` by key; undefined if encrypted. */
function valuesIn({ config }: JsonObject, project: string): [string, string | undefined][] {
  if (!isObject(config)) return [];
  return Object.entries(config).flatMap(([key, given]): [string, string | undefined][] => {
    const full = key.includes(":") ? key.replace(":config:", ":") : `${project}:${key}`;
    if (!isObject(given)) return [[full, textOf(given)]];
    if ("secure" in given) return [[full, undefined]];
    // In Pulumi.yaml, a value can stand beside its type and description.
    const value = given["value"] ?? given["default"];
    return value === undefined ? [] : [[full, textOf(value)]];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}
