import { type RoleAt, roleKey, roleText } from "../../access/edge";
import { isPast, nearEnd } from "../../access/until";
import { type KindName } from "../../kinds";
import { beyond, type FactOf, formatFact, keptLine, MOST_IN_FACT } from "../../review/facts";
import { allOf, count } from "../../sentence";
import { listText } from "../../review/preview-lines";

interface PartWords {
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
  "unknown groups": { alone: "groups not known yet" },
  "unknown exclusive": { alone: "whether it is exclusive is not known yet" },
} as const satisfies Record<string, PartWords>;

/** One part of a role's line. */
export interface RolePart {
  says: keyof typeof WORDS;
  groups: readonly string[];
  until?: string | undefined;
}

/** For a deleted assignment, when others in the run want its groups to keep the role. */
export function keptLines(at: RoleAt, groups: readonly string[], listers: readonly string[]): string[] {
  if (groups.length === 0) return [];
  return [`${roleText(at)}: keeps ${listText(groups)}, listed by ${listText(listers)}`];
}

/** For a refresh that keeps groups although the role's list lacks them. */
export function notShownLines(at: RoleAt, groups: readonly string[]): string[] {
  if (groups.length === 0) return [];
  return [keptLine({ kept: roleText(at), groups: listText(groups) })];
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

/** Formats a change as one line: `role rol_…: + grp_a; − grp_b; hands over grp_c {…}`. */
export function formatLines(at: RoleAt, parts: readonly RolePart[]): string[] {
  const texts = parts.map(partText).filter((text) => text !== "");
  if (texts.length === 0) return [];
  const [line, fact] = [lineOf(at, texts.join("; ")), leavingIn(at, parts)];
  return [fact === undefined ? line : formatFact(line, fact)];
}

/** For an exclusive assignment, when others gave the role to these groups. */
export function takesText(at: RoleAt, groups: readonly string[]): string {
  const others = `${count(groups.length, "group")} that others gave it to: ${listText(groups)}`;
  return lineOf(at, `exclusive, takes the role from ${groups.length === 0 ? "no other group" : others}`);
}

/** The same for a preview. */
export function takesLine(at: RoleAt, groups: readonly string[]): string {
  return formatFact(takesText(at, groups), {
    exclusive: roleKey(at),
    takes: groups.slice(0, MOST_IN_FACT),
    more: beyond(groups),
  });
}

export function notAskedLine(at: RoleAt, why: string): string {
  const line = lineOf(at, `exclusive: which other groups lose the role could not be read (${why})`);
  return formatFact(line, { notAsked: roleKey(at), why });
}

function lineOf(at: RoleAt, text: string): string {
  return `${roleText(at)}: ${text}`;
}

function partText({ says, groups, until }: RolePart): string {
  const { before = "", behind = "", end, alone = "" }: PartWords = WORDS[says];
  if (groups.length === 0) return alone;
  const ending = end && until && `${end}${until}`;
  return `${before}${listText(groups)}${behind}${ending ?? ""}`;
}

/** In the order of their claim to the room in a line. */
const LISTED_ELSEWHERE = ["may revoke", "may hand over", "hands over"] as const;

/** Returns the groups that another assignment lists, or may list. */
function leavingIn(at: RoleAt, parts: readonly RolePart[]): FactOf<"leaving"> | undefined {
  const all = LISTED_ELSEWHERE.flatMap((says) =>
    parts.flatMap((part) => (part.says === says ? part.groups.map((group) => ({ group, says })) : [])),
  );
  if (all.length === 0) return undefined;
  const groups = all.slice(0, MOST_IN_FACT).map(({ group, says }) => [group, says] as const);
  const open = all.filter(({ says }) => says !== "hands over");
  return { leaving: roleKey(at), groups: Object.fromEntries(groups), more: beyond(open) };
}

/** The reason why two assignments can't both be in a program. */
export interface Overlap {
  /** Both are of this kind. */
  kind: KindName;
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
