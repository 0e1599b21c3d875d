/* Words for two assignments that claim the same, in the program and in the provider host. */

/** What two assignments list; undefined where messages must not show it. */
type Shared = { roleId: string; groups: readonly string[] } | undefined;

/** Why two assignments must not list the same groups. */
export function bothClaim(names: readonly [string, string], shared: Shared): string {
  return refusal(names, claimOf(shared));
}

export function claimOf(shared: Shared): string {
  return shared === undefined
    ? "both claim a group for one role"
    : `both claim ${shared.groups.join(", ")} for the role ${shared.roleId}`;
}

export function refusal([first, second]: readonly [string, string], problem: string): string {
  return `RoleGroupAssignment "${first}" and "${second}" ${problem}. Let one of them own it: list the groups in one assignment.`;
}
