import * as z from "../../zod";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { holdsUnknown, isUnknown, type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import { type ResourceKind } from "../../pulumi/resource-kind";
import { type Opening } from "../../pulumi/review-permits";
import { type Run } from "../../pulumi/run";
import { ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/roles";
import { apply, inheritedFrom, takeAway } from "./apply";
import { exclusiveIn, hasEnded, heldBy, knownTexts, minus, NOTHING, wantedIn } from "./effects";
import { keptLines, UNSETTLED } from "./lines";
import { LISTING, listingAt, parseListing } from "./listing";
import { plannedEffects } from "./planned";
import { roleOf } from "./roles-of-run";
import { type Inputs, schema } from "./schema";
import { isPast } from "./until";

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
      for (const one of [roleId, ...knownTexts([replaced["roleId"]])]) roleOf(run, one).withdraw(resource);
    }
    const role = roleOf(run, roleId);
    const listing = listingAt(parseListing(raw[LISTING]), run.moment);
    const isComplete = listing.isComplete && !holdsUnknown(groupIds);
    role.addListing({ ...listing, isComplete });
    const isSecret = secretNames(raw).some((name) => name === "roleId" || name === "groupIds");
    const isExclusive = exclusiveIn(inputs) === true;
    const conflict = role.claim({ resource, isSecret, isExclusive }, knownTexts(groupIds));
    return conflict === undefined ? [] : [conflict];
  },

  onOwned(run, roleId, { inputs }) {
    const { owned } = roleOf(run, roleId);
    for (const group of knownTexts(wantedIn(inputs))) owned.add(group);
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

  effects: plannedEffects,

  async create(context, inputs, replaced) {
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
    for (const line of keptLines(roleId, notes, UNSETTLED)) tell(line);
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

  delete: (context, roleId, { outputs }) => takeAway(context, roleId, outputs),
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
    // Any group may be among those that are not known yet.
    if (again.includes(group) || holdsUnknown(wanted)) role.givenAgain.add(group);
  }
}
