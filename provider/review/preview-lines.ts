/*
 * Lines of a preview add what Pulumi's own display of a change doesn't show. Its JSON has them only as text,
 * so `pulumi-identity review` parses them. Each resource has a file lines.ts with the one format and the one
 * parser of its lines; the shared parts are here.
 */

/** Warns that a tenant isn't the one in the stack's configuration. */
export function formatDomainLine(used: string, configured: string): string {
  return `IDENTITY_DOMAIN wins over identity:domain: the tenant is ${used}, and not ${configured}`;
}

/** Returns the tenant named by `formatDomainLine`; undefined for all other lines. */
export function parseDomainLine(line: string): string | undefined {
  return /^IDENTITY_DOMAIN wins over identity:domain: the tenant is (\S+), and not \S+$/.exec(line)?.[1];
}

/** The end of a refresh's line about what a tenant doesn't show, so soon after it was written. */
const KEPT = "less than a minute ago, so state keeps it. Refresh again in a minute.";

/** `what`: `the tenant doesn't show it, but this stack wrote it`. */
export function formatKeptLine(what: string): string {
  return `${what} ${KEPT}`;
}

export function isKeptLine(line: string): boolean {
  return line.endsWith(KEPT);
}

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

/** The ids in a line: the named ones, and the number of others. */
export interface Listed {
  named: readonly string[];
  unnamed: number;
}

/** `grp_a, grp_b`; of many ids, the first ones `and 488 more`. */
export function listText(ids: readonly string[], most = MOST_IN_LINE): string {
  const named = ids.slice(0, most).join(", ");
  return ids.length <= most ? named : `${named} and ${ids.length - most} more`;
}

/** Parses the text of `listText`; undefined for anything else. */
export function parseList(text: string): Listed | undefined {
  const [, list = text, more = "0"] = /^(.+) and (\d+) more$/.exec(text) ?? [];
  const named = list === "" ? [] : list.split(", ");
  if (!named.every((id) => /^[\w-]+$/.test(id))) return undefined;
  return { named, unnamed: Number(more) };
}
