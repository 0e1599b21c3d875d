import { isDeepStrictEqual } from "node:util";
import * as z from "../../zod";
import { IdentityError } from "../../http/errors";
import { lifecycle } from "../../pulumi/host/lifecycle";
import { exclusiveLine, exclusiveQuestion, groupList, handedOverLine } from "../../pulumi/preview-lines";
import { isUnknown, type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import {
  type Context,
  type Observed,
  PartialFailure,
  type PriorState,
  type ResourceKind,
  type Wanted,
} from "../../pulumi/resource-kind";
import { type Loss } from "../../pulumi/revocations";
import { type Run } from "../../pulumi/run";
import { GROUP_ID, ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/role-groups";
import { ASSIGN, type Change, changeRole, type Progress, REMOVE, without } from "./change";
import { changeLine } from "./lines";
import { hashOf, LISTING, parseListing } from "./listing";
import { type RoleOfRun, roleOf, ROLES } from "./roles-of-run";
import { changeTogether } from "./shared-call";

const schema = z.strictObject({
  roleId: ROLE_ID,
  groupIds: z
    .array(GROUP_ID)
    // zod's own check of a length also runs on what is no list, and fails on some of it.
    .refine(
      ({ length }) => length > 0,
      "must name at least one group; to take the role from all groups, remove the resource",
    ),
  exclusive: z.boolean(),
});
type Inputs = z.infer<typeof schema>;

const groups = z.array(z.string());

/** A program of an earlier release sends no names. */
const UNNAMED = "an assignment";

/** How long an assignment waits for others that are about to get the groups that it gives away. */
const LONGEST_HANDOVER_MS = 10_000;

export const roleGroupAssignmentKind: ResourceKind<Inputs> = {
  name: "RoleGroupAssignment",
  schema,
  id: ROLE_ID,
  state: z.looseObject({
    roleId: z.string(),
    groupIds: groups,
    exclusive: z.boolean(),
    handedOver: groups.optional(),
    unconfirmed: groups.optional(),
    unsure: groups.optional(),
  }),
  replaces: ({ name }) => name === "roleId",

  normalize: ({ exclusive = false, ...inputs }) => ({
    ...inputs,
    ...(Array.isArray(inputs["groupIds"]) && { groupIds: sortedSet(inputs["groupIds"]) }),
    exclusive,
  }),

  onWanted(run, wanted) {
    const { before, inputs, replaced, raw } = wanted;
    const former = before?.["roleId"];
    if (before !== undefined && typeof former === "string") {
      for (const group of groupsIn(before)) roleOf(run, former).hadBefore.add(group);
    }
    const { roleId } = inputs;
    if (typeof roleId !== "string" || isUnknown(roleId)) return;
    if (replaced?.["roleId"] === roleId) {
      for (const group of groupsIn(replaced)) roleOf(run, roleId).replaced.add(group);
    }
    const listing = parseListing(raw[LISTING]);
    const isKnown = Array.isArray(inputs["groupIds"]) && !inputs["groupIds"].some(isUnknown);
    roleOf(run, roleId).addListing({
      here: [...listing.here, ...groupsIn(inputs).map(hashOf)],
      beside: listing.beside,
      isComplete: listing.isComplete && isKnown,
    });
    planLosses(run, wanted);
  },

  onOwned(run, roleId, { inputs }) {
    for (const group of inputs.groupIds) roleOf(run, roleId).owned.add(group);
  },

  unseenChange(run, roleId, { inputs, outputs }) {
    const role = roleOf(run, roleId);
    const lost = inputs.groupIds.filter((group) => role.taken.has(group));
    if (lost.length > 0) return `role ${roleId}: + ${groupList(lost)}, which this run has taken it from`;
    const dropped = noLongerListed(role, handedOver(outputs));
    if (dropped.length === 0) return undefined;
    run.revocations.plan("the end of a handover", lossesOf(run, roleId, notesToSettle(role, dropped)));
    return handedOverLine(roleId, dropped);
  },

  previewLines(run, { before, inputs }) {
    const { roleId, groupIds } = inputs;
    if (typeof roleId !== "string" || isUnknown(roleId)) return [];
    if (!Array.isArray(groupIds)) return [`role ${roleId}: groups not known yet`];
    const former = before?.["roleId"];
    const had = former === roleId ? groupsIn(before as RawInputs) : [];
    const left = without(had, groupIds as string[]);
    const moving = left.filter((group) => roleOf(run, roleId).lists(group));
    const lines = [
      changeLine(roleId, without(groupIds as string[], had), without(left, moving), moving),
      typeof former === "string" &&
        former !== roleId &&
        changeLine(former, [], groupsIn(before as RawInputs), []),
    ];
    return lines.filter((line) => typeof line === "string");
  },

  lookAhead({ name, before, replaced, inputs: { roleId, groupIds, exclusive } }) {
    // Of a replacement, the first check has asked.
    if (!exclusive || replaced !== undefined || (before?.exclusive === true && before.roleId === roleId))
      return undefined;
    return {
      question: exclusiveQuestion(roleId),
      async ask({ client, run }, signal) {
        const assigned = await listRoleGroups(client, roleId, signal);
        const own = before?.roleId === roleId ? before.groupIds : [];
        const others = without(assigned, [...groupIds, ...own]).filter(
          (group) => !roleOf(run, roleId).lists(group),
        );
        run.revocations.plan(name ?? UNNAMED, lossesOf(run, roleId, others));
        return [exclusiveLine(roleId, others)];
      },
    };
  },

  async create(context, inputs) {
    const observed = await apply(context, inputs, { had: [], notes: [], unconfirmed: [] });
    return { id: inputs.roleId, ...observed };
  },

  async read({ client, run }, roleId, prior) {
    const assigned = sortedSet(
      prior === undefined
        ? await listRoleGroups(client, roleId)
        : await run.recall(ROLES).refresh(client, roleId),
    );
    if (prior === undefined) return { inputs: { roleId, groupIds: assigned, exclusive: false } };
    const { groupIds, exclusive } = prior.inputs;
    const has = exclusive ? assigned : groupIds.filter((group) => assigned.includes(group));
    const notes = handedOver(prior.outputs).filter((group) => assigned.includes(group));
    if (has.length + notes.length === 0) return undefined;
    return observed({ ...prior.inputs, groupIds: has }, notes);
  },

  update: (context, _roleId, { inputs: { groupIds }, outputs }, inputs) =>
    apply(context, inputs, {
      had: groupIds,
      notes: handedOver(outputs),
      unconfirmed: unconfirmed(outputs),
    }),

  async delete(context, roleId, { inputs, outputs }) {
    const role = roleOf(context.run, roleId);
    const groups = [...inputs.groupIds, ...handedOver(outputs)];
    // Deleted before it is replaced: the create that follows gives the role again.
    const isOwnSuccessors = (group: string) => role.replaced.has(group) && !role.owned.has(group);
    const listed = groups.filter((group) => role.lists(group) && !isOwnSuccessors(group));
    const waiting = listed.filter((group) => role.listsHere(group) && !role.owned.has(group));
    if (waiting.length > 0) {
      throw new IdentityError(
        `The assignment of role ${roleId} is not deleted: another assignment lists ${groupList(waiting)}, and does not ` +
          "have it yet. Without this one, no resource would manage the access. It stays in the state; run pulumi up again once that " +
          "assignment succeeds, or take the group out of the program.",
      );
    }
    const left = without(listed, [...role.owned]);
    if (left.length < listed.length)
      tellKept(context, roleId, without(listed, left), "which another assignment now owns");
    if (left.length > 0) tellKept(context, roleId, left, "which an assignment under another provider lists");
    const remove = without(groups, listed);
    await requestRemoval(context, roleId, remove);
    if (remove.length === 0) return;
    const change = { roleId, had: groups, unconfirmed: [], add: [], remove };
    const { failure } = await changeTogether(context, roleId, REMOVE, () => change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
  },
};

/** What the engine requires by the text in state. */
export const roleGroupAssignment = lifecycle(roleGroupAssignmentKind);

/** What the change of an assignment takes away, as far as its inputs say. */
function planLosses(run: Run, { name, before, inputs: { roleId, groupIds } }: Wanted<RawInputs>): void {
  const former = before?.["roleId"];
  if (before === undefined || typeof former !== "string" || isUnknown(roleId)) return;
  if (former === roleId && !Array.isArray(groupIds)) return;
  const kept = former === roleId ? (groupIds as string[]) : [];
  // Any of them may turn out to be one that is not known yet.
  const lost = kept.some(isUnknown) ? [] : without(groupsIn(before), kept);
  run.revocations.plan(name ?? UNNAMED, lossesOf(run, former, lost));
}

function lossesOf(run: Run, roleId: string, groups: readonly string[]): Loss[] {
  const role = roleOf(run, roleId);
  return groups
    .filter((group) => !role.lists(group))
    .map((group) => ({ of: lossOf(roleId, group), isOff: () => role.lists(group) }));
}

/** Before anything is sent that takes the role from groups; throws when the run may not. */
function requestRemoval(
  { requestRevocation }: Context,
  roleId: string,
  groups: readonly string[],
): Promise<void> {
  return requestRevocation(
    `role ${roleId}`,
    groups.map((group) => lossOf(roleId, group)),
  );
}

function lossOf(roleId: string, group: string): string {
  return `${roleId} ${group}`;
}

/** What an assignment has before a change. */
interface Before {
  had: readonly string[];
  /** `handedOver`: groups that it left to other assignments, which did not have them yet. */
  notes: readonly string[];
  unconfirmed: readonly string[];
}

/** Brings a role to what an assignment wants; groups that other assignments list keep it. */
async function apply(context: Context, wanted: Inputs, before: Before): Promise<Observed<Inputs>> {
  const { roleId, groupIds } = wanted;
  const role = roleOf(context.run, roleId);
  let moving: string[] = [];
  const changeBy = (remove: string[]): Change => ({
    roleId,
    ...before,
    add: groupIds.filter(
      (group) => !before.had.includes(group) || before.unconfirmed.includes(group) || role.taken.has(group),
    ),
    remove,
  });
  const change = isAddition(wanted, before)
    ? changeTogether(context, roleId, ASSIGN, () => changeBy([]))
    : role.inTurn(async () => {
        const leaving = wanted.exclusive
          ? without(await listRoleGroups(context.client, roleId), groupIds)
          : without(before.had, groupIds);
        moving = leaving.filter((group) => role.lists(group));
        const remove = without([...leaving, ...notesToSettle(role, before.notes)], [...moving, ...groupIds]);
        await requestRemoval(context, roleId, remove);
        return changeRole(context, changeBy(remove));
      });
  const owning = change.then((progress) => {
    // State records what was done, also of a change that failed.
    for (const group of without(progress.has, moving)) role.owned.add(group);
    return progress;
  });
  const progress = await role.arriving(groupIds, owning);
  await withinTime(role.arrived(moving));
  const notes = notesAfter(role, wanted, before, moving);
  const waiting = notes.filter((group) => moving.includes(group));
  if (waiting.length > 0) tellKept(context, roleId, waiting, "until the assignment that lists them has them");
  return outcome(wanted, before, { ...progress, has: without(progress.has, moving) }, notes);
}

/** Whether a change adds groups, and neither takes any away nor has to look for some. */
function isAddition({ groupIds, exclusive }: Inputs, { had, notes }: Before): boolean {
  const [added, left] = [without(groupIds, had), without(had, groupIds)];
  return !exclusive && notes.length === 0 && added.length > 0 && left.length === 0;
}

/** Handed-over groups from which this assignment has to take the role: no other assignment had or removed them. */
function notesToSettle(role: RoleOfRun, notes: readonly string[]): string[] {
  return noLongerListed(role, notes).filter((group) => !role.hadBefore.has(group) && !role.taken.has(group));
}

/** Handed-over groups that no assignment lists; none as long as some assignment is not known. */
function noLongerListed(role: RoleOfRun, notes: readonly string[]): string[] {
  return role.isListingComplete ? notes.filter((group) => !role.lists(group)) : [];
}

/** The next `handedOver`: groups that were left to others, and that no assignment of this process has. */
function notesAfter(role: RoleOfRun, wanted: Inputs, before: Before, moving: readonly string[]): string[] {
  const given = moving.filter((group) => before.had.includes(group));
  const notes = without(before.notes, noLongerListed(role, before.notes));
  return sortedSet(without([...notes, ...given], [...wanted.groupIds, ...role.owned]));
}

/** The state after a change. Throws a partial failure if a part was done, and the failure itself if nothing was. */
function outcome(
  wanted: Inputs,
  before: Before,
  { has, unconfirmed, failure }: Progress,
  notes: string[],
): Observed<Inputs> {
  if (failure === undefined) return observed(wanted, notes);
  const groupIds = sortedSet(has);
  const isUnchanged =
    unconfirmed.length === 0 &&
    isDeepStrictEqual([groupIds, notes], [sortedSet(before.had), sortedSet(before.notes)]);
  if (isUnchanged) throw failure as Error;
  const state = observed({ ...wanted, groupIds }, notes, sortedSet(unconfirmed));
  throw new PartialFailure<Inputs>(wanted.roleId, state, failure);
}

function observed(inputs: Inputs, notes: string[], unconfirmed: string[] = []): Observed<Inputs> {
  return {
    inputs,
    outputs: {
      ...(notes.length > 0 && { handedOver: notes }),
      ...(unconfirmed.length > 0 && { unconfirmed }),
    },
  };
}

async function withinTime(wait: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_HANDOVER_MS)));
  await Promise.race([wait, limit]);
  clearTimeout(timer);
}

function handedOver(outputs: PriorState<Inputs>["outputs"]): string[] {
  return (outputs["handedOver"] ?? []) as string[];
}

/** Release 0.1.0 has another name for it. */
function unconfirmed(outputs: PriorState<Inputs>["outputs"]): string[] {
  return (outputs["unconfirmed"] ?? outputs["unsure"] ?? []) as string[];
}

/** The groups that are known. */
function groupsIn({ groupIds }: RawInputs): string[] {
  if (!Array.isArray(groupIds)) return [];
  return (groupIds as unknown[]).filter(
    (group) => typeof group === "string" && !isUnknown(group),
  ) as string[];
}

function tellKept({ tell }: Context, roleId: string, groups: readonly string[], why: string): void {
  tell(`role ${roleId}: keeps ${groupList(groups)}, ${why}`);
}
