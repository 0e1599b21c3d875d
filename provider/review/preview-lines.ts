/*
 * Lines of a preview: what Pulumi's own display of a change does not say. Its JSON holds them as text and
 * nowhere else, so that `pulumi-identity review` reads them back. Each resource has a file lines.ts with the
 * one format and the one parser of its lines; here is what they share.
 */

/** That a tenant is not the one of the stack's configuration. */
export function formatDomainLine(used: string, configured: string): string {
  return `IDENTITY_DOMAIN wins over identity:domain: the tenant is ${used}, and not ${configured}`;
}

/** The tenant that `formatDomainLine` has named; undefined for all other lines. */
export function parseDomainLine(line: string): string | undefined {
  return /^IDENTITY_DOMAIN wins over identity:domain: the tenant is (\S+), and not \S+$/.exec(line)?.[1];
}

/** A line names up to this many ids; further ones are counted. */
const MOST_IN_LINE = 10;

/** Ids in a line: those that it names, and how many more there are. */
export interface Listed {
  named: readonly string[];
  unnamed: number;
}

/** `grp_a, grp_b` or, of many, the first ones and `and 488 more`. */
export function listText(ids: readonly string[], most = MOST_IN_LINE): string {
  const named = ids.slice(0, most).join(", ");
  return ids.length <= most ? named : `${named} and ${ids.length - most} more`;
}

/** What `listText` has written; undefined for anything else. */
export function parseList(text: string): Listed | undefined {
  const [, list = text, more = "0"] = /^(.+) and (\d+) more$/.exec(text) ?? [];
  const named = list.split(", ");
  if (!named.every((id) => /^[\w-]+$/.test(id))) return undefined;
  return { named, unnamed: Number(more) };
}
