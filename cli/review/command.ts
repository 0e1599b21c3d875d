import { Command } from "commander";
import { documentOf } from "./output/document";
import { parseJson } from "../../provider/http/shape";
import { tenantOf } from "../../provider/pulumi/settings";
import { isObject } from "../../provider/service/record";
import { CODE_HOST_FAILED, CommandError, NEEDS_APPROVAL, NOT_AS_REVIEWED, PREVIEW_FAILED } from "../errors";
import { readFile, remove, write } from "../files";
import { inAddress, inText } from "../escape";
import { withOptions } from "../option-values";
import { type Workplace, workplaceOf } from "../workplace";
import { grouped, type Place } from "../../provider/review/sentence";
import { helpText, styleFor } from "../terminal";
import { markerOf, markerText } from "./fingerprint";
import { type Appearance, reviewMarkdown } from "./output/markdown";
import { checkRules, purposeOf, REVIEW_OPTIONS, type ReviewOptions } from "./input/options";
import { annotate } from "./output/annotate";
import { findingsOf } from "./output/findings";
import { sarifOf } from "./output/sarif";
import { commitOf, type HostName, LONGEST_COMMENT, sourceOf } from "../code-host/host";
import { publish } from "./output/publish";
import { hasChanges, type Making, type Review, reviewsOf, toJson } from "./review";
import { type RulesFile } from "../rules/file";
import { baseRules, judgedByBoth, ownRules } from "./base-rules";
import { withRules } from "./rules";
import { askTenants, sourcesOf } from "./sources";
import { reviewText } from "./output/text";

/** GitHub's page of a run has room for 1 MiB, and a character takes at most three bytes. */
const LONGEST_SUMMARY = 340_000;

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
  if (isOfMergeQueue(published)) {
    process.stderr.write(
      "Nothing to do: this run is for a merge queue, and its changes were reviewed on their pull requests.\n",
    );
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
  const names = options.names === undefined ? {} : readNames(options.names);
  const made = new Date();
  const reviews = await reviewsFrom(args, options, made, published);
  const marker = markerOf(reviews);
  const workplace = workplaceOf(process.cwd(), process.env);
  const making = {
    made,
    unknownAccepted: options.acceptUnknown === true,
    hasIds: options.people === true,
    environmentTenant: tenantOf({ domain: process.env["IDENTITY_DOMAIN"] }),
  };
  const appearance = {
    names: Object.assign({}, ...reviews.map((one) => one.names), names) as Record<string, string>,
    source: links(options.source, workplace),
    commit: commitOf(process.env),
    fingerprint: reviews.some(isFailed) ? undefined : marker.fingerprint,
    maxLength: options.maxLength,
  };
  const documents = reviews.map((one) => documentOf(one, options.failOn, options.people));
  const mark = markerText(marker, options.drift ? "drift" : "review");
  const markdown = (maxLength = options.maxLength) =>
    reviewMarkdown(documents, mark, { ...appearance, maxLength });
  const json = () => jsonOf(reviews, making);
  const findings = () => {
    sayIfElsewhere(workplace);
    return findingsOf(reviews, appearance.names, workplace);
  };
  const formats = {
    markdown: () => markdown(),
    text: () =>
      options.output === undefined
        ? reviewText(documents, appearance, styleFor(process.stdout), process.stdout.columns)
        : reviewText(documents, appearance),
    json,
    sarif: () => sarifOf(findings()),
  };
  // A run must not use this file before the review is known to be the approved one.
  if (options.json !== undefined) remove(options.json);
  write(options.output, formats[formatOf(options)]());
  if (options.annotate) annotate(findings(), process.env);
  const code = exitCode(reviews, marker.fingerprint, options);
  let ending = code;
  if (published !== undefined) {
    const outcome = await publish({
      ...published,
      environment: process.env,
      marker,
      isFailed: code === PREVIEW_FAILED,
      isDrifted: reviews.some(hasChanges),
      body: markdown(),
      summary: () => markdown(LONGEST_SUMMARY),
    });
    ending = mostImportant(code, outcome);
  }
  const isKnown = ending !== CODE_HOST_FAILED || options.expectReviewed !== true;
  if (options.json !== undefined && ending !== NOT_AS_REVIEWED && isKnown) write(options.json, json());
  return ending;
}

async function reviewsFrom(
  args: readonly string[],
  options: ReviewOptions,
  made: Date,
  published: Published,
): Promise<Review[]> {
  const { rules: file, drift: isDrift = false } = options;
  const isChange = published?.purpose.kind === "comment";
  const own = file === undefined ? undefined : ownRules(file, isChange);
  const sources = await sourcesOf(args, options);
  const judge = async (rules?: RulesFile) => {
    const tenants = await askTenants(sources, options, rules);
    const stacks = sources.map(({ preview }, index) => ({ preview, tenant: tenants[index] }));
    const reviewed = reviewsOf(stacks, isDrift, made);
    return rules === undefined ? reviewed.map((one) => one.review) : withRules(reviewed, rules, made);
  };
  if (file === undefined) return judge();
  const workplace = workplaceOf(process.cwd(), process.env);
  const base = isChange ? await baseRules(file, published.host, process.env, workplace) : undefined;
  return judgedByBoth({ file, own, base }, judge);
}

function formatOf({ format, output }: ReviewOptions): NonNullable<ReviewOptions["format"]> {
  return format ?? (process.stdout.isTTY && output === undefined ? "text" : "markdown");
}

/** A queue's commit belongs to no pull request, but its check is required. */
function isOfMergeQueue(published: Published): boolean {
  if (published?.host !== "github" || published.purpose.kind !== "comment") return false;
  return process.env["GITHUB_EVENT_NAME"] === "merge_group";
}

/** A longer comment would be refused. */
function lengthFor(wanted: number, host: HostName | undefined): number {
  const most = host === undefined ? wanted : LONGEST_COMMENT[host];
  if (wanted <= most) return wanted;
  process.stderr.write(`A comment holds ${grouped(most)} characters at most, so --max-length is ${most}.\n`);
  return most;
}

function sayIfElsewhere({ projectFile, inRepository }: Workplace): void {
  if (inRepository({ file: projectFile, line: 1 }) !== undefined) return;
  process.stderr.write(
    "Nothing is shown on lines of code: the project is outside of the repository. Check out the repository that has it.\n",
  );
}

/** `given`: the address of the project's folder. */
function links(given: string | undefined, { inRepository }: Workplace): Appearance["source"] {
  const source = sourceOf(process.env);
  if (given === undefined && source === undefined) return undefined;
  const told = new Set<string>();
  return (place) => {
    if (given !== undefined) return addressOf(given.endsWith("/") ? given : `${given}/`, place);
    const inside = inRepository(place);
    if (inside !== undefined) return addressOf(source ?? "", inside);
    if (!told.has(place.file))
      process.stderr.write(`Not linked, because it is outside of the repository: ${inText(place.file)}\n`);
    told.add(place.file);
    return undefined;
  };
}

function addressOf(source: string, { file, line }: Place): string {
  return `${inAddress(source, file)}#L${line}`;
}

function isFailed({ errors }: Review): boolean {
  return errors.length > 0;
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

/** Returns one review, or a list of them for several stacks. */
function jsonOf(reviews: readonly Review[], making: Making): string {
  const json = reviews.map((one) => toJson(one, making));
  return `${JSON.stringify(json.length === 1 ? json[0] : json, null, 2)}\n`;
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
