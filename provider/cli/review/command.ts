import { readFileSync, writeFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { isPathId, PATH_ID_RULE } from "../../http/ids";
import { CommandError, INPUT_UNUSABLE, USAGE } from "../errors";
import { documentOf } from "./document";
import { mostImportant, NEEDS_APPROVAL, NOT_AS_REVIEWED, PREVIEW_FAILED } from "./exit-codes";
import { type Marked, markedBy, markerText } from "./marker";
import { toMarkdown } from "./markdown";
import { CATEGORIES, type Category } from "./categories";
import { type Preview, readPreview } from "./preview";
import { purposeOf, type PurposeOptions } from "./purpose";
import { hasChanges, type Review, reviewOf, toJson } from "./review";
import { commitOf, sourceOf } from "./sources";
import { rolesIn, type Tenant } from "./tenant";
import { toText } from "./text";

interface Options extends PurposeOptions {
  format?: "markdown" | "text" | "json";
  output?: string;
  json?: string;
  names?: string;
  source?: string;
  maxLength: number;
  failOn: Category[];
  read?: true;
  sampleUser: string[];
}

/** On a page of GitHub's run, of at most 1 MiB, there is room for about everything: a character takes at most three bytes. */
const LONGEST_SUMMARY = 340_000;

export function reviewCommand(): Command {
  return new Command("review")
    .description(
      "Says what a Pulumi preview does to access: who gains it, who loses it, what can't be undone.",
    )
    .argument("[files...]", "output of `pulumi preview --json`, one file a stack; default: standard input")
    .addHelpText(
      "after",
      "\nExample:\n  pulumi preview --json > preview.json\n  pulumi-identity review preview.json --fail-on removal,delete,unknown",
    )
    .option("--drift", "the input is the output of `pulumi refresh --preview-only --json`")
    .addOption(
      new Option("--format <format>", "default: text on a terminal, else markdown").choices([
        "markdown",
        "text",
        "json",
      ]),
    )
    .option("--output <file>", "where to write the review; default: standard output")
    .option("--json <file>", "also write the review as JSON")
    .option("--names <file>", 'JSON with names of ids: {"rol_…": "support-agent"}')
    .option(
      "--source <url>",
      "what links to lines begin with; on GitHub and GitLab known from the environment",
    )
    .option("--max-length <n>", "most characters of Markdown", wholeNumber, 60_000)
    .addOption(
      new Option("--fail-on <list>", `exit ${NEEDS_APPROVAL} on any of: ${CATEGORIES.join(", ")}, any`)
        .argParser(categories)
        .default([], "none"),
    )
    .option("--expect <fingerprint>", `exit ${NOT_AS_REVIEWED} if the fingerprint is another one`)
    .addOption(
      new Option(
        "--expect-reviewed",
        `exit ${NOT_AS_REVIEWED} if the comment on the merged pull request has another fingerprint`,
      ).conflicts("expect"),
    )
    .addOption(
      new Option("--github", "post one comment on the pull request, and the summary of the step").conflicts(
        "gitlab",
      ),
    )
    .option("--gitlab", "post one comment on the merge request")
    .option("--issue <title>", "with --drift: one issue, open as long as there is a drift")
    .option("--read", "ask the tenant of IDENTITY_DOMAIN who has the roles today, and what groups are called")
    .addOption(
      new Option(
        "--sample-user <id>",
        "show what roles allow, as this user has them; may be repeated; implies --read",
      )
        .argParser(userIds)
        .default([], "none")
        .implies({ read: true }),
    )
    .addHelpText(
      "after",
      "\nExit codes: 0 fine, 1 the input is unusable, 2 wrong usage, 3 needs an approval, 4 the preview failed or there is " +
        "none, 5 not what was reviewed, 6 the code host could not be asked.",
    )
    .action(async (files: string[], options: Options) => {
      process.exitCode = await review(files, options);
    });
}

async function review(files: readonly string[], options: Options): Promise<number> {
  const published = purposeOf(options);
  const names = options.names === undefined ? {} : readNames(options.names);
  if (files.length === 0 && process.stdin.isTTY)
    throw new CommandError(
      "Name a file, or pipe the output of `pulumi preview --json` into this command.",
      USAGE,
    );
  const inputs = files.length === 0 ? ["-"] : files;
  const previews = inputs.map((file) => readPreview(read(file), file === "-" ? "The input" : file));
  const tenant = options.read && (await ask(previews, options.sampleUser));
  const reviews = previews.map((preview) => reviewOf(preview, options.drift === true, tenant));
  const marked = markedBy(reviews);
  const appearance = {
    names: Object.assign({}, ...reviews.map((one) => one.names), names) as Record<string, string>,
    source: sourceOf(options.source, process.env),
    commit: commitOf(process.env),
    fingerprint: marked.fingerprint,
    maxLength: options.maxLength,
  };
  const documents = reviews.map((one) => documentOf(one, options.failOn));
  const format =
    options.format ?? (process.stdout.isTTY && options.output === undefined ? "text" : "markdown");
  const kind = options.drift ? "drift" : "review";
  const markdown = (by: Marked, maxLength = options.maxLength) =>
    toMarkdown(documents, markerText(by, kind), { ...appearance, maxLength });
  const texts = {
    markdown: () => markdown(marked),
    text: () => toText(documents, appearance),
    json: () => jsonOf(reviews),
  };
  write(options.output, texts[format]());
  if (options.json !== undefined) write(options.json, jsonOf(reviews));
  const code = exitCode(reviews, marked.fingerprint, options);
  if (published === undefined) return code;
  const { publish } = await import("./publish.js");
  const outcome = await publish({
    ...published,
    environment: process.env,
    marked,
    isFailed: code === PREVIEW_FAILED,
    isDrifted: reviews.some(hasChanges),
    body: (by) => markdown(by),
    summary: markdown(marked, LONGEST_SUMMARY),
  });
  return mostImportant(code, outcome);
}

/** Loads the client, which most reviews need not. */
async function ask(previews: readonly Preview[], sampleUsers: readonly string[]): Promise<Tenant> {
  const { askTenant } = await import("./ask.js");
  return askTenant(
    previews.flatMap(({ steps }) => rolesIn(steps)),
    sampleUsers,
    process.env,
  );
}

function exitCode(reviews: readonly Review[], fingerprint: string, { expect, failOn }: Options): number {
  if (reviews.some(({ errors }) => errors.length > 0)) return PREVIEW_FAILED;
  if (expect !== undefined && expect !== fingerprint) {
    process.stderr.write(
      `The effects are not those that were reviewed: the fingerprint is ${fingerprint}, not ${expect}. Review them again.\n`,
    );
    return NOT_AS_REVIEWED;
  }
  const found = reviews
    .flatMap(({ categories }) => categories)
    .filter((category) => failOn.includes(category));
  return found.length > 0 ? NEEDS_APPROVAL : 0;
}

/** One review, or a list of them for several stacks. */
function jsonOf(reviews: readonly Review[]): string {
  const json = reviews.map(toJson);
  return `${JSON.stringify(json.length === 1 ? json[0] : json, null, 2)}\n`;
}

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandError(
      `${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
      INPUT_UNUSABLE,
    );
  }
}

function write(file: string | undefined, text: string): void {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CommandError(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`, USAGE);
  }
}

function readNames(file: string): Record<string, string> {
  const isNames = (value: unknown): value is Record<string, string> =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((name) => typeof name === "string");
  try {
    const names = JSON.parse(read(file)) as unknown;
    if (isNames(names)) return names;
  } catch (error) {
    if (error instanceof CommandError) throw error;
  }
  throw new CommandError(`${file} is not a JSON object of names by id, such as {"rol_1": "support-agent"}.`);
}

function userIds(id: string, before: readonly string[]): string[] {
  if (!isPathId(id)) throw new InvalidArgumentError(`It ${PATH_ID_RULE}.`);
  return [...before, id];
}

function wholeNumber(text: string): number {
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
