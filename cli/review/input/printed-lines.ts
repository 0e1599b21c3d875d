import { sanitize } from "../../../provider/border";
import { groupedBy } from "../../../provider/access/grants";
import { type Fact } from "../../../provider/review/facts";
import { urnName } from "../../../provider/pulumi/urn";
import { type RawStep } from "./raw-preview";
import { compare } from "../../lists";

/** A line of the preview that ends in a fact. */
export interface FactLine {
  urn: string | undefined;
  text: string;
  fact: Fact;
}

/**
 * Groups the facts of lines by the URNs of their resources. Lines of the dynamic provider have no URN, and
 * begin with the name as it leaves the process. A name may contain colons, so any colon may be its end.
 */
export function printedFacts(
  lines: readonly FactLine[],
  own: readonly RawStep[],
): ReadonlyMap<string, readonly Fact[]> {
  const named = groupedBy(new Set(own.map(({ urn }) => urn)), shownName);
  const longest = [...named.keys()].reduce((most, { length }) => Math.max(most, length), 0);
  const found = [...lines]
    .sort((one, other) => compare(one.text, other.text))
    .flatMap(({ urn, text, fact }) => {
      const ends = [...text.slice(0, longest + 1).matchAll(/: /g)].map(({ index }) => index + 1);
      return ends.flatMap((end) => {
        const urns = (named.get(text.slice(0, end)) ?? []).filter((known) => known === (urn ?? known));
        return urns.map((known) => ({ urn: known, fact }));
      });
    });
  return new Map(
    [...groupedBy(found, ({ urn }) => urn)].map(([urn, all]) => [urn, all.map(({ fact }) => fact)]),
  );
}

/** Returns `name:` as lines begin with it. */
function shownName(urn: string): string {
  return sanitize(`${urnName(urn)}: `);
}
