import {
  AuthenticationError,
  IdentityError,
  NotReviewedError,
  outcomeOf,
  RateLimitedError,
  UnexpectedAnswerError,
} from "../../http/errors";
import { sortedSet } from "../../pulumi/raw-inputs";
import { type Context } from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listRoleGroups } from "../../service/role-groups";
import {
  alone,
  type Change,
  changeRole,
  GROUPS_PER_CALL,
  type Progress,
  REMOVE,
  type RoleCall,
  type Send,
} from "./change";
import { without } from "./effects";
import { roleOf, ROLES } from "./roles-of-run";

/** A change that waits for a turn with others. */
interface Waiting {
  /** What is to be done, as of the moment at which it is done. */
  plan: () => Change;
  done: (progress: Progress) => void;
}

interface Planned extends Pick<Waiting, "done"> {
  change: Change;
  /** Those that the call is needed for. */
  groups: readonly string[];
}

/**
 * Makes a change that needs only one of the two calls. Changes of a role that come in one burst share it: what comes first
 * is not kept waiting, and what comes until its answer is there goes into the next call.
 */
export function changeTogether(
  context: Context,
  roleId: string,
  call: RoleCall,
  plan: () => Change,
): Promise<Progress> {
  const role = roleOf(context.run, roleId);
  return new Promise((done, reject) => {
    const turn = role.inSharedTurn<Waiting>(call, { plan, done }, async (waiting) => {
      const planned = waiting.map(({ plan, done }) => {
        const change = plan();
        return { done, change, groups: call.groupsOf(change) };
      });
      for (const changes of filled(planned)) await shareCall(context, roleId, call, changes);
    });
    turn.catch(reject);
  });
}

/** The changes that go into one call, for each call. */
function filled(changes: readonly Planned[]): Planned[][] {
  const calls: Planned[][] = [];
  let free = 0;
  for (const change of changes) {
    if (change.groups.length > free) {
      calls.push([]);
      free = GROUPS_PER_CALL;
    }
    calls.at(-1)?.push(change);
    free -= change.groups.length;
  }
  return calls;
}

async function shareCall(
  context: Context,
  roleId: string,
  call: RoleCall,
  changes: readonly Planned[],
): Promise<void> {
  const sendFor =
    changes.length === 1
      ? () => alone(context.client, roleId)
      : await sendShared(context, roleId, call, changes);
  for (const planned of changes) {
    planned.done(await changeRole(context, planned.change, sendFor(planned)));
  }
}

/**
 * Makes one call for several changes. Each of them then learns its own outcome where it would have made the call: from the
 * answer, from a look at the role that all share, or from a call of its own.
 */
async function sendShared(
  { client, run }: Context,
  roleId: string,
  call: RoleCall,
  changes: readonly Planned[],
): Promise<(planned: Planned) => Send> {
  const all = sortedSet(changes.flatMap(({ groups }) => groups));
  const single = alone(client, roleId);
  run.recall(ROLES).forgetReads();
  if (call === REMOVE) for (const group of all) roleOf(run, roleId).taken.add(group);
  try {
    await call.send(client, roleId, all);
    return () => (_call, groups) => Promise.resolve({ done: groups, unclear: [] });
  } catch (error) {
    // The service's words may name groups that are secrets of other resources.
    const ownError = ({ groups }: Planned) => withoutTexts(run, error, without(all, groups));
    if (outcomeOf(error) === "unknown") {
      const assigned = await listRoleGroups(client, roleId).catch(() => undefined);
      return (planned) => async (_call, groups) => {
        // A failure to look must not hide why the call failed.
        if (assigned === undefined) return { done: [], unclear: groups, failure: ownError(planned) };
        const rest = call.left(groups, assigned);
        const sent = await single(call, rest);
        return { ...sent, done: [...without(groups, rest), ...sent.done] };
      };
    }
    if (mayBeDueToGroups(error)) return () => single;
    // As if the first had made the call; whether the same holds for the others is for the client to say.
    return (planned) =>
      planned === changes[0]
        ? () => Promise.resolve({ done: [], unclear: [], failure: ownError(planned) })
        : single;
  }
}

/** Whether the call may have failed because of one of its groups. */
function mayBeDueToGroups(error: unknown): boolean {
  if (error instanceof NotReviewedError) return true;
  if (error instanceof AuthenticationError || error instanceof RateLimitedError) return false;
  return outcomeOf(error) === "refused";
}

function withoutTexts(run: Run, error: unknown, texts: readonly string[]): Error {
  const message = error instanceof Error ? error.message : String(error);
  const Kind = error instanceof UnexpectedAnswerError ? UnexpectedAnswerError : IdentityError;
  return new Kind(run.border.clean(message, texts), outcomeOf(error));
}
