import { Command } from "commander";
import { parseJson } from "../../provider/http/shape";
import { grouped } from "../../provider/sentence";
import { isObject } from "../../provider/service/record";
import { type HostName, LONGEST_COMMENT } from "../code-host/host";
import { CODE_HOST_FAILED, CommandError, NEEDS_APPROVAL, NOT_AS_REVIEWED, PREVIEW_FAILED } from "../errors";
import { checkOutputs, readFile, remove, write } from "../files";
import { areGone } from "../gone-stacks";
import { withOptions } from "../option-values";
import { type RulesFile } from "../rules/file";
import { helpText, Progress } from "../terminal";
import { workplaceOf } from "../workplace";
import { baseRules, judgedByBoth, ownRules } from "./base-rules";
import { checkRules, purposeOf, REVIEW_OPTIONS, type ReviewOptions } from "./input/options";
import { type Preview } from "./input/preview";
import { sourcesOf } from "./input/sources";
import { endsOf, hasEnds } from "./ends";
import { annotate } from "./output/annotate";
import { Formats, isFailed } from "./output/formats";
import { stacksOf } from "./output/marker";
import { LONGEST_SUMMARY } from "./output/outcome";
import { publish } from "./output/publish";
import { hasChanges, hasEffects, type Review, reviewsOf } from "./review";
import { withRules } from "./rules";
import { askTenants } from "./tenant/ask-all";
import { Tenants } from "./tenant/tenants";

type Published = ReturnType<typeof purposeOf>;

export function reviewCommand(): Command {
  const command = new Command("review")
    .description("Shows what a change does to access: who gains it, who loses it, and what can't be undone.")
    .usage("[options] [files...] [-- options of Pulumi]")
    .argument("[files...]", "previews that you made earlier, one per stack; - for standard input")
    .addHelpText(
      "after",
      helpText(
        "Examples:\n  pulumi-identity review --stack prod --fail-on removal,delete,unknown" +
          "\n  pulumi-identity review --stack prod --drift" +
          "\n  pulumi-identity review --stack prod -- --refresh --save-plan plan.json",
        "It runs `pulumi preview` in this folder, and changes nothing. With a client configured, it also reads names from the " +
          "tenant. Settings come from IDENTITY_… first, then from the stack's configuration; for files, only from IDENTITY_….",
        "Exit codes: 0 ok, 1 the input is unusable, 2 wrong usage, 3 needs an approval, 4 the preview failed or there is " +
          "none, 5 not what was reviewed, 6 the code host could not be asked. If several apply, the first of 1, 4, 5, 6 and " +
          "3 counts.",
      ),
    )
    .action(async (files: string[], options: ReviewOptions) => {
      process.exitCode = await review(files, options);
    });
  return withOptions(command, REVIEW_OPTIONS);
}

async function review(args: readonly string[], options: ReviewOptions): Promise<number> {
  const published = purposeOf(options);
  checkRules(options);
  const queue = queueOf(published);
  if (queue !== undefined) {
    process.stderr.write(`Nothing to do: this run is for ${queue}.\n`);
    return 0;
  }
  const maxLength = lengthFor(options.maxLength, published?.host);
  return reviewAndPublish(args, { ...options, maxLength }, published);
}

async function reviewAndPublish(
  args: readonly string[],
  options: ReviewOptions,
  published: Published,
): Promise<number> {
  checkOutputs([options.output, options.json, options.page], [...args, options.names, options.rules]);
  // A run must not use this file before the review is known to be the approved one.
  if (options.json !== undefined) remove(options.json);
  const names = options.names === undefined ? {} : readNames(options.names);
  const made = new Date();
  const reviews = await reviewsFrom(args, options, made, published);
  const formats = new Formats(reviews, names, options, made);
  write(options.output, formats[formatOf(options)]());
  writePage(options.page, formats);
  if (options.annotate) annotate(formats.findings(), process.env);
  const code = exitCode(reviews, formats.marker.fingerprint, options);
  const outcome =
    published &&
    (await publish({
      ...published,
      environment: process.env,
      marker: formats.marker,
      isDrifted: reviews.some((stack) => hasChanges(stack) || hasEnds(stack)),
      found: {
        isFailed: code === PREVIEW_FAILED,
        hasEffects: reviews.some(hasEffects),
        text: (maxLength) => formats.unmarked(maxLength),
      },
      body: (beside) => formats.markdown(options.maxLength, beside),
      summary: () => formats.markdown(LONGEST_SUMMARY),
      areGone: (stacks) =>
        areGone(stacks, stacksOf(formats.marker), { folder: process.cwd(), environment: process.env }),
    }));
  const ending = mostImportant(code, outcome ?? 0);
  if (options.json !== undefined && isReviewed(ending, options)) write(options.json, formats.json());
  return ending;
}

/** True unless the review isn't the approved one, or nobody could find that out. */
function isReviewed(ending: number, { expectReviewed }: ReviewOptions): boolean {
  return ending !== NOT_AS_REVIEWED && (ending !== CODE_HOST_FAILED || expectReviewed !== true);
}

async function reviewsFrom(
  args: readonly string[],
  options: ReviewOptions,
  made: Date,
  published: Published,
): Promise<Review[]> {
  const { rules: file, drift: isDrift = false } = options;
  const { linesOf } = workplaceOf(process.cwd(), process.env);
  const ends = options.endsWithin && { within: options.endsWithin, linesOf };
  const rolesEnding = (preview: Preview) => (ends ? endsOf(preview, ends, made.getTime()).roles : []);
  const isChange = published?.purpose.act === "comment";
  const own = file === undefined ? undefined : ownRules(file, isChange);
  const tenants = new Tenants(new Progress(process.stderr));
  try {
    const readingBase = file !== undefined && isChange ? baseOf(file, published.host) : undefined;
    readingBase?.catch(() => undefined);
    const sources = await sourcesOf(args, options);
    const judge = async (rules?: RulesFile) => {
      const answers = await askTenants(sources, { ...options, ends: rolesEnding }, tenants, rules);
      const stacks = sources.map(({ preview }, index) => ({
        preview,
        answers: options.onlyNames ? undefined : answers[index],
        named: answers[index],
      }));
      const reviewed = reviewsOf(stacks, isDrift, made, ends);
      return rules === undefined ? reviewed.map((stack) => stack.review) : withRules(reviewed, rules, made);
    };
    if (file === undefined) return await judge();
    return await judgedByBoth({ file, own, base: await readingBase }, judge);
  } finally {
    await tenants.close();
  }
}

function baseOf(file: string, host: HostName): ReturnType<typeof baseRules> {
  return baseRules(file, host, process.env, workplaceOf(process.cwd(), process.env));
}

function writePage(file: string | undefined, formats: Formats): void {
  if (file !== undefined) write(file, formats.html());
}

function formatOf({ format, output }: ReviewOptions): NonNullable<ReviewOptions["format"]> {
  return format ?? (process.stdout.isTTY && output === undefined ? "text" : "markdown");
}

/**
 * Undefined if this run is for a single change. A queue's commit has those of others, too, so its review
 * isn't the approved one; but the check is required.
 */
function queueOf(published: Published): string | undefined {
  if (published?.purpose.act !== "comment") return undefined;
  const { GITHUB_EVENT_NAME, CI_MERGE_REQUEST_EVENT_TYPE } = process.env;
  if (published.host === "github")
    return GITHUB_EVENT_NAME === "merge_group"
      ? "a merge queue, and its changes were reviewed on their pull requests"
      : undefined;
  return CI_MERGE_REQUEST_EVENT_TYPE === "merge_train"
    ? "a merge train, and its changes were reviewed on their merge requests"
    : undefined;
}

/** A longer comment would be refused. */
function lengthFor(length: number, host: HostName | undefined): number {
  const most = host === undefined ? length : LONGEST_COMMENT[host];
  if (length <= most) return length;
  process.stderr.write(`A comment holds ${grouped(most)} characters at most, so --max-length is ${most}.\n`);
  return most;
}

function exitCode(
  reviews: readonly Review[],
  fingerprint: string,
  { expect, failOn }: ReviewOptions,
): number {
  if (reviews.some(isFailed)) return PREVIEW_FAILED;
  if (expect !== undefined && expect !== fingerprint) {
    process.stderr.write(
      `The effects are not those that were reviewed: the fingerprint is ${fingerprint}, not ${expect}. Review them again.\n`,
    );
    return NOT_AS_REVIEWED;
  }
  const isFound = reviews.some(({ categories }) => categories.some((category) => failOn.includes(category)));
  return isFound ? NEEDS_APPROVAL : 0;
}

function readNames(file: string): Record<string, string> {
  const names = parseJson(readFile(file));
  if (isObject(names) && Object.values(names).every((name) => typeof name === "string"))
    return names as Record<string, string>;
  throw new CommandError(`${file} is not a JSON object of names by id, such as {"rol_1": "support-agent"}.`);
}

/** The first one wins. A pipeline goes on after an approval, so that code must not hide any other problem. */
const CODE_ORDER = [PREVIEW_FAILED, NOT_AS_REVIEWED, CODE_HOST_FAILED, NEEDS_APPROVAL] as const;

function mostImportant(...codes: number[]): number {
  return CODE_ORDER.find((code) => codes.includes(code)) ?? 0;
}
