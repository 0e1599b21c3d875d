import { isDeepStrictEqual } from "node:util";
import { sortedSet } from "../../review/raw-inputs";
import { type Context, type Observed, PartialFailure, type PriorState } from "../../pulumi/resource-kind";
import { listRoleGroups } from "../../service/roles";

import { formatLines, formatRoleLine, keptLines } from "./lines";
import {
  exclusiveIn,
  type Held,
  heldBy,
  isTakenOnDestroy,
  knownTexts,
  groupKey,
  minus,
  plan,
  wantedIn,
} from "./plan";
import { roleOf } from "./roles-of-run";
import { type Inputs } from "./schema";
import { changeRole, type RoleProgress } from "./send";

/** Gives the role to an assignment's new groups, and takes it from those it no longer lists. */
export function apply(context: Context, wanted: Inputs, held: Held): Promise<Observed<Inputs>> {
  const { roleId } = wanted;
  const role = roleOf(context.run, roleId);
  return role.inTurn(async () => {
    // The list may not show yet what this stack has granted.
    const listed = exclusiveIn(wanted) === true ? await listRoleGroups(context.client, roleId) : [];
    const live = [...new Set([...listed, ...held.groups])];
    const planNow = () => plan(held, knownTexts(wantedIn(wanted)), role, live);
    let planned = planNow();
    const { add } = planned;
    requestRemoval(context, roleId, planned.remove);
    const taken = minus(planned.remove, [...held.groups, ...role.named]);
    if (taken.length > 0) context.tell(formatRoleLine(roleId, { kind: "exclusive", groups: taken }));
    // Meanwhile the run may have checked another assignment that lists a leaving group.
    const revoke = () => (planned = planNow()).remove;
    const { groups, ...progress } = await changeRole(context, { roleId, held, grant: add, revoke });
    return outcome(wanted, held, { ...progress, groups: minus(groups, planned.handOver) });
  });
}

/**
 * Returns the state after a change. Throws a partial failure if a part was done, or else the failure itself.
 */
function outcome(wanted: Inputs, held: Held, progress: RoleProgress): Observed<Inputs> {
  const { groups, unconfirmed, failure } = progress;
  if (failure === undefined) return { inputs: wanted };
  const groupIds = sortedSet(groups);
  const isUnchanged = unconfirmed.length === 0 && isDeepStrictEqual(groupIds, sortedSet(held.groups));
  if (isUnchanged) throw failure as Error;
  // While a group still has the role, the assignment isn't over.
  const { ended: _, ...inputs } = wanted;
  const outputs = {
    ...(unconfirmed.length > 0 && { unconfirmed: sortedSet(unconfirmed) }),
    ...(exclusiveIn(wanted) === true && { unfinished: true }),
  };
  throw new PartialFailure<Inputs>(wanted.roleId, { inputs: { ...inputs, groupIds }, outputs }, failure);
}

/**
 * Takes the role from the groups of a deleted assignment, unless something in the run wants them to have it.
 */
export function takeAway(
  context: Context,
  roleId: string,
  { outputs, isJustWritten }: Pick<PriorState<Inputs>, "outputs" | "isJustWritten">,
): Promise<void> {
  const role = roleOf(context.run, roleId);
  const held = heldBy(outputs);
  return role.inTurn(async () => {
    if (isTakenOnDestroy(outputs) === false) {
      const lines = formatLines(roleId, [{ kind: "leaves", groups: held.groups }]);
      lines.forEach((line) => context.tell(line));
      return;
    }
    const { remove, handOver } = plan(held, [], role);
    const listers = new Set(handOver.map((group) => role.listerOf(group) ?? "another assignment"));
    for (const line of keptLines(roleId, handOver, [...listers])) context.tell(line);
    requestRemoval(context, roleId, remove);
    if (remove.length === 0) return;
    const taken = { groups: remove, unconfirmed: [], isJustWritten };
    const change = { roleId, held: taken, grant: [], revoke: () => remove };
    const { failure } = await changeRole(context, change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
    context.tell(formatRoleLine(roleId, { kind: "revokes", groups: remove }));
  });
}

function requestRemoval({ requestRevocation }: Context, roleId: string, groups: readonly string[]): void {
  requestRevocation(
    `role ${roleId}`,
    groups.map((group) => groupKey(roleId, group)),
  );
}
