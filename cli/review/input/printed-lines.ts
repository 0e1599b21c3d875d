import { clean } from "../../../provider/border";
import { groupedBy } from "../../../provider/access/grants";
import { compare } from "../../../provider/review/step";
import { urnName } from "../../../provider/pulumi/urn";
import { type RawStep } from "./raw-preview";

/**
 * Groups the preview's lines by the URNs of their resources. Lines of the dynamic provider have no URN, and
 * begin with the name as it leaves the process. A name may contain colons, so any colon may be its end.
 */
export function printedLines(
  lines: readonly { urn: string | undefined; text: string }[],
  own: readonly RawStep[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const named = groupedBy(new Set(own.map(({ urn }) => urn)), shownName);
  const longest = [...named.keys()].reduce((most, { length }) => Math.max(most, length), 0);
  const found = [...lines]
    .sort((one, other) => compare(one.text, other.text))
    .flatMap(({ urn, text }) => {
      const ends = [...text.slice(0, longest + 1).matchAll(/: /g)].map(({ index }) => index + 1);
      return ends.flatMap((end) => {
        const line = text.slice(end).trim();
        const urns = (named.get(text.slice(0, end)) ?? []).filter((known) => known === (urn ?? known));
        return urns.map((known) => ({ urn: known, line }));
      });
    });
  // The engine shows lines from the `check` of a replacement twice.
  return new Map(
    [...groupedBy(found, ({ urn }) => urn)].map(([urn, all]) => [urn, new Set(all.map(({ line }) => line))]),
  );
}

/** Returns `name:` as lines begin with it. */
function shownName(urn: string): string {
  return clean(`${urnName(urn)}: `);
}
