import { type Listed, listText, parseList } from "../../review/preview-lines";

type GroupsKind =
  "grants" | "revokes" | "has ended" | "revokes later" | "leaves" | "hands over" | "may revoke";

/** What a preview tells of groups: the words before and behind them, and those before an end. */
const GROUP_WORDS: Readonly<Record<GroupsKind, { before: string; behind?: string; end?: string }>> = {
  grants: { before: "+ ", end: ", until " },
  revokes: { before: "− " },
  /** They lose the role since the assignment has ended. */
  "has ended": { before: "− ", end: ", since it ended " },
  /** They lose the role when what is replaced is deleted: its options may keep it from that. */
  "revokes later": { before: "− ", behind: ", once what it replaces is deleted" },
  /** They keep the role although no assignment lists them any more. */
  leaves: { before: "stays with ", behind: ", because deleteOnDestroy is false" },
  "hands over": { before: "hands over " },
  /** They lose the role unless an assignment turns out to list them that is not known yet. */
  "may revoke": { before: "− ", behind: ", unless the program still lists them" },
};

/** What a line tells of its role. `groups`: all where it is written, those named where it is read. */
export type RolePart<Groups = readonly string[]> =
  /** `exclusive`: groups that others gave the role to, and that lose it. */
  | { kind: GroupsKind | "exclusive"; groups: Groups; until?: string | undefined }
  | { kind: "unknown groups" }
  | { kind: "unknown exclusive" }
  /** The tenant was to be asked which groups an exclusive one takes the role from, and gave no answer. */
  | { kind: "not asked"; reason: string };

/** Of what is deleted: the run wants these groups to have the role. */
export function keptLines(roleId: string, groups: readonly string[], listers: readonly string[]): string[] {
  if (groups.length === 0) return [];
  return [`role ${roleId}: keeps ${listText(groups)}, listed by ${listText(listers)}`];
}

/** Of what a refresh keeps, although the list of the role lacks it. */
export function notShownLine(roleId: string, groups: readonly string[]): string {
  return (
    `role ${roleId}: the tenant doesn't list ${listText(groups)}, but this stack wrote the assignment less than a minute ago, ` +
    "so state keeps it. Refresh again in a minute."
  );
}

/** A change as one line: `role rol_…: + grp_a; − grp_b; hands over grp_c`. */
export function formatLines(roleId: string, parts: readonly RolePart[]): string[] {
  const texts = parts
    .filter((part) => !("groups" in part) || part.kind === "exclusive" || part.groups.length > 0)
    .map(formatPart);
  return texts.length === 0 ? [] : [`role ${roleId}: ${texts.join("; ")}`];
}

export function formatRoleLine(roleId: string, part: RolePart): string {
  return `role ${roleId}: ${formatPart(part)}`;
}

const UNKNOWN_GROUPS = "groups not known yet";
const UNKNOWN_EXCLUSIVE = "whether it is exclusive is not known yet";
const NO_OTHERS = "exclusive, takes the role from no other group";

function formatPart(part: RolePart): string {
  if (part.kind === "unknown groups") return UNKNOWN_GROUPS;
  if (part.kind === "unknown exclusive") return UNKNOWN_EXCLUSIVE;
  if (part.kind === "not asked")
    return `exclusive: which other groups lose the role could not be read (${part.reason})`;
  const { kind, groups, until } = part;
  if (kind !== "exclusive") {
    const { before, behind = "", end = "" } = GROUP_WORDS[kind];
    return `${before}${listText(groups)}${behind}${until === undefined ? "" : `${end}${until}`}`;
  }
  if (groups.length === 0) return NO_OTHERS;
  const count = groups.length === 1 ? "1 group" : `${groups.length} groups`;
  return `exclusive, takes the role from ${count} that others gave it to: ${listText(groups)}`;
}

/** A line of this file; undefined for all other lines. */
export function parseRoleLine(line: string): { roleId: string; parts: RolePart<Listed>[] } | undefined {
  const { roleId, rest } = /^role (?<roleId>\S+): (?<rest>.+)$/.exec(line)?.groups ?? {};
  if (roleId === undefined || rest === undefined) return undefined;
  // A reason is text of a stranger: nothing is looked for in it.
  const notAsked = /^exclusive: which other groups lose the role could not be read \((.*)\)$/.exec(rest)?.[1];
  if (notAsked !== undefined) return { roleId, parts: [{ kind: "not asked", reason: notAsked }] };
  const parts = rest.split("; ").map(parsePart);
  return parts.every((part) => part !== undefined) ? { roleId, parts } : undefined;
}

function parsePart(text: string): RolePart<Listed> | undefined {
  if (text === UNKNOWN_GROUPS) return { kind: "unknown groups" };
  if (text === UNKNOWN_EXCLUSIVE) return { kind: "unknown exclusive" };
  if (text === NO_OTHERS) return { kind: "exclusive", groups: { named: [], unnamed: 0 } };
  for (const [kind, pattern] of GROUP_PATTERNS) {
    const [, list, until] = pattern.exec(text) ?? [];
    // No id has a space in it, so that the groups of one kind hold no words of another.
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

/** Why two assignments can't both be in a program. */
export interface Conflict {
  /** Undefined where messages must not show it. */
  roleId: string | undefined;
  /** Those that both list. */
  groups: readonly string[];
  /** Which of the two is exclusive, where they list no group in common. */
  exclusive?: string | undefined;
}

export function refusal(owners: readonly string[], conflict: Conflict): string {
  const names = owners.map((name) => `"${name}"`).join(" and ");
  return `RoleGroupAssignment ${names} ${problemOf(conflict)}. Let one of them own it: list the groups in one assignment.`;
}

function problemOf({ roleId, groups, exclusive = "" }: Conflict): string {
  if (groups.length === 0)
    return `share ${roleId === undefined ? "one role" : `the role ${roleId}`}, but "${exclusive}" is exclusive`;
  return roleId === undefined
    ? "both list a group for one role"
    : `both list ${groups.join(", ")} for the role ${roleId}`;
}
