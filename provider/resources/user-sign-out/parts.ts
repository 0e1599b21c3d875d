import {
  ApiError,
  IdentityError,
  IncompleteListError,
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
  type DeviceCredentialRecord,
  listDeviceCredentials,
} from "../../service/device-credentials";
import { deleteRefreshTokens, deleteSessions, revokeRefreshTokens } from "../../service/sign-ins";
import { readUser } from "../../service/users";
import { doneText, missingText, notServedText, unfinishedText } from "./lines";
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

/** Ends all of it. Fails without a trace if nothing ended. */
export async function signOut(
  request: SignOutRequest,
  parts: readonly SignOutPart[],
): Promise<Observed<SignOutInputs>> {
  const { act, results } = await endAll(request, parts);
  const isNothing = results.every(
    (result) => result.is === "not served" || (result.is === "failed" && !result.isPart),
  );
  if (isNothing) throw joined(results.flatMap((result) => ("error" in result ? [result.error] : [])));
  return outcome(request, act, results);
}

/** Ends what an earlier run could not. What the tenant no longer has a call for isn't tried again. */
export async function signOutRest(
  request: SignOutRequest,
  parts: readonly SignOutPart[],
): Promise<Observed<SignOutInputs>> {
  // An update of state alone.
  if (parts.length === 0) return { inputs: request.inputs };
  const { act, results } = await endAll(request, parts);
  return outcome(request, act, results);
}

/** A part that fails doesn't keep the others from ending. */
async function endAll(
  request: SignOutRequest,
  parts: readonly SignOutPart[],
): Promise<{ act: SignOutAct; results: Result[] }> {
  const { userId: user, clientId } = request.inputs;
  const act: SignOutAct = { act: "sign out", user, client: clientId };
  request.requestRevocation(`user ${user}`, [act]);
  const there = new UserThere(request.client, user);
  const results: Result[] = [];
  for (const part of parts) results.push(await ended(request, act, part, there));
  return { act, results };
}

/** Returns the state after it. Throws a partial failure if a part failed. */
function outcome(
  { client, inputs, tell }: SignOutRequest,
  act: SignOutAct,
  results: readonly Result[],
): Observed<SignOutInputs> {
  const isMissing = results.some(({ is }) => is === "without a user");
  const done = results.filter((result) => result.is === "ended");
  const failed = results.filter((result) => result.is === "failed");
  const isNothing = done.every(({ removed }) => removed === 0);
  if (isMissing) tell(missingText(act, client.tenant));
  if (!(isMissing && isNothing) && done.length > 0) tell(doneText(act, done));
  for (const result of results) if (result.is === "not served") tell(notServedText(act, result));
  if (failed.length === 0) return { inputs };
  const unfinished = failed.map(({ part }) => part);
  tell(unfinishedText(act, unfinished));
  throw new PartialFailure(
    idOf(inputs),
    { inputs, outputs: { unfinished } },
    joined(failed.map(({ error }) => error)),
  );
}

/** One error that has the message of each. */
function joined(errors: readonly unknown[]): unknown {
  const [first, ...others] = errors;
  const messages = [
    ...new Set(errors.map((error) => (error instanceof Error ? error.message : String(error)))),
  ];
  return others.length === 0 || messages.length === 1
    ? first
    : new IdentityError(messages.join(" "), outcomeOf(first));
}

export function idOf({ userId, clientId }: SignOutInputs): string {
  return clientId === undefined ? userId : `${userId}/${clientId}`;
}

async function ended(
  request: SignOutRequest,
  act: SignOutAct,
  part: SignOutPart,
  there: UserThere,
): Promise<Result> {
  try {
    if (part === "deviceCredentials") return await removeCredentials(request, act);
    const { client } = request;
    if (part === "sessions") await deleteSessions(client, act.user);
    else if (act.client === undefined) await deleteRefreshTokens(client, act.user);
    else await revokeRefreshTokens(client, act.user, act.client);
    return { is: "ended", part };
  } catch (error) {
    const { isMissing, why } = await there.reasonOf(error);
    if (isMissing) return { is: "without a user", part };
    if (why !== undefined) return { is: "not served", part, why, error };
    return { is: "failed", part, error, isPart: outcomeOf(error) === "unknown" };
  }
}

/**
 * Reads and deletes the credentials of each type: one that fails doesn't spare the others. They go one after
 * the other, since some tenants have a small rate limit for these deletes.
 */
async function removeCredentials({ client, run }: SignOutRequest, act: SignOutAct): Promise<Result> {
  const part = "deviceCredentials";
  const lists = await settled(DEVICE_CREDENTIAL_TYPES, (type) =>
    listDeviceCredentials(client, act.user, type),
  );
  const ids = [...lists.values.flat(), ...lists.failures.flatMap(readBefore)]
    .filter((record) => act.client === undefined || record.client_id === act.client)
    .map(({ id }) => id);
  run.guard.allow(ids.map((id) => ({ act: "remove credential", id, signOut: act })));
  const removals = await settled(ids, (id) => deleteUnlessGone(client, id));
  const [error] = [...lists.failures, ...removals.failures];
  const removed = removals.values.length;
  if (error === undefined) return { is: "ended", part, removed };
  const isServed = lists.values.length > 0 || !lists.failures.every((one) => one instanceof NotServedError);
  if (!isServed) throw error as Error;
  const isPart = removed > 0 || removals.failures.some((one) => outcomeOf(one) === "unknown");
  return { is: "failed", part, error, isPart };
}

/** Goes on after each failure. */
async function settled<Item, Value>(
  items: readonly Item[],
  call: (item: Item) => Promise<Value>,
): Promise<{ values: Value[]; failures: unknown[] }> {
  const values: Value[] = [];
  const failures: unknown[] = [];
  for (const item of items)
    try {
      values.push(await call(item));
    } catch (error) {
      failures.push(error);
    }
  return { values, failures };
}

/** A list that the tenant cuts off gets shorter with each run. */
function readBefore(error: unknown): readonly DeviceCredentialRecord[] {
  return error instanceof IncompleteListError ? (error.part as DeviceCredentialRecord[]) : [];
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

  /** `why`: the tenant doesn't serve the call; neither: it does, and the call failed. */
  async reasonOf(error: unknown): Promise<{ isMissing: boolean; why?: string }> {
    if (is404(error)) {
      if ((error as Partial<ApiError>).code === "inexistent_user") this.#answer = Promise.resolve(false);
      const isThere = await (this.#answer ??= this.#ask());
      if (isThere === false) return { isMissing: true };
      return { isMissing: false, why: isThere === true ? NO_CALL : NO_CALL_OR_USER };
    }
    const isOfPlan = error instanceof ApiError && isOfSubscription(error.answer);
    const isNotServed = error instanceof NotServedError || isOfPlan;
    return { isMissing: false, ...(isNotServed && { why: shortReason(error) }) };
  }

  /** Undefined if the tenant doesn't tell. */
  async #ask(): Promise<boolean | undefined> {
    try {
      await readUser(this.client, this.user, { fields: ["user_id"] });
      return true;
    } catch (error) {
      return error instanceof NotFoundError ? false : undefined;
    }
  }
}

const NO_CALL = "the tenant has no call for it";
const NO_CALL_OR_USER = "the tenant answered 404, so it has no call for it, or no such user";

/** Also of a call that names no object. */
function is404(error: unknown): boolean {
  return (
    error instanceof NotFoundError || (error instanceof UnexpectedAnswerError && error.outcome === "refused")
  );
}
