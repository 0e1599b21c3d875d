import { InvalidInputError } from "../../http/errors";
import { type Declared, type DeclaredAssignments, type Settled } from "./declared";

type SettledAssignment = Declared & { settled: Settled };

/**
 * Two assignments that list the same group of a role, or an exclusive one beside another, would undo each other's work
 * for ever. Handlers never see both at once, so this is refused where the program declares them.
 */
export function refuseTwoOwners(declared: DeclaredAssignments, self: SettledAssignment): void {
  const { tenant, roleId, groupIds } = self.settled;
  if (roleId === undefined || groupIds === undefined) return;
  for (const other of declared.others(self)) {
    if (other.settled.tenant !== tenant || other.settled.roleId !== roleId) continue;
    const problem = conflict(self, other);
    if (problem === undefined) continue;
    const [first, second] = declared.isBefore(self, other) ? [self, other] : [other, self];
    throw new InvalidInputError(
      `RoleGroupAssignment "${first.name}" and "${second.name}" ${problem}. Let one of them own it: list the groups in one assignment.`,
    );
  }
}

function conflict(self: SettledAssignment, other: SettledAssignment): string | undefined {
  const isHidden = self.settled.isSecret || other.settled.isSecret;
  const role = isHidden ? "one role" : `the role ${self.settled.roleId}`;
  const shared = (self.settled.groupIds ?? []).filter((group) => other.settled.groupIds?.includes(group));
  if (shared.length > 0) return `both claim ${isHidden ? "a group" : shared.join(", ")} for ${role}`;
  const exclusive = [self, other].find(({ settled }) => settled.exclusive);
  return exclusive && `share ${role}, but "${exclusive.name}" is exclusive`;
}
