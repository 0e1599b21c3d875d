import { type RoleAt, roleText } from "../../access/edge";
import { isPast, nearEnd } from "../../access/until";
import { type Listed, listText, parseList } from "../../review/preview-lines";

type GroupsKind =
  | "grants"
  | "revokes"
  | "has ended"
  | "revokes later"
  | "leaves"
  | "hands over"
  | "may hand over"
  | "may revoke";

/** The words around groups in a preview's lines, and those before an end date. */
const GROUP_WORDS: Readonly<Record<GroupsKind, { before: string; behind?: string; end?: string }>> = {
  grants: { before: "+ ", end: ", until " },
  revokes: { before: "− " },
  /** They lose the role because the assignment has ended. */
  "has ended": { before: "− ", end: ", since it ended " },
  /** They lose the role when the replaced assignment is deleted, unless its options prevent that. */
  "revokes later": { before: "− ", behind: ", once what it replaces is deleted" },
  /** They keep the role although no assignment lists them any more. */
  leaves: { before: "stays with ", behind: ", because deleteOnDestroy is false" },
  "hands over": { before: "hands over " },
  /** No listing says that another assignment lists them: it depends on the order of registration. */
  "may hand over": { before: "hands over ", behind: ", if the assignment that lists it comes first" },
  /** They lose the role unless an assignment that isn't known yet lists them. */
  "may revoke": { before: "− ", behind: ", unless the program still lists them" },
};

/** One part of a role's line. `groups`: all of them when written, only the named ones when read. */
export type RolePart<Groups = readonly string[]> =
  /** `exclusive`: groups that got the role elsewhere, and lose it. */
  | { kind: GroupsKind | "exclusive"; groups: Groups; until?: string | undefined }
  | { kind: "unknown groups" }
  | { kind: "unknown exclusive" }
  /** The tenant didn't answer which groups an exclusive assignment takes the role from. */
  | { kind: "not asked"; reason: string };

/** For a deleted assignment, when others in the run want its groups to keep the role. */
export function keptLines(at: RoleAt, groups: readonly string[], listers: readonly string[]): string[] {
  if (groups.length === 0) return [];
  return [`${roleText(at)}: keeps ${listText(groups)}, listed by ${listText(listers)}`];
}

/** For a refresh that keeps groups although the role's list lacks them. */
export function notShownLine(at: RoleAt, groups: readonly string[]): string {
  return (
    `${roleText(at)}: the tenant doesn't list ${listText(groups)}, but this stack wrote the assignment less than a minute ago, ` +
    "so state keeps it. Refresh again in a minute."
  );
}

/** For every preview: the groups will soon lose the role, or have lost it. */
export function endNotices(at: RoleAt, until: string | undefined, moment: number): string[] {
  if (until === undefined) return [];
  if (isPast(until, moment))
    return [
      `${roleText(at)}: has ended (until ${until}): it gives the role to no group until it is prolonged`,
    ];
  const when = nearEnd(until, moment);
  return when === undefined
    ? []
    : [`${roleText(at)}: until ${until}, ${when}: then its groups lose the role`];
}

export function neighbourNotices(at: RoleAt, neighbour: string | undefined): string[] {
  if (neighbour === undefined) return [];
  return [
    `${roleText(at)}: is also assigned by ${neighbour}, under another provider. A group that moves between the two can ` +
      "end up without the role: put all assignments of a role under one provider.",
  ];
}

/** Formats a change as one line: `role rol_…: + grp_a; − grp_b; hands over grp_c`. */
export function formatLines(at: RoleAt, parts: readonly RolePart[]): string[] {
  const texts = parts
    .filter((part) => !("groups" in part) || part.kind === "exclusive" || part.groups.length > 0)
    .map(formatPart);
  return texts.length === 0 ? [] : [`${roleText(at)}: ${texts.join("; ")}`];
}

export function formatRoleLine(at: RoleAt, part: RolePart): string {
  return `${roleText(at)}: ${formatPart(part)}`;
}

const FIXED_WORDS = {
  "unknown groups": "groups not known yet",
  "unknown exclusive": "whether it is exclusive is not known yet",
} as const;
const NO_OTHERS = "exclusive, takes the role from no other group";

function formatPart(part: RolePart): string {
  if (part.kind === "not asked")
    return `exclusive: which other groups lose the role could not be read (${part.reason})`;
  if (!("groups" in part)) return FIXED_WORDS[part.kind];
  const { kind, groups, until } = part;
  if (kind === "exclusive") return exclusiveText(groups);
  const { before, behind = "", end = "" } = GROUP_WORDS[kind];
  return `${before}${listText(groups)}${behind}${until === undefined ? "" : `${end}${until}`}`;
}

function exclusiveText(groups: readonly string[]): string {
  if (groups.length === 0) return NO_OTHERS;
  const count = groups.length === 1 ? "1 group" : `${groups.length} groups`;
  return `exclusive, takes the role from ${count} that others gave it to: ${listText(groups)}`;
}

/** Parses a line of this file; undefined for all other lines. */
export function parseRoleLine(line: string): { at: RoleAt; parts: RolePart<Listed>[] } | undefined {
  const { role, organization, rest } =
    /^role (?<role>\S+)(?: in (?<organization>\S+))?: (?<rest>.+)$/.exec(line)?.groups ?? {};
  if (role === undefined || rest === undefined) return undefined;
  const at = organization === undefined ? { role } : { organization, role };
  // The reason is a stranger's text, so don't search it for anything.
  const notAsked = /^exclusive: which other groups lose the role could not be read \((.*)\)$/.exec(rest)?.[1];
  if (notAsked !== undefined) return { at, parts: [{ kind: "not asked", reason: notAsked }] };
  const parts = rest.split("; ").map(parsePart);
  return parts.every((part) => part !== undefined) ? { at, parts } : undefined;
}

function parsePart(text: string): RolePart<Listed> | undefined {
  for (const kind of ["unknown groups", "unknown exclusive"] as const)
    if (text === FIXED_WORDS[kind]) return { kind };
  if (text === NO_OTHERS) return { kind: "exclusive", groups: { named: [], unnamed: 0 } };
  for (const [kind, pattern] of GROUP_PATTERNS) {
    const [, list, until] = pattern.exec(text) ?? [];
    // No id contains a space, so one kind's groups never contain another's words.
    const groups = list === undefined ? undefined : parseList(list);
    if (groups !== undefined) return { kind, groups, ...(until !== undefined && { until }) };
  }
  return undefined;
}

const GROUP_PATTERNS: readonly (readonly [GroupsKind | "exclusive", RegExp])[] = [
  ["exclusive", /^exclusive, takes the role from \d+ groups? that others gave it to: (.+)$/],
  ...Object.entries(GROUP_WORDS).map(([kind, { before, behind = "", end }]) => {
    const until = end === undefined ? "" : `(?:${end}(\\S+))?`;
    return [kind as GroupsKind, new RegExp(`^${before.replace("+", "\\+")}(.+?)${behind}${until}$`)] as const;
  }),
];

/** The reason why two assignments can't both be in a program. */
export interface Conflict {
  /** `RoleGroupAssignment`: both are of this kind. */
  kind: string;
  /** Undefined if messages must not show it. */
  at: RoleAt | undefined;
  /** Groups that both list. */
  groups: readonly string[];
  /** The exclusive one of the two, if they list no group in common. */
  exclusive?: string | undefined;
}

export function refusal(owners: readonly string[], conflict: Conflict): string {
  const names = owners.map((name) => `"${name}"`).join(" and ");
  return `${conflict.kind} ${names} ${problemOf(conflict)}. Let one of them own it: list the groups in one assignment.`;
}

function problemOf({ at, groups, exclusive = "" }: Conflict): string {
  if (groups.length === 0)
    return `share ${at === undefined ? "one role" : `the ${roleText(at)}`}, but "${exclusive}" is exclusive`;
  return at === undefined
    ? "both list a group for one role"
    : `both list ${groups.join(", ")} for the ${roleText(at)}`;
}
