/* What previews and runs say of a role, in one wording. */

/** A line names up to this many groups; further ones are counted. */
const MOST_NAMED = 10;

/** `grp_a, grp_b` or, of many, the first ten and `and 488 more`. */
export function groupList(groups: readonly string[]): string {
  const named = groups.slice(0, MOST_NAMED).join(", ");
  return groups.length <= MOST_NAMED ? named : `${named} and ${groups.length - MOST_NAMED} more`;
}

/** `role rol_…: + grp_a; − grp_b; hands over grp_c`; undefined without a change. */
export function changeLine(
  roleId: string,
  added: readonly string[],
  removed: readonly string[],
  moving: readonly string[],
): string | undefined {
  const parts = [
    ...(added.length > 0 ? [`+ ${groupList(added)}`] : []),
    ...(removed.length > 0 ? [`− ${groupList(removed)}`] : []),
    ...(moving.length > 0 ? [`hands over ${groupList(moving)}`] : []),
  ];
  return parts.length === 0 ? undefined : `role ${roleId}: ${parts.join("; ")}`;
}
