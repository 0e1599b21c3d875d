import { createHash } from "node:crypto";
import { stableJson } from "../../provider/pulumi/raw-inputs";
import { compare } from "../../provider/pulumi/step";
import { type Preview } from "./preview";
import { type Effects } from "../../provider/pulumi/effects";

/** 128 bits: nobody finds two programs with the same fingerprint, one to be reviewed and one to be applied. */
const DIGITS = 32;

/**
 * The same for the same effects on the tenant, whatever the resources are called, in whatever order and on whatever lines;
 * another one as soon as the tenant, the state or the program would make the effects differ. A note speaks of a resource
 * rather than of the tenant, so that its name counts.
 */
export function fingerprintOf(
  review: Omit<Effects, "categories" | "repeats"> & {
    isDrift: boolean;
    errors: Preview["errors"];
    others: number;
  },
): string {
  const { isDrift, errors, others, access, profiles, removals, unknown, notes } = review;
  const effects = [
    ...access
      .filter(({ effect, until, untilBefore }) => effect !== "keeps" || until !== untilBefore)
      .map(({ tenant, role, group, effect, unless, until }) => [
        "access",
        effect,
        tenant,
        role,
        group,
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
