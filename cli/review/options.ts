import { type Command, InvalidArgumentError, Option } from "commander";
import { isPathId, PATH_ID_RULE } from "../../provider/http/call";
import { CATEGORIES, type Category } from "../../provider/pulumi/effects";
import { NEEDS_APPROVAL, NOT_AS_REVIEWED } from "./exit-codes";
import { type PurposeOptions } from "./purpose";
import { REFRESH_COMMAND } from "./raw-preview";

export interface ReviewOptions extends PurposeOptions {
  format?: "markdown" | "text" | "json";
  output?: string;
  json?: string;
  acceptUnknown?: true;
  names?: string;
  source?: string;
  maxLength: number;
  failOn: Category[];
  read?: true;
  sampleUser: string[];
}

export function addOptions(command: Command): Command {
  for (const option of [...INPUT_AND_OUTPUT, ...JUDGEMENT, ...CODE_HOST, ...TENANT_OPTIONS])
    command.addOption(option);
  return command;
}

const INPUT_AND_OUTPUT: readonly Option[] = [
  new Option("--drift", `the input is the output of \`${REFRESH_COMMAND}\``),
  new Option("--format <format>", "default: text on a terminal, else markdown").choices([
    "markdown",
    "text",
    "json",
  ]),
  new Option("--output <file>", "where to write the review; default: standard output"),
  new Option("--json <file>", "also write the review as JSON, which IDENTITY_REVIEW_FILE holds a run to"),
  new Option("--accept-unknown", "let a run that is held to the JSON do what the review calls unknown"),
  new Option("--names <file>", 'JSON with names of ids: {"rol_…": "support-agent"}'),
  new Option(
    "--source <url>",
    "what links to lines begin with; on GitHub and GitLab known from the environment",
  ),
  new Option("--max-length <n>", "most characters of Markdown").argParser(commentLength).default(60_000),
];

const JUDGEMENT: readonly Option[] = [
  new Option("--fail-on <list>", `exit ${NEEDS_APPROVAL} on any of: ${CATEGORIES.join(", ")}, any`)
    .argParser((text, before: Category[]) => [...before, ...categories(text)])
    .default([], "none"),
  new Option("--expect <fingerprint>", `exit ${NOT_AS_REVIEWED} if the fingerprint is another one`),
  new Option(
    "--expect-reviewed",
    `exit ${NOT_AS_REVIEWED} if the comment on the merged pull request has another fingerprint`,
  ).conflicts("expect"),
];

const CODE_HOST: readonly Option[] = [
  new Option("--github", "post one comment on the pull request, and the summary of the step").conflicts(
    "gitlab",
  ),
  new Option("--gitlab", "post one comment on the merge request"),
  new Option("--issue <title>", "with --drift: one issue, open as long as there is a drift"),
];

const TENANT_OPTIONS: readonly Option[] = [
  new Option(
    "--read",
    "ask the tenant of IDENTITY_DOMAIN who has the roles today, and what groups are called",
  ),
  new Option(
    "--sample-user <id>",
    "show what roles allow, as this user has them; may be repeated; implies --read",
  )
    .argParser(userIds)
    .default([], "none")
    .implies({ read: true }),
];

function userIds(id: string, before: readonly string[]): string[] {
  if (!isPathId(id)) throw new InvalidArgumentError(`It ${PATH_ID_RULE}.`);
  return [...before, id];
}

function commentLength(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1_000)
    throw new InvalidArgumentError("Give a whole number from 1000.");
  return number;
}

function categories(text: string): Category[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => name !== "any" && !(CATEGORIES as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`${JSON.stringify(wrong)} is none of ${CATEGORIES.join(", ")}, any.`);
  return names.includes("any") ? [...CATEGORIES] : (names as Category[]);
}
