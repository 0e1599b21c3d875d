import { isDeepStrictEqual } from "node:util";
import { IdentityError } from "../../http/errors";
import { listText } from "../../pulumi/preview-lines";
import { type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import { type Context, type Observed, PartialFailure } from "../../pulumi/resource-kind";
import { type Run } from "../../pulumi/run";
import { listRoleGroups } from "../../service/roles";
import { changeRole, type RoleProgress } from "./change";
import {
  changeOf,
  endOf,
  exclusiveIn,
  type Held,
  heldBy,
  isTakenOnDestroy,
  knownTexts,
  lossOf,
  minus,
  wantedIn,
} from "./effects";
import { formatLines, formatRoleLine, keptLines, LEFT_OVER } from "./lines";
import { roleOf } from "./roles-of-run";
import { type Inputs } from "./schema";

/** Groups of what an assignment replaces that others list: until these have them, it answers for them. */
export function inheritedFrom(run: Run, inputs: Inputs, replaced: RawInputs = {}): string[] {
  const { roleId } = inputs;
  const former = replaced["roleId"];
  const groups = knownTexts(wantedIn(replaced));
  if (typeof former !== "string") return [];
  const role = roleOf(run, former);
  if (former === roleId && isTakenOnDestroy(replaced) !== false)
    return minus(groups, knownTexts(wantedIn(inputs))).filter((group) => role.lists(group));
  // Nothing but what it replaces can answer for another role, should that be deleted after it.
  if (former !== roleId) for (const group of groups) role.replaced.delete(group);
  return [];
}

export async function apply(
  context: Context,
  wanted: Inputs,
  held: Held,
  inherited: readonly string[] = [],
): Promise<Observed<Inputs>> {
  const { roleId } = wanted;
  const groupIds = knownTexts(wantedIn(wanted));
  const role = roleOf(context.run, roleId);
  const change = role.inTurn(async () => {
    const assigned =
      exclusiveIn(wanted) === true ? await listRoleGroups(context.client, roleId) : held.groups;
    const { grants, revocations, handOvers, ended } = changeOf(held, groupIds, role, assigned);
    const remove = [...new Set([...revocations, ...ended])];
    requestRemoval(context, roleId, remove);
    const taken = minus(remove, [...held.groups, ...held.handedOver, ...role.named]);
    if (taken.length > 0) context.tell(formatRoleLine(roleId, { kind: "exclusive", groups: taken }));
    // What it does not get rid of stays its own.
    const had = [...held.groups, ...ended];
    const { unconfirmed } = held;
    const progress = await changeRole(context, { roleId, had, unconfirmed, add: grants, remove });
    const has = minus(progress.has, handOvers);
    // State records what was done, also of a change that failed.
    for (const group of has) role.owned.add(group);
    return { ...progress, has, moving: handOvers };
  });
  const orInherited = (failure: unknown): Awaited<typeof change> => {
    if (inherited.length === 0) throw failure;
    // What was replaced may be deleted already: state has to answer for its groups.
    return { has: [], unconfirmed: [], moving: [], failure };
  };
  const { moving, ...progress } = await role.arriving(groupIds, change).catch(orInherited);
  const isOwn = (group: string) => held.groups.includes(group) || inherited.includes(group);
  await role.handedOver([...moving, ...held.handedOver, ...inherited], isOwn);
  // The next `handedOver`: groups left to others, of which it is not known that these have them.
  const given = moving.filter((group) => held.groups.includes(group));
  const noted = minus(held.handedOver, changeOf(held, groupIds, role).dropped);
  const notes = sortedSet(
    minus([...noted, ...given, ...inherited], groupIds).filter(
      (group) => !role.isAnothers(group, isOwn(group)),
    ),
  );
  const waiting = notes.filter((group) => moving.includes(group));
  tellKeptGroups(context, roleId, waiting, "until the assignment that lists them has them");
  return outcome(wanted, held, progress, notes);
}

/** The state after a change. Throws a partial failure if a part was done, else the failure itself. */
function outcome(
  wanted: Inputs,
  held: Held,
  { has, unconfirmed, failure }: RoleProgress,
  notes: string[],
): Observed<Inputs> {
  if (failure === undefined) return observedRole(wanted, notes);
  const groupIds = sortedSet(has);
  const isUnchanged =
    unconfirmed.length === 0 &&
    isDeepStrictEqual([groupIds, notes], [sortedSet(held.groups), sortedSet(held.handedOver)]);
  if (isUnchanged) throw failure as Error;
  // What it still has is not ended.
  const { ended: _, ...inputs } = wanted;
  const state = observedRole({ ...inputs, groupIds }, notes, sortedSet(unconfirmed));
  const outputs = { ...state.outputs, ...(exclusiveIn(wanted) === true && { unfinished: true }) };
  throw new PartialFailure<Inputs>(wanted.roleId, { ...state, outputs }, failure);
}

function observedRole(inputs: Inputs, notes: string[], unconfirmed: string[] = []): Observed<Inputs> {
  return {
    inputs,
    outputs: {
      ...(notes.length > 0 && { handedOver: notes }),
      ...(unconfirmed.length > 0 && { unconfirmed }),
    },
  };
}

/** Takes the role from groups of an assignment that is deleted: from those that nobody else answers for. */
export async function takeAway(context: Context, roleId: string, outputs: RawInputs): Promise<void> {
  const role = roleOf(context.run, roleId);
  // Deleted before it is replaced: the create that follows gives the role again. With --replace nothing
  // tells which one replaces it, but all others have begun by the time of a delete.
  const isOwnSuccessors = (group: string) =>
    role.replaced.has(group)
      ? role.givenAgain.has(group) && !role.owned.has(group)
      : role.isStillToCome(group);
  const held = heldBy(outputs);
  if (isTakenOnDestroy(outputs) === false) {
    const groups = [...held.groups, ...held.handedOver];
    for (const line of formatLines(roleId, [{ kind: "leaves", groups }])) context.tell(line);
    return;
  }
  const { removed, listed } = endOf(
    held,
    (group) => role.lists(group, role.replaced.has(group) ? [] : held.groups) && !isOwnSuccessors(group),
  );
  await role.handedOver(listed, () => true);
  // What replaces it answers for them, or is not made before it is deleted.
  const waiting = listed.filter((group) => !role.owned.has(group) && !role.replaced.has(group));
  if (waiting.length > 0) {
    throw new IdentityError(
      `The assignment of role ${roleId} is not deleted: another assignment lists ${listText(waiting)}, and does not ` +
        "have it yet. Without this one, no resource would manage the access. It stays in the state; run pulumi up again once that " +
        "assignment succeeds, or take the group out of the program.",
    );
  }
  const owned = listed.filter((group) => role.owned.has(group));
  tellKeptGroups(context, roleId, owned, "which another assignment now owns");
  tellKeptGroups(context, roleId, minus(listed, owned), "which another assignment lists");
  const open = held.handedOver.filter((group) => !role.isAnothers(group, false));
  tellKeptGroups(context, roleId, open, LEFT_OVER);
  requestRemoval(
    context,
    roleId,
    removed.filter((group) => !isOwnSuccessors(group)),
  );
  if (removed.length === 0) return;
  const change = { roleId, had: removed, unconfirmed: [], add: [], remove: removed };
  const { failure } = await role.inTurn(() => changeRole(context, change));
  // After a partial failure, the next delete sends all of it again, which does no harm.
  if (failure !== undefined) throw failure as Error;
  context.tell(formatRoleLine(roleId, { kind: "revokes", groups: removed }));
}

function requestRemoval({ requestRevocation }: Context, roleId: string, groups: readonly string[]): void {
  requestRevocation(
    `role ${roleId}`,
    groups.map((group) => lossOf(roleId, group)),
  );
}

function tellKeptGroups({ tell }: Context, roleId: string, groups: readonly string[], why: string): void {
  for (const line of keptLines(roleId, groups, why)) tell(line);
}
