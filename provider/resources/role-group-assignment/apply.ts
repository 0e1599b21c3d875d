import { isDeepStrictEqual } from "node:util";
import { sortedSet } from "../../review/raw-inputs";
import { type Context, type Observed, PartialFailure, type PriorState } from "../../pulumi/resource-kind";
import { listGroupsOf } from "../../service/role-groups";
import { type RoleAt, roleKey, roleOfKey, roleText } from "../../access/edge";
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
  roleOfInputs,
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
  const at = roleOfInputs(wanted);
  const role = roleOf(context.run, at);
  return role.inTurn(async () => {
    // The list may not show yet what this stack has granted.
    const listed = exclusiveIn(wanted) === true ? await listGroupsOf(context.client, at) : [];
    const live = [...new Set([...listed, ...held.groups])];
    const planNow = () => plan(held, knownTexts(wantedIn(wanted)), role, live);
    let planned = planNow();
    const grant = () => planned.grant;
    askToRevoke(context, at, planned.revoke);
    const others = minus(planned.revoke, [...held.groups, ...role.named]);
    if (others.length > 0) context.tell(formatRoleLine(at, { kind: "exclusive", groups: others }));
    // Meanwhile the run may have checked another assignment that lists a leaving group.
    const revoke = () => (planned = planNow()).revoke;
    const { groups, ...progress } = await changeRole(context, { at, held, grant, revoke });
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
    roleKey(roleOfInputs(wanted)),
    { inputs: { ...inputs, groupIds }, outputs },
    failure,
  );
}

/**
 * Takes the role from the groups of a deleted assignment, unless something in the run wants them to have it.
 */
export function revokeAll(
  context: Context,
  id: string,
  { outputs, isJustWritten }: Pick<PriorState<AssignmentInputs>, "outputs" | "isJustWritten">,
): Promise<void> {
  const at = roleOfKey(id);
  const role = roleOf(context.run, at);
  const held = heldBy(outputs);
  return role.inTurn(async () => {
    if (isRevokedOnDestroy(outputs) === false) {
      const lines = formatLines(at, [{ kind: "leaves", groups: held.groups }]);
      lines.forEach((line) => context.tell(line));
      return;
    }
    const { revoke, handOver } = plan(held, [], role);
    const listers = new Set(handOver.map((group) => role.listerOf(group) ?? "another assignment"));
    for (const line of keptLines(at, handOver, [...listers])) context.tell(line);
    askToRevoke(context, at, revoke);
    if (revoke.length === 0) return;
    const losing = { groups: revoke, unconfirmed: [], isJustWritten };
    const change = { at, held: losing, grant: () => [], revoke: () => revoke };
    const { failure } = await changeRole(context, change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
    context.tell(formatRoleLine(at, { kind: "revokes", groups: revoke }));
  });
}

function askToRevoke({ requestRevocation }: Context, at: RoleAt, groups: readonly string[]): void {
  requestRevocation(
    roleText(at),
    groups.map((group) => groupKey(at, group)),
  );
}
