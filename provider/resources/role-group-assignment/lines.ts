import { type RoleAt, roleText } from "../../access/edge";
import { isPast, nearEnd } from "../../access/until";
import { allOf } from "../../sentence";
import { formatKeptLine, type Listed, listText, parseList } from "../../review/preview-lines";

interface Words {
  /** `#`: how many groups. */
  before?: string;
  behind?: string;
  /** Before an end date. */
  end?: string;
  /** Without groups. Default: the part says nothing. */
  alone?: string;
}

/** The words of a line's parts around the groups. */
const WORDS = {
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
  /** They got the role elsewhere, and lose it. */
  exclusive: {
    before: "exclusive, takes the role from # that others gave it to: ",
    alone: "exclusive, takes the role from no other group",
  },
  "unknown groups": { alone: "groups not known yet" },
  "unknown exclusive": { alone: "whether it is exclusive is not known yet" },
  /** Which groups an exclusive assignment takes the role from, the tenant didn't answer. */
  "not asked": { alone: "exclusive: which other groups lose the role could not be read" },
} as const satisfies Record<string, Words>;

/** One part of a role's line. */
export interface RolePart<Groups = readonly string[]> {
  says: keyof typeof WORDS;
  /** All of them when written, only the named ones when read. */
  groups: Groups;
  until?: string | undefined;
  /** Why the tenant wasn't asked. */
  reason?: string;
}

/** For a deleted assignment, when others in the run want its groups to keep the role. */
export function keptLines(at: RoleAt, groups: readonly string[], listers: readonly string[]): string[] {
  if (groups.length === 0) return [];
  return [`${roleText(at)}: keeps ${listText(groups)}, listed by ${listText(listers)}`];
}

/** For a refresh that keeps groups although the role's list lacks them. */
export function notShownLines(at: RoleAt, groups: readonly string[]): string[] {
  if (groups.length === 0) return [];
  const what = `the tenant doesn't list ${listText(groups)}, but this stack wrote the assignment`;
  return [formatKeptLine(`${roleText(at)}: ${what}`)];
}

/** For every preview: the groups will soon lose the role, or have lost it. */
export function endNotices(at: RoleAt, until: string, moment: number): string[] {
  const when = nearEnd(until, moment);
  return allOf([
    [
      isPast(until, moment),
      () => lineOf(at, `has ended (until ${until}): it gives the role to no group until it is prolonged`),
    ],
    [when !== undefined, () => lineOf(at, `until ${until}, ${when ?? ""}: then its groups lose the role`)],
  ]);
}

export function neighbourNotice(at: RoleAt, neighbour: string): string {
  return (
    `${roleText(at)}: is also assigned by ${neighbour}, under another provider. A group that moves between the two can ` +
    "end up without the role: put all assignments of a role under one provider."
  );
}

/** Formats a change as one line: `role rol_…: + grp_a; − grp_b; hands over grp_c`. */
export function formatLines(at: RoleAt, parts: readonly RolePart[]): string[] {
  const texts = parts.map(partText).filter((text) => text !== "");
  return texts.length === 0 ? [] : [lineOf(at, texts.join("; "))];
}

/** For an exclusive assignment. */
export function notAskedLine(at: RoleAt, reason: string): string {
  return lineOf(at, `${WORDS["not asked"].alone} (${reason})`);
}

function lineOf(at: RoleAt, text: string): string {
  return `${roleText(at)}: ${text}`;
}

function partText({ says, groups, until }: RolePart): string {
  const { before = "", behind = "", end, alone = "" }: Words = WORDS[says];
  if (groups.length === 0) return alone;
  const count = groups.length === 1 ? "1 group" : `${groups.length} groups`;
  const ending = end && until && `${end}${until}`;
  return `${before.replace("#", count)}${listText(groups)}${behind}${ending ?? ""}`;
}

/** Parses a line of this file; undefined for all other lines. */
export function parseRoleLine(line: string): { at: RoleAt; parts: RolePart<Listed>[] } | undefined {
  const { role, organization, rest } =
    /^role (?<role>\S+)(?: in (?<organization>\S+))?: (?<rest>.+)$/.exec(line)?.groups ?? {};
  if (role === undefined || rest === undefined) return undefined;
  // The reason is a stranger's text, so don't search it for anything.
  const [, reason] = NOT_ASKED.exec(rest) ?? [];
  const parts =
    reason === undefined
      ? rest.split("; ").map(parsePart)
      : [{ says: "not asked" as const, groups: { named: [], unnamed: 0 }, reason }];
  return parts.every((part) => part !== undefined) ? { at: { organization, role }, parts } : undefined;
}

function parsePart(text: string): RolePart<Listed> | undefined {
  const [part] = PATTERNS.flatMap(([says, pattern]) => {
    const found = pattern.exec(text);
    // No id contains a space, so one part's groups never contain another's words.
    const groups = found && parseList(found.groups?.["groups"] ?? "");
    return groups ? [{ says, groups, until: found?.groups?.["until"] }] : [];
  });
  return part;
}

const NOT_ASKED: Readonly<RegExp> = new RegExp(`^${WORDS["not asked"].alone} \\((.*)\\)$`);

const PATTERNS = (Object.entries(WORDS) as [RolePart["says"], Words][]).map(
  ([says, { before, behind = "", end, alone }]) => {
    const start = before?.replace("+", "\\+").replace("#", "\\d+ groups?");
    const until = end && `(?:${end}(?<until>\\S+))?`;
    const withGroups = start && `${start}(?<groups>.+?)${behind}${until ?? ""}`;
    const texts = [withGroups, alone].filter((each) => each !== undefined);
    return [says, new RegExp(`^(?:${texts.join("|")})$`)] as const;
  },
);

/** The reason why two assignments can't both be in a program. */
export interface Overlap {
  /** `RoleGroupAssignment`: both are of this kind. */
  kind: string;
  /** Undefined if messages must not show it. */
  at: RoleAt | undefined;
  /** Groups that both list. */
  groups: readonly string[];
  /** The exclusive one of the two, if they list no group in common. */
  exclusive?: string | undefined;
}

export function refusal(owners: readonly string[], overlap: Overlap): string {
  const names = owners.map((name) => `"${name}"`).join(" and ");
  return `${overlap.kind} ${names} ${problemOf(overlap)}. Let one of them own it: list the groups in one assignment.`;
}

function problemOf({ at, groups, exclusive = "" }: Overlap): string {
  const [role, shown] =
    at === undefined ? ["one role", "a group"] : [`the ${roleText(at)}`, groups.join(", ")];
  return groups.length === 0
    ? `share ${role}, but "${exclusive}" is exclusive`
    : `both list ${shown} for ${role}`;
}
