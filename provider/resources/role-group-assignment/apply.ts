import { isDeepStrictEqual } from "node:util";
import { sortedSet } from "../../review/raw-inputs";
import { type Context, type Observed, PartialFailure, type PriorState } from "../../pulumi/resource-kind";
import { listRoleGroups } from "../../service/roles";

import { formatLines, formatRoleLine, keptLines } from "./lines";
import {
  exclusiveIn,
  type Held,
  heldBy,
  isRevokedOnDestroy,
  knownTexts,
  groupKey,
  minus,
  plan,
  wantedIn,
} from "./plan";
import { roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";
import { changeRole } from "./send";

/** Gives the role to an assignment's new groups, and takes it from those it no longer lists. */
export function apply(
  context: Context,
  wanted: AssignmentInputs,
  held: Held,
): Promise<Observed<AssignmentInputs>> {
  const { roleId } = wanted;
  const role = roleOf(context.run, roleId);
  return role.inTurn(async () => {
    // The list may not show yet what this stack has granted.
    const listed = exclusiveIn(wanted) === true ? await listRoleGroups(context.client, roleId) : [];
    const live = [...new Set([...listed, ...held.groups])];
    const planNow = () => plan(held, knownTexts(wantedIn(wanted)), role, live);
    let planned = planNow();
    const { grant } = planned;
    askToRevoke(context, roleId, planned.revoke);
    const others = minus(planned.revoke, [...held.groups, ...role.named]);
    if (others.length > 0) context.tell(formatRoleLine(roleId, { kind: "exclusive", groups: others }));
    // Meanwhile the run may have checked another assignment that lists a leaving group.
    const revoke = () => (planned = planNow()).revoke;
    const { groups, ...progress } = await changeRole(context, { roleId, held, grant, revoke });
    return outcome(wanted, held, { ...progress, groups: minus(groups, planned.handOver) });
  });
}

/**
 * Returns the state after a change. Throws a partial failure if a part was done, or else the failure itself.
 */
function outcome(
  wanted: AssignmentInputs,
  held: Held,
  progress: Held & { failure?: unknown },
): Observed<AssignmentInputs> {
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
  throw new PartialFailure<AssignmentInputs>(
    wanted.roleId,
    { inputs: { ...inputs, groupIds }, outputs },
    failure,
  );
}

/**
 * Takes the role from the groups of a deleted assignment, unless something in the run wants them to have it.
 */
export function revokeAll(
  context: Context,
  roleId: string,
  { outputs, isJustWritten }: Pick<PriorState<AssignmentInputs>, "outputs" | "isJustWritten">,
): Promise<void> {
  const role = roleOf(context.run, roleId);
  const held = heldBy(outputs);
  return role.inTurn(async () => {
    if (isRevokedOnDestroy(outputs) === false) {
      const lines = formatLines(roleId, [{ kind: "leaves", groups: held.groups }]);
      lines.forEach((line) => context.tell(line));
      return;
    }
    const { revoke, handOver } = plan(held, [], role);
    const listers = new Set(handOver.map((group) => role.listerOf(group) ?? "another assignment"));
    for (const line of keptLines(roleId, handOver, [...listers])) context.tell(line);
    askToRevoke(context, roleId, revoke);
    if (revoke.length === 0) return;
    const losing = { groups: revoke, unconfirmed: [], isJustWritten };
    const change = { roleId, held: losing, grant: [], revoke: () => revoke };
    const { failure } = await changeRole(context, change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
    context.tell(formatRoleLine(roleId, { kind: "revokes", groups: revoke }));
  });
}

function askToRevoke({ requestRevocation }: Context, roleId: string, groups: readonly string[]): void {
  requestRevocation(
    `role ${roleId}`,
    groups.map((group) => groupKey(roleId, group)),
  );
}
