import { createHash } from "node:crypto";
import { commitOf, type Environment, jobOf } from "../../code-host/host";
import { percentDecoded, percentEncoded } from "../../escape";
import { compare, optional } from "../../lists";
import { FINGERPRINT_DIGITS } from "../fingerprint";

export interface ReviewMarker {
  /** The names of the reviewed stacks. */
  key: string;
  fingerprint: string;
  /** The job that wrote it, and the commit that it ran for; undefined outside of CI. */
  job?: string | undefined;
  commit?: string | undefined;
  /** Texts of former stacks whose place this one takes. */
  replaced?: readonly Replaced[];
}

/** A text of ours that another one replaces. */
export interface Replaced {
  key: string;
  /** The address of its page. */
  url: string;
}

/** Stands for a stack without a name. */
const NO_STACK = "?";

export function markerOf(
  reviews: readonly { stack: string | undefined; fingerprint: string }[],
  environment: Environment = {},
): ReviewMarker {
  const stacks = reviews.map(({ stack }) => stack ?? NO_STACK).sort(compare);
  const fingerprints = reviews.map(({ stack, fingerprint }) => `${stack} ${fingerprint}`).sort(compare);
  const [only] = reviews;
  return {
    key: stacks.map(percentEncoded).join(","),
    fingerprint:
      reviews.length === 1 && only !== undefined
        ? only.fingerprint
        : createHash("sha256").update(fingerprints.join("\n")).digest("hex").slice(0, FINGERPRINT_DIGITS),
    job: jobOf(environment),
    commit: commitOf(environment),
  };
}

/** Returns an invisible HTML comment by which a later run finds its own comment. */
export function markerText(
  { key, fingerprint, job, commit, replaced = [] }: ReviewMarker,
  subject: "review" | "drift",
): string {
  const beside = [
    ...(job === undefined ? [] : [`job=${percentEncoded(job)}`]),
    ...(commit === undefined ? [] : [`commit=${percentEncoded(commit)}`]),
    ...replaced.map((former) => `replaced=${former.key}@${percentEncoded(former.url)}`),
  ];
  return `<!-- ${["pulumi-identity", subject, key, fingerprint, ...beside].join(" ")} -->`;
}

/** Returns the marker at the beginning of a comment; anything further down is somebody's text. */
export function parseMarker(body: string, subject: "review" | "drift"): ReviewMarker | undefined {
  const match = /^<!-- pulumi-identity (review|drift) (\S+) ([0-9a-f]{32})((?: \w+=\S+)*) -->/.exec(body);
  const [, found, key = "", fingerprint = "", beside = ""] = match ?? [];
  if (found !== subject) return undefined;
  const all = [...beside.matchAll(/ (\w+)=(\S+)/g)];
  const valuesOf = (name: string) => all.flatMap(([, each, value = ""]) => (each === name ? [value] : []));
  const valueOf = (name: string) => valuesOf(name).map(percentDecoded)[0];
  const replaced = valuesOf("replaced").map((value) => {
    const [former = "", url = ""] = value.split("@");
    return { key: former, url: percentDecoded(url) };
  });
  return {
    key,
    fingerprint,
    job: valueOf("job"),
    commit: valueOf("commit"),
    ...(replaced.length > 0 && { replaced }),
  };
}

/** A text with the marker at its beginning. */
export interface Marked<Text> {
  text: Text;
  marker: ReviewMarker;
}

export function markedIn<Text extends { body: string }>(
  texts: readonly Text[],
  subject: "review" | "drift",
): Marked<Text>[] {
  return texts.flatMap((text) =>
    optional(parseMarker(text.body, subject)).map((marker) => ({ text, marker })),
  );
}

/** Returns the names of the stacks: `project/stack`. */
export function stacksOf({ key }: Pick<ReviewMarker, "key">): string[] {
  return key.split(",").map(percentDecoded);
}

/** True if a later run can recognise this review. */
export function namesAllStacks({ key }: Pick<ReviewMarker, "key">): boolean {
  return !key.split(",").includes(percentEncoded(NO_STACK));
}

/**
 * True if a text of other stacks is out of date once this one stands: another one of the same job never is as
 * long as its stacks exist, and one of another job isn't while it is for this commit.
 */
export async function isReplaced(
  former: ReviewMarker,
  by: ReviewMarker,
  areGone: (stacks: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  if (former.key === by.key) return false;
  const isOfJob = former.job === by.job;
  const own = stacksOf(by);
  if (stacksOf(former).some((stack) => own.includes(stack))) return isOfJob || former.commit !== by.commit;
  return isOfJob && by.job !== undefined && areGone(stacksOf(former));
}
