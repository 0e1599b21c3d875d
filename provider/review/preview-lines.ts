/*
 * Lines of a preview add what Pulumi's own display of a change doesn't show. Each resource has a file
 * lines.ts with its own words; the shared ones are here and in facts.ts.
 */

/** Says what ids in lines are called: `rol_… is "support-agent", grp_… is "support-desk"`. */
export function nameLines(lines: readonly string[], names: ReadonlyMap<string, string>): string[] {
  // No id contains a blank, a comma or a semicolon; a colon behind one isn't part of it.
  const words = names.size === 0 ? [] : lines.flatMap((line) => line.split(/[\s,;]+/));
  const ids = words.flatMap((word) => [word.replace(/:$/, ""), word].find((id) => names.has(id)) ?? []);
  const named = [...new Set(ids)].map((id) => `${id} is ${JSON.stringify(names.get(id))}`);
  return named.length === 0 ? [] : [named.join(", ")];
}

/** A line names up to this many ids, and counts the rest. */
const MOST_IN_LINE = 10;

/** `grp_a, grp_b`; of many ids, the first ones `and 488 more`. */
export function listText(ids: readonly string[], most = MOST_IN_LINE): string {
  const named = ids.slice(0, most).join(", ");
  return ids.length <= most ? named : `${named} and ${ids.length - most} more`;
}
