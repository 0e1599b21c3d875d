import { type HostName } from "../code-host/open";
import { CommandError, USAGE } from "../errors";

export interface PurposeOptions {
  drift?: true;
  expect?: string;
  expectReviewed?: true;
  github?: true;
  gitlab?: true;
  issue?: string;
}

/** What GitHub or GitLab is asked for. */
export type Purpose =
  | { kind: "comment" }
  | { kind: "issue"; title: string }
  /** Compares with the comment, and writes nothing. */
  | { kind: "compare" }
  /** What is applied has been reviewed: the comment stays. */
  | { kind: "summary" };

/** Undefined: the review stays on this machine. */
export function purposeOf(options: PurposeOptions): { host: HostName; purpose: Purpose } | undefined {
  const { drift, expect, expectReviewed, github, gitlab, issue } = options;
  const host = github ? "github" : gitlab ? "gitlab" : undefined;
  if (host === undefined) {
    if (expectReviewed) throw usageError("--expect-reviewed needs --github or --gitlab.");
    if (issue !== undefined) throw usageError("--issue needs --github or --gitlab.");
    return undefined;
  }
  if (drift) {
    if (expectReviewed) throw usageError("--expect-reviewed is for previews: leave out --drift.");
    if (issue === undefined) throw usageError("A drift goes to an issue: add --issue TITLE.");
    return { host, purpose: { kind: "issue", title: issue } };
  }
  if (issue !== undefined) throw usageError("--issue tells of a drift: add --drift.");
  if (expectReviewed) return { host, purpose: { kind: "compare" } };
  return { host, purpose: { kind: expect === undefined ? "comment" : "summary" } };
}

function usageError(sentence: string): CommandError {
  return new CommandError(sentence, USAGE);
}
