import { clean } from "../../../provider/border";
import { compare } from "../../../provider/review/step";
import { urnName } from "../../../provider/pulumi/urn";
import { type RawStep } from "./raw-preview";

/**
 * Groups the preview's lines by the URNs of their resources. Lines of the dynamic provider have no URN, and
 * begin with the name as it leaves the process. A name may contain colons, so any colon may be its end.
 */
export function toldLines(
  lines: readonly { urn: string | undefined; text: string }[],
  own: readonly RawStep[],
): Map<string, Set<string>> {
  // The engine shows lines from the `check` of a replacement twice.
  const told = new Map(own.map(({ urn }) => [urn, new Set<string>()]));
  const named = new Map<string, string[]>();
  for (const urn of told.keys()) named.set(shownName(urn), [...(named.get(shownName(urn)) ?? []), urn]);
  const longest = [...named.keys()].reduce((most, { length }) => Math.max(most, length), 0);
  for (const { urn, text } of [...lines].sort((one, other) => compare(one.text, other.text)))
    for (const { index } of text.slice(0, longest + 1).matchAll(/: /g))
      for (const of of named.get(text.slice(0, index + 1)) ?? [])
        if (urn === undefined || urn === of) told.get(of)?.add(text.slice(index + 1).trim());
  return told;
}

/** Returns `name:` as lines begin with it. */
function shownName(urn: string): string {
  return clean(`${urnName(urn)}: `);
}
