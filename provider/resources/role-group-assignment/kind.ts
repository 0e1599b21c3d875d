import { isDeepStrictEqual } from "node:util";
import * as z from "../../zod";
import { IdentityError } from "../../http/errors";
import { lifecycle } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { listText } from "../../pulumi/preview-lines";
import { holdsUnknown, isUnknown, sortedSet } from "../../pulumi/raw-inputs";
import {
  type Context,
  type LookAhead,
  type Observed,
  PartialFailure,
  type PriorState,
  type ResourceKind,
} from "../../pulumi/resource-kind";
import { type Opening } from "../../pulumi/review-permits";
import { type Loss } from "../../pulumi/revocations";
import { type Run } from "../../pulumi/run";
import { GROUP_ID, ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/role-groups";
import { ASSIGN, type Change, changeRole, type Progress, REMOVE } from "./change";
import { bothClaim } from "./claims";
import { changeOf, endOf, type Held, heldBy, NOTHING, type RoleChange, textsIn, without } from "./effects";
import { formatLine, formatLines, type RoleLine } from "./lines";
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
    unfinished: z.boolean().optional(),
  }),
  replaces: ({ name }) => name === "roleId",

  normalize: ({ exclusive = false, ...inputs }) => ({
    ...inputs,
    ...(Array.isArray(inputs["groupIds"]) && { groupIds: sortedSet(inputs["groupIds"]) }),
    exclusive,
  }),

  onWanted(run, { resource, before, inputs, replaced, raw }) {
    const former = before?.["roleId"];
    if (before !== undefined && typeof former === "string") {
      for (const group of textsIn(before["groupIds"])) roleOf(run, former).hadBefore.add(group);
    }
    const { roleId, groupIds } = inputs;
    if (typeof roleId !== "string" || isUnknown(roleId)) return [];
    if (replaced?.["roleId"] === roleId) {
      const again = textsIn(groupIds);
      for (const group of textsIn(replaced["groupIds"])) {
        roleOf(run, roleId).replaced.add(group);
        // Any group may be among those that are not known yet.
        if (again.includes(group) || holdsUnknown(groupIds)) roleOf(run, roleId).givenAgain.add(group);
      }
    }
    const listing = parseListing(raw[LISTING]);
    roleOf(run, roleId).addListing({
      here: [...listing.here, ...textsIn(groupIds).map(hashOf)],
      beside: listing.beside,
      isComplete: listing.isComplete && !holdsUnknown(groupIds),
    });
    const isSecret = secretNames(raw).some((name) => name === "roleId" || name === "groupIds");
    const twice = roleOf(run, roleId).claim({ resource, isSecret }, textsIn(groupIds));
    return twice === undefined
      ? []
      : [bothClaim(twice.names, twice.isSecret ? undefined : { roleId, ...twice })];
  },

  onOwned(run, roleId, { inputs }) {
    for (const group of inputs.groupIds) roleOf(run, roleId).owned.add(group);
  },

  openings(prior, inputs) {
    const openings: Opening[] = [];
    const { roleId, groupIds, exclusive } = inputs ?? {};
    if (typeof roleId === "string") {
      openings.push({
        write: { kind: "grant", role: roleId, groups: textsIn(groupIds) },
        categories: ["grant"],
      });
      if (exclusive === true)
        openings.push({ write: { kind: "revoke", role: roleId }, categories: ["exclusive"] });
    }
    const held = heldBy(prior?.outputs ?? {});
    const groups = [...held.groups, ...held.handedOver];
    const former = prior?.inputs.roleId;
    if (former !== undefined)
      openings.push({ write: { kind: "revoke", role: former, groups }, categories: ["revoke"] });
    return openings;
  },

  effects(run, { prior, inputs, isReplaced }) {
    const { roleId, groupIds, exclusive } = inputs;
    const former = prior?.inputs.roleId;
    const isKnownRole = typeof roleId === "string" && !isUnknown(roleId);
    const ended = former === undefined || former === roleId ? [] : endLines(run, former, prior);
    if (!isKnownRole) return { lines: ended, losses: [] };
    const held = former === roleId && prior !== undefined ? heldBy(prior.outputs) : NOTHING;
    const role = roleOf(run, roleId);
    const change = changeOf(held, textsIn(groupIds), role);
    // Any group that leaves may turn out to be one that is not known yet.
    const isKnown = !holdsUnknown(groupIds);
    const revokes = isReplaced ? "revokes later" : "revokes";
    const lines: RoleLine[] = [
      { kind: "grants", roleId, groups: change.grants },
      ...(isKnown ? [] : [{ kind: "unknown groups" as const, roleId }]),
      { kind: isKnown ? revokes : "may revoke", roleId, groups: change.revocations },
      { kind: "hands over", roleId, groups: change.handOvers },
      { kind: "ends", roleId, groups: change.dropped },
      ...(isUnknown(exclusive) ? [{ kind: "unknown exclusive" as const, roleId }] : []),
    ];
    const isChange =
      formatLines(roleId, lines).length > 0 ||
      exclusive !== prior?.inputs.exclusive ||
      // A part of what is to be taken away still has the role.
      prior?.outputs["unfinished"] === true;
    return {
      lines: [...formatLines(roleId, lines), ...ended],
      // Options may keep what is replaced, and others may list its groups that were not asked yet: its delete counts them.
      losses: isKnown && !isReplaced ? lossesOf(run, roleId, [...change.revocations, ...change.ended]) : [],
      writes: [
        { kind: "grant", role: roleId, groups: change.grants },
        ...(isKnown && !isReplaced
          ? [{ kind: "revoke" as const, role: roleId, groups: [...change.revocations, ...change.ended] }]
          : []),
      ],
      lookAhead: exclusive === true && isChange ? whoLoses(roleId, held, groupIds) : undefined,
    };
  },

  async create(context, inputs) {
    const observed = await apply(context, inputs, NOTHING);
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
    const notes = heldBy(prior.outputs).handedOver.filter((group) => assigned.includes(group));
    if (has.length + notes.length === 0) return undefined;
    return observed({ ...prior.inputs, groupIds: has }, notes);
  },

  update: (context, _roleId, { outputs }, inputs) => apply(context, inputs, heldBy(outputs)),

  async delete(context, roleId, { outputs }) {
    const role = roleOf(context.run, roleId);
    // Deleted before it is replaced: the create that follows gives the role again.
    const isOwnSuccessors = (group: string) => role.givenAgain.has(group) && !role.owned.has(group);
    const held = heldBy(outputs);
    const { removed, listed } = endOf(held, (group) => role.lists(group) && !isOwnSuccessors(group));
    // What is replaced has a successor, which can be changed in the next run.
    const waiting = listed.filter(
      (group) => role.listsHere(group) && !role.owned.has(group) && !role.replaced.has(group),
    );
    if (waiting.length > 0) {
      throw new IdentityError(
        `The assignment of role ${roleId} is not deleted: another assignment lists ${listText(waiting)}, and does not ` +
          "have it yet. Without this one, no resource would manage the access. It stays in the state; run pulumi up again once that " +
          "assignment succeeds, or take the group out of the program.",
      );
    }
    const left = without(listed, [...role.owned]);
    if (left.length < listed.length)
      tellKept(context, roleId, without(listed, left), "which another assignment now owns");
    if (left.length > 0) tellKept(context, roleId, left, "which another assignment lists");
    await requestRemoval(context, roleId, removed);
    if (removed.length === 0) return;
    const change = { roleId, had: removed, unconfirmed: [], add: [], remove: removed };
    const { failure } = await changeTogether(context, roleId, REMOVE, () => change);
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
  },
};

/** What the engine requires by the text in state. */
export const roleGroupAssignment = lifecycle(roleGroupAssignmentKind);

/** What it does to a role that an assignment leaves it. */
function endLines(run: Run, roleId: string, prior: PriorState<Inputs> | undefined): string[] {
  const role = roleOf(run, roleId);
  const { removed, listed } = endOf(heldBy(prior?.outputs ?? {}), (group) => role.lists(group));
  return formatLines(roleId, [
    { kind: "revokes later", roleId, groups: removed },
    { kind: "hands over", roleId, groups: listed },
  ]);
}

/** An exclusive assignment takes the role from groups that only the tenant knows. */
function whoLoses(roleId: string, held: Held, groupIds: unknown): LookAhead {
  return {
    notAsked: (reason) => formatLine({ kind: "not asked", roleId, reason }),
    async ask({ client, run }, signal) {
      if (holdsUnknown(groupIds))
        return {
          lines: [formatLine({ kind: "not asked", roleId, reason: "its own groups are not known yet" })],
          losses: [],
        };
      const assigned = await listRoleGroups(client, roleId, signal);
      const others = without(assigned, [...textsIn(groupIds), ...held.groups, ...held.handedOver]).filter(
        (group) => !roleOf(run, roleId).lists(group),
      );
      for (const group of others) roleOf(run, roleId).named.add(group);
      return {
        lines: [formatLine({ kind: "exclusive", roleId, groups: others })],
        losses: lossesOf(run, roleId, others),
        writes: [{ kind: "revoke", role: roleId, groups: others }],
      };
    },
  };
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

/** Brings a role to what an assignment wants; groups that other assignments list keep it. */
async function apply(context: Context, wanted: Inputs, held: Held): Promise<Observed<Inputs>> {
  const { roleId, groupIds, exclusive } = wanted;
  const role = roleOf(context.run, roleId);
  let moving: string[] = [];
  const changeBy = ({ grants }: RoleChange, remove: string[]): Change => ({
    roleId,
    had: held.groups,
    unconfirmed: held.unconfirmed,
    add: grants,
    remove,
  });
  const change = isAddition(wanted, held)
    ? changeTogether(context, roleId, ASSIGN, () => changeBy(changeOf(held, groupIds, role), []))
    : role.inTurn(async () => {
        const assigned = exclusive ? await listRoleGroups(context.client, roleId) : held.groups;
        const change = changeOf(held, groupIds, role, assigned);
        moving = change.handOvers;
        const remove = [...new Set([...change.revocations, ...change.ended])];
        await requestRemoval(context, roleId, remove);
        tellTaken(context, roleId, without(remove, [...held.groups, ...held.handedOver, ...role.named]));
        return changeRole(context, changeBy(change, remove));
      });
  const owning = change.then((progress) => {
    // State records what was done, also of a change that failed.
    for (const group of without(progress.has, moving)) role.owned.add(group);
    return progress;
  });
  const progress = await role.arriving(groupIds, owning);
  await withinTime(role.arrived(moving));
  const notes = notesAfter(role, wanted, held, moving);
  const waiting = notes.filter((group) => moving.includes(group));
  if (waiting.length > 0) tellKept(context, roleId, waiting, "until the assignment that lists them has them");
  return outcome(wanted, held, { ...progress, has: without(progress.has, moving) }, notes);
}

/** Whether a change adds groups, and neither takes any away nor has to look for some. */
function isAddition({ groupIds, exclusive }: Inputs, { groups, handedOver }: Held): boolean {
  const [added, left] = [without(groupIds, groups), without(groups, groupIds)];
  return !exclusive && handedOver.length === 0 && added.length > 0 && left.length === 0;
}

/** The next `handedOver`: groups that were left to others, and that no assignment of this process has. */
function notesAfter(role: RoleOfRun, wanted: Inputs, held: Held, moving: readonly string[]): string[] {
  const given = moving.filter((group) => held.groups.includes(group));
  const notes = without(held.handedOver, changeOf(held, wanted.groupIds, role).dropped);
  return sortedSet(without([...notes, ...given], [...wanted.groupIds, ...role.owned]));
}

/** The state after a change. Throws a partial failure if a part was done, and the failure itself if nothing was. */
function outcome(
  wanted: Inputs,
  held: Held,
  { has, unconfirmed, failure }: Progress,
  notes: string[],
): Observed<Inputs> {
  if (failure === undefined) return observed(wanted, notes);
  const groupIds = sortedSet(has);
  const isUnchanged =
    unconfirmed.length === 0 &&
    isDeepStrictEqual([groupIds, notes], [sortedSet(held.groups), sortedSet(held.handedOver)]);
  if (isUnchanged) throw failure as Error;
  const state = observed({ ...wanted, groupIds }, notes, sortedSet(unconfirmed));
  const outputs = { ...state.outputs, ...(wanted.exclusive && { unfinished: true }) };
  throw new PartialFailure<Inputs>(wanted.roleId, { ...state, outputs }, failure);
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

function tellTaken({ tell }: Context, roleId: string, groups: readonly string[]): void {
  if (groups.length === 0) return;
  tell(formatLine({ kind: "exclusive", roleId, groups }));
}

function tellKept({ tell }: Context, roleId: string, groups: readonly string[], why: string): void {
  tell(`role ${roleId}: keeps ${listText(groups)}, ${why}`);
}
