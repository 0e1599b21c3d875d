import {
  ApiError,
  isOfSubscription,
  NotFoundError,
  NotServedError,
  outcomeOf,
  shortReason,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type IdentityClient } from "../../http/client";
import { type CreateRequest, type Observed, PartialFailure } from "../../pulumi/resource-kind";
import { type SignOutAct } from "../../review/act";
import {
  deleteDeviceCredential,
  DEVICE_CREDENTIAL_TYPES,
  listDeviceCredentials,
} from "../../service/device-credentials";
import { deleteRefreshTokens, deleteSessions, revokeRefreshTokens } from "../../service/sign-ins";
import { readUser } from "../../service/users";
import { doneText, missingText, notServedText } from "./lines";
import { type SignOutInputs, type SignOutPart } from "./schema";

type SignOutRequest = Pick<
  CreateRequest<SignOutInputs>,
  "client" | "inputs" | "run" | "tell" | "requestRevocation"
>;

/** What became of one part. */
type Result =
  /** `removed`: number of device credentials. */
  | { is: "ended"; part: SignOutPart; removed?: number }
  | { is: "not served"; part: SignOutPart; why: string; error: unknown }
  | { is: "without a user"; part: SignOutPart }
  /** `isPart`: something of it may have ended. */
  | { is: "failed"; part: SignOutPart; error: unknown; isPart: boolean };

/**
 * Ends these parts of what a user is signed in with. A part that fails doesn't keep the others from ending.
 * Throws a partial failure if anything may have ended, or else the first failure itself.
 */
export async function signOut(
  request: SignOutRequest,
  parts: readonly SignOutPart[],
): Promise<Observed<SignOutInputs>> {
  const { inputs, requestRevocation } = request;
  const act: SignOutAct = { act: "sign out", user: inputs.userId, client: inputs.clientId };
  requestRevocation(`user ${act.user}`, [act]);
  const user = new UserThere(request.client, act.user);
  const results: Result[] = [];
  for (const part of parts) results.push(await ended(request, act, part, user));
  const failed = results.filter((result) => result.is === "failed");
  const notServed = results.filter((result) => result.is === "not served");
  const isNothing =
    failed.length + notServed.length === results.length && failed.every(({ isPart }) => !isPart);
  const [failure] = isNothing ? [...failed, ...notServed] : failed;
  if (failure !== undefined && isNothing) throw failure.error;
  tellResults(request, act, results);
  if (failure === undefined) return { inputs };
  const unfinished = failed.map(({ part }) => part);
  throw new PartialFailure(idOf(inputs), { inputs, outputs: { unfinished } }, failure.error);
}

function tellResults({ client, tell }: SignOutRequest, act: SignOutAct, results: readonly Result[]): void {
  const isMissing = results.some(({ is }) => is === "without a user");
  const done = results.filter((result) => result.is === "ended");
  const isNothing = done.every(({ removed }) => removed === 0);
  if (isMissing) tell(missingText(act, client.tenant));
  if (!(isMissing && isNothing) && done.length > 0) tell(doneText(act, done));
  for (const result of results) if (result.is === "not served") tell(notServedText(act, result));
}

export function idOf({ userId, clientId }: SignOutInputs): string {
  return clientId === undefined ? userId : `${userId}/${clientId}`;
}

async function ended(
  request: SignOutRequest,
  act: SignOutAct,
  part: SignOutPart,
  user: UserThere,
): Promise<Result> {
  try {
    if (part === "deviceCredentials") return await removeCredentials(request, act);
    const { client } = request;
    if (part === "sessions") await deleteSessions(client, act.user);
    else if (act.client === undefined) await deleteRefreshTokens(client, act.user);
    else await revokeRefreshTokens(client, act.user, act.client);
    return { is: "ended", part };
  } catch (error) {
    if (error instanceof NotFoundError && (await user.isThere(error)) === false)
      return { is: "without a user", part };
    const why = await user.whyNotServed(error);
    if (why !== undefined) return { is: "not served", part, why, error };
    return { is: "failed", part, error, isPart: outcomeOf(error) === "unknown" };
  }
}

/** Reads and deletes the credentials of each type, so that one list that fails doesn't spare the others. */
async function removeCredentials({ client, run }: SignOutRequest, act: SignOutAct): Promise<Result> {
  const part = "deviceCredentials";
  const lists = await Promise.allSettled(
    DEVICE_CREDENTIAL_TYPES.map((type) => listDeviceCredentials(client, act.user, type)),
  );
  const ids = lists
    .flatMap((list) => (list.status === "fulfilled" ? list.value : []))
    .filter((record) => act.client === undefined || record.client_id === act.client)
    .map(({ id }) => id);
  run.guard.allow(ids.map((id) => ({ act: "remove credential", id, signOut: act })));
  const removals = await Promise.allSettled(ids.map((id) => deleteUnlessGone(client, id)));
  const failures = [...failuresOf(lists), ...failuresOf(removals)];
  const [error] = failures;
  const removed = removals.length - failuresOf(removals).length;
  if (failures.length === 0) return { is: "ended", part, removed };
  const unread = failuresOf(lists);
  if (unread.length === lists.length && unread.every((one) => one instanceof NotServedError)) throw error;
  const isPart = removed > 0 || failuresOf(removals).some((one) => outcomeOf(one) === "unknown");
  return { is: "failed", part, error, isPart };
}

function failuresOf(settled: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return settled.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
}

async function deleteUnlessGone(client: IdentityClient, id: string): Promise<void> {
  try {
    await deleteDeviceCredential(client, id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** Tells a user who is gone from a call that the tenant doesn't have: both are answered 404. */
class UserThere {
  #answer: Promise<boolean | undefined> | undefined;

  constructor(
    private readonly client: IdentityClient,
    private readonly user: string,
  ) {}

  /** Undefined if the tenant doesn't tell. */
  isThere({ code }: NotFoundError): Promise<boolean | undefined> {
    if (code === "inexistent_user") this.#answer = Promise.resolve(false);
    return (this.#answer ??= this.#ask());
  }

  /** Undefined if the tenant has the call, and it failed. */
  async whyNotServed(error: unknown): Promise<string | undefined> {
    if (error instanceof NotServedError) return shortReason(error);
    // A 404 of a call that names no object.
    const isNoCall = error instanceof UnexpectedAnswerError && error.outcome === "refused";
    if (isNoCall) return "the tenant has no call for it";
    if (error instanceof NotFoundError)
      return (await this.isThere(error)) === true
        ? "the tenant has no call for it"
        : "the tenant answered 404, so it has no call for it, or no such user";
    return error instanceof ApiError && isOfSubscription(error.answer) ? shortReason(error) : undefined;
  }

  async #ask(): Promise<boolean | undefined> {
    try {
      await readUser(this.client, this.user, { fields: ["user_id"] });
      return true;
    } catch (error) {
      return error instanceof NotFoundError ? false : undefined;
    }
  }
}
