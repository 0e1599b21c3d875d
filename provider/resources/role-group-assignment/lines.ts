import { type Listed, listText, parseList } from "../../pulumi/preview-lines";

/** What a preview tells of a role. `groups`: all where it is written, those named where it is read. */
export type RoleLine<Groups = readonly string[]> =
  | { kind: "grants"; roleId: string; groups: Groups; until?: string | undefined }
  | { kind: "revokes" | "hands over"; roleId: string; groups: Groups }
  /** Groups that lose the role since the assignment has ended. */
  | { kind: "has ended"; roleId: string; groups: Groups; until: string }
  /** Groups that lose the role when what is replaced is deleted: its options may keep it from that. */
  | { kind: "revokes later"; roleId: string; groups: Groups }
  /** Groups that keep the role although no assignment lists them any more. */
  | { kind: "leaves"; roleId: string; groups: Groups }
  /** Groups that an assignment handed over to others before, and that lose the role. */
  | { kind: "ends"; roleId: string; groups: Groups }
  /** Groups that lose the role unless they turn out to be among those that are not known yet. */
  | { kind: "may revoke"; roleId: string; groups: Groups }
  | { kind: "unknown groups"; roleId: string }
  | { kind: "unknown exclusive"; roleId: string }
  /** Groups that others gave the role to, and that lose it. */
  | { kind: "exclusive"; roleId: string; groups: Groups }
  /** The tenant was to be asked which groups these are, and gave no answer. */
  | { kind: "not asked"; roleId: string; reason: string };

/** Of groups that were handed over, once what has handed them over is deleted. */
export const LEFT_OVER =
  "handed over to another assignment: if none lists it, no resource manages the access, and it is to be taken away on the tenant";

/** A change as one line: `role rol_…: + grp_a; − grp_b; hands over grp_c`. */
export function formatLines(roleId: string, lines: readonly RoleLine[]): string[] {
  const parts = lines
    .filter((line) => !("groups" in line) || line.kind === "exclusive" || line.groups.length > 0)
    .map(partOf);
  return parts.length === 0 ? [] : [`role ${roleId}: ${parts.join("; ")}`];
}

export function formatRoleLine(line: RoleLine): string {
  return `role ${line.roleId}: ${partOf(line)}`;
}

function partOf(line: RoleLine): string {
  switch (line.kind) {
    case "grants":
      return `+ ${listText(line.groups)}${line.until === undefined ? "" : `${UNTIL_PART}${line.until}`}`;
    case "has ended":
      return `− ${listText(line.groups)}${SINCE}${line.until}`;
    case "revokes":
      return `− ${listText(line.groups)}`;
    case "revokes later":
      return `− ${listText(line.groups)}${LATER}`;
    case "leaves":
      return `stays with ${listText(line.groups)}${NOT_DELETED}`;
    case "hands over":
      return `hands over ${listText(line.groups)}`;
    case "ends":
      return `− ${listText(line.groups)}${ENDED}`;
    case "may revoke":
      return `− ${listText(line.groups)}${UNLESS_UNKNOWN}`;
    case "unknown groups":
      return UNKNOWN_GROUPS;
    case "unknown exclusive":
      return UNKNOWN_EXCLUSIVE;
    case "exclusive":
      return line.groups.length === 0
        ? NO_OTHERS
        : `exclusive, takes the role from ${line.groups.length} ${line.groups.length === 1 ? "group" : "groups"} that others gave it to: ${listText(line.groups)}`;
    case "not asked":
      return `${QUESTION} (${line.reason})`;
  }
}

const UNTIL_PART = ", until ";
const SINCE = ", since it ended ";
const LATER = ", once what it replaces is deleted";
const NOT_DELETED = ", because deleteOnDestroy is false";
const ENDED = ", handed over before, listed nowhere now";
const UNLESS_UNKNOWN = ", unless they are among the groups that are not known yet";
const UNKNOWN_GROUPS = "groups not known yet";
const UNKNOWN_EXCLUSIVE = "whether it is exclusive is not known yet";
const NO_OTHERS = "exclusive, takes the role from no other group";
const QUESTION = "exclusive: which other groups lose the role could not be read";

/** The parts of a line of this file; undefined for all other lines. */
export function parseRoleLine(line: string): RoleLine<Listed>[] | undefined {
  const { roleId, rest } = /^role (?<roleId>\S+): (?<rest>.+)$/.exec(line)?.groups ?? {};
  if (roleId === undefined || rest === undefined) return undefined;
  // A reason is text of a stranger: nothing is looked for in it.
  const notAsked = HOLDERS_NOT_ASKED.exec(rest)?.[1];
  if (notAsked !== undefined) return [{ kind: "not asked", roleId, reason: notAsked }];
  const parts = rest.split("; ").map((text) => parsePart(roleId, text));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function parsePart(roleId: string, text: string): RoleLine<Listed> | undefined {
  if (text === UNKNOWN_GROUPS) return { kind: "unknown groups", roleId };
  if (text === UNKNOWN_EXCLUSIVE) return { kind: "unknown exclusive", roleId };
  if (text === NO_OTHERS) return { kind: "exclusive", roleId, groups: { named: [], unnamed: 0 } };
  for (const [kind, pattern] of WITH_GROUPS) {
    const [, list, until] = pattern.exec(text) ?? [];
    if (list === undefined) continue;
    const groups = parseList(list);
    return groups && ({ kind, roleId, groups, ...(until !== undefined && { until }) } as RoleLine<Listed>);
  }
  return undefined;
}

const HOLDERS_NOT_ASKED = /^exclusive: which other groups lose the role could not be read \((.*)\)$/;
const WITH_GROUPS = [
  ["exclusive", /^exclusive, takes the role from \d+ groups? that others gave it to: (.+)$/],
  ["grants", new RegExp(`^\\+ (.+?)(?:${UNTIL_PART}(\\S+))?$`)],
  ["has ended", new RegExp(`^− (.+)${SINCE}(\\S+)$`)],
  ["leaves", new RegExp(`^stays with (.+)${NOT_DELETED}$`)],
  ["hands over", /^hands over (.+)$/],
  ["revokes later", new RegExp(`^− (.+)${LATER}$`)],
  ["ends", new RegExp(`^− (.+)${ENDED}$`)],
  ["may revoke", new RegExp(`^− (.+)${UNLESS_UNKNOWN}$`)],
  ["revokes", /^− (.+)$/],
] as const;

/** Why two assignments can't both be in a program. */
export interface Conflict {
  /** Undefined where messages must not show it. */
  roleId: string | undefined;
  /** Those that both list. */
  groups: readonly string[];
  /** Which of the two is exclusive, where they list no group in common. */
  exclusive?: string | undefined;
}

export function refusal([first, second]: readonly [string, string], conflict: Conflict): string {
  return `RoleGroupAssignment "${first}" and "${second}" ${problemOf(conflict)}. Let one of them own it: list the groups in one assignment.`;
}

function problemOf({ roleId, groups, exclusive = "" }: Conflict): string {
  if (groups.length === 0)
    return `share ${roleId === undefined ? "one role" : `the role ${roleId}`}, but "${exclusive}" is exclusive`;
  return roleId === undefined
    ? "both claim a group for one role"
    : `both claim ${groups.join(", ")} for the role ${roleId}`;
}
