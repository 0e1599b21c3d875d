import { type AccessEffect, isLoss } from "../../../provider/access/change";
import { type ProfileEffect } from "../kinds/effects";
import { count, firstOf, type Sentence, word } from "../../../provider/sentence";
import { anyOf } from "../../lists";
import { isBroken } from "../../rules/breach";
import { hasChanges, type Review } from "../review";
import { type Counts, wordsOf } from "./words";

export function countsOf({
  access,
  profiles,
  removals,
  signOuts,
  unknown,
  others,
}: Review): Omit<Counts, "allowed" | "forbidden"> {
  const rows = (effect: "gains" | "keeps") => access.filter((row) => row.effect === effect).length;
  const moved = (ends: AccessEffect["ends"]) => access.filter((row) => row.ends === ends).length;
  const steps = (...ops: ProfileEffect["op"][]) => profiles.filter(({ op }) => ops.includes(op)).length;
  return {
    gains: rows("gains"),
    loses: access.filter(isLoss).length,
    keeps: rows("keeps"),
    endsLater: moved("later"),
    endsEarlier: moved("earlier"),
    removals: removals.length,
    // One person may be signed out of several clients.
    signOuts: new Set(signOuts.map(({ tenant, user }) => `${tenant} ${user}`)).size,
    created: steps("create"),
    changed: steps("update"),
    adopted: steps("adopt"),
    deleted: steps("delete", "gone"),
    unknown: unknown.length,
    others,
  };
}

function permissionCounts({ permissions }: Review): Pick<Counts, "allowed" | "forbidden"> {
  const allowed = permissions.filter(({ effect }) => effect === "gains").length;
  return { allowed, forbidden: permissions.length - allowed };
}

/** `➕ 4 grants`, …; the most important first. */
export function summaryOf(review: Review): Sentence[] {
  const { failure, counts } = wordsOf(review);
  const number = { ...countsOf(review), ...permissionCounts(review) };
  const broken = (review.rules?.breaches ?? []).filter(isBroken).length;
  const parts = anyOf(
    [review.errors.length, failure],
    [broken, `⛔ ${count(broken, "broken rule")}`],
    ...counts.map(([name, text]) => [number[name], text(number[name])] as const),
  );
  const shown = parts.length === 0 ? [nothingIn(review)] : parts;
  return [...shown, ...endingIn(review)].map(word);
}

function endingIn({ ends }: Review): string[] {
  const number = ends?.endings.length ?? 0;
  return anyOf([number, `⏳ ${count(number, "assignment ends soon", "assignments end soon")}`]);
}

function nothingIn(review: Review): string {
  const words = firstOf([
    [review.isDrift, () => "no drift, the tenant is as the state says"],
    [hasChanges(review), () => "No change on the tenant"],
  ]);
  return words ?? "no change of access, connection profiles or device credentials";
}
