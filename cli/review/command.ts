import { Command } from "commander";
import { askTenant } from "./ask";
import { documentOf } from "./document";
import { parseJson } from "../../provider/http/shape";
import { tenantOf } from "../../provider/pulumi/settings";
import { isObject } from "../../provider/service/record";
import {
  CODE_HOST_FAILED,
  CommandError,
  NEEDS_APPROVAL,
  NOT_AS_REVIEWED,
  PREVIEW_FAILED,
  USAGE,
} from "../errors";
import { readFile, readInput, remove, write } from "../files";
import { helpText, styleFor } from "../terminal";
import { type ReviewMarker, markerOf, markerText } from "./fingerprint";
import { reviewMarkdown } from "./markdown";
import { purposeOf, REVIEW_OPTIONS, type ReviewOptions } from "./options";
import { commitOf, sourceOf } from "../code-host/host";
import { rolesIn } from "./tenant";
import { type Preview, readPreview } from "./preview";
import { publish } from "./publish";
import { PREVIEW_COMMAND, REFRESH_COMMAND } from "./raw-preview";
import { hasChanges, type Making, type Review, reviewOf, toJson } from "./review";
import { reviewText } from "./text";

/** The page of a run on GitHub has room for 1 MiB, and a character takes at most three bytes. */
const LONGEST_SUMMARY = 340_000;

export function reviewCommand(): Command {
  const command = new Command("review")
    .description(
      "Says what a Pulumi preview does to access: who gains it, who loses it, what can't be undone.",
    )
    .argument("[files...]", `output of \`${PREVIEW_COMMAND}\`, one file a stack; default: standard input`)
    .addHelpText(
      "after",
      helpText(
        `Example:\n  ${PREVIEW_COMMAND} > preview.json\n  pulumi-identity review preview.json --fail-on removal,delete,unknown`,
        "Exit codes: 0 fine, 1 the input is unusable, 2 wrong usage, 3 needs an approval, 4 the preview failed or there is " +
          "none, 5 not what was reviewed, 6 the code host could not be asked.",
      ),
    )
    .action(async (files: string[], options: ReviewOptions) => {
      process.exitCode = await review(files, options);
    });
  for (const option of REVIEW_OPTIONS) command.addOption(option);
  return command;
}

async function review(files: readonly string[], options: ReviewOptions): Promise<number> {
  const published = purposeOf(options);
  const names = options.names === undefined ? {} : readNames(options.names);
  const inputs = files.length === 0 ? ["-"] : files;
  const previews = await Promise.all(inputs.map((file) => readPreviewOf(file, options.drift === true)));
  const roles = previews.flatMap(({ steps }) => rolesIn(steps));
  const tenant = options.read && (await askTenant(roles, options.sampleUser, process.env));
  const made = new Date();
  const reviews = previews.map((preview) => reviewOf(preview, options.drift === true, tenant, made));
  const marker = markerOf(reviews);
  const making = {
    made,
    unknownAccepted: options.acceptUnknown === true,
    environmentTenant: tenantOf({ domain: process.env["IDENTITY_DOMAIN"] }),
  };
  const appearance = {
    names: Object.assign({}, ...reviews.map((one) => one.names), names) as Record<string, string>,
    source: sourceOf(options.source, process.env),
    commit: commitOf(process.env),
    fingerprint: marker.fingerprint,
    maxLength: options.maxLength,
  };
  const documents = reviews.map((one) => documentOf(one, options.failOn));
  const kind = options.drift ? "drift" : "review";
  const markdown = (by: ReviewMarker, maxLength = options.maxLength) =>
    reviewMarkdown(documents, markerText(by, kind), { ...appearance, maxLength });
  const json = () => jsonOf(reviews, making);
  const formats = {
    markdown: () => markdown(marker),
    text: () =>
      reviewText(documents, appearance, options.output === undefined ? styleFor(process.stdout) : undefined),
    json,
  };
  // What a run is held to is there only once it is known to be what was reviewed.
  if (options.json !== undefined) remove(options.json);
  write(options.output, formats[formatOf(options)]());
  const code = exitCode(reviews, marker.fingerprint, options);
  let ending = code;
  if (published !== undefined) {
    const outcome = await publish({
      ...published,
      environment: process.env,
      marker,
      isFailed: code === PREVIEW_FAILED,
      isDrifted: reviews.some(hasChanges),
      body: markdown,
      summary: () => markdown(marker, LONGEST_SUMMARY),
    });
    ending = mostImportant(code, outcome);
  }
  const isKnown = ending !== CODE_HOST_FAILED || options.expectReviewed !== true;
  if (options.json !== undefined && ending !== NOT_AS_REVIEWED && isKnown) write(options.json, json());
  return ending;
}

function formatOf({ format, output }: ReviewOptions): NonNullable<ReviewOptions["format"]> {
  return format ?? (process.stdout.isTTY && output === undefined ? "text" : "markdown");
}

async function readPreviewOf(file: string, isDrift: boolean): Promise<Preview> {
  const { file: source, text } = await readInput(file, isDrift ? REFRESH_COMMAND : PREVIEW_COMMAND);
  const preview = readPreview(text, source);
  // Read the wrong way round, what a preview removes looks like what others have removed already.
  if (isDrift && preview.isRefresh === false)
    throw new CommandError(
      `${source} is a preview, and --drift reads a refresh. Leave out --drift, or give the output of ${REFRESH_COMMAND}, ` +
        "without --run-program.",
      USAGE,
    );
  if (!isDrift && preview.isRefresh === true)
    throw new CommandError(
      `${source} is a refresh. Add --drift, or give the output of ${PREVIEW_COMMAND}.`,
      USAGE,
    );
  return preview;
}

function exitCode(
  reviews: readonly Review[],
  fingerprint: string,
  { expect, failOn }: ReviewOptions,
): number {
  if (reviews.some(({ errors }) => errors.length > 0)) return PREVIEW_FAILED;
  if (expect !== undefined && expect !== fingerprint) {
    process.stderr.write(
      `The effects are not those that were reviewed: the fingerprint is ${fingerprint}, not ${expect}. Review them again.\n`,
    );
    return NOT_AS_REVIEWED;
  }
  const isFound = reviews.some(({ categories }) => categories.some((category) => failOn.includes(category)));
  return isFound ? NEEDS_APPROVAL : 0;
}

/** One review, or a list of them for several stacks. */
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

/** The first one wins. A pipeline goes on after an approval, which must hide nothing else that went wrong. */
const CODE_ORDER = [PREVIEW_FAILED, NOT_AS_REVIEWED, CODE_HOST_FAILED, NEEDS_APPROVAL] as const;

function mostImportant(...codes: number[]): number {
  return CODE_ORDER.find((code) => codes.includes(code)) ?? 0;
}
