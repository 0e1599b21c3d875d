import * as z from "../../zod";
import { IdentityError } from "../../http/errors";
import { lifecycle } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { listText } from "../../pulumi/preview-lines";
import { holdsUnknown, isUnknown, type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import { type LookAhead, type PriorState, type ResourceKind } from "../../pulumi/resource-kind";
import { type Opening } from "../../pulumi/review-permits";
import { type Loss } from "../../pulumi/revocations";
import { type Run } from "../../pulumi/run";
import { ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/role-groups";
import { apply, inheritedFrom, keptLine, lossOf, requestRemoval, tellKept } from "./apply";
import { changeRole } from "./change";
import { bothClaim } from "./claims";
import {
  changeOf,
  endOf,
  exclusiveIn,
  hasEnded,
  type Held,
  heldBy,
  isTakenOnDestroy,
  NOTHING,
  type RoleChange,
  textsIn,
  wantedIn,
  without,
} from "./effects";
import { formatLine, formatLines, type RoleLine } from "./lines";
import { hashOf } from "../../pulumi/run-folder";
import { LISTING, listingAt, parseListing } from "./listing";
import { roleOf, ROLES } from "./roles-of-run";
import { type Inputs, schema } from "./schema";
import { isPast, nearEnd } from "./until";

const groups = z.array(z.string());

export const roleGroupAssignmentKind: ResourceKind<Inputs> = {
  name: "RoleGroupAssignment",
  schema,
  id: ROLE_ID,
  state: z.looseObject({
    roleId: z.string(),
    groupIds: groups,
    exclusive: z.boolean(),
    deleteOnDestroy: z.boolean().optional(),
    handedOver: groups.optional(),
    others: groups.optional(),
    unconfirmed: groups.optional(),
    unsure: groups.optional(),
    unfinished: z.boolean().optional(),
    until: z.string().optional(),
    ended: z.boolean().optional(),
  }),
  // What an exclusive one is to take the role from is drift, but not its own.
  inputsOf: ({ roleId, groupIds, exclusive, deleteOnDestroy, until, ended, others }) =>
    ({
      roleId,
      groupIds: exclusive === true ? sortedSet([...textsIn(groupIds), ...textsIn(others)]) : groupIds,
      exclusive,
      ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
      ...(until !== undefined && { until }),
      ...(ended !== undefined && { ended }),
    }) as Inputs,
  replaces: ({ name }) => name === "roleId",

  normalize: ({ exclusive = false, ...inputs }) => ({
    ...inputs,
    ...(Array.isArray(inputs["groupIds"]) && { groupIds: sortedSet(inputs["groupIds"]) }),
    exclusive,
  }),

  decided: ["ended"],
  decide(run, { until }, raw) {
    run.begin(parseListing(raw[LISTING]).moment);
    return typeof until === "string" && isPast(until, run.moment) ? { ended: true } : {};
  },

  onWanted(run, { resource, before, inputs, replaced, raw }) {
    const roleBefore = before?.["roleId"];
    if (before !== undefined && typeof roleBefore === "string") {
      roleOf(run, roleBefore).had(resource, textsIn(wantedIn(before)));
    }
    const { roleId, until } = inputs;
    if (isUnknown(until)) return ["until must be known in a preview: give it as text."];
    const groupIds = wantedIn(inputs);
    if (typeof roleId !== "string" || isUnknown(roleId)) return [];
    const former = replaced?.["roleId"];
    if (typeof former === "string") {
      const again = former === roleId ? textsIn(groupIds) : [];
      for (const group of textsIn(wantedIn(replaced ?? {}))) {
        roleOf(run, former).replaced.add(group);
        if (isTakenOnDestroy(replaced ?? {}) === false) roleOf(run, former).left.add(group);
        // Any group may be among those that are not known yet.
        if (again.includes(group) || (former === roleId && holdsUnknown(groupIds)))
          roleOf(run, former).givenAgain.add(group);
      }
    }
    const listing = listingAt(parseListing(raw[LISTING]), run.moment);
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
    for (const group of textsIn(wantedIn(inputs))) roleOf(run, roleId).owned.add(group);
  },

  openings(prior, inputs) {
    const openings: Opening[] = [];
    const { roleId } = inputs ?? {};
    if (inputs !== undefined && typeof roleId === "string") {
      openings.push({
        write: { kind: "grant", role: roleId, groups: textsIn(wantedIn(inputs)) },
        categories: ["grant"],
      });
      if (exclusiveIn(inputs) === true)
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
    const { roleId, deleteOnDestroy } = inputs;
    const [groupIds, exclusive] = [wantedIn(inputs), exclusiveIn(inputs)];
    const until = untilIn(inputs);
    const former = prior?.inputs.roleId;
    const isKnownRole = typeof roleId === "string" && !isUnknown(roleId);
    const ended = former === undefined || former === roleId ? [] : endLines(run, former, prior);
    if (!isKnownRole) return { lines: ended, losses: [] };
    const held = former === roleId && prior !== undefined ? heldBy(prior.outputs) : NOTHING;
    const role = roleOf(run, roleId);
    const change = changeOf(held, textsIn(groupIds), role);
    // Any group that leaves may turn out to be one that is not known yet.
    const isKnown = !holdsUnknown(groupIds);
    const told = formatLines(roleId, linesOf(roleId, inputs, change, isReplaced));
    const isChange =
      told.length > 0 ||
      exclusive !== exclusiveIn(prior?.inputs ?? {}) ||
      until !== prior?.inputs.until ||
      deleteOnDestroy !== prior?.inputs.deleteOnDestroy ||
      // A part of what is to be taken away still has the role.
      prior?.outputs["unfinished"] === true ||
      textsIn(prior?.outputs["others"]).length > 0;
    return {
      lines: [...told, ...ended],
      // Options may keep what is replaced, and others may list its groups that were not asked yet: its delete counts them.
      notices: [
        ...(change.unsettled.length === 0 ? [] : [keptLine(roleId, change.unsettled, UNSETTLED)]),
        ...(until === undefined || (hasEnded(inputs) && told.length > 0)
          ? []
          : endNotices(roleId, until, run.moment)),
      ],
      losses: isKnown && !isReplaced ? lossesOf(run, roleId, [...change.revocations, ...change.ended]) : [],
      writes: [
        { kind: "grant", role: roleId, groups: change.grants },
        ...(isKnown && !isReplaced
          ? [
              {
                kind: "revoke" as const,
                role: roleId,
                groups: [...change.revocations, ...change.ended],
                // What options replace gives all groups the role, and its end may be left out.
                instead: { kind: "grant" as const, role: roleId, groups: textsIn(groupIds) },
              },
            ]
          : []),
      ],
      lookAhead: exclusive === true && isChange ? whoLoses(roleId, held, groupIds) : undefined,
    };
  },

  async create(context, inputs, replaced) {
    const observed = await apply(context, inputs, NOTHING, inheritedFrom(context.run, inputs, replaced));
    return { id: inputs.roleId, ...observed };
  },

  async read({ client, run, tell }, roleId, prior) {
    const role = roleOf(run, roleId);
    role.noticeRead();
    const assigned = sortedSet(
      prior === undefined
        ? await listRoleGroups(client, roleId)
        : await run.recall(ROLES).refresh(client, roleId),
    );
    if (prior === undefined) return { inputs: { roleId, groupIds: assigned, exclusive: false } };
    const { groups, handedOver } = heldBy(prior.outputs);
    const own = groups.filter((group) => assigned.includes(group));
    role.found(own);
    const open = without(handedOver, own).filter((group) => assigned.includes(group));
    const notes = open.length === 0 ? [] : await role.foundNowhere(open);
    tellKept({ tell }, roleId, notes, UNSETTLED);
    const noted = notes.length > 0 && { handedOver: notes };
    // It stays until it is removed or prolonged.
    if (hasEnded(prior.outputs)) return { inputs: prior.inputs, outputs: { ...noted } };
    const groupIds = sortedSet(own);
    const others = prior.inputs.exclusive ? without(assigned, [...groupIds, ...notes]) : [];
    if (groupIds.length + others.length + notes.length === 0) return undefined;
    return {
      inputs: { ...prior.inputs, groupIds: sortedSet([...groupIds, ...others]) },
      outputs: { ...(others.length > 0 && { groupIds, others }), ...noted },
    };
  },

  update: (context, _roleId, { outputs }, inputs) => apply(context, inputs, heldBy(outputs)),

  async delete(context, roleId, { outputs }) {
    const role = roleOf(context.run, roleId);
    // Deleted before it is replaced: the create that follows gives the role again. With --replace nothing tells which one
    // replaces it, but all others have begun by the time of a delete.
    const isOwnSuccessors = (group: string) =>
      (role.givenAgain.has(group) && !role.owned.has(group)) || role.isStillToCome(group);
    const held = heldBy(outputs);
    if (isTakenOnDestroy(outputs) === false) {
      const groups = [...held.groups, ...held.handedOver];
      for (const line of formatLines(roleId, [{ kind: "leaves", roleId, groups }])) context.tell(line);
      return;
    }
    const { removed, listed } = endOf(
      held,
      (group) => role.lists(group, held.groups) && !isOwnSuccessors(group),
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
    tellKept(context, roleId, owned, "which another assignment now owns");
    tellKept(context, roleId, without(listed, owned), "which another assignment lists");
    const open = held.handedOver.filter((group) => !role.isAnothers(group, false));
    tellKept(context, roleId, open, LEFT_OVER);
    await requestRemoval(
      context,
      roleId,
      removed.filter((group) => !isOwnSuccessors(group)),
    );
    if (removed.length === 0) return;
    const change = { roleId, had: removed, unconfirmed: [], add: [], remove: removed };
    const { failure } = await role.inTurn(() => changeRole(context, change));
    // After a partial failure, the next delete sends all of it again, which does no harm.
    if (failure !== undefined) throw failure as Error;
    context.tell(formatLine({ kind: "revokes", roleId, groups: removed }));
  },
};

/** What the engine requires by the text in state. */
export const roleGroupAssignment = lifecycle(roleGroupAssignmentKind);

/** What a change does to the role that it is about. */
function linesOf(roleId: string, inputs: RawInputs, change: RoleChange, isReplaced: boolean): RoleLine[] {
  const until = untilIn(inputs);
  const isKnown = !holdsUnknown(wantedIn(inputs));
  const groups = change.revocations;
  return [
    { kind: "grants", roleId, groups: change.grants, until },
    ...(isKnown ? [] : [{ kind: "unknown groups" as const, roleId }]),
    isReplaced && isKnown
      ? { kind: "revokes later", roleId, groups }
      : hasEnded(inputs) && until !== undefined
        ? { kind: "has ended", roleId, groups, until }
        : { kind: isKnown ? "revokes" : "may revoke", roleId, groups },
    { kind: "hands over", roleId, groups: change.handOvers },
    { kind: "ends", roleId, groups: change.dropped },
    ...(isUnknown(exclusiveIn(inputs)) ? [{ kind: "unknown exclusive" as const, roleId }] : []),
  ];
}

function untilIn({ until }: RawInputs): string | undefined {
  return typeof until === "string" ? until : undefined;
}

/** What it does to a role that an assignment leaves it. */
function endLines(run: Run, roleId: string, prior: PriorState<Inputs> | undefined): string[] {
  const role = roleOf(run, roleId);
  const { removed, listed } = endOf(heldBy(prior?.outputs ?? {}), (group) => role.lists(group));
  const isLeft = isTakenOnDestroy(prior?.outputs ?? {}) === false;
  return formatLines(roleId, [
    { kind: isLeft ? "leaves" : "revokes later", roleId, groups: removed },
    { kind: "hands over", roleId, groups: listed },
  ]);
}

/** Said in each preview: that the groups are about to lose the role, or that the assignment gives it to nobody any more. */
function endNotices(roleId: string, until: string, moment: number): string[] {
  if (isPast(until, moment))
    return [
      `role ${roleId}: has ended (until ${until}): it gives the role to no group until it is prolonged`,
    ];
  const when = nearEnd(until, moment);
  return when === undefined ? [] : [`role ${roleId}: until ${until}, ${when}: then its groups lose the role`];
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
    .map((group) => ({ of: lossOf(roleId, group), isOff: () => role.lists(group) || role.left.has(group) }));
}

const UNSETTLED =
  "handed over to another assignment, which is not known to have it yet: pulumi refresh settles it once it has; " +
  "if none is to have it, list it here again for one pulumi up";
const LEFT_OVER =
  "handed over to another assignment: if none lists it, no resource manages the access, and it is to be taken away on the tenant";
