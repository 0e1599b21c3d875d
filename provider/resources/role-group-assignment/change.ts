import { outcomeOf, UnexpectedAnswerError } from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { explained, formatRefusals, type Refusals } from "./refusals";
import { minus } from "./plan";
import { roleOf } from "./roles-of-run";
import { sendGroups } from "./send";

/** Our own limit: the service names none for one call. */
const GROUPS_PER_CALL = 50;

interface AssignmentChange {
  roleId: string;
  /** Groups that the assignment had before. */
  had: readonly string[];
  /** The subset of `had` for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
  add: readonly string[];
  /** Called once the additions are done. */
  remove: () => readonly string[];
  /** True within a minute of the assignment's last write: the role's list may not show it yet. */
  isJustWritten?: boolean | undefined;
}

export interface RoleProgress {
  /** Groups that the assignment has, including the unconfirmed ones. */
  has: string[];
  unconfirmed: string[];
  failure?: unknown;
}

/**
 * Adds, then removes, so that nobody loses access in between. A group that the service refuses doesn't hold
 * up the others. Stops at any other failure, and returns how far it came.
 */
export async function changeRole({ client, run }: Context, change: AssignmentChange): Promise<RoleProgress> {
  const { roleId, had } = change;
  const target = { client, roleId, mayLag: change.isJustWritten };
  const role = roleOf(run, roleId);
  // An answer without the service's words may come from any host, and state would bind the assignment to it.
  const mayBeTenant = (failure: unknown) =>
    run.isKnownTenant || client.hasHeardService || !(failure instanceof UnexpectedAnswerError);
  const has = new Set(had);
  const unconfirmed = new Set(change.unconfirmed);
  const refusals: Refusals = { grant: [], revoke: [] };
  role.forgetRead();
  try {
    for (const groups of chunks(change.add)) {
      const { done, refused, unclear, failure } = await sendGroups(target, "grant", groups);
      refusals.grant.push(...refused);
      role.note("given", done);
      for (const group of done) {
        has.add(group);
        unconfirmed.delete(group);
      }
      // They may have the role, so state must know them for a later removal.
      for (const group of mayBeTenant(failure) ? unclear : []) {
        has.add(group);
        unconfirmed.add(group);
      }
      if (failure !== undefined) return progress(failure);
    }
    const remove = change.remove();
    for (const groups of chunks(remove)) {
      role.note("taken", groups);
      const { done, refused, unclear, failure } = await sendGroups(target, "revoke", groups);
      if (outcomeOf(failure) === "not sent") role.note("given", minus(groups, [...done, ...unclear]));
      refusals.revoke.push(...refused);
      for (const group of done) {
        has.delete(group);
        unconfirmed.delete(group);
      }
      // They may have lost the role. If the program lists them again, they must get it again.
      for (const group of unclear) if (has.has(group)) unconfirmed.add(group);
      if (failure !== undefined) return progress(failure);
    }
    return progress(formatRefusals(refusals, { add: change.add, remove }, client.tenant));
  } finally {
    role.forgetRead();
  }

  function progress(failure?: unknown): RoleProgress {
    return {
      has: [...has],
      unconfirmed: [...unconfirmed],
      ...(failure !== undefined && { failure: explained(failure) }),
    };
  }
}

function chunks(groups: readonly string[]): string[][] {
  const count = Math.ceil(groups.length / GROUPS_PER_CALL);
  return Array.from({ length: count }, (_, i) =>
    groups.slice(i * GROUPS_PER_CALL, (i + 1) * GROUPS_PER_CALL),
  );
}
