import { type IdentityClient } from "../../http/client";
import {
  ApiError,
  AuthenticationError,
  type ErrorAnswer,
  InsufficientScopeError,
  isBodyMissed,
  isOfSubscription,
  NotServedError,
  outcomeOf,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type Request } from "../../pulumi/resource-kind";
import { type Act, grants, revocations } from "../../review/act";
import { type RoleAt } from "../../access/edge";
import { grantRole, listGroupsOf, mostGroupsPerCall, revokeRole } from "../../service/role-groups";
import {
  type Reply,
  begin,
  chunks,
  type Sending,
  withSent,
  next,
  type RoleRequest,
  requestOf,
  type RoleCall,
  type Sent,
  sentBy,
} from "./next";
import { type Granted, minus } from "./plan";
import { explained, formatRefusals, type Refusals } from "./refusals";
import { type RoleOfRun, roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";

/** Their results are known before more are sent. */
const GROUPS_AT_ONCE = 50;

const CALLS = { grant: grantRole, revoke: revokeRole } as const;

type Of = Pick<Request<AssignmentInputs>, "client" | "run">;

interface RoleChange {
  at: RoleAt;
  /** The assignment's groups before. */
  granted: Granted;
  grant: () => readonly string[];
  /** When the grants end. */
  until?: string | undefined;
  /** Called once everything is granted. What it throws is the change's failure. */
  revoke: () => readonly string[];
}

/**
 * Grants, then revokes, so that nobody loses access in between. A group that the service refuses doesn't hold
 * up the others. Stops at any other failure, and returns what the assignment has by then.
 */
export async function changeRole(
  { client, run }: Of,
  change: RoleChange,
): Promise<Granted & { failure?: unknown }> {
  const role = roleOf(run, change.at);
  const refusals: Refusals = { grant: [], revoke: [] };
  const asked: Record<RoleCall, readonly string[]> = { grant: [], revoke: [] };
  let { granted } = change;
  role.forgetRead();
  const gained = () =>
    minus(
      asked.grant,
      refusals.grant.map(({ group }) => group),
    );
  try {
    for (const call of ["grant", "revoke"] as const) {
      try {
        asked[call] = change[call]();
        run.guard.allow(actsOf(call, asked[call], change));
      } catch (failure) {
        return { ...granted, failure: explained(call, failure, gained()) };
      }
      for (const groups of chunks(asked[call], GROUPS_AT_ONCE)) {
        const begun = begin(call, groups, granted, mostGroupsPerCall(change.at));
        const { refused, failure, ...sent } = await sendGroups({ client, run }, role, begun);
        refusals[call].push(...refused);
        granted = withSent(granted, call, sent);
        if (failure !== undefined) return { ...granted, failure: explained(call, failure, gained()) };
      }
    }
    const failure = formatRefusals(refusals, asked, { tenant: client.tenant, ...change.at });
    return { ...granted, failure };
  } finally {
    role.forgetRead();
  }
}

function actsOf(call: RoleCall, groups: readonly string[], { at, until }: RoleChange): Act[] {
  return call === "grant" ? grants(at, groups, until) : revocations(at, groups);
}

/** Sends a call until it's over, and records in the run who has lost the role by it, or got it back. */
async function sendGroups({ client, run }: Of, role: RoleOfRun, begun: Sending): Promise<Sent> {
  const { call, groups } = begun;
  if (call === "revoke") role.note("revoked", groups);
  let sending = begun;
  for (let request = requestOf(sending); request !== undefined; request = requestOf(sending))
    sending = next(sending, await answerTo(request, call, client, role.at));
  const sent = sentBy(sending);
  const { done, unclear, failure } = sent;
  if (call === "grant") role.note("granted", done);
  else if (outcomeOf(failure) === "not sent") role.note("granted", minus(groups, [...done, ...unclear]));
  // An answer without the service's words may come from any host, and state would bind the assignment to it.
  const mayBeTenant = run.isKnownTenant || client.isService || !(failure instanceof UnexpectedAnswerError);
  return call === "grant" && !mayBeTenant ? { ...sent, unclear: [] } : sent;
}

async function answerTo(
  request: RoleRequest,
  call: RoleCall,
  client: IdentityClient,
  at: RoleAt,
): Promise<Reply> {
  try {
    if (request === "list") return { result: "done", groups: await listGroupsOf(client, at) };
    await CALLS[call](client, at, request);
    return { result: "done", groups: request };
  } catch (error) {
    return replyOf(error, call);
  }
}

/** True if no group can lose a role so: the subscription lacks it, or the call arrives without its body. */
function isOfRevoking(answer: ErrorAnswer): boolean {
  return isOfSubscription(answer) || isBodyMissed(answer);
}

function replyOf(error: unknown, call: RoleCall): Reply {
  if (outcomeOf(error) === "unknown") return { result: "lost", error };
  return isOfItsGroups(error, call) ? { result: "refused", error } : { result: "failed", error };
}

/** True if the call was refused for its contents, not because of the client or the moment. */
function isOfItsGroups(error: unknown, call: RoleCall): error is ApiError {
  const isOfClient =
    error instanceof AuthenticationError ||
    error instanceof InsufficientScopeError ||
    error instanceof NotServedError;
  if (!(error instanceof ApiError) || isOfClient || error.status === 429) return false;
  return outcomeOf(error) === "refused" && !(call === "revoke" && isOfRevoking(error.answer));
}
