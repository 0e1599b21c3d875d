import { InvalidArgumentError, Option } from "commander";
import { CATEGORIES, type Category } from "../../../provider/review/categories";
import { NEEDS_APPROVAL, NOT_AS_REVIEWED, refuseMisuse } from "../../errors";
import { endsWithinOption, type Within } from "../../ends";
import { addedNames, addedOnce, listOf, repeatable, userId } from "../../option-values";
import { type HostName } from "../../code-host/host";
import { anyOf, optional } from "../../lists";

export interface ReviewOptions {
  stack: string[];
  drift?: true;
  destroy?: true;
  format?: "markdown" | "text" | "json" | "sarif" | "html";
  annotate?: true;
  output?: string;
  json?: string;
  page?: string;
  acceptUnknown?: true;
  names?: string;
  source?: string;
  maxLength: number;
  failOn: Category[];
  expect?: string;
  expectReviewed?: true;
  github?: true;
  gitlab?: true;
  issue?: string;
  endsWithin?: Within;
  outcome?: RunOutcome;
  read: boolean;
  onlyNames?: true;
  sampleUser: string[];
  rules?: string;
  people?: true;
}

/** How a run of a reviewed change can end; `refused`: before it sent anything. */
export const OUTCOMES = ["applied", "failed", "refused"] as const;
export type RunOutcome = (typeof OUTCOMES)[number];

const FAIL_ON = [...CATEGORIES, "any"] as const;

export const REVIEW_OPTIONS: readonly Option[] = [
  repeatable("--stack <name>", "stack to preview; default: the selected one"),
  new Option(
    "--drift",
    "review what has changed on the tenant since the last up, by a refresh that changes nothing",
  ),
  new Option("--destroy", "review what `pulumi destroy` would revoke and delete").conflicts("drift"),
  new Option("--format <format>", "default: text on a terminal, else markdown").choices([
    "markdown",
    "text",
    "json",
    "sarif",
    "html",
  ]),
  new Option("--output <file>", "file for the review; default: standard output"),
  new Option("--json <file>", "also write the review as JSON, for IDENTITY_REVIEW_FILE"),
  new Option("--page <file>", "also write the review as a page; the comment links the run that keeps it"),
  new Option("--accept-unknown", "let a run held to the JSON do what the review calls unknown"),
  new Option("--names <file>", 'JSON with names for ids: {"rol_…": "support-agent"}'),
  new Option("--source <url>", "start of links to lines of code; GitHub and GitLab set it by themselves"),
  new Option("--max-length <n>", "limit on characters of Markdown").argParser(commentLength).default(60_000),
  listOf("--fail-on <list>", `exit ${NEEDS_APPROVAL} on any of`, FAIL_ON).argParser(categories),
  new Option("--expect <fingerprint>", `exit ${NOT_AS_REVIEWED} if the fingerprint differs`),
  new Option(
    "--expect-reviewed",
    `exit ${NOT_AS_REVIEWED} if the fingerprint differs from the comment on the merged pull request`,
  ).conflicts("expect"),
  new Option(
    "--annotate",
    "mark the lines of losses, removals, broken rules and doubts, in GitHub and GitLab jobs",
  ),
  new Option("--github", "post one comment on the pull request, and a summary of the step").conflicts(
    "gitlab",
  ),
  new Option("--gitlab", "post one comment on the merge request"),
  new Option("--issue <title>", "with --drift: keep one issue open while there is drift"),
  endsWithinOption("with --drift: also show grants that end within this time, which keep the issue open"),
  new Option(
    "--outcome <outcome>",
    "after a run: write into the comment on the merged pull request how it ended, and what is left",
  )
    .choices(OUTCOMES)
    .conflicts(["drift", "destroy", "expect", "expectReviewed"]),
  new Option("--no-read", "don't ask the tenant for names and for who has the roles today").conflicts([
    "sampleUser",
    "people",
  ]),
  new Option(
    "--only-names",
    "ask the tenant for names alone, which decide nothing: without an answer, the ids are shown",
  ).conflicts(["read", "sampleUser", "people", "rules"]),
  new Option("--rules <file>", "YAML or JSON: who may have which role, what conflicts, what must end"),
  new Option("--people", "list the ids of people who gain and lose access"),
  repeatable("--sample-user <id>", "show what the roles allow, by a user who has them").argParser(
    (id, before) => addedOnce(userId(id), before),
  ),
];

function commentLength(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1_000)
    throw new InvalidArgumentError("Give a whole number from 1000.");
  return number;
}

function categories(text: string, before: unknown): Category[] {
  const names = addedNames(FAIL_ON)(text, before);
  return names.includes("any") ? [...CATEGORIES] : (names as Category[]);
}

export type Purpose =
  | { act: "comment" }
  | { act: "issue"; title: string }
  | { act: "outcome"; outcome: RunOutcome }
  /** Compares with the comment, without writing. */
  | { act: "compare" }
  /** The applied change has already been reviewed, so the comment stays. */
  | { act: "summary" };

/** Undefined if the review stays on this machine. */
export function purposeOf(options: ReviewOptions): { host: HostName; purpose: Purpose } | undefined {
  const { drift: isDrift = false, expect, expectReviewed: compares = false, issue, outcome } = options;
  refuseMisuse([
    [
      !isDrift && options.endsWithin !== undefined,
      () => "--ends-within goes with --drift: add it, or ask `access`.",
    ],
  ]);
  const { github = false, gitlab = false } = options;
  const [host] = anyOf<HostName>([github, "github"], [gitlab, "gitlab"]);
  checkPurpose({
    isHere: host === undefined,
    isDrift,
    hasIssue: issue !== undefined,
    hasOutcome: outcome !== undefined,
    compares,
  });
  if (host === undefined) return undefined;
  const [purpose = { act: "comment" }] = [
    ...optional(issue).map((title): Purpose => ({ act: "issue", title })),
    ...optional(outcome).map((ended): Purpose => ({ act: "outcome", outcome: ended })),
    ...anyOf<Purpose>([compares, { act: "compare" }], [expect !== undefined, { act: "summary" }]),
  ];
  return { host, purpose };
}

interface PublishingOptions {
  /** True if the review stays on this machine. */
  isHere: boolean;
  isDrift: boolean;
  hasIssue: boolean;
  hasOutcome: boolean;
  compares: boolean;
}

function checkPurpose({ isHere, isDrift, hasIssue, hasOutcome, compares }: PublishingOptions): void {
  refuseMisuse([
    [isHere && compares, () => "--expect-reviewed needs --github or --gitlab."],
    [isHere && hasIssue, () => "--issue needs --github or --gitlab."],
    [isHere && hasOutcome, () => "--outcome needs --github or --gitlab."],
    [isDrift && compares, () => "--expect-reviewed is for previews: leave out --drift."],
    [isDrift && !isHere && !hasIssue, () => "A drift goes to an issue: add --issue TITLE."],
    [hasIssue && !isDrift, () => "--issue tells of a drift: add --drift."],
  ]);
}

/** Waiting for a broken rule requires rules; `any` matches whatever there is. */
export function checkRules({ rules, failOn }: Pick<ReviewOptions, "rules" | "failOn">): void {
  const isAny = failOn.length === CATEGORIES.length;
  const isMisuse = rules === undefined && failOn.includes("rules") && !isAny;
  refuseMisuse([[isMisuse, () => "--fail-on rules needs --rules FILE."]]);
}
