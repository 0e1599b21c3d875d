import {
  AuthenticationError,
  IdentityError,
  outcomeOf,
  RateLimitedError,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { listRoleGroups } from "../../service/role-groups";
import {
  type Change,
  changeRole,
  GROUPS_PER_CALL,
  type Progress,
  REMOVE,
  type RoleCall,
  send,
  type Sent,
} from "./change";
import { without } from "./effects";
import { roleOf, ROLES } from "./roles-of-run";

/** What came of a call that several changes share. */
type Outcome =
  | { kind: "done" }
  /** One of the groups may be the reason: each change has to make a call of its own. */
  | { kind: "refused" }
  /** None of the groups is the reason, and nothing was done. */
  | { kind: "failed"; error: unknown }
  /** Its answer was lost. The role has these groups now. */
  | { kind: "looked up"; assigned: readonly string[] }
  /** Its answer was lost, and the groups of the role could not be read. */
  | { kind: "unknown"; error: unknown };

/**
 * Makes a change that needs only one of the two calls. Changes of a role that come in one burst share it: what comes first
 * is not kept waiting, and what comes until its answer is there goes into the next call.
 * `plan`: what is to be done, as of the moment at which it is done.
 */
export function changeTogether(
  context: Context,
  roleId: string,
  call: RoleCall,
  plan: () => Change,
): Promise<Progress> {
  return roleOf(context.run, roleId).inSharedTurn(call, plan, async (plans) => {
    const changes = plans.map((plan) => plan());
    const progress: Progress[] = [];
    for (const some of perCall(call, changes))
      progress.push(...(await shareCall(context, roleId, call, some)));
    return progress;
  });
}

/** Which changes go into one call, for each call. */
function perCall(call: RoleCall, changes: readonly Change[]): Change[][] {
  const calls: Change[][] = [];
  let free = 0;
  for (const change of changes) {
    const { length } = call.groupsOf(change);
    if (calls.length === 0 || length > free) {
      calls.push([]);
      free = GROUPS_PER_CALL;
    }
    calls.at(-1)?.push(change);
    free -= length;
  }
  return calls;
}

async function shareCall(
  context: Context,
  roleId: string,
  call: RoleCall,
  changes: readonly Change[],
): Promise<Progress[]> {
  const progress: Progress[] = [];
  const outcome = changes.length > 1 ? await sendForAll(context, roleId, call, changes) : undefined;
  for (const change of changes) {
    const sent = outcome && (await sentFor(context, call, change, changes, outcome));
    progress.push(await changeRole(context, change, sent));
  }
  return progress;
}

async function sendForAll(
  { client, run }: Context,
  roleId: string,
  call: RoleCall,
  changes: readonly Change[],
): Promise<Outcome> {
  const groups = changes.flatMap((change) => call.groupsOf(change)).sort();
  run.recall(ROLES).forgetReads();
  if (call === REMOVE) for (const group of groups) roleOf(run, roleId).taken.add(group);
  try {
    await call.send(client, roleId, groups);
    return { kind: "done" };
  } catch (error) {
    if (outcomeOf(error) === "unknown") {
      // A failure to look must not hide why the call failed.
      const assigned = await listRoleGroups(client, roleId).catch(() => undefined);
      return assigned === undefined ? { kind: "unknown", error } : { kind: "looked up", assigned };
    }
    const isOfClient = error instanceof AuthenticationError || error instanceof RateLimitedError;
    const mayBeDueToGroups = outcomeOf(error) === "refused" && !isOfClient;
    return mayBeDueToGroups ? { kind: "refused" } : { kind: "failed", error };
  }
}

/** How far the call came for one of the changes that share it. */
async function sentFor(
  { client, run }: Context,
  call: RoleCall,
  change: Change,
  changes: readonly Change[],
  outcome: Outcome,
): Promise<Sent> {
  const { roleId } = change;
  const groups = call.groupsOf(change);
  switch (outcome.kind) {
    case "done":
      return { done: groups, unclear: [] };
    case "refused":
      return send(client, roleId, call, groups);
    case "failed":
      // As if the first had made the call. Whether the same holds for the others, the client knows.
      if (change !== changes[0]) return send(client, roleId, call, groups);
      return { done: [], unclear: [], failure: ownError(outcome.error) };
    case "looked up": {
      const rest = call.left(groups, outcome.assigned);
      const sent = await send(client, roleId, call, rest);
      return { ...sent, done: [...without(groups, rest), ...sent.done] };
    }
    case "unknown":
      return { done: [], unclear: groups, failure: ownError(outcome.error) };
  }

  /** The service's words may name groups that are secrets of the other resources. */
  function ownError(error: unknown): Error {
    const message = error instanceof Error ? error.message : String(error);
    const Kind = error instanceof UnexpectedAnswerError ? UnexpectedAnswerError : IdentityError;
    const others = without(changes.flatMap((change) => call.groupsOf(change)), groups);
    return new Kind(run.border.clean(message, others), outcomeOf(error));
  }
}
