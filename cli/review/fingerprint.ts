import { createHash } from "node:crypto";
import { stableJson } from "../../provider/review/raw-inputs";
import { compare } from "../../provider/review/step";
import { type Preview } from "./input/preview";
import { type Effects } from "../../provider/review/effects";
import { percentEncoded } from "../escape";

/** 128 bits: nobody can find two programs with one fingerprint, one to show and one to apply. */
const DIGITS = 32;

/**
 * Equal for equal effects on the tenant, whatever the resources' names, order and lines; different as soon as
 * the tenant, the state or the program would change the effects. Notes are about resources rather than the
 * tenant, so there the name counts.
 */
export function fingerprintOf(
  review: Omit<Effects, "categories"> & {
    isDrift: boolean;
    errors: Preview["errors"];
    others: number;
  },
): string {
  const { isDrift, errors, others, access, profiles, removals, unknown, notes } = review;
  const effects = [
    ...access
      .filter(({ effect, until, untilBefore }) => effect !== "keeps" || until !== untilBefore)
      .map(({ tenant, organization, role, holder, effect, unless, until }) => [
        "access",
        effect,
        tenant,
        role,
        "group" in holder ? holder.group : holder,
        ...(organization === undefined ? [] : [{ organization }]),
        unless !== undefined,
        ...(effect === "keeps" || until !== undefined ? [until ?? null] : []),
      ]),
    ...profiles.map(({ tenant, op, id, changes, unless }) => [
      "profile",
      op,
      tenant,
      id,
      changes,
      unless !== undefined,
    ]),
    ...removals.map(({ tenant, id }) => ["removal", tenant, id]),
    ...unknown.map(({ tenant, reason, categories }) => ["unknown", tenant, reason, categories]),
    ...notes.map(({ tenant, name, reason }) => ["note", tenant, name, reason]),
  ].map((effect) => stableJson(effect));
  const text = stableJson([isDrift, errors.length > 0, others, effects.sort(compare)]);
  return createHash("sha256").update(text).digest("hex").slice(0, DIGITS);
}

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
        : createHash("sha256").update(fingerprints.join("\n")).digest("hex").slice(0, DIGITS),
  };
}

/** Returns an invisible HTML comment by which a later run finds its own comment. */
export function markerText({ key, fingerprint }: ReviewMarker, kind: "review" | "drift"): string {
  return `<!-- pulumi-identity ${kind} ${key} ${fingerprint} -->`;
}

/** Returns the marker at the beginning of a comment; anything further down is somebody's text. */
export function parseMarker(body: string, kind: "review" | "drift"): ReviewMarker | undefined {
  const match = /^<!-- pulumi-identity (review|drift) (\S+) ([0-9a-f]{32}) -->/.exec(body);
  const [, found, key = "", fingerprint = ""] = match ?? [];
  return found === kind ? { key, fingerprint } : undefined;
}

/** True if a later run can recognise this review. */
export function namesAllStacks({ key }: ReviewMarker): boolean {
  return !key.split(",").includes(percentEncoded(NO_STACK));
}
