import { InvalidInputError } from "../../http/errors";
import { refuseRun } from "../../pulumi/program/program-run";
import { claimOf, refusal } from "./claims";
import { type ProgramAssignment, type DeclaredAssignments, type Settled } from "./declared";

type SettledAssignment = ProgramAssignment & { settled: Settled };

/**
 * Two assignments that list the same group of a role, or an exclusive one beside another, would undo each other's work
 * for ever. This is refused where the program declares them, before anything is registered. What an assignment has whose
 * groups the engine puts in place of the program's, only its handlers are told: they refuse it (see kind.ts).
 */
export function refuseTwoOwners(declared: DeclaredAssignments, self: ProgramAssignment): void {
  if (!isSettled(self)) return;
  const { tenant, roleId, groupIds } = self.settled;
  if (roleId === undefined || groupIds === undefined) return;
  for (const other of declared.others(self)) {
    if (other.settled.tenant !== tenant || other.settled.roleId !== roleId) continue;
    const problem = ownersConflict(self, other);
    if (problem === undefined) continue;
    const [first, second] = declared.isBefore(self, other) ? [self, other] : [other, self];
    throw refuseRun(new InvalidInputError(refusal([first.name, second.name], problem)));
  }
}

function isSettled(assignment: ProgramAssignment): assignment is SettledAssignment {
  return assignment.settled !== undefined;
}

function ownersConflict(self: SettledAssignment, other: SettledAssignment): string | undefined {
  const { roleId = "", groupIds = [], isSecret } = self.settled;
  const isHidden = isSecret || other.settled.isSecret;
  const ignored = self.ignoresGroups || other.ignoresGroups;
  const shared = ignored ? [] : groupIds.filter((group) => other.settled.groupIds?.includes(group));
  if (shared.length > 0) return claimOf(isHidden ? undefined : { roleId, groups: shared });
  const exclusive = [self, other].find(({ settled }) => settled.exclusive);
  const role = isHidden ? "one role" : `the role ${roleId}`;
  return exclusive && `share ${role}, but "${exclusive.name}" is exclusive`;
}
