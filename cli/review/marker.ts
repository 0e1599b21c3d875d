import { createHash } from "node:crypto";
import { compare } from "../../provider/pulumi/step";
import { percentEncoded } from "../escape";
import { type Review } from "./review";

export interface Marked {
  /** Whose review it is: the names of the stacks. */
  key: string;
  fingerprint: string;
}

/** Stands for a stack whose preview did not even begin. */
const NO_STACK = "?";
const UNNAMED = percentEncoded(NO_STACK);

export function markedBy(reviews: readonly Review[]): Marked {
  const stacks = reviews.map(({ stack }) => stack ?? NO_STACK).sort(compare);
  const fingerprints = reviews.map(({ stack, fingerprint }) => `${stack} ${fingerprint}`).sort(compare);
  const [only] = reviews;
  return {
    key: stacks.map(percentEncoded).join(","),
    fingerprint:
      reviews.length === 1 && only !== undefined
        ? only.fingerprint
        : createHash("sha256").update(fingerprints.join("\n")).digest("hex").slice(0, 32),
  };
}

/** An HTML comment, which nobody sees: a later run finds its comment by it. */
export function markerText({ key, fingerprint }: Marked, kind: "review" | "drift"): string {
  return `<!-- pulumi-identity ${kind} ${key} ${fingerprint} -->`;
}

/** The marker that a comment begins with; what stands further down is somebody's text. */
export function parseMarker(body: string, kind: "review" | "drift"): Marked | undefined {
  const match = /^<!-- pulumi-identity (review|drift) (\S+) ([0-9a-f]{32}) -->/.exec(body);
  const [, found, key = "", fingerprint = ""] = match ?? [];
  return found === kind ? { key, fingerprint } : undefined;
}

/** Whether two keys may be those of the same stacks: one that is not named may be any. */
export function mayBeSame(one: string, other: string): boolean {
  const [these, those] = [one.split(","), other.split(",")];
  const missing = (names: string[], others: string[]) =>
    names.filter((name) => name !== UNNAMED && !others.includes(name)).length;
  return (
    these.length === those.length &&
    missing(these, those) <= unnamedStacks(other) &&
    missing(those, these) <= unnamedStacks(one)
  );
}

/** How many stacks of a key are not named. */
export function unnamedStacks(key: string): number {
  return key.split(",").filter((name) => name === UNNAMED).length;
}
