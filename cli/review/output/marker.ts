import { createHash } from "node:crypto";
import { compare } from "../../../provider/review/step";
import { percentEncoded } from "../../escape";
import { FINGERPRINT_DIGITS } from "../fingerprint";

export interface ReviewMarker {
  /** The names of the reviewed stacks. */
  key: string;
  fingerprint: string;
}

/** Stands for a stack without a name. */
const NO_STACK = "?";

export function markerOf(
  reviews: readonly { stack: string | undefined; fingerprint: string }[],
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
  };
}

/** Returns an invisible HTML comment by which a later run finds its own comment. */
export function markerText({ key, fingerprint }: ReviewMarker, subject: "review" | "drift"): string {
  return `<!-- pulumi-identity ${subject} ${key} ${fingerprint} -->`;
}

/** Returns the marker at the beginning of a comment; anything further down is somebody's text. */
export function parseMarker(body: string, subject: "review" | "drift"): ReviewMarker | undefined {
  const match = /^<!-- pulumi-identity (review|drift) (\S+) ([0-9a-f]{32}) -->/.exec(body);
  const [, found, key = "", fingerprint = ""] = match ?? [];
  return found === subject ? { key, fingerprint } : undefined;
}

/** True if a later run can recognise this review. */
export function namesAllStacks({ key }: ReviewMarker): boolean {
  return !key.split(",").includes(percentEncoded(NO_STACK));
}
