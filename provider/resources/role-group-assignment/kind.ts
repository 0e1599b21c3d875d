import * as z from "../../zod";
import { AGAIN } from "../../review/permits";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { holdsUnknown, isUnknown, type RawInputs, sortedSet } from "../../review/raw-inputs";
import { type Ledger } from "../../pulumi/ledger";
import { type ResourceKind } from "../../pulumi/resource-kind";
import { type ReplacedSet } from "../../pulumi/sets";
import { type CheckedResource, type Run } from "../../pulumi/run";
import { ROLE_ID } from "../../service/ids";
import { listRoleGroups } from "../../service/roles";
import { apply, revokeAll } from "./apply";
import { notShownLine, refusal } from "./lines";
import { LISTING, parseListing } from "./listing";
import {
  aloneOf,
  anyOf,
  exclusiveIn,
  hasEnded,
  heldBy,
  knownTexts,
  groupKey,
  NOTHING,
  settleRead,
} from "./plan";
import { plannedEffects } from "./planned";
import { roleOf } from "./roles-of-run";
import { type AssignmentInputs, schema } from "./schema";
import { ASSIGNMENT_SETS } from "./sets";
import { isPast } from "../../access/until";

const groupList = z.array(z.string());

export const roleGroupAssignmentKind: ResourceKind<AssignmentInputs> = {
  name: "RoleGroupAssignment",
  schema,
  sets: ASSIGNMENT_SETS,
  id: ROLE_ID,
  state: {
    types: z.looseObject({
      roleId: z.string(),
      groupIds: groupList,
      exclusive: z.boolean(),
      deleteOnDestroy: z.boolean().optional(),
      others: groupList.optional(),
      unconfirmed: groupList.optional(),
      unsure: groupList.optional(),
      unfinished: z.boolean().optional(),
      until: z.string().optional(),
      ended: z.literal(true).optional(),
    }),
    // Groups that an exclusive assignment still has to remove are drift, but not its own.
    inputsIn: ({ roleId, groupIds, exclusive, deleteOnDestroy, until, ended, others }) =>
      ({
        roleId,
        groupIds: exclusive === true ? sortedSet([...knownTexts(groupIds), ...knownTexts(others)]) : groupIds,
        exclusive,
        ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
        ...(until !== undefined && { until }),
        ...(ended !== undefined && { ended }),
      }) as AssignmentInputs,
  },
  reliedOn: ["roleId", "groupIds", "exclusive", "until", "ended"],
  consequence: ({ name }) => (name === "roleId" ? "replace" : name === "ended" ? "always" : "update"),

  check(run, { resource, before, inputs: given, raw, replacedSets }) {
    const { ended, ...rest } = given;
    const inputs = { ...normalize(rest), ...(hasPassed(run, rest) && { ended: true }) };
    // `ignoreChanges` puts values from state among the inputs.
    const isGiven = (ended ?? before?.["ended"]) !== before?.["ended"];
    const problem = isGiven
      ? "ended: is not an input: the provider sets it. Remove it."
      : endProblem(run, inputs);
    if (problem !== undefined) return { inputs, problems: [problem] };
    const [replaced] = replacedSets;
    return { inputs, problems: want(run, resource, { inputs, raw, replaced }) };
  },

  effects: plannedEffects,

  create: async (context, inputs) => ({ id: inputs.roleId, ...(await apply(context, inputs, NOTHING)) }),

  async read({ client, run, tell }, roleId, prior) {
    const assigned = sortedSet(
      prior === undefined ? await listRoleGroups(client, roleId) : await roleOf(run, roleId).refresh(client),
    );
    if (prior === undefined) return { inputs: { roleId, groupIds: assigned, exclusive: false } };
    // An assignment that has ended stays in state until it's removed or prolonged.
    if (hasEnded(prior.outputs)) return { inputs: prior.inputs };
    const held = { ...heldBy(prior.outputs), isJustWritten: prior.isJustWritten };
    const { groups, unseen, others } = settleRead(held, assigned, prior.inputs.exclusive);
    if (unseen.length > 0) tell(notShownLine(roleId, unseen));
    if (groups.length + others.length === 0) return undefined;
    return {
      inputs: { ...prior.inputs, groupIds: sortedSet([...groups, ...others]) },
      outputs: { ...(others.length > 0 && { groupIds: sortedSet(groups), others }) },
      ...(unseen.length > 0 && unseen.length === held.groups.length && { isAssumed: true }),
    };
  },

  update: (context, _roleId, { outputs, isJustWritten }, inputs) =>
    apply(context, inputs, { ...heldBy(outputs), isJustWritten }),

  delete: revokeAll,
};

export const roleGroupAssignment = handlersOf(roleGroupAssignmentKind);

function normalize({ groupIds, exclusive = false, ...inputs }: RawInputs): RawInputs {
  return { ...inputs, groupIds: Array.isArray(groupIds) ? sortedSet(groupIds) : groupIds, exclusive };
}

function hasPassed({ moment }: Run, { until }: RawInputs): boolean {
  return typeof until === "string" && isPast(until, moment);
}

function endProblem({ guard }: Run, inputs: RawInputs): string | undefined {
  const { until } = inputs;
  if (isUnknown(until)) return "until must be known in a preview: give it as text.";
  if (!hasEnded(inputs) || guard.made === undefined || isPast(String(until), guard.made)) return undefined;
  return `until ${String(until)} has passed since the review was made. ${AGAIN}`;
}

/** Records what an assignment wants in the run; returns the reasons if it can't have it. */
function want(
  run: Run,
  resource: CheckedResource,
  { inputs, raw, replaced }: { inputs: RawInputs; raw: RawInputs; replaced: ReplacedSet | undefined },
): string[] {
  const { roleId } = inputs;
  if (typeof roleId !== "string" || isUnknown(roleId)) return [];
  const role = roleOf(run, roleId);
  const listing = parseListing(raw[LISTING]);
  const isComplete =
    listing?.isComplete === true && replaced === undefined && !holdsUnknown(inputs["groupIds"]);
  role.addListing(listing && { ...listing, isComplete });
  const isInTime = role.withhold(replaced?.withheld ?? []);
  const problems = own(run.ledger, resource, {
    roleId,
    groups: knownTexts(inputs["groupIds"]),
    isNow: !hasEnded(inputs),
    isExclusive: exclusiveIn(inputs) === true,
    isSecret: secretNames(raw).some((name) => name === "roleId" || name === "groupIds"),
  });
  return isInTime ? problems : [...problems, WITHHELD];
}

const WITHHELD =
  "groupIds: another assignment gives up a group because the program lists it here, but a transform, or an option that it " +
  "sets, leaves it out. No assignment would manage it. Take it out of the program's list, or change the transform.";

interface Ownership {
  roleId: string;
  groups: readonly string[];
  /** False after its end: it still keeps others away from its groups, since it may be prolonged. */
  isNow: boolean;
  isExclusive: boolean;
  isSecret: boolean;
}

/**
 * Two assignments that list the same group, or an exclusive one next to another, would undo each other's
 * work.
 */
function own(ledger: Ledger, self: CheckedResource, wanted: Ownership): string[] {
  const { roleId, groups, isNow, isExclusive, isSecret } = wanted;
  const [any, alone] = [anyOf(roleId), aloneOf(roleId)];
  const ownerOf = (key: string) => ledger.otherOwner(self, key);
  const twice = groups.filter((group) => ownerOf(groupKey(roleId, group)) !== undefined);
  const keys = [...twice.map((group) => groupKey(roleId, group)), alone, ...(isExclusive ? [any] : [])];
  const owner = keys.map(ownerOf).find((one) => one !== undefined);
  const wants = [...groups.map((group) => groupKey(roleId, group)), any, ...(isExclusive ? [alone] : [])];
  ledger.want(
    self,
    wants.map((key) => ({ key, isNow, isSecret })),
  );
  if (owner === undefined) return [];
  const { name = "this one" } = self;
  const isHidden = isSecret || owner.isSecret;
  const exclusive = isExclusive ? name : owner.name;
  return [
    refusal([owner.name, name].sort(), { roleId: isHidden ? undefined : roleId, groups: twice, exclusive }),
  ];
}
