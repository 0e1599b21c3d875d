import type * as z from "../zod";
import { misspelt } from "../near-names";
import { pathText, type RawInputs } from "../review/raw-inputs";
import { UNKNOWN_VALUE } from "../seen";

/** Returns all problems of the inputs, a sentence each: path, rule, received value. Skips unknown values. */
export function problemsOf(schema: z.ZodType, inputs: RawInputs, secretInputs: readonly string[]): string[] {
  const result = schema.safeParse(inputs, { reportInput: true });
  if (result.success) return [];
  const names = "shape" in schema ? Object.keys(schema.shape as object) : [];
  return result.error.issues.flatMap((issue) => problem(issue, secretInputs, names));
}

function problem(
  issue: z.core.$ZodIssue,
  secretInputs: readonly string[],
  names: readonly string[],
): string[] {
  if (issue.input === UNKNOWN_VALUE) return [];
  const name = String(issue.path[0]);
  const isSecret = secretInputs.includes(name);
  if (issue.code === "unrecognized_keys")
    return isSecret
      ? [`${name}: holds a key that is not an input; check its spelling.`]
      : issue.keys.map((key) => notAnInput(key, issue.path, names));
  if (isSecret) return [`${name}: ${rule(issue)}; received a secret value.`];
  return [`${pathText(issue.path)}: ${rule(issue)}; received ${received(issue)}.`];
}

function notAnInput(key: string, path: readonly PropertyKey[], names: readonly string[]): string {
  const meant = path.length === 0 ? misspelt(key, names) : undefined;
  const advice = meant === undefined ? "; check its spelling." : `: did you mean ${meant}?`;
  return `${pathText([...path, key])}: is not an input${advice}`;
}

function received({ input, path }: z.core.$ZodIssue): string {
  // Pulumi sends what is undefined in a list as null.
  return input === null && typeof path.at(-1) === "number" ? "null or undefined" : shown(input);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  record: "an object",
  object: "an object",
  array: "a list",
  string: "a text",
  boolean: "true or false",
  number: "a number",
};

/** Returns the schema's own sentence; it has none for a value of the wrong kind. */
function rule(issue: z.core.$ZodIssue): string {
  if (issue.code !== "invalid_type" || !issue.message.startsWith("Invalid input")) return issue.message;
  return issue.input === undefined
    ? "is required"
    : `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
}

const LONGEST_SHOWN = 80;

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  if (text.length <= LONGEST_SHOWN) return text;
  // Don't quote the beginning: a part of a secret wouldn't be recognised on its way out.
  return `${Array.from(typeof value === "string" ? value : text).length} characters`;
}
