import { isDeepStrictEqual } from "node:util";
import { revocations } from "../../review/act";
import { sortedSet } from "../../review/raw-inputs";
import {
  type CreateRequest,
  type DeleteRequest,
  type Observed,
  PartialFailure,
  type Request,
} from "../../pulumi/resource-kind";
import { listGroupsOf } from "../../service/role-groups";
import { type RoleAt, roleKey, roleOfKey, roleText } from "../../access/edge";
import { formatLines, keptLines, takesText } from "./lines";
import { Assignment, roleOfInputs } from "./assignment";
import { type Granted, minus, plan } from "./plan";
import { roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";
import { changeRole } from "./send";

/** Gives the role to an assignment's new groups, and takes it from those it no longer lists. */
export function apply(
  request: CreateRequest<AssignmentInputs>,
  granted: Granted,
): Promise<Observed<AssignmentInputs>> {
  const { inputs } = request;
  const at = roleOfInputs(inputs);
  const role = roleOf(request.run, at);
  return role.inTurn(async () => {
    // The list may not show yet what this stack has granted.
    const assigned = inputs.exclusive ? await listGroupsOf(request.client, at) : [];
    const live = [...new Set([...assigned, ...granted.groups])];
    const planNow = () => plan(role.withLosses(granted), inputs.groupIds, role.elsewhere, live);
    let planned = planNow();
    const grant = () => planned.grant;
    askToRevoke(request, at, planned.revoke);
    const others = minus(planned.revoke, [...granted.groups, ...role.named]);
    if (others.length > 0) request.tell(takesText(at, others));
    // Meanwhile the run may have checked another assignment that lists a leaving group, or no longer does.
    const revoke = () => {
      planned = planNow();
      askToRevoke(request, at, planned.revoke);
      return planned.revoke;
    };
    const { groups, ...progress } = await changeRole(request, {
      at,
      granted,
      grant,
      revoke,
      until: inputs.until,
    });
    return outcome(inputs, granted, { ...progress, groups: minus(groups, planned.handOver) });
  });
}

/**
 * Returns the state after a change. Throws a partial failure if a part was done, or else the failure itself.
 */
function outcome(
  inputs: AssignmentInputs,
  granted: Granted,
  progress: Granted & { failure?: unknown },
): Observed<AssignmentInputs> {
  const { groups, unconfirmed, failure } = progress;
  if (failure === undefined) return { inputs };
  const groupIds = sortedSet(groups);
  const open = [...granted.unconfirmed, ...unconfirmed];
  if (isDeepStrictEqual([groupIds, open], [sortedSet(granted.groups), []])) throw failure as Error;
  const outputs = {
    ...(unconfirmed.length > 0 && { unconfirmed: sortedSet(unconfirmed) }),
    ...(inputs.exclusive && { unfinished: true }),
  };
  throw new PartialFailure<AssignmentInputs>(
    roleKey(roleOfInputs(inputs)),
    { inputs: { ...inputs, groupIds }, outputs },
    failure,
  );
}

/**
 * Takes the role from the groups of a deleted assignment, unless something in the run wants them to have it.
 */
export function revokeAll(request: DeleteRequest<AssignmentInputs>): Promise<void> {
  const { run, id, tell } = request;
  const { outputs, isJustWritten } = request.prior;
  const at = roleOfKey(id);
  const role = roleOf(run, at);
  return role.inTurn(async () => {
    const granted = new Assignment(outputs);
    if (granted.isRevokedOnDestroy === false) {
      tell(...formatLines(at, [{ says: "leaves", groups: granted.groups }]));
      return;
    }
    const { revoke, handOver } = plan(granted, [], role.elsewhere);
    const listers = new Set(handOver.map((group) => role.elsewhere.of(group).by ?? "another assignment"));
    tell(...keptLines(at, handOver, [...listers]));
    askToRevoke(request, at, revoke);
    if (revoke.length === 0) return;
    const losing = { groups: revoke, unconfirmed: [], isJustWritten };
    const change = { at, granted: losing, grant: () => [], revoke: () => revoke };
    const { failure } = await changeRole(request, change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
    tell(...formatLines(at, [{ says: "revokes", groups: revoke }]));
  });
}

function askToRevoke(
  { requestRevocation }: Request<AssignmentInputs>,
  at: RoleAt,
  groups: readonly string[],
): void {
  requestRevocation(roleText(at), revocations(at, groups));
}
