import * as z from "../../zod";
import { IdentityError } from "../../http/errors";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { type PlannedEnd } from "../../pulumi/held-review";
import { listText } from "../../pulumi/preview-lines";
import { holdsUnknown, isUnknown, type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import {
  type LookAhead,
  type PlannedChange,
  type PlannedEffects,
  type PriorState,
  type ResourceKind,
} from "../../pulumi/resource-kind";
import { type Opening } from "../../pulumi/review-permits";
import { type Loss } from "../../pulumi/revocations";
import { type Run } from "../../pulumi/run";
import { ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/roles";
import { apply, inheritedFrom, keptLine, lossOf, requestRemoval, tellKeptGroups } from "./apply";
import { changeRole } from "./change";
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
  knownTexts,
  wantedIn,
  minus,
} from "./effects";
import { formatRoleLine, formatLines, LEFT_OVER, type RolePart } from "./lines";
import { LISTING, listingAt, parseListing } from "./listing";
import { roleOf } from "./roles-of-run";
import { type Inputs, schema } from "./schema";
import { isPast, isWithin, nearEnd } from "./until";

const groupList = z.array(z.string());

export const roleGroupAssignmentKind: ResourceKind<Inputs> = {
  name: "RoleGroupAssignment",
  schema,
  id: ROLE_ID,
  state: z.looseObject({
    roleId: z.string(),
    groupIds: groupList,
    exclusive: z.boolean(),
    deleteOnDestroy: z.boolean().optional(),
    handedOver: groupList.optional(),
    others: groupList.optional(),
    unconfirmed: groupList.optional(),
    unsure: groupList.optional(),
    unfinished: z.boolean().optional(),
    until: z.string().optional(),
    ended: z.boolean().optional(),
  }),
  // What an exclusive one is to take the role from is drift, but not its own.
  inputsOf: ({ roleId, groupIds, exclusive, deleteOnDestroy, until, ended, others }) =>
    ({
      roleId,
      groupIds: exclusive === true ? sortedSet([...knownTexts(groupIds), ...knownTexts(others)]) : groupIds,
      exclusive,
      ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
      ...(until !== undefined && { until }),
      ...(ended !== undefined && { ended }),
    }) as Inputs,
  consequence: ({ name }) => (name === "roleId" ? "replace" : "update"),

  normalize: ({ exclusive = false, ...inputs }) => ({
    ...inputs,
    ...(Array.isArray(inputs["groupIds"]) && { groupIds: sortedSet(inputs["groupIds"]) }),
    exclusive,
  }),

  decided: {
    names: ["ended"],
    values(run, { until }, { before, raw }) {
      run.begin(parseListing(raw[LISTING]).moment);
      // What a run has ended stays so in one that is held to an earlier moment.
      const wasEnded = hasEnded(before ?? {}) && before?.["until"] === until;
      return typeof until === "string" && (wasEnded || isPast(until, run.moment)) ? { ended: true } : {};
    },
  },

  onWanted(run, { resource, before, inputs, replaced, raw }) {
    const roleBefore = before?.["roleId"];
    if (before !== undefined && typeof roleBefore === "string") {
      roleOf(run, roleBefore).had(resource, knownTexts(wantedIn(before)));
    }
    const { roleId, until } = inputs;
    if (isUnknown(until)) return ["until must be known in a preview: give it as text."];
    const groupIds = wantedIn(inputs);
    if (typeof roleId !== "string" || isUnknown(roleId)) return [];
    if (replaced !== undefined) {
      noticeReplaced(run, replaced, inputs);
      for (const role of [roleId, ...knownTexts([replaced["roleId"]])]) roleOf(run, role).withdraw(resource);
    }
    const listing = listingAt(parseListing(raw[LISTING]), run.moment);
    const isComplete = listing.isComplete && !holdsUnknown(groupIds);
    roleOf(run, roleId).addListing({ ...listing, isComplete });
    const isSecret = secretNames(raw).some((name) => name === "roleId" || name === "groupIds");
    const isExclusive = exclusiveIn(inputs) === true;
    const groups = knownTexts(groupIds);
    const conflict = roleOf(run, roleId).claim({ resource, isSecret, isExclusive }, groups);
    return conflict === undefined ? [] : [conflict];
  },

  onOwned(run, roleId, { inputs }) {
    for (const group of knownTexts(wantedIn(inputs))) roleOf(run, roleId).owned.add(group);
  },

  openings(prior, inputs) {
    const openings: Opening[] = [];
    const { roleId } = inputs ?? {};
    if (inputs !== undefined && typeof roleId === "string") {
      openings.push({
        write: { kind: "grant", role: roleId, groups: knownTexts(wantedIn(inputs)) },
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

  effects(run, change) {
    const { roleId } = change.inputs;
    const former = change.prior?.inputs.roleId;
    const ended = former === undefined || former === roleId ? [] : endLines(run, former, change.prior);
    if (typeof roleId !== "string" || isUnknown(roleId)) return { lines: ended, losses: [] };
    const effects = effectsOn(run, roleId, change);
    return { ...effects, lines: [...effects.lines, ...ended] };
  },

  async create(context, inputs, replaced) {
    for (const group of knownTexts(wantedIn(replaced ?? {})))
      roleOf(context.run, inputs.roleId).countedByDelete.add(group);
    const observed = await apply(context, inputs, NOTHING, inheritedFrom(context.run, inputs, replaced));
    return { id: inputs.roleId, ...observed };
  },

  async read({ client, run, tell }, roleId, prior) {
    const role = roleOf(run, roleId);
    role.noticeRead();
    const assigned = sortedSet(
      prior === undefined ? await listRoleGroups(client, roleId) : await role.refresh(client),
    );
    if (prior === undefined) return { inputs: { roleId, groupIds: assigned, exclusive: false } };
    const { groups, handedOver } = heldBy(prior.outputs);
    const own = groups.filter((group) => assigned.includes(group));
    role.found(own);
    const open = minus(handedOver, own).filter((group) => assigned.includes(group));
    const notes = open.length === 0 ? [] : await role.foundNowhere(open);
    tellKeptGroups({ tell }, roleId, notes, UNSETTLED);
    const noted = notes.length > 0 && { handedOver: notes };
    // It stays until it is removed or prolonged.
    if (hasEnded(prior.outputs)) return { inputs: prior.inputs, outputs: { ...noted } };
    const groupIds = sortedSet(own);
    const others = prior.inputs.exclusive ? minus(assigned, [...groupIds, ...notes]) : [];
    if (groupIds.length + others.length + notes.length === 0) return undefined;
    return {
      inputs: { ...prior.inputs, groupIds: sortedSet([...groupIds, ...others]) },
      outputs: { ...(others.length > 0 && { groupIds, others }), ...noted },
    };
  },

  update: (context, _roleId, { outputs }, inputs) => apply(context, inputs, heldBy(outputs)),

  async delete(context, roleId, { outputs }) {
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
    context.tell(formatRoleLine(roleId, { kind: "revokes", groups: removed }));
  },
};

export const roleGroupAssignment = handlersOf(roleGroupAssignmentKind);

/** Keeps in mind what is replaced, for its delete and for the other assignments of its role. */
function noticeReplaced(run: Run, replaced: RawInputs, inputs: RawInputs): void {
  const former = replaced["roleId"];
  if (typeof former !== "string") return;
  const role = roleOf(run, former);
  const wanted = former === inputs["roleId"] ? wantedIn(inputs) : [];
  const again = knownTexts(wanted);
  for (const group of knownTexts(wantedIn(replaced))) {
    role.replaced.add(group);
    if (isTakenOnDestroy(replaced) === false) role.left.add(group);
    // Any group may be among those that are not known yet.
    if (again.includes(group) || holdsUnknown(wanted)) role.givenAgain.add(group);
  }
}

function effectsOn(run: Run, roleId: string, planned: PlannedChange<Inputs>): PlannedEffects {
  const { prior, inputs, isReplaced } = planned;
  const groupIds = wantedIn(inputs);
  const held = prior?.inputs.roleId === roleId ? heldBy(prior.outputs) : NOTHING;
  const change = changeOf(held, knownTexts(groupIds), roleOf(run, roleId));
  const lines = formatLines(roleId, partsOf(inputs, change, isReplaced));
  // Any group that leaves may turn out to be one that is not known yet. Options may keep what is replaced,
  // and others may list its groups that were not asked yet: its delete counts them.
  const areLosersKnown = !holdsUnknown(groupIds) && !isReplaced;
  const losers = [...change.revocations, ...change.ended];
  const isEndTold = hasEnded(inputs) && lines.length > 0;
  const isChanged = lines.length > 0 || changesUntold(inputs, prior);
  return {
    lines,
    notices: [
      ...(change.unsettled.length === 0 ? [] : [keptLine(roleId, change.unsettled, UNSETTLED)]),
      ...(isEndTold ? [] : endNotices(roleId, untilIn(inputs), run.moment)),
    ],
    losses: areLosersKnown ? lossesOf(run, roleId, losers) : [],
    writes: [
      { kind: "grant", role: roleId, groups: change.grants },
      endWrite(roleId, inputs, held, prior),
      ...(areLosersKnown
        ? [
            {
              kind: "revoke" as const,
              role: roleId,
              groups: losers,
              // What options replace gives all groups the role, and its end may be left out.
              instead: { kind: "grant" as const, role: roleId, groups: knownTexts(groupIds) },
            },
          ]
        : []),
    ],
    lookAhead: exclusiveIn(inputs) === true && isChanged ? whoLoses(roleId, held, groupIds) : undefined,
  };
}

function endWrite(role: string, inputs: RawInputs, { groups }: Held, prior?: PriorState<Inputs>): PlannedEnd {
  const until = untilIn(inputs);
  return {
    kind: "end",
    role,
    groups: knownTexts(wantedIn(inputs)),
    until,
    before: { groups, until: prior?.inputs.until },
    isWithin: (reviewed) => isWithin(until, reviewed),
  };
}

/** Whether an assignment changes in what no line tells. */
function changesUntold(inputs: RawInputs, prior: PriorState<Inputs> | undefined): boolean {
  if (prior === undefined) return true;
  return (
    exclusiveIn(inputs) !== exclusiveIn(prior.inputs) ||
    untilIn(inputs) !== prior.inputs.until ||
    inputs["deleteOnDestroy"] !== prior.inputs.deleteOnDestroy ||
    // A part of what is to be taken away still has the role.
    prior.outputs["unfinished"] === true ||
    knownTexts(prior.outputs["others"]).length > 0
  );
}

function partsOf(inputs: RawInputs, change: RoleChange, isReplaced: boolean): RolePart[] {
  const until = untilIn(inputs);
  const isKnown = !holdsUnknown(wantedIn(inputs));
  const groups = change.revocations;
  return [
    { kind: "grants", groups: change.grants, until },
    ...(isKnown ? [] : [{ kind: "unknown groups" as const }]),
    isReplaced && isKnown
      ? { kind: "revokes later", groups }
      : !change.isCertain
        ? { kind: "may revoke", groups }
        : hasEnded(inputs) && until !== undefined
          ? { kind: "has ended", groups, until }
          : { kind: "revokes", groups },
    { kind: "hands over", groups: [...change.handOvers, ...minus(change.dropped, change.ended)] },
    { kind: "ends", groups: change.ended },
    ...(isUnknown(exclusiveIn(inputs)) ? [{ kind: "unknown exclusive" as const }] : []),
  ];
}

function untilIn({ until }: RawInputs): string | undefined {
  return typeof until === "string" ? until : undefined;
}

function endLines(run: Run, roleId: string, prior: PriorState<Inputs> | undefined): string[] {
  const role = roleOf(run, roleId);
  const { removed, listed } = endOf(heldBy(prior?.outputs ?? {}), (group) => role.lists(group));
  const isLeft = isTakenOnDestroy(prior?.outputs ?? {}) === false;
  return formatLines(roleId, [
    { kind: isLeft ? "leaves" : "revokes later", groups: removed },
    { kind: "hands over", groups: listed },
  ]);
}

/** Said in each preview: that the groups are about to lose the role, or that they have lost it. */
function endNotices(roleId: string, until: string | undefined, moment: number): string[] {
  if (until === undefined) return [];
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
    notAsked: (reason) => formatRoleLine(roleId, { kind: "not asked", reason }),
    async ask({ client, run }, signal) {
      if (holdsUnknown(groupIds))
        return {
          lines: [formatRoleLine(roleId, { kind: "not asked", reason: "its own groups are not known yet" })],
          losses: [],
        };
      const assigned = await listRoleGroups(client, roleId, signal);
      const others = minus(assigned, [...knownTexts(groupIds), ...held.groups, ...held.handedOver]).filter(
        (group) => !roleOf(run, roleId).lists(group),
      );
      for (const group of others) roleOf(run, roleId).named.add(group);
      return {
        lines: [formatRoleLine(roleId, { kind: "exclusive", groups: others })],
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
    .map((group) => ({
      of: lossOf(roleId, group),
      isOff: () => role.lists(group) || role.left.has(group) || role.countedByDelete.has(group),
    }));
}

const UNSETTLED =
  "handed over to another assignment, which is not known to have it yet: pulumi refresh settles it once it has; " +
  "if none is to have it, list it here again for one pulumi up";
