import { createHash } from "node:crypto";
import { stableJson } from "../../provider/review/raw-inputs";
import { compare, optional } from "../lists";
import { type Preview } from "./input/preview";
import { type Effects } from "./kinds/effects";

/** 128 bits: nobody can find two programs with one fingerprint, one to show and one to apply. */
export const FINGERPRINT_DIGITS = 32;

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
  const { isDrift, errors, others, access, permissions, profiles, removals, signOuts, unknown, notes } =
    review;
  const effects = [
    ...access
      .filter(({ effect, until, untilBefore }) => effect !== "keeps" || until !== untilBefore)
      .map(({ tenant, organization, role, holder, effect, unless, until, untilBefore, ends }) => [
        "access",
        effect,
        tenant,
        role,
        "group" in holder ? holder.group : holder,
        ...optional(organization).map((place) => ({ organization: place })),
        unless !== undefined,
        ...(effect === "keeps" || until !== undefined ? [until ?? null] : []),
        ...(ends === undefined ? [] : [untilBefore ?? null]),
      ]),
    ...permissions.map(({ tenant, holder, effect, resourceServer, permission, unless }) => [
      "permission",
      effect,
      tenant,
      holder,
      resourceServer,
      permission,
      unless !== undefined,
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
    ...signOuts.map(({ tenant, user, client, rest }) => [
      "sign-out",
      tenant,
      user,
      client ?? null,
      ...optional(rest),
    ]),
    ...unknown.map(({ tenant, reason, categories }) => ["unknown", tenant, reason.toString(), categories]),
    ...notes.map(({ tenant, name, reason }) => ["note", tenant, name, reason.toString()]),
  ].map((effect) => stableJson(effect));
  const text = stableJson([isDrift, errors.length > 0, others, effects.sort(compare)]);
  return createHash("sha256").update(text).digest("hex").slice(0, FINGERPRINT_DIGITS);
}
