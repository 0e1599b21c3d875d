import { type IdentityClient } from "../../http/client";
import {
  ApiError,
  AuthenticationError,
  InsufficientScopeError,
  isOfPlan,
  outcomeOf,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { type RoleAt } from "../../access/edge";
import { grantRole, listGroupsOf, mostGroupsPerCall, revokeRole } from "../../service/role-groups";
import {
  type Reply,
  begin,
  chunks,
  type Sending,
  withSent,
  next,
  type Request,
  requestOf,
  type RoleCall,
  type Sent,
  sentBy,
} from "./next";
import { type Held, minus } from "./plan";
import { explained, formatRefusals, type Refusals } from "./refusals";
import { type RoleOfRun, roleOf } from "./roles-of-run";

/** Their results are known before more are sent. */
const GROUPS_AT_ONCE = 50;

const CALLS = { grant: grantRole, revoke: revokeRole } as const;

interface RoleChange {
  at: RoleAt;
  /** The assignment's groups before. */
  held: Held;
  grant: readonly string[];
  /** Called once everything is granted. */
  revoke: () => readonly string[];
}

/**
 * Grants, then revokes, so that nobody loses access in between. A group that the service refuses doesn't hold
 * up the others. Stops at any other failure, and returns what the assignment has by then.
 */
export async function changeRole(
  context: Context,
  change: RoleChange,
): Promise<Held & { failure?: unknown }> {
  const role = roleOf(context.run, change.at);
  const refusals: Refusals = { grant: [], revoke: [] };
  const asked: Record<RoleCall, readonly string[]> = { grant: change.grant, revoke: [] };
  let { held } = change;
  role.forgetRead();
  try {
    for (const kind of ["grant", "revoke"] as const) {
      if (kind === "revoke") asked.revoke = change.revoke();
      for (const groups of chunks(asked[kind], GROUPS_AT_ONCE)) {
        const begun = begin(kind, groups, held, mostGroupsPerCall(change.at));
        const { refused, failure, ...sent } = await sendGroups(context, role, begun);
        refusals[kind].push(...refused);
        held = withSent(held, kind, sent);
        // No limit keeps anybody from taking a role away.
        if (failure !== undefined)
          return { ...held, failure: kind === "grant" ? explained(failure) : failure };
      }
    }
    const failure = formatRefusals(refusals, asked, { tenant: context.client.tenant, ...change.at });
    return { ...held, ...(failure !== undefined && { failure }) };
  } finally {
    role.forgetRead();
  }
}

/** Sends a call until it's over, and records in the run who has lost the role by it, or got it back. */
async function sendGroups({ client, run }: Context, role: RoleOfRun, begun: Sending): Promise<Sent> {
  const { kind, groups } = begun;
  if (kind === "revoke") role.note("revoked", groups);
  let call = begun;
  for (let request = requestOf(call); request !== undefined; request = requestOf(call))
    call = next(call, await answerTo(request, kind, client, role.at));
  const sent = sentBy(call);
  const { done, unclear, failure } = sent;
  if (kind === "grant") role.note("granted", done);
  else if (outcomeOf(failure) === "not sent") role.note("granted", minus(groups, [...done, ...unclear]));
  // An answer without the service's words may come from any host, and state would bind the assignment to it.
  const mayBeTenant =
    run.isKnownTenant || client.hasHeardService || !(failure instanceof UnexpectedAnswerError);
  return kind === "grant" && !mayBeTenant ? { ...sent, unclear: [] } : sent;
}

async function answerTo(
  request: Request,
  kind: RoleCall,
  client: IdentityClient,
  at: RoleAt,
): Promise<Reply> {
  try {
    if (request.kind === "list") return { kind: "listed", groups: await listGroupsOf(client, at) };
    await CALLS[kind](client, at, request.groups);
    return { kind: "done" };
  } catch (error) {
    if (request.kind === "list") return { kind: "not listed", error };
    if (outcomeOf(error) === "unknown") return { kind: "lost", error };
    const isOfGroups = isOfItsGroups(error) && !(kind === "revoke" && isOfPlan(error.answer));
    return isOfGroups ? { kind: "refused", error } : { kind: "failed", error };
  }
}

/** True if the call was refused for its contents, not because of the client or the moment. */
function isOfItsGroups(error: unknown): error is ApiError {
  const isOfClient = error instanceof AuthenticationError || error instanceof InsufficientScopeError;
  return error instanceof ApiError && outcomeOf(error) === "refused" && error.status !== 429 && !isOfClient;
}
